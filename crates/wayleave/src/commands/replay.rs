//! `wayleave replay`: recomputes the record of a stored scan from its evidence.

use anyhow::{Context, Result};
use service::scanning::replay::{JudgementSummary, Replay, ReplayConclusion, ReplayRow, replay};
use store_sqlite::{SqliteOptions, SqliteStore};

use super::config_in_force;
use crate::config::ConfigArgs;
use crate::output::{Tone, colour_for_terminal, sanitize_for_terminal};
use crate::{exit, output, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Reads the store in store.data_dir, including private scans; stop the server first. Prints grade, rules \
                  version and digest of the stored and the recomputed record, and where they differ.\n\n\
                  Exit codes: 0 identical, or the rules have changed since (1 with --strict), 1 same rules but a \
                  different record, 2 could not be checked: the scan or its response bodies are no longer stored."
)]
pub(crate) struct Args {
    /// Id of a stored scan, as in its report URL (/r/ID)
    id: String,
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
    let folder = config.data_dir();
    // Opening would create an empty store.
    if !folder.is_dir() {
        anyhow::bail!("there is no store in {}", folder.display());
    }
    let store = SqliteStore::open(&folder, SqliteOptions::default()).with_context(|| {
        format!(
            "cannot open the store in {} (if a server is running on it, stop it first)",
            folder.display()
        )
    })?;
    let replay = wiring::runtime()?.block_on(replay(&store, &catalogue, &args.id))?;
    if args.json {
        output::print_json(&replay)?;
    } else {
        print_replay(&replay);
    }
    Ok(match replay.conclusion {
        ReplayConclusion::Same => exit::PASSED,
        ReplayConclusion::RulesChanged if !args.strict => exit::PASSED,
        ReplayConclusion::RulesChanged | ReplayConclusion::Different => exit::CHECK_FAILED,
        ReplayConclusion::BodiesGone => exit::COULD_NOT_CHECK,
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
        output::print_line("  These response bodies are needed and no longer stored:");
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
