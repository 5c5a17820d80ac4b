//! Connections, and the settings that every promise of this engine rests on.

use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use store::StoreError;

use crate::error::open_error;

/// How long to wait for another program (a backup, an operator's shell) to let go.
const BUSY: Duration = Duration::from_secs(5);

/// The one connection that writes.
pub(crate) fn writer(path: &Path) -> Result<Connection, StoreError> {
    let place = path.display().to_string();
    let (connection, journal) = open_writer(path).map_err(|e| open_error(&place, &e))?;
    if journal != "wal" {
        // Some network and overlay file systems cannot share the memory that WAL needs.
        let why = format!("its file system has no write-ahead log, only \"{journal}\"");
        return Err(StoreError::CannotOpen { place, why });
    }
    Ok(connection)
}

/// One of the connections that only read. The writer must have opened the database before.
pub(crate) fn reader(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    set_common(&connection)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

fn open_writer(path: &Path) -> rusqlite::Result<(Connection, String)> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    set_common(&connection)?;
    let journal: String =
        connection.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0))?;
    // FULL: every commit is synced before it returns. NORMAL loses acknowledged writes when the
    // power goes.
    connection.pragma_update(None, "synchronous", "FULL")?;
    // Where a plain fsync does not reach the disk, ask for the one that does.
    connection.pragma_update(None, "fullfsync", true)?;
    connection.pragma_update(None, "checkpoint_fullfsync", true)?;
    // The writer checkpoints itself: SQLite's own automatism drops the error of a failed sync.
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    Ok((connection, journal))
}

fn set_common(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY)?;
    // Closing must not checkpoint: after a failed sync that would be a second try.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    // A read error in mapped memory would be a signal that ends the process.
    connection.pragma_update(None, "mmap_size", 0)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(())
}
