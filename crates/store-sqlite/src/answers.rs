//! Kept answers in the database.

use contract::{Domain, Timestamp};
use rusqlite::{Connection, OptionalExtension, Params, Row, params};
use store::scans::kept_domain;
use store::{AnswerCursor, Answers, BoxFuture, Digest, HexPrefix, KeptAnswer, StoreError};

use crate::error::Refused;
use crate::packed::{pack, unpack};
use crate::sqlite_store::{natural, sql_limit};
use crate::{SqliteStore, newest};

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

    fn answers_by_prefix(
        &self,
        prefix: HexPrefix,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<KeptAnswer>, StoreError>> {
        Box::pin(self.database.readers.read("reading answers by prefix", move |connection| {
            let sql = "SELECT a.sha256, a.domain, a.answered_at, a.log_index, a.fingerprint,
                              a.answer, n.domain_sha256
                       FROM newest_answers n JOIN answers a ON a.sha256 = n.sha256
                       WHERE n.domain_sha256 BETWEEN ?1 AND ?2
                       ORDER BY n.domain_sha256 LIMIT ?3";
            let (first, last) = prefix.bounds();
            let asked = params![first.as_bytes(), last.as_bytes(), sql_limit(limit)];
            let mut statement = connection.prepare_cached(sql)?;
            let rows =
                statement.query_map(asked, |row| Ok((Raw::read(row)?, Digest(row.get(6)?))))?;
            rows.map(|row| {
                let (raw, found_by) = row?;
                let answer = raw.understood()?;
                newest::check(&found_by, &answer)?;
                Ok(answer)
            })
            .collect()
        }))
    }

    fn answered_domains(&self) -> BoxFuture<'_, Result<u64, StoreError>> {
        Box::pin(self.database.readers.read("counting answered domains", |connection| {
            let sql = "SELECT count(*) FROM newest_answers";
            let count: i64 = connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
            Ok(natural(count, "the count of answered domains")?)
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
        let new = connection.prepare_cached(&sql)?.execute(params![
            self.answer.sha256.as_bytes(),
            self.answer.domain.as_str(),
            self.answer.answered_at.as_millis(),
            i64::try_from(self.answer.log_index).unwrap_or(i64::MAX),
            self.fingerprint.as_bytes(),
            self.packed,
        ])?;
        if new > 0 { newest::remember(connection, &self.answer) } else { Ok(()) }
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
