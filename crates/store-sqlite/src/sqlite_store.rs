//! The store engine: opening it, its parts, and its health check.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rusqlite::params;
use store::{BoxFuture, Store, StoreError};
use supervisor::Supervisor;

use crate::artifact_files::ArtifactFiles;
use crate::connect;
use crate::data_dir::DataDir;
use crate::database::Database;
use crate::error::open_error;
use crate::inspect;
use crate::migrate::{SchemaVersions, migrate, read_schema_versions};
use crate::revocation_cache::RevocationCache;

/// Settings an operator can change.
#[derive(Debug, Clone)]
pub struct SqliteOptions {
    /// The number of connections for reading.
    pub read_connections: usize,
    /// Gets to know if the thread that writes ends.
    pub supervisor: Supervisor,
    /// Opens the store also while a backup is being restored into it.
    pub during_restore: bool,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self { read_connections: 4, supervisor: Supervisor::default(), during_restore: false }
    }
}

/// The store in one data directory. Dropping it finishes pending writes, then releases the
/// directory.
#[derive(Debug)]
pub struct SqliteStore {
    // Dropped in this order: the writer must end before the lock is released.
    pub(crate) database: Database,
    pub(crate) files: Arc<ArtifactFiles>,
    /// Whether the log's lease was taken since this store was opened. Until then a stored lease
    /// belongs to a process that has ended, because this process holds the directory's lock. Set
    /// by the writer thread, and reset by `acquire_log_lease` if the write failed. Not stored at
    /// opening, so that a store on a full disk can still be opened for reading.
    pub(crate) lease_taken: Arc<AtomicBool>,
    pub(crate) revocation_cache: Arc<RevocationCache>,
    schema_version: u32,
    _dir: DataDir,
}

impl SqliteStore {
    /// Opens the store in `dir`, creates it if there is none, and migrates its schema.
    pub fn open(dir: &Path, options: SqliteOptions) -> Result<Self, StoreError> {
        if !options.during_restore {
            DataDir::require_finished_restore(dir)?;
        }
        let dir = DataDir::open(dir)?;
        let path = dir.database();
        let place = path.display().to_string();
        let mut connection = connect::writer_connection(&path)?;
        let schema_version = migrate(&mut connection, &place)?;
        dir.sync()?;
        let files = ArtifactFiles::open(dir.artifacts())?;
        let database =
            Database::start(path, connection, options.read_connections, &options.supervisor)?;
        let (files, leased) = (Arc::new(files), Arc::default());
        let revocation_cache = Arc::default();
        let lease_taken = leased;
        Ok(Self { database, files, lease_taken, revocation_cache, schema_version, _dir: dir })
    }

    /// Opens an existing store for reading: creates nothing, migrates nothing, and every write fails. The
    /// store must have the current schema (see [`crate::schema_versions`]), and no server may use it.
    pub fn open_read_only(dir: &Path) -> Result<Self, StoreError> {
        DataDir::require_finished_restore(dir)?;
        let dir = DataDir::open_read_only(dir)?;
        let path = dir.database();
        let place = path.display().to_string();
        let connection = connect::reader_connection(&path).map_err(|e| open_error(&place, &e))?;
        let SchemaVersions { found, known } = read_schema_versions(&connection, &place)?;
        if found != known {
            let why = format!("it has schema version {found}, and this program needs {known}");
            return Err(StoreError::CannotOpen { place, why });
        }
        let files = Arc::new(ArtifactFiles::open_read_only(dir.artifacts()));
        let database = Database::read_only(path, 1)?;
        let (lease_taken, revocation_cache) = Default::default();
        let schema_version = found;
        Ok(Self { database, files, lease_taken, revocation_cache, schema_version, _dir: dir })
    }
}

impl Store for SqliteStore {
    fn engine(&self) -> &'static str {
        "sqlite"
    }

    fn schema_version(&self) -> u32 {
        self.schema_version
    }

    fn check(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        const DOING: &str = "the health check";
        Box::pin(async {
            self.files.check()?;
            let written: i64 = self
                .database
                .writer
                .write(DOING, 0, |connection| {
                    let sql = "UPDATE probe SET count = count + 1 WHERE id = 1 RETURNING count";
                    Ok(connection.prepare_cached(sql)?.query_row(params![], |row| row.get(0))?)
                })
                .await?;
            let read: i64 = self
                .database
                .readers
                .read(DOING, |connection| {
                    let sql = "SELECT count FROM probe WHERE id = 1";
                    Ok(connection.prepare_cached(sql)?.query_row(params![], |row| row.get(0))?)
                })
                .await?;
            if read >= written {
                return Ok(());
            }
            let why = format!("wrote {written} but read {read}");
            Err(StoreError::Failed { doing: DOING, why })
        })
    }

    fn inspect(&self) -> BoxFuture<'_, Result<Vec<String>, StoreError>> {
        let files = Arc::clone(&self.files);
        Box::pin(self.database.readers.read("inspecting the database", move |connection| {
            inspect::inspect(connection, &files)
        }))
    }
}

/// Runs slow or disk-bound work on a blocking thread.
pub(crate) async fn run_blocking<T: Send + 'static>(
    doing: &'static str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, StoreError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|e| StoreError::Failed { doing, why: e.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_settings_that_the_promises_rest_on() {
        let dir = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(dir.path(), SqliteOptions::default()).unwrap();
        let all = |connection: &rusqlite::Connection| {
            let number =
                |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
            let journal: String =
                connection.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
            Ok((
                journal,
                number("synchronous")?,
                number("foreign_keys")?,
                number("busy_timeout")?,
                number("wal_autocheckpoint")?,
                number("trusted_schema")?,
                number("query_only")?,
            ))
        };
        let writer = store.database.writer.write("reading the settings", 0, all).await.unwrap();
        assert_eq!(writer, (String::from("wal"), 2, 1, 5_000, 0, 0, 0));
        let reader = store.database.readers.read("reading the settings", all).await.unwrap();
        assert_eq!((reader.0.as_str(), reader.6), ("wal", 1));

        let mapped = |connection: &rusqlite::Connection| {
            Ok(connection.pragma_query_value(None, "mmap_size", |row| row.get::<_, i64>(0))?)
        };
        assert_eq!(store.database.writer.write("mmap", 0, mapped).await, Ok(0));
        assert_eq!(store.database.readers.read("mmap", mapped).await, Ok(0));
    }

    #[tokio::test]
    async fn every_table_is_strict() {
        let dir = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(dir.path(), SqliteOptions::default()).unwrap();
        let lax: Vec<String> = store
            .database
            .readers
            .read("listing tables", |connection| {
                let sql = "SELECT name FROM pragma_table_list
                           WHERE schema = 'main' AND strict = 0 AND name NOT LIKE 'sqlite_%'";
                let mut statement = connection.prepare(sql)?;
                let names = statement.query_map([], |row| row.get(0))?;
                Ok(names.collect::<rusqlite::Result<_>>()?)
            })
            .await
            .unwrap();
        assert_eq!(lax, Vec::<String>::new());
    }

    #[tokio::test]
    async fn a_store_that_is_opened_for_reading_is_left_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let names = || {
            let entries = std::fs::read_dir(dir.path()).unwrap();
            let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        assert_eq!(crate::schema_versions(dir.path()), Ok(None));
        assert!(SqliteStore::open_read_only(dir.path()).is_err());
        assert!(names().is_empty(), "{:?}", names());
        let store = SqliteStore::open(dir.path(), SqliteOptions::default()).unwrap();
        let known = store.schema_version();
        let current = SchemaVersions { found: known, known };
        assert_eq!(crate::schema_versions(dir.path()), Ok(Some(current)));
        let in_use = SqliteStore::open_read_only(dir.path()).unwrap_err();
        assert!(matches!(in_use, StoreError::InUse { .. }), "{in_use}");
        drop(store);
        let before = names();
        let store = SqliteStore::open_read_only(dir.path()).unwrap();
        assert_eq!(store.schema_version(), known);
        assert_eq!(store::Log::last_batch(&store).await.unwrap().map(|last| last.batch), None);
        let refused = store.check().await.unwrap_err();
        assert!(refused.to_string().contains("only for reading"), "{refused}");
        drop(store);
        assert_eq!(names(), before);
        // An older schema is not migrated.
        let connection = rusqlite::Connection::open(dir.path().join(DataDir::DATABASE)).unwrap();
        connection.execute("DELETE FROM migrations WHERE number = ?1", [known]).unwrap();
        drop(connection);
        let older = SchemaVersions { found: known - 1, known };
        assert_eq!(crate::schema_versions(dir.path()), Ok(Some(older)));
        let refused = SqliteStore::open_read_only(dir.path()).unwrap_err();
        assert!(refused.to_string().contains("schema version"), "{refused}");
        assert_eq!(crate::schema_versions(dir.path()), Ok(Some(older)));
    }
}
