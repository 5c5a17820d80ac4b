//! `wayleave log mark`: the last head that was acknowledged, beside where the log ends.

use anyhow::Result;
use proof::keys::Marked;
use serde_json::{Value, json};
use service::log::fsck::FoundMark;
use service::log::mark::{MarkStatus, accept_mark, mark_status};

use crate::commands::in_force;
use crate::config::ConfigArgs;
use crate::output::{Tone, harmless, toned};
use crate::{exit, output, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Works on the data directory (store.data_dir); a server that runs on it has to be stopped \
                  first.\n\n\
                  Exit codes: 0 the log goes on from its mark, 1 it does not (or nothing was accepted), \
                  2 it could not be looked at."
)]
pub(crate) struct Args {
    /// Take where the log ends now for its newest end, whatever the mark says
    #[arg(long)]
    accept: bool,
    /// As JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

const MEANING: &str = "\
This says that the log in this data directory is the newest there ever was. If it is an older copy,\n\
the next batch gets a number that was signed before: whoever holds the earlier head can then prove\n\
that this log has two histories, and nobody can mend that. Do it only if the mark was lost, or if what\n\
is missing is known to be gone for good and to have been shown to nobody.";

pub(crate) fn run(args: Args) -> Result<u8> {
    let config = in_force(&args.config)?;
    let (store, keys) = super::open(&config)?;
    let log_id = wiring::brand(&config)?.log_id();
    let status = wiring::runtime()?.block_on(mark_status(&store, &keys, &log_id))?;
    let mut accepted = false;
    if args.accept && status.found != FoundMark::Read(status.log.clone()) {
        output::note(MEANING);
        accept_mark(&keys, &status.log)?;
        accepted = true;
    }
    if args.json {
        output::json(&json!({
            "mark": match &status.found {
                FoundMark::Read(marked) => as_json(marked),
                FoundMark::Missing | FoundMark::Unreadable(_) => Value::Null,
            },
            "log": as_json(&status.log),
            "fault": status.fault.as_ref().map(ToString::to_string),
            "accepted": accepted,
        }))?;
    } else {
        show(&status, accepted);
    }
    Ok(if status.fault.is_none() || accepted { exit::GOOD } else { exit::BAD })
}

fn as_json(marked: &Marked) -> Value {
    json!({
        "log_id": marked.log_id,
        "tree_size": marked.tree_size,
        "batch": marked.head.map(|(batch, _)| batch),
        "sth_sha256": marked.head.map(|(_, sha256)| sha256),
    })
}

fn show(status: &MarkStatus, accepted: bool) {
    let found = match &status.found {
        FoundMark::Missing => "there is none".to_owned(),
        FoundMark::Unreadable(why) => format!("it cannot be read: {why}"),
        FoundMark::Read(marked) => said(marked),
    };
    output::line(&format!("mark  {}", harmless(&found)));
    output::line(&format!("log   {}", said(&status.log)));
    match &status.fault {
        _ if accepted => {
            output::line(&toned(Tone::Doubt, "The mark is now where the log ends."));
        }
        None => output::line(&toned(Tone::Good, "The log goes on from its mark.")),
        Some(fault) => output::line(&toned(Tone::Bad, &harmless(&fault.to_string()))),
    }
}

fn said(marked: &Marked) -> String {
    match &marked.head {
        None => format!("{}: begun, no batch yet", marked.log_id),
        Some((batch, sha256)) => {
            format!("{}: batch {batch}, {} leaves, head {sha256}", marked.log_id, marked.tree_size)
        }
    }
}
