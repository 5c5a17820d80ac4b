//! `wayleave key`: the signing keys of this deployment.

use anyhow::{Context, Result};
use contract::{Clock, Timestamp};
use door::SystemClock;
use proof::KeyPurpose;
use serde_json::{Value, json};

use super::in_force;
use crate::config::ConfigArgs;
use crate::{exit, output, wiring};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List the keys: purpose, thumbprint, window
    List {
        #[command(flatten)]
        config: ConfigArgs,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Replace the key of a purpose; the old one stays published with its window
    Rotate {
        /// `requests`, `documents`, `decisions` or `log heads`
        purpose: KeyPurpose,
        #[command(flatten)]
        config: ConfigArgs,
        /// Seconds until the new key begins to sign. A running server needs up to 30 to learn of it
        #[arg(long, default_value_t = 60)]
        after: u32,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Say that others may hold a key since a moment; it stops at once
    Compromised {
        /// Thumbprint (kid); one in 64 begins with a dash
        #[arg(allow_hyphen_values = true)]
        kid: String,
        /// YYYY-MM-DDTHH:MM:SSZ
        since: Timestamp,
        #[command(flatten)]
        config: ConfigArgs,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let now = SystemClock.now();
    match args.command {
        Command::List { config, json } => list(&config, json),
        Command::Rotate { purpose, config, after, json } => {
            let mut keys = wiring::keys(&in_force(&config)?)?;
            let start = now.plus_millis(i64::from(after) * 1000);
            keys.rotate_from(purpose, start, now).context("the key was not replaced")?;
            output::note(&format!(
                "The new key for {purpose} begins to sign at {}.",
                start.whole_seconds()
            ));
            list(&config, json)
        }
        Command::Compromised { kid, since, config, json } => {
            let mut keys = wiring::keys(&in_force(&config)?)?;
            keys.mark_compromised(&kid, since, now).context("the key was not marked")?;
            list(&config, json)
        }
    }
}

fn list(config: &ConfigArgs, json: bool) -> Result<u8> {
    let keys = wiring::keys(&in_force(config)?)?;
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
        output::json(&list)?;
        return Ok(exit::GOOD);
    }
    let mut rows = vec![
        ["PURPOSE", "KID", "SIGNS FROM", "STOPPED", "COMPROMISED"].map(str::to_owned).to_vec(),
    ];
    rows.extend(list.iter().map(|key| {
        ["purpose", "kid", "signs_from", "stopped_signing_at", "compromised_since"]
            .map(|name| key.get(name).and_then(Value::as_str).unwrap_or("-").to_owned())
            .to_vec()
    }));
    output::raw(output::table(&rows).as_bytes());
    Ok(exit::GOOD)
}
