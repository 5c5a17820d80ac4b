//! `wayleave fsck`: checks everything that is stored and reports every fault.

mod progress;

use anyhow::Result;
use proof::KeyPolicy;
use service::log::fsck::{FsckReport, FsckRequest, StorePart, fsck};
use service::log::mark::read_mark;

use self::progress::FsckProgressLine;
use crate::commands::config_in_force;
use crate::config::ConfigArgs;
use crate::output::{Tone, colour_for_terminal, sanitize_for_terminal};
use crate::{exit, output, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Recomputes the log from its stored bytes, verifies every answer, scan and daily seal, and compares \
                  everything else that has a digest with it. Reads the store in store.data_dir; stop the server \
                  first. Changes nothing, except that a store of an older version is brought up to date. \
                  Cosignatures are checked with the keys in proof.witnesses. Progress and the time left are written \
                  to standard error. `wayleave log fsck` is the same command.\n\n\
                  Exit codes: 0 everything is consistent, 1 faults were found, 2 could not be checked."
)]
pub(crate) struct Args {
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let config = config_in_force(&args.config)?;
    let (store, keys_folder) = super::log::open_store(&config)?;
    let (brand, keys) = (wiring::brand(&config)?, wiring::open_keys(&config)?);
    let rotation = keys.rotation_record(&brand);
    let policy = KeyPolicy::from_directory(&keys.directory(&brand), Some(&rotation), &brand)?;
    let witnesses: Vec<_> =
        wiring::witness_peers(&config)?.into_iter().map(|witness| witness.key).collect();
    let (origin, mark) = (wiring::log_origin(&config)?, read_mark(&keys_folder));
    let request = FsckRequest {
        store: &store,
        brand: &brand,
        policy: &policy,
        origin: &origin,
        witnesses: &witnesses,
        mark: &mark,
    };
    let mut progress = FsckProgressLine::new();
    let report = wiring::runtime()?.block_on(fsck(request, &mut |step| progress.show(step)))?;
    progress.finish();
    if args.json {
        output::print_json(&report)?;
    } else {
        print_report(&report);
    }
    Ok(if report.is_sound() { exit::PASSED } else { exit::CHECK_FAILED })
}

/// The name of a part, as in the JSON report but with spaces.
fn part_name(part: StorePart) -> String {
    let name = serde_json::to_value(part).unwrap_or_default();
    name.as_str().unwrap_or_default().replace('_', " ")
}

fn print_report(report: &FsckReport) {
    let (tone, word) = match report.faults.len() as u64 + report.further_faults {
        0 => (Tone::Good, "consistent, no faults".to_owned()),
        1 => (Tone::Bad, "1 fault".to_owned()),
        count => (Tone::Bad, format!("{count} faults")),
    };
    output::print_line(&format!("{}: {}", report.log_id, colour_for_terminal(tone, &word)));
    output::print_line(&format!(
        "  {} batches, {} leaves, {} entries, {} tiles, {} answers, {} cosignatures{}",
        report.batches,
        report.tree_size,
        report.entries,
        report.tiles,
        report.answers,
        report.cosignatures,
        match report.cosignatures_not_checked {
            0 => String::new(),
            count => format!(" ({count} not checked: their witness is not in proof.witnesses)"),
        }
    ));
    let records: Vec<String> = report
        .records
        .iter()
        .map(|(part, count)| format!("{count} {}", part_name(*part)))
        .collect();
    if !records.is_empty() {
        output::print_line(&format!("  {}", records.join(", ")));
    }
    if let Some(root) = &report.tree_root {
        output::print_line(&format!("  root {root}"));
    }
    for fault in &report.faults {
        let batch = fault.batch.map_or(String::new(), |batch| format!("batch {batch}, "));
        let part = part_name(fault.part);
        output::print_line(&format!(
            "  {}  {batch}{part}: {}",
            colour_for_terminal(Tone::Bad, "fault"),
            sanitize_for_terminal(&fault.detail)
        ));
    }
    if report.further_faults > 0 {
        output::print_line(&format!("  and {} more faults", report.further_faults));
    }
    for note in &report.notes {
        output::print_line(&format!(
            "  {}   {}",
            colour_for_terminal(Tone::Warning, "note"),
            sanitize_for_terminal(note)
        ));
    }
}
