//! Disputes in the database.

use contract::{Domain, Timestamp};
use rusqlite::{Connection, OptionalExtension, Params, Row, params};
use store::disputes::MAX_DISPUTES_OF_DOMAIN;
use store::{BoxFuture, Digest, Dispute, DisputeCounts, Disputes, StoreError};

use crate::SqliteStore;
use crate::checked_rows::{domain, find_checked};
use crate::columns::{count, optional_time, sql_limit, time};
use crate::error::DatabaseError;

const COLUMNS: &str = "id, domain, claim_id, scan_id, reason, filed_at, fresh_scan_id, closed_at, \
                       changed, outcome, fingerprint";

impl Disputes for SqliteStore {
    fn put_dispute(&self, dispute: Dispute) -> BoxFuture<'_, Result<(), StoreError>> {
        let bytes = dispute.reason.len();
        Box::pin(self.database.writer.write("storing a dispute", bytes, move |connection| {
            let of_domain = params![dispute.domain.as_str()];
            let sql = "SELECT 1 FROM disputes WHERE domain = ?1 AND closed_at IS NULL";
            let mut statement = connection.prepare_cached(sql)?;
            if statement.query_row(of_domain, |_| Ok(())).optional()?.is_some() {
                let (what, limit) = ("open disputes of this domain", 1);
                return Err(StoreError::LimitReached { what, limit }.into());
            }
            let sql = "SELECT count(*) FROM disputes WHERE domain = ?1";
            let mut statement = connection.prepare_cached(sql)?;
            let stored: i64 = statement.query_row(of_domain, |row| row.get(0))?;
            if stored >= sql_limit(MAX_DISPUTES_OF_DOMAIN) {
                let (what, limit) = ("disputes of this domain", MAX_DISPUTES_OF_DOMAIN);
                return Err(StoreError::LimitReached { what, limit }.into());
            }
            insert(connection, &dispute)
        }))
    }

    fn dispute<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Dispute>, StoreError>> {
        let id = id.to_owned();
        Box::pin(self.database.readers.read("reading a dispute", move |connection| {
            let sql = format!("SELECT {COLUMNS} FROM disputes WHERE id = ?1");
            Ok(find(connection, &sql, params![id])?.pop())
        }))
    }

    fn disputes_of<'a>(
        &'a self,
        domain: &'a Domain,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Dispute>, StoreError>> {
        let domain = domain.clone();
        Box::pin(self.database.readers.read("reading the disputes of a domain", move |c| {
            let sql = format!(
                "SELECT {COLUMNS} FROM disputes WHERE domain = ?1
                 ORDER BY filed_at DESC, rowid DESC LIMIT ?2"
            );
            find(c, &sql, params![domain.as_str(), sql_limit(limit)])
        }))
    }

    fn open_disputes(&self, limit: usize) -> BoxFuture<'_, Result<Vec<Dispute>, StoreError>> {
        Box::pin(self.database.readers.read("reading open disputes", move |connection| {
            let sql = format!(
                "SELECT {COLUMNS} FROM disputes WHERE closed_at IS NULL
                 ORDER BY filed_at, rowid LIMIT ?1"
            );
            find(connection, &sql, params![sql_limit(limit)])
        }))
    }

    fn close_dispute(&self, dispute: Dispute) -> BoxFuture<'_, Result<bool, StoreError>> {
        Box::pin(self.database.writer.write("closing a dispute", 0, move |connection| {
            let sql = "SELECT 1 FROM disputes WHERE id = ?1 AND closed_at IS NULL";
            let mut statement = connection.prepare_cached(sql)?;
            if statement.query_row(params![dispute.id], |_| Ok(())).optional()?.is_none() {
                return Ok(false);
            }
            insert(connection, &dispute)?;
            Ok(true)
        }))
    }

    fn dispute_counts(&self) -> BoxFuture<'_, Result<DisputeCounts, StoreError>> {
        Box::pin(self.database.readers.read("counting disputes", |connection| {
            let sql =
                "SELECT count(*), count(fresh_scan_id), coalesce(sum(changed), 0) FROM disputes";
            let mut statement = connection.prepare_cached(sql)?;
            Ok(statement.query_row([], |row| {
                Ok(DisputeCounts {
                    filed: count(row, 0)?,
                    read_again: count(row, 1)?,
                    changed: count(row, 2)?,
                })
            })?)
        }))
    }

    fn disputes(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<Dispute>, StoreError>> {
        let after = after.unwrap_or_default();
        Box::pin(self.database.readers.read("listing disputes", move |connection| {
            let sql = format!("SELECT {COLUMNS} FROM disputes WHERE id > ?1 ORDER BY id LIMIT ?2");
            find(connection, &sql, params![after, sql_limit(limit)])
        }))
    }

    fn import_dispute(&self, dispute: Dispute) -> BoxFuture<'_, Result<(), StoreError>> {
        let bytes = dispute.reason.len();
        Box::pin(
            self.database
                .writer
                .write("copying a dispute", bytes, move |connection| insert(connection, &dispute)),
        )
    }
}

fn insert(connection: &Connection, dispute: &Dispute) -> Result<(), DatabaseError> {
    let sql = format!(
        "INSERT INTO disputes ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
         ON CONFLICT (id) DO UPDATE SET domain = ?2, claim_id = ?3, scan_id = ?4, reason = ?5,
             filed_at = ?6, fresh_scan_id = ?7, closed_at = ?8, changed = ?9, outcome = ?10,
             fingerprint = ?11"
    );
    connection.prepare_cached(&sql)?.execute(params![
        dispute.id,
        dispute.domain.as_str(),
        dispute.claim_id,
        dispute.scan_id,
        dispute.reason,
        dispute.filed_at.as_millis(),
        dispute.fresh_scan_id,
        dispute.closed_at.map(Timestamp::as_millis),
        dispute.changed,
        dispute.outcome,
        dispute.fingerprint().as_bytes(),
    ])?;
    Ok(())
}

/// SQLite has no booleans, and a number that is neither is damage.
fn yes_or_no(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<bool>> {
    match row.get::<_, Option<i64>>(column)? {
        None => Ok(None),
        Some(0) => Ok(Some(false)),
        Some(1) => Ok(Some(true)),
        Some(other) => Err(rusqlite::Error::IntegralValueOutOfRange(column, other)),
    }
}

fn find(
    connection: &Connection,
    sql: &str,
    params: impl Params,
) -> Result<Vec<Dispute>, DatabaseError> {
    find_checked(connection, sql, params, "dispute", Dispute::fingerprint, |row| {
        let dispute = Dispute {
            id: row.get(0)?,
            domain: domain(row, 1)?,
            claim_id: row.get(2)?,
            scan_id: row.get(3)?,
            reason: row.get(4)?,
            filed_at: time(row, 5)?,
            fresh_scan_id: row.get(6)?,
            closed_at: optional_time(row, 7)?,
            changed: yes_or_no(row, 8)?,
            outcome: row.get(9)?,
        };
        Ok((dispute, Digest(row.get(10)?)))
    })
}
