//! Removes scans and surfaces of MCP servers that are past their retention.
//!
//! Some old rows stay: those that a lock refers to, and the last ones of servers that are still asked for.
//! They would be examined again at every turn, so they are looked for on a reading connection, and the
//! writer only removes what was found.

use contract::Timestamp;
use rusqlite::{Connection, params};
use store::StoreError;

use crate::SqliteStore;
use crate::columns::sql_limit;
use crate::error::DatabaseError;

/// How the old rows of a table are found and removed. `?1` is the time before which they are old.
pub(crate) struct OldRows {
    /// At most `?2` positions.
    find: &'static str,
    /// The row at `?2`, if it is still old: it may have been renewed since it was found.
    remove: &'static str,
}

/// A scan that is old, that no lock was made from, and that is not the latest complete one of a server that
/// was scanned since or that has a lock.
macro_rules! old_scan {
    () => {
        "observed_at < ?1
         AND NOT EXISTS (SELECT 1 FROM mcp_locks l WHERE l.url = mcp_scans.url
                         AND l.surface_sha256 = mcp_scans.surface_sha256
                         AND l.scan_sha256 = mcp_scans.scan_sha256)
         AND NOT (surface_sha256 IS NOT NULL
                  AND NOT EXISTS (SELECT 1 FROM mcp_scans later WHERE later.url = mcp_scans.url
                                  AND later.position > mcp_scans.position
                                  AND later.surface_sha256 IS NOT NULL)
                  AND (EXISTS (SELECT 1 FROM mcp_scans recent WHERE recent.url = mcp_scans.url
                               AND recent.observed_at >= ?1)
                       OR EXISTS (SELECT 1 FROM mcp_locks l WHERE l.url = mcp_scans.url)))"
    };
}

/// A surface that is old, that no lock names, and that is not the current one of a server of which a scan or
/// a lock is stored.
macro_rules! old_surface {
    () => {
        "last_seen < ?1
         AND NOT EXISTS (SELECT 1 FROM mcp_locks l WHERE l.url = mcp_surfaces.url
                         AND l.surface_sha256 = mcp_surfaces.surface_sha256)
         AND NOT (NOT EXISTS (SELECT 1 FROM mcp_surfaces later WHERE later.url = mcp_surfaces.url
                              AND later.position > mcp_surfaces.position)
                  AND (EXISTS (SELECT 1 FROM mcp_scans s WHERE s.url = mcp_surfaces.url)
                       OR EXISTS (SELECT 1 FROM mcp_locks l WHERE l.url = mcp_surfaces.url)))"
    };
}

pub(crate) const OLD_SCANS: OldRows = OldRows {
    find: concat!(
        "SELECT position FROM mcp_scans WHERE ",
        old_scan!(),
        " ORDER BY observed_at LIMIT ?2"
    ),
    remove: concat!("DELETE FROM mcp_scans WHERE position = ?2 AND ", old_scan!()),
};

pub(crate) const OLD_SURFACES: OldRows = OldRows {
    find: concat!(
        "SELECT position FROM mcp_surfaces WHERE ",
        old_surface!(),
        " ORDER BY last_seen LIMIT ?2"
    ),
    remove: concat!("DELETE FROM mcp_surfaces WHERE position = ?2 AND ", old_surface!()),
};

impl SqliteStore {
    /// Removes at most `limit` old rows, and returns how many.
    pub(crate) async fn prune_mcp(
        &self,
        old: &'static OldRows,
        before: Timestamp,
        limit: usize,
    ) -> Result<u64, StoreError> {
        const DOING: &str = "removing old scans of MCP servers";
        let find = move |connection: &Connection| find_old(connection, old, before, limit);
        let found = self.database.readers.read(DOING, find).await?;
        if found.is_empty() {
            return Ok(0);
        }
        let remove = move |connection: &Connection| remove_old(connection, old, before, &found);
        self.database.writer.write(DOING, 0, remove).await
    }
}

fn find_old(
    connection: &Connection,
    old: &OldRows,
    before: Timestamp,
    limit: usize,
) -> Result<Vec<i64>, DatabaseError> {
    let mut statement = connection.prepare_cached(old.find)?;
    let rows = statement
        .query_map(params![before.as_millis(), sql_limit(limit)], |row| row.get::<_, i64>(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn remove_old(
    connection: &Connection,
    old: &OldRows,
    before: Timestamp,
    positions: &[i64],
) -> Result<u64, DatabaseError> {
    let mut statement = connection.prepare_cached(old.remove)?;
    let mut removed = 0;
    for position in positions {
        removed += statement.execute(params![before.as_millis(), position])? as u64;
    }
    Ok(removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_rows_are_found_through_indexes() {
        let mut connection = Connection::open_in_memory().unwrap();
        crate::migrate::migrate(&mut connection, "memory").unwrap();
        for (old, index) in
            [(&OLD_SCANS, "mcp_scans_by_time"), (&OLD_SURFACES, "mcp_surfaces_by_time")]
        {
            for (sql, used) in [(old.find, index), (old.remove, "INTEGER PRIMARY KEY")] {
                let mut statement =
                    connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
                let mut steps = statement.raw_query();
                let mut plan = String::new();
                while let Some(step) = steps.next().unwrap() {
                    plan.push_str(&step.get::<_, String>(3).unwrap());
                    plan.push('\n');
                }
                let scanned = plan.lines().any(|line| line.starts_with("SCAN"));
                assert!(
                    plan.contains(used) && !scanned && !plan.contains("TEMP B-TREE"),
                    "{sql}\n{plan}"
                );
            }
        }
    }
}
