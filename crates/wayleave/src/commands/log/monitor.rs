//! `wayleave log monitor`: follows a log and verifies it without trusting its operator.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use contract::{Brand, Timestamp};
use door::SystemClock;
use service::log::monitor::{
    AcceptedKeys, Alarm, CheckedAddress, HttpLogSource, Monitor, MonitorError, MonitorState,
    MonitorStateError, MonitorStep, StateStore,
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
                  keep it where the log's operator cannot change it. Give several URLs of one log (its public address, an \
                  address inside, a mirror) to compare what they serve: each is followed by itself, and one must be \
                  the beginning of the other.\n\n\
                  Exit codes: 0 the log is consistent (with --once), 1 ALARM: the log failed \
                  verification, for example it was forked or rewritten, 2 the log could not be read (with --once; else it tries again)."
)]
pub(crate) struct Args {
    /// URL of the service; several URLs of the same log are compared with each other
    #[arg(required = true, value_name = "URL")]
    urls: Vec<String>,
    /// File in which the monitor stores what it has seen; of the second URL in FILE.2, and so on
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

/// One address of the log, with what was seen there.
struct WatchedAddress {
    source: HttpLogSource,
    state: MonitorState,
    state_file: PathBuf,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let brand = Brand::new(&args.brand).context("--brand")?;
    let mut addresses: Vec<WatchedAddress> = Vec::with_capacity(args.urls.len());
    for (number, url) in (1..).zip(&args.urls) {
        let source = HttpLogSource::new(url);
        if addresses.iter().any(|other| other.source.base_url() == source.base_url()) {
            bail!("{url} is given twice");
        }
        addresses.push(open_address(&args, source, number, &brand)?);
    }
    wiring::runtime()?.block_on(watch_log(&args, &brand, &mut addresses))
}

fn open_address(
    args: &Args,
    source: HttpLogSource,
    number: usize,
    brand: &Brand,
) -> Result<WatchedAddress> {
    let mut state_file = args.state.clone().into_os_string();
    if number > 1 {
        state_file.push(format!(".{number}"));
    }
    let state_file = PathBuf::from(state_file);
    let mut state = match files::read_if_exists(&state_file)? {
        Some(bytes) => MonitorState::parse(&bytes, source.base_url(), brand)
            .with_context(|| format!("--state {}", state_file.display()))?,
        None => MonitorState::new(source.base_url(), brand),
    };
    if let Some(file) = &args.keys {
        if state.keys.is_some() {
            bail!(
                "--keys: {} already contains keys, and they are not replaced; use a new --state file",
                state_file.display()
            );
        }
        let directory =
            proof::canonical::parse_strict(&read_file_or_stdin(file)?).context("--keys")?;
        let rotation = serde_json::json!({ "retired": [], "compromised": [] });
        state.keys = Some(AcceptedKeys { directory, rotation });
    }
    Ok(WatchedAddress { source, state, state_file })
}

async fn watch_log(args: &Args, brand: &Brand, addresses: &mut [WatchedAddress]) -> Result<u8> {
    loop {
        match check_all(args, brand, addresses).await {
            Ok(()) if args.once => return Ok(exit::PASSED),
            Ok(()) => {}
            Err((MonitorError::Alarm(alarm), state_file)) => {
                print_alarm(&alarm, args, &state_file);
                return Ok(exit::CHECK_FAILED);
            }
            Err((MonitorError::Unreachable(why), _)) if args.once => return Err(why.into()),
            Err((MonitorError::Unreachable(why), _)) => {
                output::print_error(&format!(
                    "{}; trying again in {} s",
                    sanitize_for_terminal(&why.to_string()),
                    args.interval
                ));
            }
            Err((error, _)) => return Err(error.into()),
        }
        tokio::time::sleep(Duration::from_secs(args.interval)).await;
    }
}

/// Checks every address, then compares each with every other. An address that cannot be read does not keep
/// the others from being compared. An error comes with the file that has the evidence.
async fn check_all(
    args: &Args,
    brand: &Brand,
    addresses: &mut [WatchedAddress],
) -> Result<(), (MonitorError, PathBuf)> {
    let several = addresses.len() > 1;
    let clock = &SystemClock;
    let mut unreachable = None;
    let mut read: Vec<&mut WatchedAddress> = Vec::with_capacity(addresses.len());
    for address in addresses.iter_mut() {
        let monitor = Monitor { source: &address.source, clock, brand: brand.clone() };
        let mut file = StateFile { path: &address.state_file };
        if several && !args.json {
            output::print_line(&format!("{}:", sanitize_for_terminal(address.source.base_url())));
        }
        let mut report = |step: MonitorStep| print_step(&step, args.json);
        let checked = monitor.check(&mut address.state, &mut file, &mut report).await;
        match checked {
            Ok(()) => read.push(address),
            Err(error @ MonitorError::Unreachable(_)) => {
                unreachable = Some((error, address.state_file.clone()));
            }
            Err(error) => return Err((error, address.state_file.clone())),
        }
    }
    for later in 1..read.len() {
        let (earlier, rest) = read.split_at_mut(later);
        let Some(address) = rest.first_mut() else { break };
        for other in earlier {
            compare_two(other, address, brand).await?;
        }
    }
    if read.len() > 1 {
        print_step(&MonitorStep::Compared { addresses: read.len() as u64 }, args.json);
    }
    unreachable.map_or(Ok(()), Err)
}

/// Compares two addresses. An alarm is stored with the second one.
async fn compare_two(
    one: &WatchedAddress,
    two: &mut WatchedAddress,
    brand: &Brand,
) -> Result<(), (MonitorError, PathBuf)> {
    let [first, second] = [&one.source, &two.source].map(|source| Monitor {
        source,
        clock: &SystemClock,
        brand: brand.clone(),
    });
    let first = CheckedAddress { monitor: &first, state: &one.state };
    let second = CheckedAddress { monitor: &second, state: &two.state };
    let compared = first.compare(&second).await;
    let failed = |error: MonitorError| (error, two.state_file.clone());
    if let Err(MonitorError::Alarm(alarm)) = &compared {
        two.state.add_alarm(alarm);
        let saved = StateFile { path: &two.state_file }.save(&two.state);
        saved.map_err(|error| failed(error.into()))?;
    }
    compared.map_err(failed)
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
        MonitorStep::Compared { addresses } => format!(
            "{} {addresses} addresses serve it",
            colour_for_terminal(Tone::Good, "one log:")
        ),
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

fn print_alarm(alarm: &Alarm, args: &Args, state_file: &Path) {
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
        state_file.display()
    ));
}
