//! Opens connections with the settings that the guarantees of this engine depend on.

use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use store::StoreError;

use crate::error::open_error;

/// How long to wait for a lock held by another program (a backup, an operator's shell).
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Opens the single connection that writes.
pub(crate) fn writer_connection(path: &Path) -> Result<Connection, StoreError> {
    let place = path.display().to_string();
    let (connection, journal) = open_writer(path).map_err(|e| open_error(&place, &e))?;
    if journal != "wal" {
        // Some network and overlay file systems lack the shared memory that WAL needs.
        let why = format!(
            "its file system does not support a write-ahead log (SQLite uses \"{journal}\")"
        );
        return Err(StoreError::CannotOpen { place, why });
    }
    Ok(connection)
}

/// Opens a read-only connection. The writer must have opened the database before.
pub(crate) fn reader_connection(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    set_common_pragmas(&connection)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

fn open_writer(path: &Path) -> rusqlite::Result<(Connection, String)> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    set_common_pragmas(&connection)?;
    let journal: String =
        connection.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0))?;
    // FULL: every commit is synced before it returns. NORMAL can lose acknowledged writes at a
    // power failure.
    connection.pragma_update(None, "synchronous", "FULL")?;
    // On systems where fsync does not reach the disk, use the stronger call.
    connection.pragma_update(None, "fullfsync", true)?;
    connection.pragma_update(None, "checkpoint_fullfsync", true)?;
    // The writer thread makes checkpoints: SQLite's automatic ones drop the error of a failed sync.
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    Ok((connection, journal))
}

fn set_common_pragmas(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // Closing must not make a checkpoint: after a failed sync that would be a second attempt.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    // Otherwise the planner looks at the values that are bound, and a statement is prepared again for each of them.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    // With mapped memory, a read error would be a signal that kills the process.
    connection.pragma_update(None, "mmap_size", 0)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    // More than there are statements: preparing one costs more than running it.
    connection.set_prepared_statement_cache_capacity(512);
    Ok(())
}
