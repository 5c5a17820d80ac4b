//! `wayleave log`: commands for the transparency log of this installation or of another service.

mod export;
mod files;
mod mark;
mod monitor;

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use store_sqlite::{SqliteOptions, SqliteStore};

use crate::config::Config;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// The same as `wayleave fsck`
    Fsck(super::fsck::Args),
    /// Write the local log as files that others can mirror, serve and verify
    Export(export::Args),
    /// Show or reset the high-water mark that protects against extending an old copy of the log
    Mark(mark::Args),
    /// Follow a service's log over HTTP and raise an alarm on a fork or rewrite
    Monitor(monitor::Args),
}

pub(crate) fn run(args: Args) -> Result<u8> {
    match args.command {
        Command::Fsck(args) => super::fsck::run(args),
        Command::Export(args) => export::run(args),
        Command::Mark(args) => mark::run(args),
        Command::Monitor(args) => monitor::run(args),
    }
}

/// Opens an existing store and returns it with its key directory. Creates neither.
pub(super) fn open_store(config: &Config) -> Result<(SqliteStore, PathBuf)> {
    let folder = config.data_dir();
    let keys = config.keys_dir();
    for (what, folder) in [("store", &folder), ("key directory", &keys)] {
        if !folder.is_dir() {
            bail!("there is no {what} at {}", folder.display());
        }
    }
    let store = SqliteStore::open(&folder, SqliteOptions::default()).with_context(|| {
        format!(
            "cannot open the store in {} (if a server is running on it, stop it first, or use a copy made by `wayleave backup`)",
            folder.display()
        )
    })?;
    Ok((store, keys))
}
