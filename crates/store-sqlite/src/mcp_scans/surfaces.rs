//! The surfaces of MCP servers in the database.

use contract::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use store::mcp_scans::{MAX_MCP_SURFACES, MCP_SURFACES_PER_URL};
use store::{Digest, McpSurface, StoreError};

use crate::columns::{sql_integer, sql_limit, time, unsigned};
use crate::error::DatabaseError;
use crate::position::next_position;

/// A parameter, so that tests need not fill the table.
pub(super) struct SurfaceLimits {
    pub(super) per_url: usize,
    pub(super) total: u64,
}

impl SurfaceLimits {
    pub(super) const DEFAULT: Self =
        Self { per_url: MCP_SURFACES_PER_URL, total: MAX_MCP_SURFACES };
}

const COLUMNS: &str = "position, url, surface_sha256, first_seen, last_seen, fingerprint";
const LAST_POSITION: &str = "SELECT max(position) FROM mcp_surfaces";

/// The surfaces of a URL, newest first.
pub(super) fn find_surfaces(
    connection: &Connection,
    url: &str,
    limit: usize,
) -> Result<Vec<McpSurface>, DatabaseError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM mcp_surfaces WHERE url = ?1 ORDER BY position DESC LIMIT ?2"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(params![url, sql_limit(limit)])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(read_surface(row)?);
    }
    Ok(found)
}

pub(super) fn list_urls(
    connection: &Connection,
    after: Option<&str>,
    limit: usize,
) -> Result<Vec<String>, DatabaseError> {
    let sql = "SELECT DISTINCT url FROM mcp_surfaces WHERE url > ?1 ORDER BY url LIMIT ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let parameters = params![after.unwrap_or_default(), sql_limit(limit)];
    let rows = statement.query_map(parameters, |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Extends the current surface of a URL, or starts another one. A damaged current one is replaced: it
/// cannot say whether it is the same.
pub(super) fn see_surface(
    connection: &Connection,
    url: &str,
    surface_sha256: Digest,
    at: Timestamp,
    limits: &SurfaceLimits,
) -> Result<(), DatabaseError> {
    let next = next_position(connection, LAST_POSITION)?;
    let new = McpSurface { surface_sha256, first_seen: at, last_seen: at };
    let (seen, stored_at) = match current_surface(connection, url)? {
        None => (new, next),
        Some((stored_at, Ok(current))) if current.surface_sha256 == surface_sha256 => {
            delete_surface(connection, stored_at)?;
            (current.seen_again(at), renewed_position(stored_at, next, limits.total))
        }
        Some((_, Ok(_))) => (new, next),
        Some((stored_at, Err(_))) => {
            delete_surface(connection, stored_at)?;
            (new, next)
        }
    };
    insert_surface(connection, url, seen, stored_at)?;
    remove_surplus(connection, url, next, 1, limits)
}

/// Replaces all surfaces of a URL, given newest first.
pub(super) fn replace_surfaces(
    connection: &Connection,
    url: &str,
    surfaces: &[McpSurface],
) -> Result<(), DatabaseError> {
    // Copied before: their positions stay.
    if find_surfaces(connection, url, usize::MAX).is_ok_and(|stored| stored == surfaces) {
        return Ok(());
    }
    connection.prepare_cached("DELETE FROM mcp_surfaces WHERE url = ?1")?.execute(params![url])?;
    let first = next_position(connection, LAST_POSITION)?;
    for (surface, position) in surfaces.iter().rev().zip(first..) {
        insert_surface(connection, url, *surface, position)?;
    }
    let last = next_position(connection, LAST_POSITION)?;
    remove_surplus(connection, url, last, surfaces.len(), &SurfaceLimits::DEFAULT)
}

/// The position of a surface that was seen again: its own, or the next one if it became so old that the
/// surface would soon be removed. Positions are used up only by new surfaces and by such renewals, so that
/// many scans of servers that do not change push nothing out.
fn renewed_position(stored_at: i64, next: i64, total: u64) -> i64 {
    let half = sql_integer(total / 2);
    if stored_at <= next.saturating_sub(half) { next } else { stored_at }
}

fn delete_surface(connection: &Connection, position: i64) -> Result<(), DatabaseError> {
    let sql = "DELETE FROM mcp_surfaces WHERE position = ?1";
    connection.prepare_cached(sql)?.execute(params![position])?;
    Ok(())
}

fn insert_surface(
    connection: &Connection,
    url: &str,
    surface: McpSurface,
    stored_at: i64,
) -> Result<(), DatabaseError> {
    let fingerprint = surface.fingerprint(url, unsigned(stored_at, "the next position")?);
    let sql = format!("INSERT INTO mcp_surfaces ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
    connection.prepare_cached(&sql)?.execute(params![
        stored_at,
        url,
        surface.surface_sha256.as_bytes(),
        surface.first_seen.as_millis(),
        surface.last_seen.as_millis(),
        fingerprint.as_bytes(),
    ])?;
    Ok(())
}

/// Removes the oldest surfaces of a URL, and those whose position is out of the window. At most one of these
/// for each new one: a position that is damaged does not empty the table.
fn remove_surplus(
    connection: &Connection,
    url: &str,
    next: i64,
    added: usize,
    limits: &SurfaceLimits,
) -> Result<(), DatabaseError> {
    let sql = "DELETE FROM mcp_surfaces WHERE position IN (
                   SELECT position FROM mcp_surfaces WHERE url = ?1
                   ORDER BY position DESC LIMIT -1 OFFSET ?2)";
    connection.prepare_cached(sql)?.execute(params![url, sql_limit(limits.per_url)])?;
    let sql = "DELETE FROM mcp_surfaces WHERE position IN (
                   SELECT position FROM mcp_surfaces WHERE position <= ?1 ORDER BY position LIMIT ?2)";
    let window = next.saturating_sub(sql_integer(limits.total));
    connection.prepare_cached(sql)?.execute(params![window, sql_limit(added)])?;
    Ok(())
}

/// The position of the newest surface of a URL, and the surface or what is wrong with it.
type CurrentSurface = (i64, Result<McpSurface, StoreError>);

fn current_surface(
    connection: &Connection,
    url: &str,
) -> Result<Option<CurrentSurface>, DatabaseError> {
    let sql =
        format!("SELECT {COLUMNS} FROM mcp_surfaces WHERE url = ?1 ORDER BY position DESC LIMIT 1");
    let mut statement = connection.prepare_cached(&sql)?;
    Ok(statement.query_row(params![url], |row| Ok((row.get(0)?, read_surface(row)))).optional()?)
}

/// A value that cannot be converted is damage too, so that a copy reports it and continues.
fn read_surface(row: &Row<'_>) -> Result<McpSurface, StoreError> {
    let name = row.get::<_, String>(1).unwrap_or_default();
    let what = format!("a surface of {name}");
    let damaged = |why: String| StoreError::Damaged { what: what.clone(), why };
    let (stored_at, surface, fingerprint) =
        read_columns(row).map_err(|error| damaged(error.to_string()))?;
    if surface.fingerprint(&name, unsigned(stored_at, &what)?) == fingerprint {
        Ok(surface)
    } else {
        Err(damaged(String::from("its fingerprint does not match")))
    }
}

fn read_columns(row: &Row<'_>) -> rusqlite::Result<(i64, McpSurface, Digest)> {
    let surface = McpSurface {
        surface_sha256: Digest(row.get(2)?),
        first_seen: time(row, 3)?,
        last_seen: time(row, 4)?,
    };
    Ok((row.get(0)?, surface, Digest(row.get(5)?)))
}
