//! `wayleave replay`: recomputes the record of a scan from its evidence, stored here or downloaded.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use service::scanning::bundle::read_bundle;
use service::scanning::replay::{
    JudgementSummary, Replay, ReplayConclusion, ReplayFiles, ReplayRow, replay, replay_files,
};
use store_sqlite::{SqliteOptions, SqliteStore};

use super::config_in_force;
use crate::config::ConfigArgs;
use crate::output::{Tone, colour_for_terminal, sanitize_for_terminal};
use crate::{exit, output, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "With a ZIP file (/r/ID.zip of a service), or with --record, --evidence and --bodies, needs no store and \
                  no network: give it what you downloaded. To know who signed the record, use `wayleave verify`.\n\
                  With an id, reads the store in store.data_dir, including private scans; stop the server first.\n\
                  Prints grade, rules version and digest of the stored and the recomputed record, and where they \
                  differ.\n\n\
                  Exit codes: 0 identical, 1 same rules but a different record, 2 could not be checked: the scan or its \
                  response bodies are no longer stored. If the rules have changed since the scan: 0 for an id, 2 for \
                  files, 1 with --strict."
)]
pub(crate) struct Args {
    /// Id of a stored scan, as in its report URL (/r/ID), or a downloaded ZIP file (/r/ID.zip)
    #[arg(required_unless_present = "record", conflicts_with_all = ["record", "evidence", "bodies"])]
    id: Option<String>,
    /// Downloaded record (/r/ID.json)
    #[arg(long, value_name = "FILE", requires = "evidence")]
    record: Option<PathBuf>,
    /// Downloaded evidence (/r/ID.raw.json)
    #[arg(long, value_name = "FILE", requires = "record")]
    evidence: Option<PathBuf>,
    /// Folder of response bodies, each named by its SHA-256
    #[arg(long, value_name = "DIR", requires = "record")]
    bodies: Option<PathBuf>,
    /// Exit with 1 also when the rules have changed since the scan
    #[arg(long)]
    strict: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let config = config_in_force(&args.config)?;
    let catalogue = wiring::load_catalogue(&config)?;
    let mut source = ReplaySource::Files;
    let replay = match (&args.id, &args.record, &args.evidence) {
        (_, Some(record), Some(evidence)) => {
            let files = read_files(record, evidence, args.bodies.as_deref())?;
            replay_files(&files, &catalogue)?
        }
        (Some(id), _, _) if Path::new(id).is_file() => {
            let bytes = read_bounded(Path::new(id), MAX_BUNDLE_BYTES)?;
            replay_files(&read_bundle(&bytes).with_context(|| id.clone())?, &catalogue)?
        }
        (Some(id), _, _) => {
            source = ReplaySource::Store;
            let folder = config.data_dir();
            // Opening would create an empty store.
            if !folder.is_dir() {
                bail!("there is no file {id} and no store in {}", folder.display());
            }
            let store = SqliteStore::open(&folder, SqliteOptions::default()).with_context(|| {
                format!(
                    "cannot open the store in {} (if a server is running on it, stop it first, or download {}/r/{id}.zip \
                     and replay that)",
                    folder.display(),
                    config.base_url()
                )
            })?;
            wiring::runtime()?.block_on(replay(&store, &catalogue, id))?
        }
        _ => bail!("give an id, a ZIP file, or --record and --evidence"),
    };
    if args.json {
        output::print_json(&replay)?;
    } else {
        print_replay(&replay);
    }
    if source == ReplaySource::Files && replay.conclusion == ReplayConclusion::RulesChanged {
        output::print_note(
            "This program has other rules than the one that made the record, so it cannot check the record. Use the \
             version that made it.",
        );
    }
    Ok(exit_code(replay.conclusion, source, args.strict))
}

/// Where the evidence comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReplaySource {
    /// The operator's own store, which checks what it returns.
    Store,
    /// Files that anyone may have made: without the same rules nothing about them was checked.
    Files,
}

fn exit_code(conclusion: ReplayConclusion, source: ReplaySource, strict: bool) -> u8 {
    match (conclusion, source) {
        (ReplayConclusion::Same, _) => exit::PASSED,
        (ReplayConclusion::Different, _) => exit::CHECK_FAILED,
        (ReplayConclusion::BodiesGone, _) => exit::COULD_NOT_CHECK,
        (ReplayConclusion::RulesChanged, _) if strict => exit::CHECK_FAILED,
        (ReplayConclusion::RulesChanged, ReplaySource::Store) => exit::PASSED,
        (ReplayConclusion::RulesChanged, ReplaySource::Files) => exit::COULD_NOT_CHECK,
    }
}

/// The largest files that are read.
const MAX_BUNDLE_BYTES: u64 = 600 << 20;
const MAX_FILE_BYTES: u64 = 64 << 20;
/// All bodies of a folder together.
const MAX_BODIES_BYTES: u64 = 512 << 20;

/// The stated size of a file may be wrong, so what is read is counted.
fn read_bounded(file: &Path, most: u64) -> Result<Vec<u8>> {
    let cannot = || format!("{} cannot be read", file.display());
    let mut bytes = Vec::new();
    let opened = File::open(file).with_context(cannot)?;
    opened.take(most.saturating_add(1)).read_to_end(&mut bytes).with_context(cannot)?;
    if bytes.len() as u64 > most {
        bail!("{} is larger than {} MB", file.display(), most >> 20);
    }
    Ok(bytes)
}

/// Reads downloaded files. Of the folder only files are read that are named by a digest; a scan has
/// fewer than a thousand.
fn read_files(record: &Path, evidence: &Path, bodies: Option<&Path>) -> Result<ReplayFiles> {
    const MAX_BODIES: usize = 1_000;
    let (mut found, mut left) = (BTreeMap::new(), MAX_BODIES_BYTES);
    if let Some(folder) = bodies {
        let shown = folder.display();
        let entries = std::fs::read_dir(folder).with_context(|| format!("--bodies {shown}"))?;
        for entry in entries {
            let entry = entry.with_context(|| format!("--bodies {shown}"))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.len() != 64 || !name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                continue;
            }
            if found.len() == MAX_BODIES {
                bail!("--bodies {shown} has more than {MAX_BODIES} files");
            }
            let body = read_bounded(&entry.path(), MAX_FILE_BYTES)?;
            left = left.checked_sub(body.len() as u64).with_context(|| {
                format!("--bodies {shown} has more than {} MB", MAX_BODIES_BYTES >> 20)
            })?;
            found.insert(name, body.into());
        }
    }
    Ok(ReplayFiles {
        record: read_bounded(record, MAX_FILE_BYTES)?.into(),
        evidence: read_bounded(evidence, MAX_FILE_BYTES)?.into(),
        bodies: found,
    })
}

fn print_replay(replay: &Replay) {
    let (tone, word) = match replay.conclusion {
        ReplayConclusion::Same => (Tone::Good, "identical"),
        ReplayConclusion::RulesChanged => (Tone::Warning, "rules changed"),
        ReplayConclusion::Different => (Tone::Bad, "different"),
        ReplayConclusion::BodiesGone => (Tone::Warning, "could not be checked"),
    };
    output::print_line(&format!(
        "{}: {} ({})",
        sanitize_for_terminal(&replay.id),
        colour_for_terminal(tone, word),
        sanitize_for_terminal(&replay.domain)
    ));
    output::print_line(&format!("  stored      {}", describe_result(&replay.kept)));
    if let Some(now) = &replay.now {
        output::print_line(&format!("  recomputed  {}", describe_result(now)));
    }
    if !replay.bodies_gone.is_empty() {
        output::print_line("  These response bodies are needed and not there:");
    }
    for digest in &replay.bodies_gone {
        output::print_line(&format!("    sha256 {digest}"));
    }
    for row in &replay.ledger {
        let (kept, now) = (describe_row(row.kept.as_ref()), describe_row(row.now.as_ref()));
        output::print_line(&format!(
            "  rule {}: stored {kept}, recomputed {now}",
            sanitize_for_terminal(&row.rule)
        ));
    }
    for pointer in &replay.differs_at {
        output::print_line(&format!("  differs at {}", sanitize_for_terminal(pointer)));
    }
    if replay.differs_elsewhere > 0 {
        output::print_line(&format!("  and at {} more places", replay.differs_elsewhere));
    }
}

fn describe_result(judged: &JudgementSummary) -> String {
    let grade = judged.grade.as_deref().map_or("no grade".to_owned(), sanitize_for_terminal);
    let overall = judged.overall.map(|points| format!(" ({points} of 100)")).unwrap_or_default();
    format!("{grade}{overall}, rules {}, sha256 {}", judged.score_version, judged.sha256)
}

fn describe_row(row: Option<&ReplayRow>) -> String {
    let Some(row) = row else { return "no such rule".to_owned() };
    match (row.points, row.of) {
        (Some(points), Some(of)) => {
            format!("{} ({points} of {of})", sanitize_for_terminal(&row.state))
        }
        _ => sanitize_for_terminal(&row.state),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_other_rules_made_are_not_checked() {
        use ReplayConclusion::{BodiesGone, Different, RulesChanged, Same};
        use ReplaySource::{Files, Store};
        for (conclusion, source, strict, code) in [
            (Same, Files, true, exit::PASSED),
            (RulesChanged, Store, false, exit::PASSED),
            (RulesChanged, Store, true, exit::CHECK_FAILED),
            (RulesChanged, Files, false, exit::COULD_NOT_CHECK),
            (RulesChanged, Files, true, exit::CHECK_FAILED),
            (Different, Files, false, exit::CHECK_FAILED),
            (BodiesGone, Store, true, exit::COULD_NOT_CHECK),
        ] {
            assert_eq!(exit_code(conclusion, source, strict), code, "{conclusion:?} {source:?}");
        }
    }

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x");
        std::fs::write(&file, "abc").unwrap();
        assert_eq!(read_bounded(&file, 3).unwrap(), b"abc");
        assert!(read_bounded(&file, 2).unwrap_err().to_string().contains("is larger than"));
        // It has no size of its own.
        assert!(read_bounded(Path::new("/dev/zero"), 1000).is_err());
        assert!(read_bounded(&folder.path().join("y"), 3).is_err());
    }
}
