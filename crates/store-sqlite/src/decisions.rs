//! Encrypted decision receipts in the database.

use bytes::Bytes;
use contract::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use store::scans::parse_stored_domain;
use store::{BoxFuture, Decisions, Digest, StoreError, StoredDecision};

use crate::SqliteStore;
use crate::columns::sql_limit;
use crate::error::DatabaseError;

/// A macro, so that both statements are made when this is compiled.
macro_rules! columns {
    () => {
        "lookup, domain, action, decision, answer_sha256, decided_at, expires_at, fingerprint, sealed"
    };
}

const SELECT: &str = concat!("SELECT ", columns!(), " FROM decisions WHERE lookup = ?1");
const INSERT: &str = concat!(
    "INSERT INTO decisions (",
    columns!(),
    ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (lookup) DO NOTHING"
);

impl Decisions for SqliteStore {
    fn put_decisions(
        &self,
        decisions: Vec<StoredDecision>,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            decisions.iter().try_for_each(StoredDecision::check_size)?;
            let bytes = decisions.iter().map(|decision| decision.sealed.len() + 300).sum();
            // Hashed here, because the thread that writes has enough to do.
            let fingerprints: Vec<Digest> =
                decisions.iter().map(StoredDecision::fingerprint).collect();
            let write = move |c: &Connection| {
                let mut all = decisions.iter().zip(&fingerprints);
                all.try_for_each(|(decision, fingerprint)| put_decision(c, decision, fingerprint))
            };
            self.database.writer.write("storing decisions", bytes, write).await
        })
    }

    fn decision(
        &self,
        lookup: Digest,
    ) -> BoxFuture<'_, Result<Option<StoredDecision>, StoreError>> {
        Box::pin(self.database.readers.read("reading a decision", move |connection| {
            let mut statement = connection.prepare_cached(SELECT)?;
            let raw = statement
                .query_row(params![lookup.as_bytes()], RawDecision::from_row)
                .optional()?;
            Ok(raw.map(RawDecision::into_decision).transpose()?)
        }))
    }

    fn list_decisions(
        &self,
        after: Option<Digest>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<Digest>, StoreError>> {
        Box::pin(self.database.readers.read("listing decisions", move |connection| {
            let sql = "SELECT lookup FROM decisions WHERE lookup > ?1 ORDER BY lookup LIMIT ?2";
            let mut statement = connection.prepare_cached(sql)?;
            let after = after.map_or(Vec::new(), |after| after.as_bytes().to_vec());
            let parameters = params![after, sql_limit(limit)];
            let rows = statement.query_map(parameters, |row| Ok(Digest(row.get(0)?)))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        }))
    }
}

fn put_decision(
    connection: &Connection,
    decision: &StoredDecision,
    fingerprint: &Digest,
) -> Result<(), DatabaseError> {
    let lookup = decision.lookup.as_bytes();
    let new = connection.prepare_cached(INSERT)?.execute(params![
        lookup,
        decision.domain.as_str(),
        decision.action,
        decision.decision,
        decision.answer_sha256.as_bytes(),
        decision.decided_at.as_millis(),
        decision.expires_at.as_millis(),
        fingerprint.as_bytes(),
        &decision.sealed[..],
    ])?;
    if new > 0 {
        return Ok(());
    }
    let stored: [u8; 32] = connection
        .prepare_cached("SELECT fingerprint FROM decisions WHERE lookup = ?1")?
        .query_row(params![lookup], |row| row.get(0))?;
    if decision.has_fingerprint(&Digest(stored)) {
        return Ok(());
    }
    let id = decision.lookup.to_string();
    Err(StoreError::Duplicate { what: "decision", id }.into())
}

struct RawDecision {
    lookup: [u8; 32],
    domain: String,
    action: String,
    decision: String,
    answer_sha256: [u8; 32],
    decided_at: i64,
    expires_at: i64,
    fingerprint: [u8; 32],
    sealed: Vec<u8>,
}

impl RawDecision {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            lookup: row.get(0)?,
            domain: row.get(1)?,
            action: row.get(2)?,
            decision: row.get(3)?,
            answer_sha256: row.get(4)?,
            decided_at: row.get(5)?,
            expires_at: row.get(6)?,
            fingerprint: row.get(7)?,
            sealed: row.get(8)?,
        })
    }

    fn into_decision(self) -> Result<StoredDecision, StoreError> {
        let kept = StoredDecision {
            lookup: Digest(self.lookup),
            domain: parse_stored_domain(&self.domain)?,
            action: self.action,
            decision: self.decision,
            answer_sha256: Digest(self.answer_sha256),
            decided_at: Timestamp::from_millis(self.decided_at),
            expires_at: Timestamp::from_millis(self.expires_at),
            sealed: Bytes::from(self.sealed),
        };
        if kept.has_fingerprint(&Digest(self.fingerprint)) {
            return Ok(kept);
        }
        let what = format!("decision {}", kept.lookup);
        Err(StoreError::Damaged { what, why: String::from("its fingerprint does not match") })
    }
}
