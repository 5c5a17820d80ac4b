//! Access for administrative commands, which may run while a server has the store open. They do not write what the
//! server keeps in memory: revocations and withheld actions (`revocation_cache.rs`).

use std::path::Path;
use std::sync::Arc;

use store::{
    Audit, Control, Deletions, Deliveries, Feeds, Incidents, LicenceData, Licences, StoreError,
    Switches, Usage, Webhooks,
};
use supervisor::Supervisor;

use crate::artifact_files::ArtifactFiles;
use crate::connect;
use crate::data_dir::DataDir;
use crate::database::Database;
use crate::deleted_bodies::remove_deleted_bodies;
use crate::error::open_error;
use crate::migrate::{SchemaVersions, migrate, read_schema_versions, require_current_schema};

/// Refuses a data directory into which a restore did not finish.
pub fn require_finished_restore(dir: &Path) -> Result<(), StoreError> {
    DataDir::require_finished_restore(dir)
}

/// Whether the data directory has a database.
#[must_use]
pub fn has_database(dir: &Path) -> bool {
    // A file without content is what an interrupted first start leaves.
    std::fs::metadata(dir.join(DataDir::DATABASE)).is_ok_and(|file| file.len() > 0)
}

/// Whether the data directory has a log with at least one batch. Changes nothing, and works while a
/// server has the directory open.
pub fn has_log(dir: &Path) -> Result<bool, StoreError> {
    let path = dir.join(DataDir::DATABASE);
    if !has_database(dir) {
        return Ok(false);
    }
    let place = path.display().to_string();
    let found = connect::reader_connection(&path).and_then(|connection| {
        let sql = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'log_batches')";
        if !connection.query_row(sql, [], |row| row.get(0))? {
            return Ok(false);
        }
        connection.query_row("SELECT EXISTS (SELECT 1 FROM log_batches)", [], |row| row.get(0))
    });
    found.map_err(|e| open_error(&place, &e))
}

/// The version of the schema in a data directory, or `None` if there is no database yet. Changes nothing,
/// and works while a server has the directory open.
pub fn schema_versions(dir: &Path) -> Result<Option<SchemaVersions>, StoreError> {
    DataDir::require_finished_restore(dir)?;
    let path = dir.join(DataDir::DATABASE);
    if std::fs::metadata(&path).map_or(0, |file| file.len()) == 0 {
        return Ok(None);
    }
    let place = path.display().to_string();
    let connection = connect::reader_connection(&path).map_err(|e| open_error(&place, &e))?;
    read_schema_versions(&connection, &place).map(Some)
}

/// Licences with their calls and webhooks, claims and incidents, the audit log, switches, deletions and feeds of a
/// data directory, whether or not a server has it open.
///
/// If a server is running, this is a second process on the same database. SQLite lets one process
/// write at a time while the other waits. Each write here is one small transaction, and the server
/// reads licences, claims, switches and deletions again for every request, so a change takes effect at once; it
/// does not read feeds again by itself. Only the server touches the files of artefacts.
#[derive(Debug)]
pub struct SqliteAdmin {
    database: Database,
    /// The locked directory, if no other process has it. Released after the writer has ended.
    dir: Option<DataDir>,
}

impl SqliteAdmin {
    /// Opens the database in `dir`. If no server is running, the database is created or migrated
    /// first. Otherwise it must already have the current schema.
    pub fn open(dir: &Path) -> Result<Self, StoreError> {
        DataDir::require_finished_restore(dir)?;
        let (dir_lock, path) = match DataDir::open(dir) {
            Ok(dir_lock) => (Some(dir_lock), dir.join(DataDir::DATABASE)),
            Err(StoreError::InUse { .. }) => (None, dir.join(DataDir::DATABASE)),
            Err(other) => return Err(other),
        };
        let place = path.display().to_string();
        let mut connection = connect::writer_connection(&path)?;
        match &dir_lock {
            Some(dir_lock) => {
                migrate(&mut connection, &place)?;
                dir_lock.sync()?;
            }
            None => require_current_schema(&connection, &place)?,
        }
        Ok(Self {
            database: Database::start(path, connection, 1, &Supervisor::default())?,
            dir: dir_lock,
        })
    }

    #[must_use]
    pub fn licences(&self) -> &dyn Licences {
        &self.database
    }

    #[must_use]
    pub fn licence_data(&self) -> &dyn LicenceData {
        &self.database
    }

    #[must_use]
    pub fn usage(&self) -> &dyn Usage {
        &self.database
    }

    #[must_use]
    pub fn webhooks(&self) -> &dyn Webhooks {
        &self.database
    }

    #[must_use]
    pub fn deliveries(&self) -> &dyn Deliveries {
        &self.database
    }

    #[must_use]
    pub fn audit(&self) -> &dyn Audit {
        &self.database
    }

    #[must_use]
    pub fn switches(&self) -> &dyn Switches {
        &self.database
    }

    #[must_use]
    pub fn deletions(&self) -> &dyn Deletions {
        &self.database
    }

    #[must_use]
    pub fn feeds(&self) -> &dyn Feeds {
        &self.database
    }

    #[must_use]
    pub fn control(&self) -> &dyn Control {
        &self.database
    }

    #[must_use]
    pub fn incidents(&self) -> &dyn Incidents {
        &self.database
    }

    /// Removes bodies of deleted scans, like [`store::Artifacts::remove_deleted_bodies`]. `None` if a
    /// server has the files: it removes them within a second.
    pub async fn remove_deleted_bodies(&self) -> Result<Option<u64>, StoreError> {
        let Some(dir) = &self.dir else { return Ok(None) };
        let files = Arc::new(ArtifactFiles::open(dir.artifacts())?);
        remove_deleted_bodies(&self.database, &files).await.map(Some)
    }
}
