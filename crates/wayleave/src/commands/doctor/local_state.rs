//! Checks of what is on this machine: disk space, permissions, the log's mark.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::UNIX_EPOCH;

use contract::Timestamp;
use service::log::mark::{MarkComparison, MarkStatus, compare_mark};
use store::StoreError;
use store_sqlite::{SchemaVersions, SqliteStore};

use super::key_state::{FoundKeys, read_keys};
use super::{DoctorCheck, bad, doubt, good};
use crate::config::Config;
use crate::wiring;

/// Below this the store soon cannot be written.
const FULL_BYTES: u64 = 512 << 20;
/// Below this an operator should act.
const LOW_BYTES: u64 = 5 << 30;

/// When the database was last written.
pub(super) fn last_write(config: &Config) -> Option<Timestamp> {
    let newest = ["wayleave.db", "wayleave.db-wal"].iter().filter_map(|name| {
        let metadata = fs::metadata(config.data_dir().join(name)).ok()?;
        metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()
    });
    let millis = i64::try_from(newest.max()?.as_millis()).ok()?;
    Some(Timestamp::from_millis(millis))
}

/// The free space of the disks of the data and of the keys.
pub(super) fn check_disks(config: &Config) -> Vec<DoctorCheck> {
    let mut checks = vec![check_disk("store.data_dir", &config.data_dir())];
    if config.store.keys_dir.is_some() {
        checks.push(check_disk("store.keys_dir", &config.keys_dir()));
    }
    checks
}

fn check_disk(name: &'static str, folder: &Path) -> DoctorCheck {
    // A folder that is not there yet is created on the disk of the nearest one that is.
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let Some(nearest) = absolute.ancestors().find(|folder| folder.exists()) else {
        return bad(name, format!("{} cannot be found", folder.display()));
    };
    let space = match rustix::fs::statvfs(nearest) {
        Ok(space) => space,
        Err(error) => {
            return bad(name, format!("{}: {error}; is the disk mounted?", nearest.display()));
        }
    };
    let free = space.f_bavail.saturating_mul(space.f_frsize);
    let gigabytes = free as f64 / (1_u64 << 30) as f64;
    let says = format!("{}: {gigabytes:.1} GB free", folder.display());
    if free < FULL_BYTES || space.f_favail == 0 && space.f_files > 0 {
        bad(name, format!("{says}; the disk is almost full: make room, or lower store.artifact_gb"))
    } else if free < LOW_BYTES {
        doubt(
            name,
            format!("{says}; make room soon, or lower store.artifact_gb and store.scan_days"),
        )
    } else {
        good(name, says)
    }
}

/// Whether others can read the keys or the data, and whether this user can write them.
pub(super) fn check_permissions(config: &Config) -> DoctorCheck {
    const NAME: &str = "permissions";
    let me = rustix::process::geteuid().as_raw();
    let (data, keys) = (config.data_dir(), config.keys_dir());
    for folder in [&data, &keys].into_iter().filter(|folder| folder.exists()) {
        let shown = folder.display();
        let metadata = match fs::metadata(folder) {
            Ok(metadata) => metadata,
            Err(error) => return bad(NAME, format!("{shown}: {error}")),
        };
        if metadata.uid() != me && me != 0 {
            return bad(
                NAME,
                format!(
                    "{shown} belongs to user {}, this is user {me}: run this as the user of the server",
                    metadata.uid()
                ),
            );
        }
        if *folder == keys && metadata.mode() & 0o077 != 0 {
            return bad(
                NAME,
                format!("others can read {shown}, which holds the signing keys: chmod 700 {shown}"),
            );
        }
        if metadata.mode() & 0o022 != 0 {
            return bad(NAME, format!("others can write to {shown}: chmod go-w {shown}"));
        }
    }
    if me == 0 && data.exists() && fs::metadata(&data).is_ok_and(|metadata| metadata.uid() != 0) {
        return doubt(NAME, format!("checked as root; run this as the user of {}", data.display()));
    }
    good(NAME, "only this user can write the data and read the keys".to_owned())
}

/// Compares the log with its high-water mark, which is next to the keys. `wayleave fsck` checks the log
/// itself.
pub(super) async fn check_log(config: &Config) -> DoctorCheck {
    const NAME: &str = "log";
    match store_sqlite::has_log(&config.data_dir()) {
        Ok(false) => return doubt(NAME, "no log yet; `wayleave serve` begins it".to_owned()),
        Ok(true) => {}
        Err(error) => {
            return bad(NAME, format!("the log cannot be read: {error}; run `wayleave fsck`"));
        }
    }
    match store_sqlite::schema_versions(&config.data_dir()) {
        Ok(Some(SchemaVersions { found, known })) if found != known => {
            return doubt(
                NAME,
                "not compared with its mark: the store has an older schema".to_owned(),
            );
        }
        Ok(_) => {}
        Err(error) => return bad(NAME, error.to_string()),
    }
    match compare_with_mark(config).await {
        Ok(None) => doubt(NAME, "not compared with its mark: see `keys`".to_owned()),
        Ok(Some(MarkStatus { fault: None, log_end, .. })) => good(
            NAME,
            format!("{} leaves, as its mark says; `wayleave fsck` checks every byte", log_end.tree_size),
        ),
        Ok(Some(MarkStatus { fault: Some(fault), .. })) => {
            bad(NAME, format!("{fault}. Nothing is signed until this is decided; docs/log.md says how"))
        }
        Err(error) if matches!(error.downcast_ref(), Some(StoreError::InUse { .. })) => doubt(
            NAME,
            "in use by a running service, which checked it when it started; /readyz says whether it is open"
                .to_owned(),
        ),
        Err(error) => bad(NAME, format!("{error:#}")),
    }
}

/// `None` if the keys cannot be read without changing them.
async fn compare_with_mark(config: &Config) -> anyhow::Result<Option<MarkStatus>> {
    let store = SqliteStore::open_read_only(&config.data_dir())?;
    let FoundKeys::Complete(keys) = read_keys(config)? else { return Ok(None) };
    let brand = wiring::brand(config)?;
    let policy = wiring::key_policy(&keys, &brand)?;
    let directory = config.keys_dir();
    let comparison =
        MarkComparison { store: &store, directory: &directory, brand: &brand, policy: &policy };
    Ok(Some(compare_mark(comparison).await?))
}
