//! `wayleave audit`: shows what operators and licence holders did.

use anyhow::Result;
use serde_json::{Value, json};
use store::AuditEntry;

use super::config_in_force;
use crate::config::ConfigArgs;
use crate::{exit, output, wiring};

/// Entries that are shown at most.
const MAX_ENTRIES: usize = 10_000;

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Works on store.data_dir, also while a server is running. Entries are only ever added; the newest come \
                  first.\n\nExit codes: 0 done, 2 the store could not be read."
)]
pub(crate) struct Args {
    /// How many entries to show
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    limit: u32,
    /// Only entries with a number below this one
    #[arg(long, value_name = "NUMBER")]
    before: Option<u64>,
    #[command(flatten)]
    config: ConfigArgs,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let admin = wiring::open_admin(&config_in_force(&args.config)?)?;
    let limit = usize::try_from(args.limit).unwrap_or(MAX_ENTRIES).min(MAX_ENTRIES);
    let entries = wiring::runtime()?
        .block_on(async { admin.audit().audit_entries(args.before, limit).await })?;
    if args.json {
        output::print_json(&entries.iter().map(entry_to_json).collect::<Vec<_>>())?;
        return Ok(exit::PASSED);
    }
    let mut rows =
        vec![["NUMBER", "TIME", "WHO", "WHAT", "TO", "DETAIL"].map(str::to_owned).to_vec()];
    rows.extend(entries.iter().map(|entry| {
        vec![
            entry.seq.to_string(),
            entry.at.to_string(),
            output::sanitize_for_terminal(&entry.actor),
            entry.action.clone(),
            output::sanitize_for_terminal(&entry.subject),
            output::sanitize_for_terminal(&entry.detail),
        ]
    }));
    output::print_bytes(output::format_table(&rows).as_bytes());
    Ok(exit::PASSED)
}

fn entry_to_json(entry: &AuditEntry) -> Value {
    let detail =
        serde_json::from_str(&entry.detail).unwrap_or_else(|_| Value::String(entry.detail.clone()));
    json!({
        "number": entry.seq,
        "at": entry.at,
        "actor": entry.actor,
        "action": entry.action,
        "subject": entry.subject,
        "detail": detail,
    })
}
