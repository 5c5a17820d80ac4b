//! Sets up logging to standard error, as text or JSON lines.
//!
//! Lines go through a bounded queue to a thread of their own, so that a standard error that is full,
//! closed or not read can neither end nor delay any other thread.

mod log_queue;
mod lost_lines;

use std::io::{self, IsTerminal};
use std::panic::PanicHookInfo;
use std::sync::OnceLock;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use tracing_subscriber::{EnvFilter, reload};

use crate::config::{LogConfig, LogFormat};
use log_queue::LogQueue;

/// How long the end of the process waits for the last lines.
const FLUSH_TIME: Duration = Duration::from_secs(1);

/// The queue of this process; set once, by [`start_logging`].
static QUEUE: OnceLock<LogQueue> = OnceLock::new();

/// Replaces the filter; set once, by [`start_logging`].
static SET_FILTER: OnceLock<SetFilter> = OnceLock::new();

type SetFilter = Box<dyn Fn(EnvFilter) -> Result<(), reload::Error> + Send + Sync>;

/// Applies another `log.filter` to all lines from now on.
pub(crate) fn set_filter(filter: &str) -> Result<()> {
    let filter = EnvFilter::try_new(filter).context("log.filter")?;
    match SET_FILTER.get() {
        Some(set) => set(filter).context("log.filter"),
        None => Ok(()),
    }
}

pub(crate) fn start_logging(log: &LogConfig) -> Result<()> {
    let filter = EnvFilter::try_new(&log.filter).context("log.filter")?;
    let started = LogQueue::start(io::stderr(), log.format).context("cannot start logging")?;
    let queue = QUEUE.get_or_init(|| started);
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(io::stderr().is_terminal())
        // It would report them with `eprintln`, which panics if standard error cannot be written.
        .log_internal_errors(false)
        .with_writer(move || queue);
    match log.format {
        LogFormat::Text => {
            let builder = builder.with_filter_reloading();
            let handle = builder.reload_handle();
            SET_FILTER.get_or_init(|| Box::new(move |filter: EnvFilter| handle.reload(filter)));
            builder.try_init()
        }
        LogFormat::Json => {
            let builder = builder.json().flatten_event(true).with_filter_reloading();
            let handle = builder.reload_handle();
            SET_FILTER.get_or_init(|| Box::new(move |filter: EnvFilter| handle.reload(filter)));
            builder.try_init()
        }
    }
    .map_err(|error| anyhow!("cannot start logging: {error}"))?;
    std::panic::set_hook(Box::new(log_panic));
    Ok(())
}

/// Writes a line that is not part of the log to standard error, after all log lines before it. Returns
/// false if logging was not started: then nothing was written.
pub(crate) fn write_note(line: &str) -> bool {
    let Some(queue) = QUEUE.get() else { return false };
    queue.add_line(format!("{line}\n").into_bytes());
    true
}

/// Waits for the lines that are still in the queue, but not for long.
pub(crate) fn flush() {
    if let Some(queue) = QUEUE.get() {
        queue.flush(FLUSH_TIME);
    }
}

/// Logs a panic. The default hook writes to standard error itself, and a thread that panics would
/// wait there if nobody reads it.
fn log_panic(panic: &PanicHookInfo<'_>) {
    let thread = std::thread::current();
    let name = thread.name().unwrap_or("unnamed");
    let payload = panic.payload();
    let message = match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (None, Some(text)) => text.as_str(),
        (None, None) => "no message",
    };
    let place = panic.location().map(ToString::to_string).unwrap_or_default();
    tracing::error!(thread = name, place, message, "a thread panicked");
    // Finding the names of a backtrace can take seconds. The panic must go on, so that it is noticed.
    let backtrace = std::backtrace::Backtrace::capture();
    if backtrace.status() == std::backtrace::BacktraceStatus::Captured {
        let report = move || tracing::error!(%backtrace, "the backtrace of the panic");
        let reporter = std::thread::Builder::new().name("panic-reporter".to_owned()).spawn(report);
        if name == "main"
            && let Ok(reporter) = reporter
        {
            let _ = reporter.join();
        }
    }
    if name == "main" {
        flush();
    }
}
