//! `wayleave log monitor`: follows a log and verifies it without trusting its operator.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use contract::{Brand, Timestamp};
use door::SystemClock;
use service::log::monitor::{
    AcceptedKeys, Alarm, HttpLogSource, Monitor, MonitorError, MonitorState, MonitorStateError,
    MonitorStep, StateStore,
};

use super::files;
use crate::commands::canonical::read_file_or_stdin;
use crate::output::{Tone, colour_for_terminal, sanitize_for_terminal};
use crate::{exit, output, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Reads every tree head, leaf and entry and recomputes the log from them. At the first check the \
                  log's keys and origin are trusted as served (unless --keys gives the keys); later changes \
                  must be explained by a key rotation. The state file is the evidence against a dishonest log: \
                  keep it where the log's operator cannot change it.\n\n\
                  Exit codes: 0 the log is consistent (with --once), 1 ALARM: the log failed \
                  verification, for example it was forked or rewritten, 2 the log could not be read (with --once; else it tries again)."
)]
pub(crate) struct Args {
    /// URL of the service
    url: String,
    /// File in which the monitor stores what it has seen
    #[arg(long, value_name = "FILE", default_value = "log-monitor.json")]
    state: PathBuf,
    /// Check once and exit
    #[arg(long)]
    once: bool,
    /// Seconds between two checks
    #[arg(long, value_name = "S", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    interval: u64,
    /// Key directory obtained elsewhere, instead of trusting the one the service shows first
    #[arg(long, value_name = "FILE")]
    keys: Option<PathBuf>,
    /// Brand of the log
    #[arg(long, default_value = Brand::DEFAULT)]
    brand: String,
    /// Print every step as one line of JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let brand = Brand::new(&args.brand).context("--brand")?;
    let source = HttpLogSource::new(&args.url);
    let mut state = match files::read_if_exists(&args.state)? {
        Some(bytes) => MonitorState::parse(&bytes, source.base_url(), &brand)
            .with_context(|| format!("--state {}", args.state.display()))?,
        None => MonitorState::new(source.base_url(), &brand),
    };
    if let Some(file) = &args.keys {
        if state.keys.is_some() {
            bail!(
                "--keys: {} already contains keys, and they are not replaced; use a new --state file",
                args.state.display()
            );
        }
        let directory =
            proof::canonical::parse_strict(&read_file_or_stdin(file)?).context("--keys")?;
        let rotation = serde_json::json!({ "retired": [], "compromised": [] });
        state.keys = Some(AcceptedKeys { directory, rotation });
    }
    let monitor = Monitor { source: &source, clock: &SystemClock, brand };
    wiring::runtime()?.block_on(watch_log(&args, &monitor, &mut state))
}

async fn watch_log(args: &Args, monitor: &Monitor<'_>, state: &mut MonitorState) -> Result<u8> {
    let mut file = StateFile { path: &args.state };
    let mut report = |step: MonitorStep| print_step(&step, args.json);
    loop {
        match monitor.check(state, &mut file, &mut report).await {
            Ok(()) if args.once => return Ok(exit::PASSED),
            Ok(()) => {}
            Err(MonitorError::Alarm(alarm)) => {
                print_alarm(&alarm, args);
                return Ok(exit::CHECK_FAILED);
            }
            Err(MonitorError::Unreachable(why)) if args.once => return Err(why.into()),
            Err(MonitorError::Unreachable(why)) => {
                output::print_error(&format!(
                    "{}; trying again in {} s",
                    sanitize_for_terminal(&why.to_string()),
                    args.interval
                ));
            }
            Err(error) => return Err(error.into()),
        }
        tokio::time::sleep(Duration::from_secs(args.interval)).await;
    }
}

struct StateFile<'a> {
    path: &'a Path,
}

impl StateStore for StateFile<'_> {
    fn save(&mut self, state: &MonitorState) -> Result<(), MonitorStateError> {
        let failed = |e: std::io::Error| MonitorStateError(format!("{}: {e}", self.path.display()));
        let mut folders = BTreeSet::new();
        files::write_atomically(self.path, &state.to_bytes()?, &mut folders).map_err(failed)?;
        files::sync_folders(&mut folders).map_err(failed)
    }
}

fn print_step(step: &MonitorStep, json: bool) {
    if json {
        output::print_line(&serde_json::to_string(step).unwrap_or_default());
        return;
    }
    output::print_line(&match step {
        MonitorStep::Pinned { log_heads_keys, origin } => format!(
            "first check: trusting origin {} (keys {})",
            sanitize_for_terminal(origin.as_deref().unwrap_or("unknown (no checkpoint yet)")),
            sanitize_for_terminal(&log_heads_keys.join(", "))
        ),
        MonitorStep::NewKey { kid } => {
            format!(
                "{} new key for tree heads: {}",
                colour_for_terminal(Tone::Warning, "note"),
                sanitize_for_terminal(kid)
            )
        }
        MonitorStep::Page { from_batch, to_batch, tree_size } => {
            format!("batches {from_batch} to {to_batch} verified ({tree_size} leaves)")
        }
        MonitorStep::Current { batch: None, .. } => "log is empty".to_owned(),
        MonitorStep::Current { batch: Some(batch), tree_size, tree_root, head_at, age_seconds } => {
            format!(
                "{} batch {batch}, {tree_size} leaves, root {tree_root}; newest head {}",
                colour_for_terminal(Tone::Good, "log is consistent:"),
                describe_age(*head_at, *age_seconds)
            )
        }
    });
}

fn describe_age(at: Option<Timestamp>, seconds: Option<i64>) -> String {
    let (Some(at), Some(seconds)) = (at, seconds) else { return "has no known time".to_owned() };
    match seconds {
        ..0 => format!("is dated {at}, ahead of this machine's clock"),
        0..120 => format!("is {seconds} s old"),
        120..7200 => format!("is {} minutes old", seconds / 60),
        7200..172_800 => format!("is {} hours old", seconds / 3600),
        _ => format!("is {} days old", seconds / 86_400),
    }
}

fn print_alarm(alarm: &Alarm, args: &Args) {
    if args.json {
        let line = serde_json::json!({ "step": "alarm", "alarm": alarm });
        output::print_line(&line.to_string());
    }
    let kind = format!("{:?}", alarm.kind).to_uppercase();
    let batch = alarm.batch.map_or(String::new(), |batch| format!("batch {batch}: "));
    output::print_error(&colour_for_terminal(
        Tone::Bad,
        &format!("ALARM: THE LOG FAILED VERIFICATION ({kind})"),
    ));
    output::print_error(&format!("{batch}{}", sanitize_for_terminal(&alarm.detail)));
    output::print_error(&format!(
        "the evidence is in {}; keep it and show it to others",
        args.state.display()
    ));
}
