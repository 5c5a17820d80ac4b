//! Content clocks in the database.

use contract::{Domain, Timestamp};
use rusqlite::{Connection, Params, Row, params};
use store::clocks::MAX_CLOCK_VERSIONS;
use store::scans::parse_stored_domain;
use store::{BoxFuture, ClockAndVersions, ClockVersion, Clocks, StoreError, StoredClock};

use crate::SqliteStore;
use crate::columns::{
    blob, count, digest_bytes, optional_digest, optional_time, sql_integer, sql_limit, time,
};
use crate::error::DatabaseError;
use crate::snapshot::in_snapshot;

const CLOCK_COLUMNS: &str = "url, domain, state, why, started_at, checks, last_checked_at, next_check_at, \
                     expires_at, declared";
const VERSION_COLUMNS: &str = "n, seen_from, seen_to, status, bytes, body_sha256, text_sha256, etag, \
                       last_modified, change";

impl Clocks for SqliteStore {
    fn clock<'a>(
        &'a self,
        url: &'a str,
    ) -> BoxFuture<'a, Result<Option<ClockAndVersions>, StoreError>> {
        let url = url.to_owned();
        Box::pin(
            self.database
                .readers
                .read("reading a clock", move |connection| find_clock(connection, &url)),
        )
    }

    fn put_clock(
        &self,
        clock: StoredClock,
        version: Option<ClockVersion>,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            clock.check_size()?;
            version.as_ref().map_or(Ok(()), ClockVersion::check_size)?;
            let bytes =
                clock.declared.len() + version.as_ref().map_or(0, |version| version.change.len());
            let write = move |connection: &Connection| {
                put_clock_and_version(connection, &clock, version.as_ref())
            };
            self.database.writer.write("storing a clock", bytes, write).await
        })
    }

    fn due_clocks(
        &self,
        now: Timestamp,
        most: usize,
    ) -> BoxFuture<'_, Result<Vec<StoredClock>, StoreError>> {
        Box::pin(self.database.readers.read("reading due clocks", move |connection| {
            let sql = format!(
                "SELECT {CLOCK_COLUMNS} FROM clocks WHERE next_check_at <= ?1 AND expires_at > ?1
                 ORDER BY next_check_at, url LIMIT ?2"
            );
            find_clocks(connection, &sql, params![now.as_millis(), sql_limit(most)])
        }))
    }

    fn clocks_of<'a>(
        &'a self,
        domain: &'a Domain,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<StoredClock>, StoreError>> {
        let domain = domain.to_string();
        Box::pin(self.database.readers.read("reading a domain's clocks", move |connection| {
            let sql = format!(
                "SELECT {CLOCK_COLUMNS} FROM clocks WHERE domain = ?1 ORDER BY url LIMIT ?2"
            );
            find_clocks(connection, &sql, params![domain, sql_limit(most)])
        }))
    }

    fn count_clocks(&self) -> BoxFuture<'_, Result<u64, StoreError>> {
        Box::pin(self.database.readers.read("counting clocks", |connection| {
            let sql = "SELECT count(*) FROM clocks";
            Ok(connection.prepare_cached(sql)?.query_row([], |row| count(row, 0))?)
        }))
    }

    fn delete_expired_clocks(&self, now: Timestamp) -> BoxFuture<'_, Result<u64, StoreError>> {
        Box::pin(self.database.writer.write("deleting clocks", 0, move |connection| {
            // Their versions are deleted with them (foreign key).
            let sql = "DELETE FROM clocks WHERE expires_at <= ?1";
            Ok(connection.prepare_cached(sql)?.execute(params![now.as_millis()])? as u64)
        }))
    }

    fn export_clocks(
        &self,
        after: Option<String>,
        most: usize,
    ) -> BoxFuture<'_, Result<Vec<StoredClock>, StoreError>> {
        // Sorts before every URL, because no URL is empty.
        let after = after.unwrap_or_default();
        Box::pin(self.database.readers.read("listing clocks", move |connection| {
            let sql =
                format!("SELECT {CLOCK_COLUMNS} FROM clocks WHERE url > ?1 ORDER BY url LIMIT ?2");
            find_clocks(connection, &sql, params![after, sql_limit(most)])
        }))
    }
}

fn put_clock_and_version(
    connection: &Connection,
    clock: &StoredClock,
    version: Option<&ClockVersion>,
) -> Result<(), DatabaseError> {
    // Not REPLACE: it would delete the row, and with it the versions.
    let sql = format!(
        "INSERT INTO clocks ({CLOCK_COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
         ON CONFLICT (url) DO UPDATE SET
             domain = excluded.domain, state = excluded.state, why = excluded.why,
             started_at = excluded.started_at, checks = excluded.checks,
             last_checked_at = excluded.last_checked_at, next_check_at = excluded.next_check_at,
             expires_at = excluded.expires_at, declared = excluded.declared"
    );
    connection.prepare_cached(&sql)?.execute(params![
        clock.url,
        clock.domain.as_str(),
        clock.state,
        clock.why,
        clock.started_at.as_millis(),
        clock.checks,
        clock.last_checked_at.map(Timestamp::as_millis),
        clock.next_check_at.as_millis(),
        clock.expires_at.as_millis(),
        &*clock.declared,
    ])?;
    let Some(version) = version else { return Ok(()) };
    let sql = format!(
        "INSERT OR REPLACE INTO clock_versions (url, {VERSION_COLUMNS})
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"
    );
    connection.prepare_cached(&sql)?.execute(params![
        clock.url,
        version.n,
        version.seen_from.as_millis(),
        version.seen_to.as_millis(),
        version.status,
        version.bytes.map(sql_integer),
        digest_bytes(version.body_sha256.as_ref()),
        digest_bytes(version.text_sha256.as_ref()),
        version.etag,
        version.last_modified,
        &*version.change,
    ])?;
    connection
        .prepare_cached(
            "DELETE FROM clock_versions WHERE url = ?1 AND n <=
                 (SELECT n FROM clock_versions WHERE url = ?1 ORDER BY n DESC LIMIT 1 OFFSET ?2)",
        )?
        .execute(params![clock.url, sql_limit(MAX_CLOCK_VERSIONS)])?;
    Ok(())
}

pub(crate) fn find_clock(
    connection: &Connection,
    url: &str,
) -> Result<Option<ClockAndVersions>, DatabaseError> {
    // In one snapshot, so that clock and versions belong together.
    in_snapshot(connection, |connection| {
        let sql = format!("SELECT {CLOCK_COLUMNS} FROM clocks WHERE url = ?1");
        let Some(clock) = find_clocks(connection, &sql, params![url])?.pop() else {
            return Ok(None);
        };
        let sql = format!(
            "SELECT {VERSION_COLUMNS} FROM clock_versions WHERE url = ?1 ORDER BY n DESC LIMIT ?2"
        );
        let mut statement = connection.prepare_cached(&sql)?;
        let versions =
            statement.query_map(params![url, sql_limit(MAX_CLOCK_VERSIONS)], version_from_row)?;
        Ok(Some((clock, versions.collect::<rusqlite::Result<_>>()?)))
    })
}

fn find_clocks(
    connection: &Connection,
    sql: &str,
    params: impl Params,
) -> Result<Vec<StoredClock>, DatabaseError> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let name: String = row.get(1)?;
        found.push(StoredClock {
            url: row.get(0)?,
            domain: parse_stored_domain(&name)?,
            state: row.get(2)?,
            why: row.get(3)?,
            started_at: time(row, 4)?,
            checks: row.get(5)?,
            last_checked_at: optional_time(row, 6)?,
            next_check_at: time(row, 7)?,
            expires_at: time(row, 8)?,
            declared: blob(row, 9)?,
        });
    }
    Ok(found)
}

fn version_from_row(row: &Row<'_>) -> rusqlite::Result<ClockVersion> {
    Ok(ClockVersion {
        n: row.get(0)?,
        seen_from: time(row, 1)?,
        seen_to: time(row, 2)?,
        status: row.get(3)?,
        bytes: row.get::<_, Option<i64>>(4)?.map(i64::unsigned_abs),
        body_sha256: optional_digest(row, 5)?,
        text_sha256: optional_digest(row, 6)?,
        etag: row.get(7)?,
        last_modified: row.get(8)?,
        change: blob(row, 9)?,
    })
}
