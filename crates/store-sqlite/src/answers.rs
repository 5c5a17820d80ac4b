//! Kept answers in the database.

use contract::{Domain, Timestamp};
use rusqlite::{Connection, OptionalExtension, Params, Row, params};
use store::scans::kept_domain;
use store::{AnswerCursor, Answers, BoxFuture, Digest, KeptAnswer, StoreError};

use crate::SqliteStore;
use crate::error::Refused;
use crate::packed::{pack, unpack};

const COLUMNS: &str = "sha256, domain, answered_at, log_index, fingerprint, answer";

impl Answers for SqliteStore {
    fn answer(&self, sha256: Digest) -> BoxFuture<'_, Result<Option<KeptAnswer>, StoreError>> {
        Box::pin(self.database.readers.read("reading an answer", move |connection| {
            let sql = format!("SELECT {COLUMNS} FROM answers WHERE sha256 = ?1");
            one(connection, &sql, params![sha256.as_bytes()])
        }))
    }

    fn latest_answer<'a>(
        &'a self,
        domain: &'a Domain,
    ) -> BoxFuture<'a, Result<Option<KeptAnswer>, StoreError>> {
        let domain = domain.to_string();
        Box::pin(self.database.readers.read("reading an answer", move |connection| {
            let sql = format!(
                "SELECT {COLUMNS} FROM answers WHERE domain = ?1
                 ORDER BY answered_at DESC, sha256 DESC LIMIT 1"
            );
            one(connection, &sql, params![domain])
        }))
    }

    fn list_answers(
        &self,
        after: Option<AnswerCursor>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<AnswerCursor>, StoreError>> {
        Box::pin(self.database.readers.read("listing answers", move |connection| {
            let mut statement = connection.prepare_cached(&everything("answered_at, sha256"))?;
            let (at, sha256) = bounds(after);
            let rows = statement.query_map(params![at, sha256, sql_limit(limit)], |row| {
                let answered_at = Timestamp::from_millis(row.get(0)?);
                Ok(AnswerCursor { answered_at, sha256: Digest(row.get(1)?) })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        }))
    }

    fn export_answers(
        &self,
        after: Option<AnswerCursor>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<KeptAnswer>, StoreError>> {
        Box::pin(self.database.readers.read("listing answers", move |connection| {
            let mut statement = connection.prepare_cached(&everything(COLUMNS))?;
            let (at, sha256) = bounds(after);
            let rows = statement.query_map(params![at, sha256, sql_limit(limit)], Raw::read)?;
            rows.map(|raw| Ok(raw?.understood()?)).collect()
        }))
    }
}

fn everything(columns: &str) -> String {
    format!(
        "SELECT {columns} FROM answers WHERE (answered_at, sha256) > (?1, ?2)
         ORDER BY answered_at, sha256 LIMIT ?3"
    )
}

fn bounds(after: Option<AnswerCursor>) -> (i64, Vec<u8>) {
    after.map_or((i64::MIN, Vec::new()), |cursor| {
        (cursor.answered_at.as_millis(), cursor.sha256.as_bytes().to_vec())
    })
}

fn sql_limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// An answer made ready outside the transaction.
pub(crate) struct PackedAnswer {
    answer: KeptAnswer,
    fingerprint: Digest,
    packed: Vec<u8>,
}

impl PackedAnswer {
    pub(crate) fn new(answer: KeptAnswer) -> Result<Self, StoreError> {
        let packed = pack(&answer.bytes).map_err(|e| StoreError::Failed {
            doing: "compressing an answer",
            why: e.to_string(),
        })?;
        Ok(Self { fingerprint: answer.fingerprint(), packed, answer })
    }

    pub(crate) fn bytes(&self) -> usize {
        self.packed.len()
    }

    pub(crate) fn log_index(&self) -> u64 {
        self.answer.log_index
    }

    /// The same answer again is no error: it was asked for again before its caller was told.
    pub(crate) fn insert(&self, connection: &Connection) -> Result<(), Refused> {
        let sql = format!(
            "INSERT INTO answers ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT (sha256) DO NOTHING"
        );
        connection.prepare_cached(&sql)?.execute(params![
            self.answer.sha256.as_bytes(),
            self.answer.domain.as_str(),
            self.answer.answered_at.as_millis(),
            i64::try_from(self.answer.log_index).unwrap_or(i64::MAX),
            self.fingerprint.as_bytes(),
            self.packed,
        ])?;
        Ok(())
    }
}

fn one(
    connection: &Connection,
    sql: &str,
    params: impl Params,
) -> Result<Option<KeptAnswer>, Refused> {
    let raw = connection.prepare_cached(sql)?.query_row(params, Raw::read).optional()?;
    Ok(raw.map(Raw::understood).transpose()?)
}

struct Raw {
    sha256: [u8; 32],
    domain: String,
    answered_at: i64,
    log_index: i64,
    fingerprint: [u8; 32],
    answer: Vec<u8>,
}

impl Raw {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            sha256: row.get(0)?,
            domain: row.get(1)?,
            answered_at: row.get(2)?,
            log_index: row.get(3)?,
            fingerprint: row.get(4)?,
            answer: row.get(5)?,
        })
    }

    fn understood(self) -> Result<KeptAnswer, StoreError> {
        let sha256 = Digest(self.sha256);
        let damaged = |why: String| StoreError::Damaged { what: format!("answer {sha256}"), why };
        let answer = KeptAnswer {
            sha256,
            domain: kept_domain(&self.domain)?,
            answered_at: Timestamp::from_millis(self.answered_at),
            log_index: u64::try_from(self.log_index)
                .map_err(|_| damaged("its place in the log is none".to_owned()))?,
            bytes: unpack(&self.answer).map_err(damaged)?,
        };
        if answer.fingerprint() == Digest(self.fingerprint) {
            Ok(answer)
        } else {
            Err(damaged("its fingerprint is another".to_owned()))
        }
    }
}
