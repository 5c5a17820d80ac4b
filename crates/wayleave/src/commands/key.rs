//! `wayleave key`: lists, rotates and marks the signing keys of this installation.

use anyhow::{Context, Result};
use contract::{Clock, Timestamp};
use door::SystemClock;
use proof::KeyPurpose;
use serde_json::{Value, json};

use super::config_in_force;
use crate::config::{Config, ConfigArgs};
use crate::{audit, exit, output, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Works on the keys in store.keys_dir (by default `keys` in store.data_dir), also while a server is \
                  running; the server notices within a second.\n\n\
                  Exit codes: 0 done, 2 nothing was changed (the message says why)."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List the keys: purpose, thumbprint (kid), and when each signs or signed
    List {
        #[command(flatten)]
        config: ConfigArgs,
        /// Print the list as JSON
        #[arg(long)]
        json: bool,
    },
    /// Create a new key for a purpose; the old key stays published, with the time it stopped signing
    Rotate {
        /// Purpose: `requests`, `documents`, `decisions` or `log heads`
        purpose: KeyPurpose,
        #[command(flatten)]
        config: ConfigArgs,
        /// Seconds until the new key starts signing, so that others learn of it first
        #[arg(long, default_value_t = 60)]
        after: u32,
        /// Print the list as JSON
        #[arg(long)]
        json: bool,
    },
    /// Mark a key as compromised since TIME and stop using it; a new key replaces it
    Compromised {
        /// Thumbprint (kid) of the key, as listed; may start with a dash
        #[arg(allow_hyphen_values = true)]
        kid: String,
        /// Since when others may have the key: YYYY-MM-DDTHH:MM:SSZ
        #[arg(value_name = "TIME")]
        since: Timestamp,
        #[command(flatten)]
        config: ConfigArgs,
        /// Print the list as JSON
        #[arg(long)]
        json: bool,
    },
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let now = SystemClock.now();
    match args.command {
        Command::List { config, json } => list_keys(&config, json),
        Command::Rotate { purpose, config, after, json } => {
            let in_force = config_in_force(&config)?;
            let mut keys = wiring::open_keys(&in_force)?;
            let start = now.plus_millis(i64::from(after) * 1000);
            keys.rotate_from(purpose, start, now).context("cannot rotate the key")?;
            let detail = json!({ "signs_from": start.whole_seconds() });
            record(&in_force, "key.rotate", purpose.as_str(), detail)?;
            output::print_note(&format!(
                "The new key for {purpose} starts signing at {}.",
                start.whole_seconds()
            ));
            list_keys(&config, json)
        }
        Command::Compromised { kid, since, config, json } => {
            let in_force = config_in_force(&config)?;
            let mut keys = wiring::open_keys(&in_force)?;
            keys.mark_compromised(&kid, since, now)
                .context("cannot mark the key as compromised")?;
            record(&in_force, "key.compromised", &kid, json!({ "since": since }))?;
            list_keys(&config, json)
        }
    }
}

/// Adds to the audit log. A data directory without a store has none yet.
fn record(config: &Config, name: &'static str, subject: &str, detail: Value) -> Result<()> {
    if !store_sqlite::has_database(&config.data_dir()) {
        return Ok(());
    }
    let admin = wiring::open_admin(config)?;
    wiring::runtime()?.block_on(audit::record(admin.audit(), name, subject, detail))
}

fn list_keys(config: &ConfigArgs, json: bool) -> Result<u8> {
    let keys = wiring::open_keys(&config_in_force(config)?)?;
    let moment = |at: Option<Timestamp>| at.map_or(Value::Null, |at| json!(at));
    let list: Vec<Value> = keys
        .ring()
        .records()
        .iter()
        .map(|key| {
            json!({
                "purpose": key.purpose.as_str(),
                "kid": key.public.kid(),
                "signs_from": key.signs_from,
                "stopped_signing_at": moment(key.stopped_signing_at),
                "compromised_since": moment(key.compromised_since),
            })
        })
        .collect();
    if json {
        output::print_json(&list)?;
        return Ok(exit::PASSED);
    }
    let mut rows = vec![
        ["PURPOSE", "KID", "SIGNS FROM", "STOPPED", "COMPROMISED"].map(str::to_owned).to_vec(),
    ];
    rows.extend(list.iter().map(|key| {
        ["purpose", "kid", "signs_from", "stopped_signing_at", "compromised_since"]
            .map(|name| key.get(name).and_then(Value::as_str).unwrap_or("-").to_owned())
            .to_vec()
    }));
    output::print_bytes(output::format_table(&rows).as_bytes());
    Ok(exit::PASSED)
}
