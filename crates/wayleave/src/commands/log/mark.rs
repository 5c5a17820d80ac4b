//! `wayleave log mark`: compares the log's high-water mark (the last acknowledged head, stored with
//! the keys) with the end of the log in the store.

use anyhow::Result;
use contract::Clock;
use door::SystemClock;
use proof::keys::LogPosition;
use serde_json::{Value, json};
use service::log::decide_to_continue;
use service::log::mark::{FoundMark, MarkComparison, MarkStatus, accept_mark, compare_mark};

use crate::commands::config_in_force;
use crate::config::ConfigArgs;
use crate::output::{Tone, colour_for_terminal, sanitize_for_terminal};
use crate::{audit, exit, output, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "The mark is the last tree head that the service acknowledged. It is stored with the keys, so that an \
                  old copy of the log is noticed before it is extended. It also knows which file it is and on which \
                  machine, so that a copy of the whole data directory is noticed. Works on store.data_dir; stop the server \
                  first.\n\n\
                  Exit codes: 0 the log matches its mark (or --accept moved the mark), 1 it does not match, 2 \
                  could not be checked."
)]
pub(crate) struct Args {
    /// Set the mark to the current end of the log, accept its place, and continue in spite of contradicting
    /// heads. Dangerous: see the warning it prints
    #[arg(long)]
    accept: bool,
    /// Print the status as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

const ACCEPT_WARNING: &str = "\
WARNING: --accept declares that the log in this data directory is the newest version, and that no other copy\n\
of it signs. If it is an older copy, or the original still runs, the next batch reuses a number that was\n\
already signed. Anyone who has the other head can then prove that this log has two histories, and that cannot\n\
be repaired. Use --accept only if the mark file was lost, if the data directory was moved and the original is\n\
out of service, or if the missing batches are gone for good and nobody has seen them.";

pub(crate) fn run(args: Args) -> Result<u8> {
    let config = config_in_force(&args.config)?;
    let (store, keys) = super::open_store(&config)?;
    let brand = wiring::brand(&config)?;
    let policy = wiring::key_policy(&wiring::open_keys(&config)?, &brand)?;
    let comparison =
        MarkComparison { store: &store, directory: &keys, brand: &brand, policy: &policy };
    let runtime = wiring::runtime()?;
    let status = runtime.block_on(compare_mark(comparison))?;
    let mut accepted = false;
    let is_at_end = status.mark == FoundMark::Read(status.log_end.clone());
    if args.accept && (!is_at_end || status.fault.is_some()) {
        output::print_note(ACCEPT_WARNING);
        runtime.block_on(decide_to_continue(&store, SystemClock.now()))?;
        accept_mark(&keys, &status.log_end)?;
        let detail = json!({ "fault": status.fault.as_ref().map(ToString::to_string) });
        runtime.block_on(audit::record(&store, "log.mark_accept", "the log", detail))?;
        accepted = true;
    }
    if args.json {
        output::print_json(&json!({
            "mark": match &status.mark {
                FoundMark::Read(marked) => mark_to_json(marked),
                FoundMark::Missing | FoundMark::Unreadable(_) => Value::Null,
            },
            "log": mark_to_json(&status.log_end),
            "fault": status.fault.as_ref().map(ToString::to_string),
            "accepted": accepted,
        }))?;
    } else {
        print_status(&status, accepted);
    }
    Ok(if status.fault.is_none() || accepted { exit::PASSED } else { exit::CHECK_FAILED })
}

fn mark_to_json(marked: &LogPosition) -> Value {
    json!({
        "log_id": marked.log_id,
        "tree_size": marked.tree_size,
        "batch": marked.head.map(|(batch, _)| batch),
        "sth_sha256": marked.head.map(|(_, sha256)| sha256),
    })
}

fn print_status(status: &MarkStatus, accepted: bool) {
    let found = match &status.mark {
        FoundMark::Missing => "none".to_owned(),
        FoundMark::Unreadable(why) => format!("cannot be read: {why}"),
        FoundMark::Read(marked) => describe_mark(marked),
    };
    output::print_line(&format!("mark  {}", sanitize_for_terminal(&found)));
    output::print_line(&format!("log   {}", describe_mark(&status.log_end)));
    match &status.fault {
        _ if accepted => {
            output::print_line(&colour_for_terminal(
                Tone::Warning,
                "The mark was set to the end of the log.",
            ));
        }
        None => output::print_line(&colour_for_terminal(Tone::Good, "The log matches its mark.")),
        Some(fault) => output::print_line(&colour_for_terminal(
            Tone::Bad,
            &sanitize_for_terminal(&fault.to_string()),
        )),
    }
}

fn describe_mark(marked: &LogPosition) -> String {
    match &marked.head {
        None => format!("{}: no batch yet", marked.log_id),
        Some((batch, sha256)) => {
            format!("{}: batch {batch}, {} leaves, head {sha256}", marked.log_id, marked.tree_size)
        }
    }
}
