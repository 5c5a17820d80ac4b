//! Reading scans of MCP servers. Every row is compared with its fingerprint.

use bytes::Bytes;
use contract::Domain;
use rusqlite::{Connection, OptionalExtension, Params, Row, params};
use store::scans::parse_stored_domain;
use store::{Digest, McpScanSummary, StoreError, StoredMcpScan};

use crate::columns::{optional_digest, sql_limit, time, unsigned};
use crate::error::DatabaseError;
use store::compression::decompress;

/// The columns that the fingerprint covers directly.
const HEAD: &str = "position, scan_sha256, url, domain, observed_at, state, surface_sha256, \
                    content_sha256, fingerprint";

pub(super) const LATEST: &str = "WHERE url = ?1 ORDER BY position DESC LIMIT 1";
pub(super) const LATEST_COMPLETE: &str =
    "WHERE url = ?1 AND surface_sha256 IS NOT NULL ORDER BY position DESC LIMIT 1";
pub(super) const BY_DIGEST: &str = "WHERE scan_sha256 = ?1";
const OF_DOMAIN: &str = "WHERE domain = ?1 AND position = (
                             SELECT max(position) FROM mcp_scans latest WHERE latest.url = mcp_scans.url)
                         ORDER BY position DESC LIMIT ?2";

/// The first scan that `which` selects.
pub(super) fn find_scan(
    connection: &Connection,
    which: &str,
    params: impl Params,
) -> Result<Option<StoredMcpScan>, DatabaseError> {
    let mut statement = connection.prepare_cached(&select_scan(which))?;
    // A row that is damaged is an error of its own, apart from those of the query.
    let found = statement.query_row(params, |row| Ok(read_scan(row))).optional()?;
    Ok(found.transpose()?)
}

pub(super) fn scans_of_domain(
    connection: &Connection,
    domain: &Domain,
    limit: usize,
) -> Result<Vec<McpScanSummary>, DatabaseError> {
    let mut statement = connection.prepare_cached(&select_of_domain())?;
    let mut rows = statement.query(params![domain.as_str(), sql_limit(limit)])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(read_head(row)?.summary);
    }
    Ok(found)
}

fn select_scan(which: &str) -> String {
    format!("SELECT {HEAD}, stored_bytes, document, lists FROM mcp_scans {which}")
}

fn select_of_domain() -> String {
    format!("SELECT {HEAD} FROM mcp_scans {OF_DOMAIN}")
}

/// A row without its bytes, compared with its fingerprint.
struct Head {
    summary: McpScanSummary,
    domain: Domain,
    content_sha256: Digest,
}

fn read_scan(row: &Row<'_>) -> Result<StoredMcpScan, StoreError> {
    let Head { summary, domain, content_sha256 } = read_head(row)?;
    let what = format!("the scan {} of an MCP server", summary.scan_sha256);
    let damaged = |why: String| StoreError::Damaged { what: what.clone(), why };
    let (stored_bytes, document, lists) =
        read_bytes(row).map_err(|error| damaged(error.to_string()))?;
    if usize::try_from(stored_bytes) != Ok(document.len().saturating_add(lists.len())) {
        return Err(damaged(String::from("it has another number of bytes than is noted")));
    }
    let scan = StoredMcpScan {
        url: summary.url,
        domain,
        scan_sha256: summary.scan_sha256,
        observed_at: summary.observed_at,
        state: summary.state,
        surface_sha256: summary.surface_sha256,
        document: decompress(&document).map_err(&damaged)?,
        lists: decompress(&lists).map_err(&damaged)?,
    };
    if scan.content_digest() == content_sha256 {
        Ok(scan)
    } else {
        Err(damaged(String::from("its content does not match its digest")))
    }
}

fn read_bytes(row: &Row<'_>) -> rusqlite::Result<(i64, Bytes, Bytes)> {
    Ok((row.get(9)?, crate::columns::blob(row, 10)?, crate::columns::blob(row, 11)?))
}

/// A value that cannot be converted is damage too, so that a copy reports it and continues.
fn read_head(row: &Row<'_>) -> Result<Head, StoreError> {
    let name = row.get::<_, [u8; 32]>(1).map_or_else(|_| String::from("?"), |d| Digest(d).to_hex());
    let what = format!("the scan {name} of an MCP server");
    let damaged = |why: String| StoreError::Damaged { what: what.clone(), why };
    let (position, head, fingerprint) =
        read_columns(row).map_err(|error| damaged(error.to_string()))?;
    let (domain, summary, content_sha256) = head;
    let domain = parse_stored_domain(&domain)?;
    let position = unsigned(position, &what)?;
    if summary.fingerprint(&domain, position, &content_sha256) == fingerprint {
        Ok(Head { summary, domain, content_sha256 })
    } else {
        Err(damaged(String::from("its fingerprint does not match")))
    }
}

type Columns = (i64, (String, McpScanSummary, Digest), Digest);

fn read_columns(row: &Row<'_>) -> rusqlite::Result<Columns> {
    let summary = McpScanSummary {
        scan_sha256: Digest(row.get(1)?),
        url: row.get(2)?,
        observed_at: time(row, 4)?,
        state: row.get(5)?,
        surface_sha256: optional_digest(row, 6)?,
    };
    Ok((row.get(0)?, (row.get(3)?, summary, Digest(row.get(7)?)), Digest(row.get(8)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_question_is_answered_by_an_index_in_its_order() {
        let mut connection = Connection::open_in_memory().unwrap();
        crate::migrate::migrate(&mut connection, "memory").unwrap();
        for (sql, index) in [
            (select_scan(LATEST), "mcp_scans_by_url"),
            (select_scan(LATEST_COMPLETE), "mcp_scans_by_url"),
            (select_scan(BY_DIGEST), "sqlite_autoindex_mcp_scans_1"),
            (select_of_domain(), "mcp_scans_by_domain"),
        ] {
            let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            // The plan needs no values, so none are bound.
            let mut steps = statement.raw_query();
            let mut plan = String::new();
            while let Some(step) = steps.next().unwrap() {
                plan.push_str(&step.get::<_, String>(3).unwrap());
                plan.push('\n');
            }
            let searched = plan.contains(&format!("SEARCH mcp_scans USING INDEX {index} "));
            let scanned = plan.lines().any(|line| line.starts_with("SCAN"));
            assert!(searched && !scanned && !plan.contains("TEMP B-TREE"), "{sql}\n{plan}");
        }
    }
}
