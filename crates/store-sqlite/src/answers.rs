//! Stored answers in the database.

use contract::{Domain, Timestamp};
use rusqlite::{Connection, OptionalExtension, Params, Row, params};
use store::scans::parse_stored_domain;
use store::{AnswerCursor, Answers, BoxFuture, Digest, HexPrefix, StoreError, StoredAnswer};

use crate::columns::{sql_integer, sql_limit, unsigned};
use crate::error::DatabaseError;
use crate::snapshot::in_snapshot;
use crate::{SqliteStore, newest_answers};
use store::compression::{Dictionary, compress_with, decompress};

const COLUMNS: &str = "sha256, domain, answered_at, log_index, fingerprint, answer";

impl Answers for SqliteStore {
    fn answer(&self, sha256: Digest) -> BoxFuture<'_, Result<Option<StoredAnswer>, StoreError>> {
        Box::pin(self.database.readers.read("reading an answer", move |connection| {
            let sql = format!("SELECT {COLUMNS} FROM answers WHERE sha256 = ?1");
            find_answer(connection, &sql, params![sha256.as_bytes()])
        }))
    }

    fn latest_answer<'a>(
        &'a self,
        domain: &'a Domain,
    ) -> BoxFuture<'a, Result<Option<StoredAnswer>, StoreError>> {
        let domain = domain.clone();
        Box::pin(self.database.readers.read("reading an answer", move |connection| {
            let sql = format!(
                "SELECT {COLUMNS} FROM answers WHERE domain = ?1 ORDER BY position DESC LIMIT 1"
            );
            // Two tables say which one it is, so that damage in one of them is noticed.
            let (last, recorded) = in_snapshot(connection, |connection| {
                let last = find_answer(connection, &sql, params![domain.as_str()])?;
                Ok((last, newest_answers::latest_digest(connection, &domain)?))
            })?;
            if last.as_ref().map(|last| last.sha256) == recorded {
                return Ok(last);
            }
            let what = format!("the latest answer about {domain}");
            let why = String::from("another one is recorded as the latest");
            Err(StoreError::Damaged { what, why }.into())
        }))
    }

    fn latest_digests(
        &self,
        domains: Vec<Domain>,
    ) -> BoxFuture<'_, Result<Vec<Option<Digest>>, StoreError>> {
        Box::pin(self.database.readers.read("reading the latest answers", move |connection| {
            domains.iter().map(|domain| newest_answers::latest_digest(connection, domain)).collect()
        }))
    }

    fn list_answers(
        &self,
        after: Option<AnswerCursor>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<AnswerCursor>, StoreError>> {
        Box::pin(self.database.readers.read("listing answers", move |connection| {
            let mut statement = connection.prepare_cached(&select_all("position, sha256"))?;
            let (position, sha256) = cursor_bounds(after);
            let rows = statement.query_map(params![position, sha256, sql_limit(limit)], |row| {
                Ok((row.get::<_, i64>(0)?, Digest(row.get(1)?)))
            })?;
            rows.map(|row| {
                let (position, sha256) = row?;
                let position = unsigned(position, "the position of an answer")?;
                Ok(AnswerCursor { position, sha256 })
            })
            .collect()
        }))
    }

    fn export_answers(
        &self,
        after: Option<AnswerCursor>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<StoredAnswer>, StoreError>> {
        Box::pin(self.database.readers.read("listing answers", move |connection| {
            let mut statement = connection.prepare_cached(&select_all(COLUMNS))?;
            let (position, sha256) = cursor_bounds(after);
            let parameters = params![position, sha256, sql_limit(limit)];
            let rows = statement.query_map(parameters, RawAnswer::from_row)?;
            rows.map(|raw| Ok(raw?.into_answer()?)).collect()
        }))
    }

    fn answers_by_prefix(
        &self,
        prefix: HexPrefix,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<StoredAnswer>, StoreError>> {
        Box::pin(self.database.readers.read("reading answers by prefix", move |connection| {
            let sql = "SELECT a.sha256, a.domain, a.answered_at, a.log_index, a.fingerprint,
                              a.answer, n.domain_sha256
                       FROM newest_answers n JOIN answers a ON a.sha256 = n.sha256
                       WHERE n.domain_sha256 BETWEEN ?1 AND ?2
                       ORDER BY n.domain_sha256 LIMIT ?3";
            let (first, last) = prefix.bounds();
            let parameters = params![first.as_bytes(), last.as_bytes(), sql_limit(limit)];
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map(parameters, |row| {
                Ok((RawAnswer::from_row(row)?, Digest(row.get(6)?)))
            })?;
            rows.map(|row| {
                let (raw, found_by) = row?;
                let answer = raw.into_answer()?;
                newest_answers::check_domain(&found_by, &answer)?;
                Ok(answer)
            })
            .collect()
        }))
    }

    fn count_answered_domains(&self) -> BoxFuture<'_, Result<u64, StoreError>> {
        Box::pin(self.database.readers.read("counting answered domains", |connection| {
            let sql = "SELECT count(*) FROM newest_answers";
            let count: i64 = connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
            Ok(unsigned(count, "the count of answered domains")?)
        }))
    }
}

fn select_all(columns: &str) -> String {
    format!(
        "SELECT {columns} FROM answers WHERE (position, sha256) > (?1, ?2)
         ORDER BY position, sha256 LIMIT ?3"
    )
}

fn cursor_bounds(after: Option<AnswerCursor>) -> (i64, Vec<u8>) {
    after.map_or((i64::MIN, Vec::new()), |cursor| {
        (sql_integer(cursor.position), cursor.sha256.as_bytes().to_vec())
    })
}

/// An answer ready to be written: fingerprint and compression are done.
pub(crate) struct PackedAnswer {
    answer: StoredAnswer,
    fingerprint: Digest,
    packed: Vec<u8>,
}

impl PackedAnswer {
    pub(crate) fn new(answer: StoredAnswer) -> Result<Self, StoreError> {
        let packed = compress_with(Dictionary::Answer, &answer.bytes).map_err(|e| {
            StoreError::Failed { doing: "compressing an answer", why: e.to_string() }
        })?;
        Ok(Self { fingerprint: answer.fingerprint(), packed, answer })
    }

    pub(crate) fn bytes(&self) -> usize {
        self.packed.len()
    }

    pub(crate) fn log_index(&self) -> u64 {
        self.answer.log_index
    }

    /// Inserting the same answer again is no error: a caller may retry before it got a reply.
    pub(crate) fn insert(&self, connection: &Connection) -> Result<(), DatabaseError> {
        let sql = format!(
            "INSERT INTO answers ({COLUMNS}, position) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (sha256) DO NOTHING"
        );
        let last = "SELECT coalesce(max(position), 0) FROM answers";
        let last: i64 = connection.prepare_cached(last)?.query_row([], |row| row.get(0))?;
        let new = connection.prepare_cached(&sql)?.execute(params![
            self.answer.sha256.as_bytes(),
            self.answer.domain.as_str(),
            self.answer.answered_at.as_millis(),
            sql_integer(self.answer.log_index),
            self.fingerprint.as_bytes(),
            self.packed,
            last.saturating_add(1),
        ])?;
        if new > 0 { newest_answers::record_latest(connection, &self.answer) } else { Ok(()) }
    }
}

fn find_answer(
    connection: &Connection,
    sql: &str,
    params: impl Params,
) -> Result<Option<StoredAnswer>, DatabaseError> {
    let raw = connection.prepare_cached(sql)?.query_row(params, RawAnswer::from_row).optional()?;
    Ok(raw.map(RawAnswer::into_answer).transpose()?)
}

struct RawAnswer {
    sha256: [u8; 32],
    domain: String,
    answered_at: i64,
    log_index: i64,
    fingerprint: [u8; 32],
    answer: Vec<u8>,
}

impl RawAnswer {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            sha256: row.get(0)?,
            domain: row.get(1)?,
            answered_at: row.get(2)?,
            log_index: row.get(3)?,
            fingerprint: row.get(4)?,
            answer: row.get(5)?,
        })
    }

    fn into_answer(self) -> Result<StoredAnswer, StoreError> {
        let sha256 = Digest(self.sha256);
        let damaged = |why: String| StoreError::Damaged { what: format!("answer {sha256}"), why };
        let answer = StoredAnswer {
            sha256,
            domain: parse_stored_domain(&self.domain)?,
            answered_at: Timestamp::from_millis(self.answered_at),
            log_index: u64::try_from(self.log_index)
                .map_err(|_| damaged("its log index is below zero".to_owned()))?,
            bytes: decompress(&self.answer).map_err(damaged)?.into(),
        };
        if answer.has_fingerprint(&Digest(self.fingerprint)) {
            Ok(answer)
        } else {
            Err(damaged("its fingerprint does not match".to_owned()))
        }
    }
}
