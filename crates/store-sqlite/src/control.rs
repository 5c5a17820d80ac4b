//! Claims of control over domains, and their events, in the database.

use contract::{Domain, Timestamp};
use rusqlite::{Connection, OptionalExtension, Params, params};
use store::control::{MAX_CLAIMS_OF_DOMAIN, MAX_CONTROL_EVENTS};
use store::{
    BoxFuture, Control, Digest, NewControlEvent, StoreError, StoredClaim, StoredControlEvent,
};

use crate::SqliteStore;
use crate::checked_rows::{domain, find_checked};
use crate::columns::{blob, optional_time, sql_integer, sql_limit, time};
use crate::database::Database;
use crate::error::DatabaseError;

const CLAIM_COLUMNS: &str = "id, domain, secret_sha256, next_check_at, fingerprint, body";
const EVENT_COLUMNS: &str = "seq, domain, claim_id, at, fingerprint, body";

impl Control for Database {
    fn put_claim(
        &self,
        claim: StoredClaim,
        expected: Option<Digest>,
        events: Vec<NewControlEvent>,
    ) -> BoxFuture<'_, Result<bool, StoreError>> {
        Box::pin(async move {
            claim.check_size()?;
            events.iter().try_for_each(NewControlEvent::check_size)?;
            let bytes = claim.body.len() + events.iter().map(|e| e.body.len()).sum::<usize>();
            self.writer
                .write("storing a claim", bytes, move |connection| {
                    put(connection, &claim, expected, &events)
                })
                .await
        })
    }

    fn claim<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<StoredClaim>, StoreError>> {
        let id = id.to_owned();
        Box::pin(self.readers.read("reading a claim", move |connection| {
            let sql = format!("SELECT {CLAIM_COLUMNS} FROM claims WHERE id = ?1");
            Ok(find_claims(connection, &sql, params![id])?.pop())
        }))
    }

    fn claim_by_secret(
        &self,
        secret_sha256: Digest,
    ) -> BoxFuture<'_, Result<Option<StoredClaim>, StoreError>> {
        Box::pin(self.readers.read("reading a claim", move |connection| {
            let sql = format!("SELECT {CLAIM_COLUMNS} FROM claims WHERE secret_sha256 = ?1");
            Ok(find_claims(connection, &sql, params![secret_sha256.as_bytes()])?.pop())
        }))
    }

    fn claims_of<'a>(
        &'a self,
        domain: &'a Domain,
    ) -> BoxFuture<'a, Result<Vec<StoredClaim>, StoreError>> {
        let domain = domain.clone();
        Box::pin(self.readers.read("reading the claims of a domain", move |connection| {
            find_claims_of(connection, &domain)
        }))
    }

    fn claims(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<StoredClaim>, StoreError>> {
        let after = after.unwrap_or_default();
        Box::pin(self.readers.read("listing claims", move |connection| {
            let sql =
                format!("SELECT {CLAIM_COLUMNS} FROM claims WHERE id > ?1 ORDER BY id LIMIT ?2");
            find_claims(connection, &sql, params![after, sql_limit(limit)])
        }))
    }

    fn due_claims(
        &self,
        now: Timestamp,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<StoredClaim>, StoreError>> {
        Box::pin(self.readers.read("reading due claims", move |connection| {
            let sql = format!(
                "SELECT {CLAIM_COLUMNS} FROM claims WHERE next_check_at <= ?1
                 ORDER BY next_check_at LIMIT ?2"
            );
            find_claims(connection, &sql, params![now.as_millis(), sql_limit(limit)])
        }))
    }

    fn control_events_of<'a>(
        &'a self,
        domain: &'a Domain,
        before: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<StoredControlEvent>, StoreError>> {
        let domain = domain.clone();
        let before = before.map_or(i64::MAX, sql_integer);
        Box::pin(self.readers.read("reading the control events of a domain", move |c| {
            let sql = format!(
                "SELECT {EVENT_COLUMNS} FROM control_events WHERE domain = ?1 AND seq < ?2
                 ORDER BY seq DESC LIMIT ?3"
            );
            find_events(c, &sql, params![domain.as_str(), before, sql_limit(limit)])
        }))
    }

    fn control_events_after(
        &self,
        after: u64,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<StoredControlEvent>, StoreError>> {
        // From the very first row, also one whose number was damaged.
        let after = if after == 0 { i64::MIN } else { sql_integer(after) };
        Box::pin(self.readers.read("reading control events", move |connection| {
            let sql = format!(
                "SELECT {EVENT_COLUMNS} FROM control_events WHERE seq > ?1 ORDER BY seq LIMIT ?2"
            );
            find_events(connection, &sql, params![after, sql_limit(limit)])
        }))
    }

    fn last_control_event(&self) -> BoxFuture<'_, Result<u64, StoreError>> {
        Box::pin(self.readers.read("reading the last control event", |connection| {
            let sql = "SELECT seq FROM sqlite_sequence WHERE name = 'control_events'";
            let last: Option<i64> =
                connection.prepare_cached(sql)?.query_row([], |row| row.get(0)).optional()?;
            Ok(last.unwrap_or(0).unsigned_abs())
        }))
    }

    fn import_claim(&self, claim: StoredClaim) -> BoxFuture<'_, Result<(), StoreError>> {
        let bytes = claim.body.len();
        Box::pin(
            self.writer.write("copying a claim", bytes, move |connection| {
                insert_claim(connection, &claim)
            }),
        )
    }

    fn import_control_events(
        &self,
        events: Vec<StoredControlEvent>,
        last: u64,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        let bytes = events.iter().map(|event| event.body.len()).sum();
        Box::pin(self.writer.write("copying control events", bytes, move |connection| {
            for event in &events {
                insert_event(connection, event, "OR IGNORE")?;
            }
            // A sequence has no row before its first number.
            let sql = "UPDATE sqlite_sequence SET seq = max(seq, ?1) WHERE name = 'control_events'";
            if connection.prepare_cached(sql)?.execute(params![sql_integer(last)])? == 0 && last > 0
            {
                let sql = "INSERT INTO sqlite_sequence (name, seq) VALUES ('control_events', ?1)";
                connection.prepare_cached(sql)?.execute(params![sql_integer(last)])?;
            }
            Ok(())
        }))
    }
}

impl Control for SqliteStore {
    fn put_claim(
        &self,
        claim: StoredClaim,
        expected: Option<Digest>,
        events: Vec<NewControlEvent>,
    ) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.database.put_claim(claim, expected, events)
    }

    fn claim<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<StoredClaim>, StoreError>> {
        self.database.claim(id)
    }

    fn claim_by_secret(
        &self,
        secret_sha256: Digest,
    ) -> BoxFuture<'_, Result<Option<StoredClaim>, StoreError>> {
        self.database.claim_by_secret(secret_sha256)
    }

    fn claims_of<'a>(
        &'a self,
        domain: &'a Domain,
    ) -> BoxFuture<'a, Result<Vec<StoredClaim>, StoreError>> {
        self.database.claims_of(domain)
    }

    fn claims(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<StoredClaim>, StoreError>> {
        self.database.claims(after, limit)
    }

    fn due_claims(
        &self,
        now: Timestamp,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<StoredClaim>, StoreError>> {
        self.database.due_claims(now, limit)
    }

    fn control_events_of<'a>(
        &'a self,
        domain: &'a Domain,
        before: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<StoredControlEvent>, StoreError>> {
        self.database.control_events_of(domain, before, limit)
    }

    fn control_events_after(
        &self,
        after: u64,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<StoredControlEvent>, StoreError>> {
        self.database.control_events_after(after, limit)
    }

    fn last_control_event(&self) -> BoxFuture<'_, Result<u64, StoreError>> {
        self.database.last_control_event()
    }

    fn import_claim(&self, claim: StoredClaim) -> BoxFuture<'_, Result<(), StoreError>> {
        self.database.import_claim(claim)
    }

    fn import_control_events(
        &self,
        events: Vec<StoredControlEvent>,
        last: u64,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        self.database.import_control_events(events, last)
    }
}

fn put(
    connection: &Connection,
    claim: &StoredClaim,
    expected: Option<Digest>,
    events: &[NewControlEvent],
) -> Result<bool, DatabaseError> {
    let sql = "SELECT fingerprint FROM claims WHERE id = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let stored =
        statement.query_row(params![claim.id], |row| Ok(Digest(row.get(0)?))).optional()?;
    if stored != expected {
        return Ok(false);
    }
    if stored.is_none() {
        make_room(connection, &claim.domain)?;
    }
    insert_claim(connection, claim)?;
    append_events(connection, &claim.domain, &claim.id, events)?;
    Ok(true)
}

/// Appends events of a claim, and removes the oldest of the domain beyond what is kept.
pub(crate) fn append_events(
    connection: &Connection,
    domain: &Domain,
    claim_id: &str,
    events: &[NewControlEvent],
) -> Result<(), DatabaseError> {
    for event in events {
        // The number is part of the fingerprint, so it is taken first.
        let sql =
            "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'control_events'), 0)";
        let last: i64 = connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
        let event = StoredControlEvent {
            seq: last.unsigned_abs() + 1,
            domain: domain.clone(),
            claim_id: claim_id.to_owned(),
            at: event.at,
            body: event.body.clone(),
        };
        insert_event(connection, &event, "")?;
    }
    let sql = "DELETE FROM control_events WHERE seq IN (
                   SELECT seq FROM control_events WHERE domain = ?1
                   ORDER BY seq DESC LIMIT -1 OFFSET ?2)";
    let parameters = params![domain.as_str(), sql_limit(MAX_CONTROL_EVENTS)];
    connection.prepare_cached(sql)?.execute(parameters)?;
    Ok(())
}

/// Removes the oldest claim that is not checked any more, if the domain has as many as it may.
fn make_room(connection: &Connection, domain: &Domain) -> Result<(), DatabaseError> {
    let sql = "SELECT count(*) FROM claims WHERE domain = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let stored: i64 = statement.query_row(params![domain.as_str()], |row| row.get(0))?;
    if stored < sql_limit(MAX_CLAIMS_OF_DOMAIN) {
        return Ok(());
    }
    let sql = "DELETE FROM claims WHERE rowid = (
                   SELECT rowid FROM claims WHERE domain = ?1 AND next_check_at IS NULL
                   ORDER BY rowid LIMIT 1)";
    if connection.prepare_cached(sql)?.execute(params![domain.as_str()])? == 0 {
        let (what, limit) = ("claims of this domain", MAX_CLAIMS_OF_DOMAIN);
        return Err(StoreError::LimitReached { what, limit }.into());
    }
    Ok(())
}

fn insert_claim(connection: &Connection, claim: &StoredClaim) -> Result<(), DatabaseError> {
    // Not OR REPLACE, which would change the order of claims.
    let sql = format!(
        "INSERT INTO claims ({CLAIM_COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (id) DO UPDATE SET domain = ?2, secret_sha256 = ?3, next_check_at = ?4,
             fingerprint = ?5, body = ?6"
    );
    connection.prepare_cached(&sql)?.execute(params![
        claim.id,
        claim.domain.as_str(),
        claim.secret_sha256.as_bytes(),
        claim.next_check_at.map(Timestamp::as_millis),
        claim.fingerprint().as_bytes(),
        claim.body.as_ref(),
    ])?;
    Ok(())
}

fn insert_event(
    connection: &Connection,
    event: &StoredControlEvent,
    or: &str,
) -> Result<(), DatabaseError> {
    let sql = format!(
        "INSERT {or} INTO control_events ({EVENT_COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
    );
    connection.prepare_cached(&sql)?.execute(params![
        sql_integer(event.seq),
        event.domain.as_str(),
        event.claim_id,
        event.at.as_millis(),
        event.fingerprint().as_bytes(),
        event.body.as_ref(),
    ])?;
    Ok(())
}

pub(crate) fn find_claims_of(
    connection: &Connection,
    domain: &Domain,
) -> Result<Vec<StoredClaim>, DatabaseError> {
    let sql = format!("SELECT {CLAIM_COLUMNS} FROM claims WHERE domain = ?1 ORDER BY rowid");
    find_claims(connection, &sql, params![domain.as_str()])
}

fn find_claims(
    connection: &Connection,
    sql: &str,
    params: impl Params,
) -> Result<Vec<StoredClaim>, DatabaseError> {
    find_checked(connection, sql, params, "claim", StoredClaim::fingerprint, |row| {
        let claim = StoredClaim {
            id: row.get(0)?,
            domain: domain(row, 1)?,
            secret_sha256: Digest(row.get(2)?),
            next_check_at: optional_time(row, 3)?,
            body: blob(row, 5)?,
        };
        Ok((claim, Digest(row.get(4)?)))
    })
}

fn find_events(
    connection: &Connection,
    sql: &str,
    params: impl Params,
) -> Result<Vec<StoredControlEvent>, DatabaseError> {
    find_checked(connection, sql, params, "control event", StoredControlEvent::fingerprint, |row| {
        let event = StoredControlEvent {
            seq: row.get::<_, i64>(0)?.unsigned_abs(),
            domain: domain(row, 1)?,
            claim_id: row.get(2)?,
            at: time(row, 3)?,
            body: blob(row, 5)?,
        };
        Ok((event, Digest(row.get(4)?)))
    })
}
