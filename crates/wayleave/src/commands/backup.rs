//! `wayleave backup`: copies the data directory, also while a server is running.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use contract::{Clock, Timestamp};
use door::SystemClock;
use serde::{Deserialize, Serialize};
use store::Log;
use store_sqlite::{SqliteOptions, SqliteStore, copy_data_dir};

use super::config_in_force;
use crate::config::{Config, ConfigArgs};
use crate::{exit, output, wiring};

/// The file that makes a folder a backup. It is written last.
pub(super) const DESCRIPTION: &str = "backup.json";

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Copies database and artefacts of store.data_dir and the keys (store.keys_dir) as they are at one moment, \
                  also while a server is running. The backup contains the private keys: keep it as safe as the data directory. It does not \
                  contain the log's mark, so a server that is started on it signs nothing; `wayleave restore` puts it \
                  back into service.\n\n\
                  Exit codes: 0 done, 2 could not be done."
)]
pub(crate) struct Args {
    /// Folder to create; must not exist yet
    dir: PathBuf,
    /// Print the summary as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

/// What is stored about a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BackupDescription {
    pub(super) v: u32,
    pub(super) made_at: Timestamp,
    /// The version of the program that made it.
    pub(super) version: String,
    pub(super) log_id: String,
    pub(super) batches: u64,
    pub(super) tree_size: u64,
    /// Digest of the last head; null if the log is empty.
    pub(super) sth_sha256: Option<String>,
    pub(super) artifacts: u64,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let config = config_in_force(&args.config)?;
    if args.dir.exists() {
        bail!("{} exists already; a backup is never overwritten", args.dir.display());
    }
    let log_id = wiring::brand(&config)?.log_id();
    // Complete under its name, or not there.
    let unfinished = with_suffix(&args.dir, ".unfinished");
    if unfinished.exists() {
        std::fs::remove_dir_all(&unfinished)
            .with_context(|| format!("cannot remove {}", unfinished.display()))?;
    }
    let data_dir = config.data_dir();
    let copied = copy_data_dir(&data_dir, &unfinished)
        .with_context(|| format!("cannot copy {}", data_dir.display()))?;
    // After the database: a key that is in no entry of the log yet does no harm.
    proof::keys::copy_keys(&config.keys_dir(), &unfinished.join(Config::KEYS_FOLDER))?;
    let last = read_log_end(&unfinished)?;
    let description = BackupDescription {
        v: 1,
        made_at: SystemClock.now().whole_seconds(),
        version: service::VERSION.to_owned(),
        log_id,
        batches: last.as_ref().map_or(0, |last| last.batch.saturating_add(1)),
        tree_size: last.as_ref().map_or(0, store::StoredBatch::tree_size),
        sth_sha256: last.as_ref().map(|last| last.sth_sha256.to_hex()),
        artifacts: copied.artifacts,
    };
    write_synced(&unfinished.join(DESCRIPTION), &serde_json::to_vec_pretty(&description)?)?;
    std::fs::rename(&unfinished, &args.dir)
        .with_context(|| format!("cannot create {}", args.dir.display()))?;
    sync_parent(&args.dir)?;
    if args.json {
        output::print_json(&description)?;
    } else {
        output::print_line(&format!(
            "{}: {} batches and {} leaves of the log, {} artefacts, {} MB of database. It contains private keys.",
            args.dir.display(),
            description.batches,
            description.tree_size,
            description.artifacts,
            copied.database_bytes.div_ceil(1 << 20)
        ));
    }
    Ok(exit::PASSED)
}

/// Opens the copy as a server would, and returns the last batch of its log.
fn read_log_end(copy: &Path) -> Result<Option<store::StoredBatch>> {
    let store = SqliteStore::open(copy, SqliteOptions::default())?;
    Ok(wiring::runtime()?.block_on(store.last_batch())?)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.to_path_buf().into_os_string();
    name.push(suffix);
    PathBuf::from(name)
}

fn write_synced(path: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
    let folder = path.parent().unwrap_or(Path::new("."));
    for synced in [path, folder] {
        std::fs::File::open(synced)?.sync_all()?;
    }
    Ok(())
}

fn sync_parent(path: &Path) -> Result<()> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    Ok(std::fs::File::open(parent.unwrap_or(Path::new(".")))?.sync_all()?)
}
