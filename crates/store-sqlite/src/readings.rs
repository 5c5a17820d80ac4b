//! Readings in the database.

use contract::limits::READINGS_KEPT_PER_DOMAIN;
use contract::{Domain, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row, params};
use store::scans::parse_stored_domain;
use store::{BoxFuture, ComparedReading, Digest, Readings, StoreError, StoredReading};

use crate::SqliteStore;
use crate::columns::sql_limit;
use crate::error::DatabaseError;
use crate::sqlite_store::run_blocking;
use store::compression::{Dictionary, compress, compress_with, decompress};

const COLUMNS: &str = "id, domain, observed_at, network, basis, scan_id, completed, fields, \
                       compared_fingerprint, fingerprint, record";
/// Without the record, and so without the fingerprint over it.
const COMPARED_COLUMNS: &str = "id, domain, observed_at, network, basis, scan_id, completed, fields, \
                                compared_fingerprint";

impl Readings for SqliteStore {
    fn put_reading(&self, reading: StoredReading) -> BoxFuture<'_, Result<(), StoreError>> {
        const DOING: &str = "storing a reading";
        Box::pin(async move {
            let packed = run_blocking(DOING, move || PackedReading::new(reading)).await??;
            let bytes = packed.fields.len() + packed.record.len();
            self.database.writer.write(DOING, bytes, move |c| packed.put(c)).await
        })
    }

    fn reading<'a>(
        &'a self,
        id: &'a str,
    ) -> BoxFuture<'a, Result<Option<StoredReading>, StoreError>> {
        let id = id.to_owned();
        Box::pin(self.database.readers.read("reading a reading", move |connection| {
            let sql = format!("SELECT {COLUMNS} FROM readings WHERE id = ?1");
            let raw = connection
                .prepare_cached(&sql)?
                .query_row([id], RawReading::from_row)
                .optional()?;
            Ok(raw.map(RawReading::into_reading).transpose()?)
        }))
    }

    fn readings_of<'a>(
        &'a self,
        domain: &'a Domain,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<StoredReading>, StoreError>> {
        let domain = domain.to_string();
        Box::pin(self.database.readers.read("reading readings", move |connection| {
            let sql = format!(
                "SELECT {COLUMNS} FROM readings WHERE domain = ?1
                 ORDER BY observed_at DESC, id DESC LIMIT ?2"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let rows =
                statement.query_map(params![domain, sql_limit(limit)], RawReading::from_row)?;
            rows.map(|raw| Ok(raw?.into_reading()?)).collect()
        }))
    }

    fn compared_readings_of<'a>(
        &'a self,
        domain: &'a Domain,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<ComparedReading>, StoreError>> {
        let domain = domain.clone();
        Box::pin(self.database.readers.read("reading readings", move |connection| {
            find_compared_readings(connection, &domain, limit)
        }))
    }

    fn list_readings(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<String>, StoreError>> {
        Box::pin(self.database.readers.read("listing readings", move |connection| {
            let sql = "SELECT id FROM readings WHERE ?1 IS NULL OR id > ?1 ORDER BY id LIMIT ?2";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map(params![after, sql_limit(limit)], |row| row.get(0))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        }))
    }
}

/// A reading ready to be written: fingerprint and compression are done.
struct PackedReading {
    reading: StoredReading,
    fingerprint: Digest,
    compared_fingerprint: Digest,
    fields: Vec<u8>,
    record: Vec<u8>,
}

impl PackedReading {
    fn new(reading: StoredReading) -> Result<Self, StoreError> {
        reading.check_size()?;
        let failed = |e: std::io::Error| StoreError::Failed {
            doing: "compressing a reading",
            why: e.to_string(),
        };
        Ok(Self {
            fingerprint: reading.fingerprint(),
            compared_fingerprint: reading.clone().into_compared().fingerprint(),
            fields: compress(&reading.fields).map_err(failed)?,
            record: compress_with(Dictionary::Record, &reading.record).map_err(failed)?,
            reading,
        })
    }

    fn put(&self, connection: &Connection) -> Result<(), DatabaseError> {
        let kept: Option<Vec<u8>> = connection
            .prepare_cached("SELECT fingerprint FROM readings WHERE id = ?1")?
            .query_row([&self.reading.id], |row| row.get(0))
            .optional()?;
        match kept {
            Some(kept) if kept == self.fingerprint.as_bytes() => return Ok(()),
            Some(_) => {
                let id = self.reading.id.clone();
                return Err(StoreError::Duplicate { what: "reading", id }.into());
            }
            None => {}
        }
        let sql = format!(
            "INSERT INTO readings ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"
        );
        connection.prepare_cached(&sql)?.execute(params![
            self.reading.id,
            self.reading.domain.as_str(),
            self.reading.observed_at.as_millis(),
            self.reading.network,
            self.reading.basis,
            self.reading.scan_id,
            self.reading.completed,
            self.fields,
            self.compared_fingerprint.as_bytes(),
            self.fingerprint.as_bytes(),
            self.record,
        ])?;
        let sql = "DELETE FROM readings WHERE id IN (
                       SELECT id FROM readings WHERE domain = ?1
                       ORDER BY observed_at DESC, id DESC LIMIT -1 OFFSET ?2)";
        let kept = sql_limit(READINGS_KEPT_PER_DOMAIN);
        connection.prepare_cached(sql)?.execute(params![self.reading.domain.as_str(), kept])?;
        Ok(())
    }
}

/// The newest readings of a domain without their records.
pub(crate) fn find_compared_readings(
    connection: &Connection,
    domain: &Domain,
    limit: usize,
) -> Result<Vec<ComparedReading>, DatabaseError> {
    let sql = format!(
        "SELECT {COMPARED_COLUMNS} FROM readings WHERE domain = ?1
         ORDER BY observed_at DESC, id DESC LIMIT ?2"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement
        .query_map(params![domain.as_str(), sql_limit(limit)], RawComparedReading::from_row)?;
    rows.map(|raw| {
        let raw = raw?;
        if raw.fingerprint.is_some() {
            return Ok(raw.into_compared()?);
        }
        // A row from before there was this fingerprint: the one over the whole row is compared.
        let sql = format!("SELECT {COLUMNS} FROM readings WHERE id = ?1");
        let whole = connection.prepare_cached(&sql)?.query_row([&raw.id], RawReading::from_row)?;
        Ok(whole.into_reading()?.into_compared())
    })
    .collect()
}

struct RawComparedReading {
    id: String,
    domain: String,
    observed_at: i64,
    network: String,
    basis: String,
    scan_id: Option<String>,
    completed: bool,
    fields: Vec<u8>,
    /// `None` in rows from before there was one.
    fingerprint: Option<[u8; 32]>,
}

impl RawComparedReading {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get(0)?,
            domain: row.get(1)?,
            observed_at: row.get(2)?,
            network: row.get(3)?,
            basis: row.get(4)?,
            scan_id: row.get(5)?,
            completed: row.get(6)?,
            fields: row.get(7)?,
            fingerprint: row.get(8)?,
        })
    }

    fn into_compared(self) -> Result<ComparedReading, StoreError> {
        let id = self.id.clone();
        let reading = ComparedReading {
            domain: parse_stored_domain(&self.domain)?,
            observed_at: Timestamp::from_millis(self.observed_at),
            network: self.network,
            basis: self.basis,
            scan_id: self.scan_id,
            completed: self.completed,
            fields: decompress(&self.fields).map_err(|why| damaged(&id, why))?,
            id: self.id,
        };
        match self.fingerprint {
            Some(stated) if reading.fingerprint() != Digest(stated) => {
                Err(damaged(&id, "the fingerprint of its fields does not match".to_owned()))
            }
            _ => Ok(reading),
        }
    }
}

fn damaged(id: &str, why: String) -> StoreError {
    StoreError::Damaged { what: format!("reading {id}"), why }
}

struct RawReading {
    compared: RawComparedReading,
    fingerprint: [u8; 32],
    record: Vec<u8>,
}

impl RawReading {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            compared: RawComparedReading::from_row(row)?,
            fingerprint: row.get(9)?,
            record: row.get(10)?,
        })
    }

    fn into_reading(self) -> Result<StoredReading, StoreError> {
        let compared = self.compared.into_compared()?;
        let id = compared.id.clone();
        let reading = StoredReading {
            id: compared.id,
            domain: compared.domain,
            observed_at: compared.observed_at,
            network: compared.network,
            basis: compared.basis,
            scan_id: compared.scan_id,
            completed: compared.completed,
            fields: compared.fields,
            record: decompress(&self.record).map_err(|why| damaged(&id, why))?,
        };
        if reading.fingerprint() == Digest(self.fingerprint) {
            Ok(reading)
        } else {
            Err(damaged(&id, "its fingerprint does not match".to_owned()))
        }
    }
}
