//! Scans of licences in the database.

use rusqlite::{Connection, OptionalExtension, params};
use store::{BoxFuture, LicenceScan, LicenceScans, Scan, StoreError};

use crate::SqliteStore;
use crate::columns::{count, sql_integer, sql_limit};
use crate::error::DatabaseError;
use crate::scans::{PackedScan, ROW_COLUMNS, RawScanRow};

impl LicenceScans for SqliteStore {
    fn put_scan_of_licence(
        &self,
        scan: Scan,
        licence_id: String,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            let id = scan.id.clone();
            let packed = PackedScan::pack(scan).await?;
            let bytes = packed.bytes();
            let put = move |connection: &Connection| {
                packed.insert(connection)?;
                let sql = "INSERT INTO licence_scans (licence_id, scan_id) VALUES (?1, ?2)";
                connection.prepare_cached(sql)?.execute(params![licence_id, id])?;
                Ok(())
            };
            self.database.writer.write("storing a scan", bytes, put).await
        })
    }

    fn scans_of_licence<'a>(
        &'a self,
        licence_id: &'a str,
        before: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<LicenceScan>, StoreError>> {
        let licence_id = licence_id.to_owned();
        let before = before.map_or(i64::MAX, sql_integer);
        Box::pin(self.database.readers.read("listing the scans of a licence", move |connection| {
            let sql = select("l.licence_id = ?1 AND l.seq < ?2 ORDER BY l.seq DESC LIMIT ?3");
            find_scans(connection, &sql, params![licence_id, before, sql_limit(limit)])
        }))
    }

    fn owner_of_scan<'a>(
        &'a self,
        scan_id: &'a str,
    ) -> BoxFuture<'a, Result<Option<String>, StoreError>> {
        let scan_id = scan_id.to_owned();
        Box::pin(self.database.readers.read("reading whose scan it is", move |connection| {
            let sql = "SELECT licence_id FROM licence_scans WHERE scan_id = ?1";
            let mut statement = connection.prepare_cached(sql)?;
            Ok(statement.query_row(params![scan_id], |row| row.get(0)).optional()?)
        }))
    }

    fn licence_scans_after(
        &self,
        after: u64,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<LicenceScan>, StoreError>> {
        Box::pin(self.database.readers.read("listing scans of licences", move |connection| {
            let sql = select("l.seq > ?1 ORDER BY l.seq LIMIT ?2");
            find_scans(connection, &sql, params![sql_integer(after), sql_limit(limit)])
        }))
    }

    fn last_licence_scan(&self) -> BoxFuture<'_, Result<u64, StoreError>> {
        Box::pin(self.database.readers.read("reading the last number", last_number))
    }

    fn import_licence_scans(
        &self,
        scans: Vec<LicenceScan>,
        last: u64,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(self.database.writer.write("copying scans of licences", 0, move |connection| {
            let sql = "INSERT OR IGNORE INTO licence_scans (seq, licence_id, scan_id)
                       SELECT ?1, ?2, id FROM scans WHERE id = ?3";
            let mut insert = connection.prepare_cached(sql)?;
            for scan in &scans {
                insert.execute(params![sql_integer(scan.seq), scan.licence_id, scan.scan.id])?;
            }
            raise_last_number(connection, last)
        }))
    }
}

fn select(which: &str) -> String {
    let columns: Vec<String> = ROW_COLUMNS.split(", ").map(|name| format!("s.{name}")).collect();
    format!(
        "SELECT {}, l.seq, l.licence_id FROM licence_scans l JOIN scans s ON s.id = l.scan_id
         WHERE {which}",
        columns.join(", ")
    )
}

fn find_scans(
    connection: &Connection,
    sql: &str,
    params: &[&dyn rusqlite::ToSql],
) -> Result<Vec<LicenceScan>, DatabaseError> {
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement
        .query_map(params, |row| Ok((RawScanRow::from_row(row)?, count(row, 7)?, row.get(8)?)))?;
    let scan = |found: rusqlite::Result<_>| {
        let (raw, seq, licence_id): (RawScanRow, u64, String) = found?;
        Ok(LicenceScan { seq, licence_id, scan: raw.into_scan_row()? })
    };
    rows.map(scan).collect()
}

/// SQLite remembers the last number of the table, also if its row is gone.
fn last_number(connection: &Connection) -> Result<u64, DatabaseError> {
    let sql = "SELECT seq FROM sqlite_sequence WHERE name = 'licence_scans'";
    let mut statement = connection.prepare_cached(sql)?;
    Ok(statement.query_row([], |row| count(row, 0)).optional()?.unwrap_or(0))
}

fn raise_last_number(connection: &Connection, last: u64) -> Result<(), DatabaseError> {
    if last_number(connection)? >= last {
        return Ok(());
    }
    let sql = "UPDATE sqlite_sequence SET seq = ?1 WHERE name = 'licence_scans'";
    if connection.execute(sql, params![sql_integer(last)])? == 0 {
        let sql = "INSERT INTO sqlite_sequence (name, seq) VALUES ('licence_scans', ?1)";
        connection.execute(sql, params![sql_integer(last)])?;
    }
    Ok(())
}
