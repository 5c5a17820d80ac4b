//! `wayleave log`: the transparency log of this deployment, or of another one.

mod export;
mod files;
mod fsck;
mod mark;
mod monitor;

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use store_sqlite::{SqliteOptions, SqliteStore};

use crate::config::Config;
use crate::wiring;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Make the whole log anew from its bytes, and tell everything that does not hold
    Fsck(fsck::Args),
    /// Write the log as files that anybody can keep, serve and check
    Export(export::Args),
    /// Show the mark that tells an old copy of the log from the newest one
    Mark(mark::Args),
    /// Follow a log over HTTP and tell when it is not honest
    Monitor(monitor::Args),
}

pub(crate) fn run(args: Args) -> Result<u8> {
    match args.command {
        Command::Fsck(args) => fsck::run(args),
        Command::Export(args) => export::run(args),
        Command::Mark(args) => mark::run(args),
        Command::Monitor(args) => monitor::run(args),
    }
}

/// The store of a deployment that is there, and its key directory. Looking makes neither.
fn open(config: &Config) -> Result<(SqliteStore, PathBuf)> {
    let folder = config.data_dir();
    let keys = folder.join(wiring::KEYS_FOLDER);
    for (what, folder) in [("store", &folder), ("key directory", &keys)] {
        if !folder.is_dir() {
            bail!("there is no {what} in {}", folder.display());
        }
    }
    let store = SqliteStore::open(&folder, SqliteOptions::default()).with_context(|| {
        format!(
            "the store in {} cannot be opened (a server that runs on it has to be stopped first)",
            folder.display()
        )
    })?;
    Ok((store, keys))
}
