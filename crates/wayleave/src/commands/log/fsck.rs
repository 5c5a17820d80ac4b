//! `wayleave log fsck`: everything made anew from the bytes of the store.

use std::io::IsTerminal;

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use proof::KeyPolicy;
use service::log::fsck::{Fsck, FsckReport, Progress, fsck};
use service::log::mark::find_mark;

use crate::commands::in_force;
use crate::config::ConfigArgs;
use crate::output::{Tone, harmless, toned};
use crate::{exit, output, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Reads the store in store.data_dir; a server that runs on it has to be stopped first. \
                  Cosignatures are checked by the keys in proof.witnesses.\n\n\
                  Exit codes: 0 everything holds, 1 something does not, 2 it could not be looked at."
)]
pub(crate) struct Args {
    /// As JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let config = in_force(&args.config)?;
    let (store, keys_folder) = super::open(&config)?;
    let (brand, keys) = (wiring::brand(&config)?, wiring::keys(&config)?);
    let rotation = keys.rotation_record(&brand);
    let policy = KeyPolicy::from_directory(&keys.directory(&brand), Some(&rotation), &brand)?;
    let witnesses: Vec<_> =
        wiring::witnesses(&config)?.into_iter().map(|witness| witness.key).collect();
    let (origin, mark) = (wiring::origin(&config)?, find_mark(&keys_folder));
    let ask = Fsck {
        store: &store,
        brand: &brand,
        policy: &policy,
        origin: &origin,
        witnesses: &witnesses,
        mark: &mark,
    };
    let bar = bar();
    let report = wiring::runtime()?.block_on(fsck(ask, &mut |step| tell(&bar, step)))?;
    bar.finish_and_clear();
    if args.json {
        output::json(&report)?;
    } else {
        show(&report);
    }
    Ok(if report.sound() { exit::GOOD } else { exit::BAD })
}

fn bar() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("Looking at {msg} {bar:24} {pos}/{len} ({elapsed})");
    ProgressBar::new(1).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn tell(bar: &ProgressBar, step: Progress) {
    bar.set_message(step.doing);
    bar.set_length(step.of.unwrap_or(step.done));
    bar.set_position(step.done);
}

fn show(report: &FsckReport) {
    let (tone, word) = match report.faults.len() as u64 + report.further_faults {
        0 => (Tone::Good, "sound".to_owned()),
        1 => (Tone::Bad, "1 fault".to_owned()),
        count => (Tone::Bad, format!("{count} faults")),
    };
    output::line(&format!("{}: {}", report.log_id, toned(tone, &word)));
    output::line(&format!(
        "  {} batches, {} leaves, {} entries, {} tiles, {} answers, {} cosignatures{}",
        report.batches,
        report.tree_size,
        report.entries,
        report.tiles,
        report.answers,
        report.cosignatures,
        match report.cosignatures_not_checked {
            0 => String::new(),
            count => format!(" ({count} not checked: their witness is not configured)"),
        }
    ));
    if let Some(root) = &report.tree_root {
        output::line(&format!("  root {root}"));
    }
    for fault in &report.faults {
        let place = fault.batch.map_or(String::new(), |batch| format!("batch {batch}, "));
        let part = format!("{:?}", fault.part).to_lowercase();
        output::line(&format!(
            "  {}  {place}{part}: {}",
            toned(Tone::Bad, "fault"),
            harmless(&fault.detail)
        ));
    }
    if report.further_faults > 0 {
        output::line(&format!("  and {} further faults", report.further_faults));
    }
    for note in &report.notes {
        output::line(&format!("  {}   {}", toned(Tone::Doubt, "note"), harmless(note)));
    }
}
