//! Scans in the database.

use bytes::Bytes;
use contract::{Domain, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row, ffi, params};
use store::scans::parse_stored_domain;
use store::{
    BoxFuture, Digest, Scan, ScanCursor, ScanRow, ScanScope, Scans, StoreError, Visibility,
};

use crate::SqliteStore;
use crate::columns::sql_limit;
use crate::error::DatabaseError;
use crate::sqlite_store::run_blocking;
use store::compression::{compress, decompress};

impl Scans for SqliteStore {
    fn put_scan(&self, scan: Scan) -> BoxFuture<'_, Result<(), StoreError>> {
        const DOING: &str = "storing a scan";
        Box::pin(async move {
            let packed = PackedScan::pack(scan).await?;
            self.database.writer.write(DOING, packed.bytes(), move |c| packed.insert(c)).await
        })
    }

    fn scan<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Scan>, StoreError>> {
        let id = id.to_owned();
        Box::pin(self.database.readers.read("reading a scan", move |connection| {
            find_scan(connection, &select_by_id(), params![id])
        }))
    }

    fn latest_scan<'a>(
        &'a self,
        domain: &'a Domain,
        since: Option<Timestamp>,
        scope: ScanScope,
    ) -> BoxFuture<'a, Result<Option<Scan>, StoreError>> {
        let domain = domain.to_string();
        let since = since.map_or(i64::MIN, Timestamp::as_millis);
        Box::pin(self.database.readers.read("reading the latest scan", move |connection| {
            find_scan(connection, &select_latest(scope), params![domain, since])
        }))
    }

    fn scans_of<'a>(
        &'a self,
        domain: &'a Domain,
        scope: ScanScope,
        before: Option<ScanCursor>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<ScanRow>, StoreError>> {
        let domain = domain.to_string();
        // No scan is later than this.
        let (time, id) = before.map_or((i64::MAX, String::new()), cursor_bounds);
        Box::pin(self.database.readers.read("reading a history", move |connection| {
            find_scan_rows(
                connection,
                &select_history(scope),
                params![domain, time, id, sql_limit(limit)],
            )
        }))
    }

    fn export_scans(
        &self,
        after: Option<ScanCursor>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<ScanRow>, StoreError>> {
        // No scan is earlier than this.
        let (time, id) = after.map_or((i64::MIN, String::new()), cursor_bounds);
        Box::pin(self.database.readers.read("reading all scans", move |connection| {
            find_scan_rows(connection, &select_all(), params![time, id, sql_limit(limit)])
        }))
    }
}

/// The newest public scan of a domain.
pub(crate) fn find_newest_public(
    connection: &Connection,
    domain: &str,
) -> Result<Option<ScanRow>, DatabaseError> {
    let sql = select_history(ScanScope::PublicOnly);
    let rows = find_scan_rows(connection, &sql, params![domain, i64::MAX, "", sql_limit(1)])?;
    Ok(rows.into_iter().next())
}

/// Up to this many bytes are compressed on the current thread: switching to another thread would
/// cost as much.
const MAX_INLINE_COMPRESSION_BYTES: usize = 32 * 1024;

pub(crate) const ROW_COLUMNS: &str =
    "id, domain, scanned_at, visibility, score_version, grade, overall";
const COLUMNS: &str = "id, domain, scanned_at, visibility, score_version, grade, overall, \
                       fingerprint, artifacts, record, evidence";

fn select_by_id() -> String {
    format!("SELECT {COLUMNS} FROM scans WHERE id = ?1")
}

fn select_latest(scope: ScanScope) -> String {
    let listed = visibility_filter(scope);
    format!(
        "SELECT {COLUMNS} FROM scans WHERE domain = ?1 {listed} AND scanned_at >= ?2
         ORDER BY scanned_at DESC, id DESC LIMIT 1"
    )
}

fn select_history(scope: ScanScope) -> String {
    let listed = visibility_filter(scope);
    format!(
        "SELECT {ROW_COLUMNS} FROM scans
         WHERE domain = ?1 {listed} AND (scanned_at, id) < (?2, ?3)
         ORDER BY scanned_at DESC, id DESC LIMIT ?4"
    )
}

fn select_all() -> String {
    format!(
        "SELECT {ROW_COLUMNS} FROM scans WHERE (scanned_at, id) > (?1, ?2)
         ORDER BY scanned_at, id LIMIT ?3"
    )
}

/// A literal, not a parameter, so that SQLite uses the index of listed scans.
fn visibility_filter(scope: ScanScope) -> &'static str {
    match scope {
        ScanScope::PublicOnly => "AND visibility = 'public'",
        ScanScope::All => "",
    }
}

fn cursor_bounds(cursor: ScanCursor) -> (i64, String) {
    (cursor.scanned_at.as_millis(), cursor.id)
}

/// A scan ready to be written: fingerprint and compression are done.
pub(crate) struct PackedScan {
    row: ScanRow,
    fingerprint: Digest,
    artifacts: Vec<u8>,
    record: Vec<u8>,
    evidence: Vec<u8>,
}

impl PackedScan {
    /// Large scans are packed on a blocking thread.
    pub(crate) async fn pack(scan: Scan) -> Result<Self, StoreError> {
        if scan.record.len() + scan.evidence.len() <= MAX_INLINE_COMPRESSION_BYTES {
            return Self::new(scan);
        }
        run_blocking("storing a scan", move || Self::new(scan)).await?
    }

    fn new(scan: Scan) -> Result<Self, StoreError> {
        scan.check_size()?;
        let packed = |bytes: &Bytes| {
            compress(bytes)
                .map_err(|e| StoreError::Failed { doing: "compressing a scan", why: e.to_string() })
        };
        Ok(Self {
            row: scan.row(),
            fingerprint: scan.fingerprint(),
            artifacts: scan.artifacts.iter().flat_map(|sha256| *sha256.as_bytes()).collect(),
            record: packed(&scan.record)?,
            evidence: packed(&scan.evidence)?,
        })
    }

    pub(crate) fn bytes(&self) -> usize {
        self.record.len() + self.evidence.len() + self.artifacts.len()
    }

    pub(crate) fn insert(&self, connection: &Connection) -> Result<(), DatabaseError> {
        let row = &self.row;
        let time = row.scanned_at.as_millis();
        connection
            .prepare_cached(
                "INSERT INTO scans (id, domain, scanned_at, visibility, score_version, grade,
                                    overall, fingerprint, artifacts, record, evidence)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            )?
            .execute(params![
                row.id,
                row.domain.as_str(),
                time,
                row.visibility.as_str(),
                row.score_version,
                row.grade,
                row.overall,
                self.fingerprint.as_bytes(),
                self.artifacts,
                self.record,
                self.evidence,
            ])
            .map_err(|error| match error.sqlite_extended_error_code() {
                Some(ffi::SQLITE_CONSTRAINT_PRIMARYKEY) => {
                    DatabaseError::Store(StoreError::Duplicate { what: "scan", id: row.id.clone() })
                }
                _ => DatabaseError::Sqlite(error),
            })?;
        let (digests, _) = self.artifacts.as_chunks::<32>();
        if digests.is_empty() {
            return Ok(());
        }
        let mut uses = connection.prepare_cached(
            "INSERT INTO artifact_uses (sha256, last_used_at) VALUES (?1, ?2)
             ON CONFLICT (sha256) DO UPDATE SET last_used_at = excluded.last_used_at
             WHERE excluded.last_used_at > last_used_at",
        )?;
        for sha256 in digests {
            uses.execute(params![sha256, time])?;
        }
        Ok(())
    }
}

fn find_scan(
    connection: &Connection,
    sql: &str,
    params: &[&dyn rusqlite::ToSql],
) -> Result<Option<Scan>, DatabaseError> {
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement
        .query_row(params, |row| {
            let blobs: [Vec<u8>; 4] = [row.get(7)?, row.get(8)?, row.get(9)?, row.get(10)?];
            Ok((RawScanRow::from_row(row)?, blobs))
        })
        .optional()?;
    let Some((raw, blobs)) = found else { return Ok(None) };
    let id = raw.id.clone();
    let damaged = |why: String| StoreError::Damaged { what: format!("scan {id}"), why };
    let [fingerprint, artifacts, record, evidence] = blobs;
    let row = raw.into_scan_row()?;
    let (digests, _) = artifacts.as_chunks::<32>();
    let scan = Scan {
        id: row.id,
        domain: row.domain,
        scanned_at: row.scanned_at,
        visibility: row.visibility,
        score_version: row.score_version,
        grade: row.grade,
        overall: row.overall,
        record: decompress(&record).map_err(&damaged)?,
        evidence: decompress(&evidence).map_err(&damaged)?,
        artifacts: digests.iter().copied().map(Digest).collect(),
    };
    if scan.fingerprint().as_bytes().as_slice() != fingerprint {
        return Err(damaged(String::from("its fingerprint does not match")).into());
    }
    Ok(Some(scan))
}

fn find_scan_rows(
    connection: &Connection,
    sql: &str,
    params: &[&dyn rusqlite::ToSql],
) -> Result<Vec<ScanRow>, DatabaseError> {
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement.query_map(params, RawScanRow::from_row)?;
    found.map(|raw| Ok(raw?.into_scan_row()?)).collect()
}

/// The columns as stored, before they are parsed.
pub(crate) struct RawScanRow {
    id: String,
    domain: String,
    scanned_at: i64,
    visibility: String,
    score_version: u32,
    grade: Option<String>,
    overall: Option<u32>,
}

impl RawScanRow {
    pub(crate) fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get(0)?,
            domain: row.get(1)?,
            scanned_at: row.get(2)?,
            visibility: row.get(3)?,
            score_version: row.get(4)?,
            grade: row.get(5)?,
            overall: row.get(6)?,
        })
    }

    pub(crate) fn into_scan_row(self) -> Result<ScanRow, StoreError> {
        let visibility =
            Visibility::from_word(&self.visibility).ok_or_else(|| StoreError::Damaged {
                what: format!("scan {}", self.id),
                why: String::from("its visibility is unknown"),
            })?;
        Ok(ScanRow {
            domain: parse_stored_domain(&self.domain)?,
            id: self.id,
            scanned_at: Timestamp::from_millis(self.scanned_at),
            visibility,
            score_version: self.score_version,
            grade: self.grade,
            overall: self.overall,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_question_is_answered_by_an_index_in_its_order() {
        let mut connection = Connection::open_in_memory().unwrap();
        crate::migrate::migrate(&mut connection, "memory").unwrap();
        for (sql, index) in [
            (select_by_id(), "sqlite_autoindex_scans_1"),
            (select_latest(ScanScope::PublicOnly), "scans_listed"),
            (select_latest(ScanScope::All), "scans_by_domain"),
            (select_history(ScanScope::PublicOnly), "scans_listed"),
            (select_history(ScanScope::All), "scans_by_domain"),
            (select_all(), "scans_by_time"),
        ] {
            let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            // The plan needs no values, so none are bound.
            let mut steps = statement.raw_query();
            let mut plan = String::new();
            while let Some(step) = steps.next().unwrap() {
                plan.push_str(&step.get::<_, String>(3).unwrap());
                plan.push('\n');
            }
            let searched = plan.contains(&format!("SEARCH scans USING INDEX {index} "));
            assert!(searched && !plan.contains("TEMP B-TREE"), "{sql}\n{plan}");
        }
    }
}
