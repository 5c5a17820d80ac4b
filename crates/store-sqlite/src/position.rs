//! The order in which rows were stored.

use rusqlite::Connection;

use crate::error::DatabaseError;

/// The position after the last one in a table. `select` is `SELECT max(position) FROM …`.
pub(crate) fn next_position(connection: &Connection, select: &str) -> Result<i64, DatabaseError> {
    let last: Option<i64> = connection.prepare_cached(select)?.query_row([], |row| row.get(0))?;
    Ok(last.unwrap_or(0).max(0).saturating_add(1))
}
