//! Sets up logging to standard error, as text or JSON lines.

use std::io::IsTerminal;

use anyhow::{Context, Result, anyhow};
use tracing_subscriber::EnvFilter;

use crate::config::{LogConfig, LogFormat};

pub(crate) fn start_logging(log: &LogConfig) -> Result<()> {
    let filter = EnvFilter::try_new(&log.filter).context("log.filter")?;
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    match log.format {
        LogFormat::Text => builder.try_init(),
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
    }
    .map_err(|error| anyhow!("cannot start logging: {error}"))
}
