//! The locks of MCP servers in the database.

use contract::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use store::scans::parse_stored_domain;
use store::{Digest, IssuedMcpLock, StoreError};

use crate::columns::{digest_bytes, optional_digest, sql_integer, unsigned};
use crate::error::DatabaseError;
use crate::position::next_position;

const COLUMNS: &str =
    "position, lock_sha256, url, domain, surface_sha256, scan_sha256, issued_at, fingerprint";

pub(super) fn find_lock(
    connection: &Connection,
    lock_sha256: &Digest,
) -> Result<Option<IssuedMcpLock>, DatabaseError> {
    let sql = format!("SELECT {COLUMNS} FROM mcp_locks WHERE lock_sha256 = ?1");
    let mut statement = connection.prepare_cached(&sql)?;
    // A row that is damaged is an error of its own, apart from those of the query.
    let found = statement
        .query_row(params![lock_sha256.as_bytes()], |row| Ok(read_lock(row)))
        .optional()?;
    Ok(found.transpose()?)
}

/// Stores a lock, replacing a damaged one, unless it is stored already; then removes the oldest ones.
pub(super) fn put_lock(
    connection: &Connection,
    lock: &IssuedMcpLock,
    most: u64,
) -> Result<(), DatabaseError> {
    let sha256 = lock.lock_sha256;
    match find_lock(connection, &sha256) {
        Ok(None) => {}
        Ok(Some(stored)) if stored == *lock => return Ok(()),
        Ok(Some(_)) => {
            let (what, id) = ("lock of an MCP server", sha256.to_string());
            return Err(StoreError::Duplicate { what, id }.into());
        }
        Err(DatabaseError::Store(StoreError::Damaged { .. })) => {
            let sql = "DELETE FROM mcp_locks WHERE lock_sha256 = ?1";
            connection.prepare_cached(sql)?.execute(params![sha256.as_bytes()])?;
        }
        Err(other) => return Err(other),
    }
    let next = next_position(connection, "SELECT max(position) FROM mcp_locks")?;
    let fingerprint = lock.fingerprint(unsigned(next, "the next position")?);
    let sql = format!("INSERT INTO mcp_locks ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)");
    connection.prepare_cached(&sql)?.execute(params![
        next,
        sha256.as_bytes(),
        lock.url,
        lock.domain.as_str(),
        lock.surface_sha256.as_bytes(),
        digest_bytes(lock.scan_sha256.as_ref()),
        lock.issued_at.as_millis(),
        fingerprint.as_bytes(),
    ])?;
    // Nothing else removes locks, so their positions have no gaps and need not be counted. At most one goes
    // for a new one: a position that is damaged does not empty the table.
    let sql = "DELETE FROM mcp_locks WHERE position IN (
                   SELECT position FROM mcp_locks WHERE position <= ?1 ORDER BY position LIMIT 1)";
    let last_removed = next.saturating_sub(sql_integer(most));
    connection.prepare_cached(sql)?.execute(params![last_removed])?;
    Ok(())
}

/// A value that cannot be converted is damage too, so that a copy reports it and continues.
fn read_lock(row: &Row<'_>) -> Result<IssuedMcpLock, StoreError> {
    let name = row.get::<_, [u8; 32]>(1).map_or_else(|_| String::from("?"), |d| Digest(d).to_hex());
    let what = format!("the lock {name} of an MCP server");
    let damaged = |why: String| StoreError::Damaged { what: what.clone(), why };
    let raw = RawLock::from_row(row).map_err(|error| damaged(error.to_string()))?;
    let lock = IssuedMcpLock {
        lock_sha256: raw.lock_sha256,
        url: raw.url,
        domain: parse_stored_domain(&raw.domain)?,
        surface_sha256: raw.surface_sha256,
        scan_sha256: raw.scan_sha256,
        issued_at: raw.issued_at,
    };
    if lock.fingerprint(unsigned(raw.position, &what)?) == raw.fingerprint {
        Ok(lock)
    } else {
        Err(damaged(String::from("its fingerprint does not match")))
    }
}

/// The columns as stored, before they are parsed.
struct RawLock {
    position: i64,
    lock_sha256: Digest,
    url: String,
    domain: String,
    surface_sha256: Digest,
    scan_sha256: Option<Digest>,
    issued_at: Timestamp,
    fingerprint: Digest,
}

impl RawLock {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            position: row.get(0)?,
            lock_sha256: Digest(row.get(1)?),
            url: row.get(2)?,
            domain: row.get(3)?,
            surface_sha256: Digest(row.get(4)?),
            scan_sha256: optional_digest(row, 5)?,
            issued_at: Timestamp::from_millis(row.get(6)?),
            fingerprint: Digest(row.get(7)?),
        })
    }
}
