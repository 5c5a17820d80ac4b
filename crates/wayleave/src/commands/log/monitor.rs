//! `wayleave log monitor`: following a log without trusting it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use contract::{Brand, Timestamp};
use door::SystemClock;
use service::monitor::{
    Alarm, HeldKeys, HttpSource, Keep, Monitor, MonitorError, MonitorState, StateError, Step,
};

use super::files;
use crate::commands::canonical::read;
use crate::output::{Tone, harmless, toned};
use crate::{exit, output, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Reads every head, leaf and entry and makes the log anew from them. The keys and the \
                  log's name are taken on trust at the first look (unless --keys gives them) and held \
                  against it from then on; what was seen is kept in --state, and must be kept from \
                  the log's operator.\n\n\
                  Exit codes: 0 all that was read holds (--once), 1 THE LOG IS NOT HONEST, 2 it could \
                  not be read (--once)."
)]
pub(crate) struct Args {
    /// Address of the service
    url: String,
    /// Where the monitor keeps what it has seen
    #[arg(long, value_name = "FILE", default_value = "log-monitor.json")]
    state: PathBuf,
    /// Look once and end
    #[arg(long)]
    once: bool,
    /// Seconds between two looks
    #[arg(long, value_name = "S", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    interval: u64,
    /// The key directory as you know it, in place of the one that the log shows first
    #[arg(long, value_name = "FILE")]
    keys: Option<PathBuf>,
    /// The brand of the log
    #[arg(long, default_value = Brand::DEFAULT)]
    brand: String,
    /// Every step as one line of JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let brand = Brand::new(&args.brand).context("--brand")?;
    let source = HttpSource::new(&args.url);
    let mut state = match files::read(&args.state)? {
        Some(bytes) => MonitorState::read(&bytes, source.base_url(), &brand)
            .with_context(|| format!("--state {}", args.state.display()))?,
        None => MonitorState::new(source.base_url(), &brand),
    };
    if let Some(file) = &args.keys {
        if state.keys.is_some() {
            bail!("--keys: {} holds the keys already; they stay", args.state.display());
        }
        let directory = proof::canonical::parse_strict(&read(file)?).context("--keys")?;
        let rotation = serde_json::json!({ "retired": [], "compromised": [] });
        state.keys = Some(HeldKeys { directory, rotation });
    }
    let monitor = Monitor { source: &source, clock: &SystemClock, brand };
    wiring::runtime()?.block_on(watch(&args, &monitor, &mut state))
}

async fn watch(args: &Args, monitor: &Monitor<'_>, state: &mut MonitorState) -> Result<u8> {
    let mut file = StateFile { path: &args.state };
    let mut tell = |step: Step| say(&step, args.json);
    loop {
        match monitor.look(state, &mut file, &mut tell).await {
            Ok(()) if args.once => return Ok(exit::GOOD),
            Ok(()) => {}
            Err(MonitorError::Alarm(alarm)) => {
                shout(&alarm, args);
                return Ok(exit::BAD);
            }
            Err(MonitorError::Unreachable(why)) if args.once => return Err(why.into()),
            Err(MonitorError::Unreachable(why)) => {
                output::problem(&format!(
                    "{}; trying again in {} s",
                    harmless(&why.to_string()),
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

impl Keep for StateFile<'_> {
    fn keep(&mut self, state: &MonitorState) -> Result<(), StateError> {
        let failed = |e: std::io::Error| StateError(format!("{}: {e}", self.path.display()));
        let mut folders = BTreeSet::new();
        files::put(self.path, &state.write()?, &mut folders).map_err(failed)?;
        files::sync(&mut folders).map_err(failed)
    }
}

fn say(step: &Step, json: bool) {
    if json {
        output::line(&serde_json::to_string(step).unwrap_or_default());
        return;
    }
    output::line(&match step {
        Step::Pinned { log_heads_keys, origin } => format!(
            "first look: taken on trust are {} (keys {})",
            harmless(origin.as_deref().unwrap_or("no checkpoint yet")),
            harmless(&log_heads_keys.join(", "))
        ),
        Step::NewKey { kid } => {
            format!("{} a further key for heads: {}", toned(Tone::Doubt, "note"), harmless(kid))
        }
        Step::Page { from_batch, to_batch, tree_size } => {
            format!("batches {from_batch} to {to_batch} hold ({tree_size} leaves)")
        }
        Step::Current { batch: None, .. } => "the log is empty".to_owned(),
        Step::Current { batch: Some(batch), tree_size, tree_root, head_at, age_seconds } => {
            format!(
                "{} batch {batch}, {tree_size} leaves, root {tree_root}; the newest head is {}",
                toned(Tone::Good, "all holds:"),
                age(*head_at, *age_seconds)
            )
        }
    });
}

fn age(at: Option<Timestamp>, seconds: Option<i64>) -> String {
    let (Some(at), Some(seconds)) = (at, seconds) else { return "of no known time".to_owned() };
    match seconds {
        ..0 => format!("of {at}, ahead of this clock"),
        0..120 => format!("{seconds} s old"),
        120..7200 => format!("{} minutes old", seconds / 60),
        7200..172_800 => format!("{} hours old", seconds / 3600),
        _ => format!("{} days old", seconds / 86_400),
    }
}

fn shout(alarm: &Alarm, args: &Args) {
    if args.json {
        let line = serde_json::json!({ "step": "alarm", "alarm": alarm });
        output::line(&line.to_string());
    }
    let kind = format!("{:?}", alarm.kind).to_uppercase();
    let place = alarm.batch.map_or(String::new(), |batch| format!("batch {batch}: "));
    output::problem(&toned(Tone::Bad, &format!("ALARM: THE LOG IS NOT HONEST ({kind})")));
    output::problem(&format!("{place}{}", harmless(&alarm.detail)));
    output::problem(&format!(
        "what was seen is kept in {}; show it to others before you throw it away",
        args.state.display()
    ));
}
