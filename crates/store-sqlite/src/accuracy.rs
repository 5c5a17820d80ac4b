//! What AI engines say about businesses, in the database (implements `store::Accuracy`).

use bytes::Bytes;
use contract::{Day, Domain};
use rusqlite::{Connection, Params, Row, params};
use store::accuracy::MAX_ACCURACY_RECORDS;
use store::{Accuracy, AccuracyPosition, BoxFuture, Digest, NewChange, StoreError, StoredAccuracy};

use crate::SqliteStore;
use crate::changes::PackedChange;
use crate::checked_rows::domain;
use crate::columns::{blob, sql_integer, sql_limit, time, unsigned};
use crate::error::DatabaseError;
use crate::position::next_position;
use crate::sqlite_store::run_blocking;
use store::compression::{compress, decompress};

/// Removes at most `?2` records of days that ended before `?1`.
pub(crate) const DELETE_ACCURACY: &str = "DELETE FROM accuracy_records WHERE position IN (
    SELECT position FROM accuracy_records WHERE day < ?1 / 86400000 ORDER BY day LIMIT ?2)";

const COLUMNS: &str =
    "position, domain, engine, day, checked_at, sha256, evidence_sha256, fingerprint, record";

const NEWEST: &str = "WHERE domain = ?1 ORDER BY checked_at DESC, position DESC LIMIT 1";
const NEWEST_OF_ENGINE: &str = "WHERE domain = ?1 AND engine = ?2 ORDER BY day DESC LIMIT 1";
const BY_DIGEST: &str = "WHERE sha256 = ?1";
const SINCE: &str =
    "WHERE domain = ?1 AND checked_at >= ?2 ORDER BY checked_at DESC, position DESC LIMIT ?3";
const SINCE_OF_ENGINE: &str =
    "WHERE domain = ?1 AND day >= ?2 AND engine = ?4 ORDER BY day DESC LIMIT ?3";
/// The record that a new one would replace, and one with the same digest.
const SAME: &str = "WHERE (domain = ?1 AND engine = ?2 AND day = ?3) OR sha256 = ?4";
const DIGESTS: &str = "SELECT sha256 FROM accuracy_records WHERE day = ?1 ORDER BY sha256";

impl Accuracy for SqliteStore {
    fn put_accuracy(
        &self,
        accuracy: StoredAccuracy,
        changes: Vec<NewChange>,
    ) -> BoxFuture<'_, Result<bool, StoreError>> {
        const DOING: &str = "storing an AI-accuracy record";
        Box::pin(async move {
            let pack = move || PackedAccuracy::new(accuracy, changes);
            let packed = run_blocking(DOING, pack).await??;
            let bytes = packed.bytes();
            let write = move |connection: &Connection| packed.put(connection, MAX_ACCURACY_RECORDS);
            self.database.writer.write(DOING, bytes, write).await
        })
    }

    fn newest_accuracy<'a>(
        &'a self,
        domain: &'a Domain,
        engine: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Option<StoredAccuracy>, StoreError>> {
        let (domain, engine) = (domain.clone(), engine.map(str::to_owned));
        Box::pin(self.database.readers.read("reading an AI-accuracy record", move |connection| {
            let name = domain.as_str();
            let mut found = match engine {
                None => find_records(connection, NEWEST, params![name])?,
                Some(engine) => find_records(connection, NEWEST_OF_ENGINE, params![name, engine])?,
            };
            Ok(found.pop())
        }))
    }

    fn accuracy_of<'a>(
        &'a self,
        domain: &'a Domain,
        engine: Option<&'a str>,
        since: Day,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<StoredAccuracy>, StoreError>> {
        let (domain, engine) = (domain.clone(), engine.map(str::to_owned));
        Box::pin(self.database.readers.read("reading AI-accuracy records", move |connection| {
            let (name, limit) = (domain.as_str(), sql_limit(limit));
            match engine {
                None => {
                    let since = since.begins_at().as_millis();
                    find_bare_records(connection, SINCE, params![name, since, limit])
                }
                Some(engine) => {
                    let parameters = params![name, since.number(), limit, engine];
                    find_bare_records(connection, SINCE_OF_ENGINE, parameters)
                }
            }
        }))
    }

    fn accuracy_by_digest(
        &self,
        sha256: Digest,
    ) -> BoxFuture<'_, Result<Option<StoredAccuracy>, StoreError>> {
        Box::pin(self.database.readers.read("reading an AI-accuracy record", move |connection| {
            Ok(find_records(connection, BY_DIGEST, params![sha256.as_bytes()])?.pop())
        }))
    }

    fn accuracy_digests(&self, day: Day) -> BoxFuture<'_, Result<Vec<Digest>, StoreError>> {
        Box::pin(self.database.readers.read("listing AI-accuracy records", move |connection| {
            let mut statement = connection.prepare_cached(DIGESTS)?;
            let rows = statement.query_map(params![day.number()], |row| Ok(Digest(row.get(0)?)))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        }))
    }

    fn first_accuracy_day(&self) -> BoxFuture<'_, Result<Option<Day>, StoreError>> {
        Box::pin(self.database.readers.read("listing AI-accuracy records", |connection| {
            let sql = "SELECT min(day) FROM accuracy_records";
            let first: Option<i64> =
                connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
            Ok(first.map(Day::from_number))
        }))
    }

    fn list_accuracy(
        &self,
        after: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<AccuracyPosition>, StoreError>> {
        Box::pin(self.database.readers.read("listing AI-accuracy records", move |connection| {
            let sql = "SELECT position, sha256 FROM accuracy_records WHERE position > ?1
                       ORDER BY position LIMIT ?2";
            let mut statement = connection.prepare_cached(sql)?;
            // Without `after` also those below zero, which only damage explains: reading such a row is an error.
            let parameters = params![after.map_or(i64::MIN, sql_integer), sql_limit(limit)];
            let rows = statement.query_map(parameters, |row| {
                let position = u64::try_from(row.get::<_, i64>(0)?).unwrap_or(0);
                Ok(AccuracyPosition { position, sha256: Digest(row.get(1)?) })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        }))
    }
}

/// A record ready to be written: hashing and compression are done.
struct PackedAccuracy {
    accuracy: StoredAccuracy,
    evidence_sha256: Digest,
    record: Vec<u8>,
    evidence: Vec<u8>,
    changes: Vec<PackedChange>,
}

impl PackedAccuracy {
    fn new(accuracy: StoredAccuracy, changes: Vec<NewChange>) -> Result<Self, StoreError> {
        accuracy.check(&changes)?;
        let failed = |e: std::io::Error| StoreError::Failed {
            doing: "compressing an AI-accuracy record",
            why: e.to_string(),
        };
        Ok(Self {
            evidence_sha256: accuracy.evidence_digest(),
            record: compress(&accuracy.record).map_err(failed)?,
            evidence: compress(&accuracy.evidence).map_err(failed)?,
            changes: changes.into_iter().map(PackedChange::new).collect::<Result<_, _>>()?,
            accuracy,
        })
    }

    fn bytes(&self) -> usize {
        let changes = self.changes.iter().map(PackedChange::bytes).sum::<usize>();
        self.record.len() + self.evidence.len() + changes
    }

    /// Writes the record with its changes, replacing a damaged one. False if there is a sound one of its day.
    fn put(&self, connection: &Connection, most: u64) -> Result<bool, DatabaseError> {
        let Some(damaged) = self.find_damaged(connection)? else { return Ok(false) };
        for position in damaged {
            let sql = "DELETE FROM accuracy_records WHERE position = ?1";
            connection.prepare_cached(sql)?.execute(params![position])?;
        }
        let next = next_position(connection, "SELECT max(position) FROM accuracy_records")?;
        self.insert(connection, next)?;
        // At most one goes for a new one: a position that is damaged does not empty the table.
        let sql = "DELETE FROM accuracy_records WHERE position IN (
                       SELECT position FROM accuracy_records WHERE position <= ?1
                       ORDER BY position LIMIT 1)";
        let last_removed = next.saturating_sub(sql_integer(most));
        connection.prepare_cached(sql)?.execute(params![last_removed])?;
        self.changes.iter().try_for_each(|change| change.insert(connection))?;
        Ok(true)
    }

    /// The positions of damaged records in whose place this one is stored; `None` if there is a sound one.
    fn find_damaged(&self, connection: &Connection) -> Result<Option<Vec<i64>>, DatabaseError> {
        let StoredAccuracy { domain, engine, sha256, .. } = &self.accuracy;
        let day = self.accuracy.day();
        let mut statement = connection.prepare_cached(&select_records(SAME))?;
        let parameters = params![domain.as_str(), engine, day.number(), sha256.as_bytes()];
        let mut rows = statement.query(parameters)?;
        let (mut damaged, mut has_its_digest) = (Vec::new(), false);
        while let Some(row) = rows.next()? {
            match read_record(row) {
                Ok(stored) if is_same_day(&stored, &self.accuracy) => return Ok(None),
                Ok(_) => has_its_digest = true,
                Err(StoreError::Damaged { .. }) => damaged.push(row.get(0)?),
                Err(other) => return Err(other.into()),
            }
        }
        if has_its_digest {
            let (what, id) = ("record of AI accuracy", sha256.to_string());
            return Err(StoreError::Duplicate { what, id }.into());
        }
        Ok(Some(damaged))
    }

    fn insert(&self, connection: &Connection, position: i64) -> Result<(), DatabaseError> {
        let accuracy = &self.accuracy;
        let at = unsigned(position, "the next position")?;
        let fingerprint = accuracy.fingerprint(at, &self.evidence_sha256);
        let sql = format!(
            "INSERT INTO accuracy_records ({COLUMNS}, evidence)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"
        );
        connection.prepare_cached(&sql)?.execute(params![
            position,
            accuracy.domain.as_str(),
            accuracy.engine,
            accuracy.day().number(),
            accuracy.checked_at.as_millis(),
            accuracy.sha256.as_bytes(),
            self.evidence_sha256.as_bytes(),
            fingerprint.as_bytes(),
            self.record,
            self.evidence,
        ])?;
        Ok(())
    }
}

fn is_same_day(one: &StoredAccuracy, other: &StoredAccuracy) -> bool {
    one.domain == other.domain && one.engine == other.engine && one.day() == other.day()
}

fn select_records(which: &str) -> String {
    format!("SELECT {COLUMNS}, evidence FROM accuracy_records {which}")
}

fn select_bare_records(which: &str) -> String {
    format!("SELECT {COLUMNS} FROM accuracy_records {which}")
}

fn find_records(
    connection: &Connection,
    which: &str,
    params: impl Params,
) -> Result<Vec<StoredAccuracy>, DatabaseError> {
    find(connection, &select_records(which), params, read_record)
}

/// The same without their evidence, which is not read.
fn find_bare_records(
    connection: &Connection,
    which: &str,
    params: impl Params,
) -> Result<Vec<StoredAccuracy>, DatabaseError> {
    let read = |row: &Row<'_>| read_bare_record(row).map(|(accuracy, _)| accuracy);
    find(connection, &select_bare_records(which), params, read)
}

fn find(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    read: fn(&Row<'_>) -> Result<StoredAccuracy, StoreError>,
) -> Result<Vec<StoredAccuracy>, DatabaseError> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(read(row)?);
    }
    Ok(found)
}

fn damaged(row: &Row<'_>, why: impl ToString) -> StoreError {
    let name = row.get::<_, [u8; 32]>(5).map_or_else(|_| String::from("?"), |d| Digest(d).to_hex());
    StoreError::Damaged { what: format!("the AI-accuracy record {name}"), why: why.to_string() }
}

fn read_record(row: &Row<'_>) -> Result<StoredAccuracy, StoreError> {
    let (accuracy, evidence_sha256) = read_bare_record(row)?;
    let packed = blob(row, 9).map_err(|error| damaged(row, error))?;
    let evidence = decompress(&packed).map_err(|why| damaged(row, why))?;
    let accuracy = StoredAccuracy { evidence, ..accuracy };
    if accuracy.evidence_digest() == evidence_sha256 {
        Ok(accuracy)
    } else {
        Err(damaged(row, "its evidence does not match its digest"))
    }
}

/// A record without its evidence, and the digest of the evidence. A value that cannot be converted is damage too, so
/// that a copy reports it and continues.
fn read_bare_record(row: &Row<'_>) -> Result<(StoredAccuracy, Digest), StoreError> {
    let read = || -> rusqlite::Result<(i64, i64, StoredAccuracy, Digest, Digest)> {
        let accuracy = StoredAccuracy {
            domain: domain(row, 1)?,
            engine: row.get(2)?,
            checked_at: time(row, 4)?,
            sha256: Digest(row.get(5)?),
            record: blob(row, 8)?,
            evidence: Bytes::new(),
        };
        Ok((row.get(0)?, row.get(3)?, accuracy, Digest(row.get(6)?), Digest(row.get(7)?)))
    };
    let (position, day, packed, evidence_sha256, fingerprint) =
        read().map_err(|error| damaged(row, error))?;
    let position =
        u64::try_from(position).map_err(|_| damaged(row, "its position is below zero"))?;
    if day != packed.day().number() {
        return Err(damaged(row, "it was not checked on the day that it is stored under"));
    }
    let record = decompress(&packed.record).map_err(|why| damaged(row, why))?;
    let accuracy = StoredAccuracy { record, ..packed };
    if accuracy.fingerprint(position, &evidence_sha256) == fingerprint {
        Ok((accuracy, evidence_sha256))
    } else {
        Err(damaged(row, "its fingerprint does not match"))
    }
}

#[cfg(test)]
mod tests;
