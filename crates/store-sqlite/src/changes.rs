//! Changes in the database.

use contract::Timestamp;
use rusqlite::{Connection, OptionalExtension, Params, Row, params};
use store::scans::parse_stored_domain;
use store::{BoxFuture, Changes, ChangesQuery, Digest, NewChange, StoreError, StoredChange};

use crate::SqliteStore;
use crate::columns::{sql_integer, sql_limit, unsigned};
use crate::error::DatabaseError;
use store::compression::{compress, decompress};

const COLUMNS: &str = "seq, domain, at, section, direction, fingerprint, body";

impl Changes for SqliteStore {
    fn changes(&self, query: ChangesQuery) -> BoxFuture<'_, Result<Vec<StoredChange>, StoreError>> {
        Box::pin(self.database.readers.read("reading changes", move |connection| {
            // Order and domain condition are literals, so that SQLite uses an index.
            let order = if query.after.is_some() { "ASC" } else { "DESC" };
            let of_domain = if query.domain.is_some() { "domain = ?1" } else { "?1 IS NULL" };
            let sql = format!(
                "SELECT {COLUMNS} FROM changes
                 WHERE {of_domain} AND seq > ?2 AND at >= ?3
                   AND (?4 IS NULL OR section = ?4) AND (?5 IS NULL OR direction = ?5)
                 ORDER BY seq {order} LIMIT ?6"
            );
            let parameters = params![
                query.domain.as_ref().map(|domain| domain.as_str()),
                sql_integer(query.after.unwrap_or(0)),
                query.since.map_or(i64::MIN, Timestamp::as_millis),
                query.section,
                query.direction,
                sql_limit(query.limit),
            ];
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map(parameters, RawChange::from_row)?;
            rows.map(|raw| Ok(raw?.into_change()?)).collect()
        }))
    }

    fn first_change(&self) -> BoxFuture<'_, Result<Option<StoredChange>, StoreError>> {
        Box::pin(self.database.readers.read("reading the first change", |connection| {
            find_change(connection, "ORDER BY seq LIMIT 1", [])
        }))
    }

    fn import_changes(&self, changes: Vec<StoredChange>) -> BoxFuture<'_, Result<(), StoreError>> {
        const DOING: &str = "copying changes";
        Box::pin(async move {
            let packed = changes.into_iter().map(|change| {
                let seq = change.seq;
                Ok((seq, PackedChange::new(change.into_new())?))
            });
            let packed: Vec<(u64, PackedChange)> = packed.collect::<Result<_, StoreError>>()?;
            let bytes = packed.iter().map(|(_, change)| change.bytes()).sum();
            let write = move |connection: &Connection| {
                let mut last = last_seq(connection)?;
                for (seq, change) in &packed {
                    if last != 0 && *seq != last.saturating_add(1) {
                        let why = format!("change {seq} does not follow change {last}");
                        return Err(StoreError::Failed { doing: DOING, why }.into());
                    }
                    change.insert_as(connection, *seq)?;
                    last = *seq;
                }
                Ok(())
            };
            self.database.writer.write(DOING, bytes, write).await
        })
    }
}

/// A change ready to be written: its body is compressed.
pub(crate) struct PackedChange {
    change: NewChange,
    packed: Vec<u8>,
}

impl PackedChange {
    pub(crate) fn new(change: NewChange) -> Result<Self, StoreError> {
        let packed = compress(&change.body).map_err(|e| StoreError::Failed {
            doing: "compressing a change",
            why: e.to_string(),
        })?;
        Ok(Self { change, packed })
    }

    pub(crate) fn bytes(&self) -> usize {
        self.packed.len()
    }

    /// Inserts the change under the next number.
    pub(crate) fn insert(&self, connection: &Connection) -> Result<(), DatabaseError> {
        self.insert_as(connection, last_seq(connection)?.saturating_add(1))
    }

    fn insert_as(&self, connection: &Connection, seq: u64) -> Result<(), DatabaseError> {
        let kept = self.change.clone().into_stored(seq);
        let sql = format!("INSERT INTO changes ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)");
        connection.prepare_cached(&sql)?.execute(params![
            sql_integer(kept.seq),
            kept.domain.as_str(),
            kept.at.as_millis(),
            kept.section,
            kept.direction,
            kept.fingerprint().as_bytes(),
            self.packed,
        ])?;
        Ok(())
    }
}

/// The number of the last change, 0 if there is none.
fn last_seq(connection: &Connection) -> Result<u64, DatabaseError> {
    let sql = "SELECT coalesce(max(seq), 0) FROM changes";
    let last: i64 = connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
    Ok(unsigned(last, "the last change")?)
}

fn find_change(
    connection: &Connection,
    which: &str,
    params: impl Params,
) -> Result<Option<StoredChange>, DatabaseError> {
    let sql = format!("SELECT {COLUMNS} FROM changes {which}");
    let raw = connection.prepare_cached(&sql)?.query_row(params, RawChange::from_row).optional()?;
    Ok(raw.map(RawChange::into_change).transpose()?)
}

struct RawChange {
    seq: i64,
    domain: String,
    at: i64,
    section: String,
    direction: String,
    fingerprint: [u8; 32],
    body: Vec<u8>,
}

impl RawChange {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            seq: row.get(0)?,
            domain: row.get(1)?,
            at: row.get(2)?,
            section: row.get(3)?,
            direction: row.get(4)?,
            fingerprint: row.get(5)?,
            body: row.get(6)?,
        })
    }

    fn into_change(self) -> Result<StoredChange, StoreError> {
        let seq = self.seq;
        let damaged = |why: String| StoreError::Damaged { what: format!("change {seq}"), why };
        let change = StoredChange {
            seq: unsigned(seq, "a change's number")?,
            domain: parse_stored_domain(&self.domain)?,
            at: Timestamp::from_millis(self.at),
            section: self.section,
            direction: self.direction,
            body: decompress(&self.body).map_err(damaged)?,
        };
        if change.fingerprint() == Digest(self.fingerprint) {
            Ok(change)
        } else {
            Err(damaged("its fingerprint does not match".to_owned()))
        }
    }
}
