//! `wayleave log fsck`: recomputes the whole log from the stored bytes and reports every fault.

use std::io::IsTerminal;

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use proof::KeyPolicy;
use service::log::fsck::{FsckProgress, FsckReport, FsckRequest, fsck};
use service::log::mark::read_mark;

use crate::commands::config_in_force;
use crate::config::ConfigArgs;
use crate::output::{Tone, colour_for_terminal, sanitize_for_terminal};
use crate::{exit, output, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Reads the store in store.data_dir; stop the server first. Changes nothing. Cosignatures are checked \
                  with the keys in proof.witnesses.\n\n\
                  Exit codes: 0 the log is consistent, 1 faults were found, 2 could not be checked."
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
    let (store, keys_folder) = super::open_store(&config)?;
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
    let bar = new_progress_bar();
    let report =
        wiring::runtime()?.block_on(fsck(request, &mut |step| show_progress(&bar, step)))?;
    bar.finish_and_clear();
    if args.json {
        output::print_json(&report)?;
    } else {
        print_report(&report);
    }
    Ok(if report.is_sound() { exit::PASSED } else { exit::CHECK_FAILED })
}

fn new_progress_bar() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("Checking {msg} {bar:24} {pos}/{len} ({elapsed})");
    ProgressBar::new(1).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn show_progress(bar: &ProgressBar, step: FsckProgress) {
    bar.set_message(step.stage);
    bar.set_length(step.total.unwrap_or(step.done));
    bar.set_position(step.done);
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
    if let Some(root) = &report.tree_root {
        output::print_line(&format!("  root {root}"));
    }
    for fault in &report.faults {
        let batch = fault.batch.map_or(String::new(), |batch| format!("batch {batch}, "));
        let part = format!("{:?}", fault.part).to_lowercase();
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
