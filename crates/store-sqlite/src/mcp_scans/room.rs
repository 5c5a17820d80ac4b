//! How many scans of MCP servers are kept, and which are removed for a new one.

use rusqlite::{Connection, params};
use store::MAX_VALUE_BYTES;
use store::mcp_scans::{MAX_MCP_SCAN_BYTES, MAX_MCP_SCANS, MCP_SCANS_PER_URL};

use crate::columns::{sql_integer, sql_limit};
use crate::error::DatabaseError;

/// A parameter, so that tests need not fill half a gigabyte.
pub(super) struct ScanLimits {
    pub(super) per_url: usize,
    pub(super) scans: usize,
    pub(super) bytes: u64,
}

impl ScanLimits {
    pub(super) const DEFAULT: Self =
        Self { per_url: MCP_SCANS_PER_URL, scans: MAX_MCP_SCANS, bytes: MAX_MCP_SCAN_BYTES };
}

/// No scan takes more than this. Bounds what a damaged number of bytes can remove.
const MOST_BYTES: usize = 2 * MAX_VALUE_BYTES;

/// Reads at most 20,000 small entries of an index, and no row.
const SUM: &str = "SELECT count(*), coalesce(sum(max(0, min(stored_bytes, ?1))), 0)
                   FROM mcp_scans INDEXED BY mcp_scans_by_size";
/// In the order of the table, and only as many as have to go.
const OTHERS: &str = "SELECT position, max(0, min(stored_bytes, ?1)) FROM mcp_scans
                      WHERE url <> ?2 ORDER BY position";

/// Removes what is over the limits after a scan of `url` was stored: the oldest of this URL, then the
/// oldest of others.
pub(super) fn make_room(
    connection: &Connection,
    url: &str,
    limits: &ScanLimits,
) -> Result<(), DatabaseError> {
    let mut delete = connection.prepare_cached("DELETE FROM mcp_scans WHERE position = ?1")?;
    for position in superseded(&scans_of(connection, url)?, limits.per_url) {
        delete.execute(params![position])?;
    }
    for position in oldest_of_others(connection, url, limits)? {
        delete.execute(params![position])?;
    }
    Ok(())
}

/// A stored scan of a URL: its position, and whether it has a surface.
type UrlScan = (i64, bool);

/// The scans of a URL, newest first.
fn scans_of(connection: &Connection, url: &str) -> Result<Vec<UrlScan>, DatabaseError> {
    let sql = "SELECT position, surface_sha256 IS NOT NULL FROM mcp_scans WHERE url = ?1
               ORDER BY position DESC";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(params![url], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Which of the scans of a URL, newest first, are too many. The newest with a surface is kept.
pub(super) fn superseded(scans: &[UrlScan], kept: usize) -> Vec<i64> {
    let complete = scans.iter().position(|(_, has_surface)| *has_surface);
    let newest = if complete.is_some_and(|at| at >= kept) { kept.saturating_sub(1) } else { kept };
    let rest = scans.iter().enumerate().skip(newest).filter(|(at, _)| Some(*at) != complete);
    rest.map(|(_, (position, _))| *position).collect()
}

/// The scans of other URLs that have to go so that all together are within the limits.
fn oldest_of_others(
    connection: &Connection,
    url: &str,
    limits: &ScanLimits,
) -> Result<Vec<i64>, DatabaseError> {
    let most = sql_limit(MOST_BYTES);
    let (mut scans, mut bytes): (i64, i64) = connection
        .prepare_cached(SUM)?
        .query_row(params![most], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let is_within =
        |scans, bytes| scans <= sql_limit(limits.scans) && bytes <= sql_integer(limits.bytes);
    let mut removed = Vec::new();
    if is_within(scans, bytes) {
        return Ok(removed);
    }
    let mut statement = connection.prepare_cached(OTHERS)?;
    let mut rows = statement.query(params![most, url])?;
    while let Some(row) = rows.next()? {
        let (position, size): (i64, i64) = (row.get(0)?, row.get(1)?);
        removed.push(position);
        (scans, bytes) = (scans - 1, bytes - size);
        if is_within(scans, bytes) {
            break;
        }
    }
    Ok(removed)
}
