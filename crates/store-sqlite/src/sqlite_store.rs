//! The engine as a whole: opening, the parts it is made of, and its health.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rusqlite::params;
use store::{BoxFuture, Store, StoreError};

use crate::connect;
use crate::data_dir::DataDir;
use crate::database::Database;
use crate::files::ArtifactFiles;
use crate::migrate::migrate;

/// What an operator may choose.
#[derive(Debug, Clone)]
pub struct SqliteOptions {
    /// Connections that read at the same time.
    pub read_connections: usize,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self { read_connections: 4 }
    }
}

/// The store in one data directory. Dropping it finishes what is being written, then lets go of
/// the directory.
#[derive(Debug)]
pub struct SqliteStore {
    // Dropped in this order: the writer ends before the lock is let go.
    pub(crate) database: Database,
    pub(crate) files: Arc<ArtifactFiles>,
    /// Whether the log's lease was taken since this was opened. Until then, whoever has it is gone,
    /// because we hold the directory. Opening writes nothing of this: a full disk must still be
    /// opened to be read.
    pub(crate) leased: Arc<AtomicBool>,
    schema_version: u32,
    _dir: DataDir,
}

impl SqliteStore {
    /// Opens the store in `dir`, makes it if there is none, and brings its schema up to date.
    pub fn open(dir: &Path, options: SqliteOptions) -> Result<Self, StoreError> {
        let dir = DataDir::open(dir)?;
        let path = dir.database();
        let place = path.display().to_string();
        let mut connection = connect::writer(&path)?;
        let schema_version = migrate(&mut connection, &place)?;
        dir.sync()?;
        let files = ArtifactFiles::open(dir.artifacts())?;
        let database = Database::start(path, connection, options.read_connections)?;
        let (files, leased) = (Arc::new(files), Arc::default());
        Ok(Self { database, files, leased, schema_version, _dir: dir })
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
            let why = format!("{written} was written and {read} was read");
            Err(StoreError::Failed { doing: DOING, why })
        })
    }

    fn inspect(&self) -> BoxFuture<'_, Result<Vec<String>, StoreError>> {
        Box::pin(self.database.readers.read("inspecting the database", |connection| {
            // Pages, cells, indexes against their tables, and the tables' own constraints.
            let mut statement = connection.prepare("PRAGMA integrity_check(100)")?;
            let found = statement.query_map([], |row| row.get::<_, String>(0))?;
            let found: Vec<String> = found.collect::<rusqlite::Result<_>>()?;
            Ok(found.into_iter().filter(|line| line != "ok").collect())
        }))
    }
}

/// SQLite counts to 2^63, and has no unsigned numbers.
pub(crate) fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// A number that was kept and can only be natural.
pub(crate) fn natural(value: i64, what: &str) -> Result<u64, StoreError> {
    u64::try_from(value).map_err(|_| StoreError::Damaged {
        what: what.to_owned(),
        why: String::from("it is below zero"),
    })
}

pub(crate) fn sql_limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// Runs work that takes a while, or touches the disk, where it holds nobody up.
pub(crate) async fn blocking<T: Send + 'static>(
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
}
