//! Changes in the database.

use contract::Timestamp;
use rusqlite::{Connection, OptionalExtension, Params, Row, params};
use store::scans::kept_domain;
use store::{BoxFuture, Changes, ChangesAsk, Digest, KeptChange, NewChange, StoreError};

use crate::SqliteStore;
use crate::error::Refused;
use crate::packed::{pack, unpack};
use crate::sqlite_store::{natural, number, sql_limit};

const COLUMNS: &str = "seq, domain, at, section, direction, fingerprint, body";

impl Changes for SqliteStore {
    fn changes(&self, ask: ChangesAsk) -> BoxFuture<'_, Result<Vec<KeptChange>, StoreError>> {
        Box::pin(self.database.readers.read("reading changes", move |connection| {
            // The order is spelled out, and so is the domain, so that an index is used.
            let order = if ask.after.is_some() { "ASC" } else { "DESC" };
            let of_domain = if ask.domain.is_some() { "domain = ?1" } else { "?1 IS NULL" };
            let sql = format!(
                "SELECT {COLUMNS} FROM changes
                 WHERE {of_domain} AND seq > ?2 AND at >= ?3
                   AND (?4 IS NULL OR section = ?4) AND (?5 IS NULL OR direction = ?5)
                 ORDER BY seq {order} LIMIT ?6"
            );
            let asked = params![
                ask.domain.as_ref().map(|domain| domain.as_str()),
                number(ask.after.unwrap_or(0)),
                ask.since.map_or(i64::MIN, Timestamp::as_millis),
                ask.section,
                ask.direction,
                sql_limit(ask.limit),
            ];
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map(asked, Raw::read)?;
            rows.map(|raw| Ok(raw?.understood()?)).collect()
        }))
    }

    fn first_change(&self) -> BoxFuture<'_, Result<Option<KeptChange>, StoreError>> {
        Box::pin(self.database.readers.read("reading the first change", |connection| {
            one(connection, "ORDER BY seq LIMIT 1", [])
        }))
    }
}

/// A change made ready outside the transaction.
pub(crate) struct PackedChange {
    change: NewChange,
    packed: Vec<u8>,
}

impl PackedChange {
    pub(crate) fn new(change: NewChange) -> Result<Self, StoreError> {
        let packed = pack(&change.body).map_err(|e| StoreError::Failed {
            doing: "compressing a change",
            why: e.to_string(),
        })?;
        Ok(Self { change, packed })
    }

    pub(crate) fn bytes(&self) -> usize {
        self.packed.len()
    }

    /// Under the next number.
    pub(crate) fn insert(&self, connection: &Connection) -> Result<(), Refused> {
        let sql = "SELECT coalesce(max(seq), 0) FROM changes";
        let last: i64 = connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
        let kept = self.change.clone().kept(natural(last, "the last change")?.saturating_add(1));
        let sql = format!("INSERT INTO changes ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)");
        connection.prepare_cached(&sql)?.execute(params![
            number(kept.seq),
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

fn one(
    connection: &Connection,
    which: &str,
    params: impl Params,
) -> Result<Option<KeptChange>, Refused> {
    let sql = format!("SELECT {COLUMNS} FROM changes {which}");
    let raw = connection.prepare_cached(&sql)?.query_row(params, Raw::read).optional()?;
    Ok(raw.map(Raw::understood).transpose()?)
}

struct Raw {
    seq: i64,
    domain: String,
    at: i64,
    section: String,
    direction: String,
    fingerprint: [u8; 32],
    body: Vec<u8>,
}

impl Raw {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
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

    fn understood(self) -> Result<KeptChange, StoreError> {
        let seq = self.seq;
        let damaged = |why: String| StoreError::Damaged { what: format!("change {seq}"), why };
        let change = KeptChange {
            seq: natural(seq, "a change's number")?,
            domain: kept_domain(&self.domain)?,
            at: Timestamp::from_millis(self.at),
            section: self.section,
            direction: self.direction,
            body: unpack(&self.body).map_err(damaged)?,
        };
        if change.fingerprint() == Digest(self.fingerprint) {
            Ok(change)
        } else {
            Err(damaged("its fingerprint is another".to_owned()))
        }
    }
}
