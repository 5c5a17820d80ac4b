//! Incidents that owners report, in the database.

use contract::{Domain, Timestamp};
use rusqlite::{Connection, Params, params};
use store::incidents::MAX_INCIDENTS_OF_DOMAIN;
use store::{BoxFuture, Digest, Incidents, NewControlEvent, OwnerIncident, StoreError};

use crate::SqliteStore;
use crate::checked_rows::{domain, find_checked};
use crate::columns::{optional_time, sql_limit, time};
use crate::control::append_events;
use crate::database::Database;
use crate::error::DatabaseError;

const COLUMNS: &str = "id, domain, claim_id, what, since, reported_at, ends_at, ended_at, ended_by, \
                       fingerprint";

impl Incidents for Database {
    fn put_incident(
        &self,
        incident: OwnerIncident,
        event: NewControlEvent,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        let (bytes, events) = (incident.what.len(), [event]);
        Box::pin(self.writer.write("storing an incident", bytes, move |connection| {
            if find_open(connection, &incident.domain, incident.reported_at)?.is_some() {
                let (what, limit) = ("open incidents of this domain", 1);
                return Err(StoreError::LimitReached { what, limit }.into());
            }
            insert(connection, &incident)?;
            append_events(connection, &incident.domain, &incident.claim_id, &events)?;
            let sql = "DELETE FROM incidents WHERE rowid IN (
                           SELECT rowid FROM incidents WHERE domain = ?1
                           ORDER BY reported_at DESC, rowid DESC LIMIT -1 OFFSET ?2)";
            let most = sql_limit(MAX_INCIDENTS_OF_DOMAIN);
            connection.prepare_cached(sql)?.execute(params![incident.domain.as_str(), most])?;
            Ok(())
        }))
    }

    fn open_incident<'a>(
        &'a self,
        domain: &'a Domain,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Option<OwnerIncident>, StoreError>> {
        let domain = domain.clone();
        Box::pin(self.readers.read("reading an incident", move |c| find_open(c, &domain, now)))
    }

    fn incidents_of<'a>(
        &'a self,
        domain: &'a Domain,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<OwnerIncident>, StoreError>> {
        let domain = domain.clone();
        Box::pin(self.readers.read("reading the incidents of a domain", move |connection| {
            let sql = format!(
                "SELECT {COLUMNS} FROM incidents WHERE domain = ?1
                 ORDER BY reported_at DESC, rowid DESC LIMIT ?2"
            );
            find(connection, &sql, params![domain.as_str(), sql_limit(limit)])
        }))
    }

    fn incidents(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<OwnerIncident>, StoreError>> {
        let after = after.unwrap_or_default();
        Box::pin(self.readers.read("listing incidents", move |connection| {
            let sql = format!("SELECT {COLUMNS} FROM incidents WHERE id > ?1 ORDER BY id LIMIT ?2");
            find(connection, &sql, params![after, sql_limit(limit)])
        }))
    }

    fn overdue_incidents(
        &self,
        now: Timestamp,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<OwnerIncident>, StoreError>> {
        Box::pin(self.readers.read("reading overdue incidents", move |connection| {
            let sql = format!(
                "SELECT {COLUMNS} FROM incidents WHERE ended_at IS NULL AND ends_at <= ?1
                 ORDER BY ends_at LIMIT ?2"
            );
            find(connection, &sql, params![now.as_millis(), sql_limit(limit)])
        }))
    }

    fn end_incident<'a>(
        &'a self,
        id: &'a str,
        at: Timestamp,
        by: &'a str,
        event: NewControlEvent,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        let (id, by, events) = (id.to_owned(), by.to_owned(), [event]);
        Box::pin(self.writer.write("ending an incident", 0, move |connection| {
            let sql = format!("SELECT {COLUMNS} FROM incidents WHERE id = ?1");
            let Some(mut incident) = find(connection, &sql, params![id])?.pop() else {
                return Ok(false);
            };
            if incident.ended_at.is_some() {
                return Ok(false);
            }
            incident.ended_at = Some(at);
            incident.ended_by = Some(by.clone());
            insert(connection, &incident)?;
            append_events(connection, &incident.domain, &incident.claim_id, &events)?;
            Ok(true)
        }))
    }

    fn import_incident(&self, incident: OwnerIncident) -> BoxFuture<'_, Result<(), StoreError>> {
        let bytes = incident.what.len();
        Box::pin(
            self.writer.write("copying an incident", bytes, move |connection| {
                insert(connection, &incident)
            }),
        )
    }
}

impl Incidents for SqliteStore {
    fn put_incident(
        &self,
        incident: OwnerIncident,
        event: NewControlEvent,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        self.database.put_incident(incident, event)
    }

    fn open_incident<'a>(
        &'a self,
        domain: &'a Domain,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Option<OwnerIncident>, StoreError>> {
        self.database.open_incident(domain, now)
    }

    fn incidents_of<'a>(
        &'a self,
        domain: &'a Domain,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<OwnerIncident>, StoreError>> {
        self.database.incidents_of(domain, limit)
    }

    fn incidents(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<OwnerIncident>, StoreError>> {
        self.database.incidents(after, limit)
    }

    fn overdue_incidents(
        &self,
        now: Timestamp,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<OwnerIncident>, StoreError>> {
        self.database.overdue_incidents(now, limit)
    }

    fn end_incident<'a>(
        &'a self,
        id: &'a str,
        at: Timestamp,
        by: &'a str,
        event: NewControlEvent,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        self.database.end_incident(id, at, by, event)
    }

    fn import_incident(&self, incident: OwnerIncident) -> BoxFuture<'_, Result<(), StoreError>> {
        self.database.import_incident(incident)
    }
}

pub(crate) fn find_open(
    connection: &Connection,
    domain: &Domain,
    now: Timestamp,
) -> Result<Option<OwnerIncident>, DatabaseError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM incidents WHERE domain = ?1 AND ended_at IS NULL AND ends_at > ?2
         ORDER BY reported_at LIMIT 1"
    );
    Ok(find(connection, &sql, params![domain.as_str(), now.as_millis()])?.pop())
}

fn insert(connection: &Connection, incident: &OwnerIncident) -> Result<(), DatabaseError> {
    let sql = format!(
        "INSERT INTO incidents ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
         ON CONFLICT (id) DO UPDATE SET domain = ?2, claim_id = ?3, what = ?4, since = ?5,
             reported_at = ?6, ends_at = ?7, ended_at = ?8, ended_by = ?9, fingerprint = ?10"
    );
    connection.prepare_cached(&sql)?.execute(params![
        incident.id,
        incident.domain.as_str(),
        incident.claim_id,
        incident.what,
        incident.since.as_millis(),
        incident.reported_at.as_millis(),
        incident.ends_at.as_millis(),
        incident.ended_at.map(Timestamp::as_millis),
        incident.ended_by,
        incident.fingerprint().as_bytes(),
    ])?;
    Ok(())
}

fn find(
    connection: &Connection,
    sql: &str,
    params: impl Params,
) -> Result<Vec<OwnerIncident>, DatabaseError> {
    find_checked(connection, sql, params, "incident", OwnerIncident::fingerprint, |row| {
        let incident = OwnerIncident {
            id: row.get(0)?,
            domain: domain(row, 1)?,
            claim_id: row.get(2)?,
            what: row.get(3)?,
            since: time(row, 4)?,
            reported_at: time(row, 5)?,
            ends_at: time(row, 6)?,
            ended_at: optional_time(row, 7)?,
            ended_by: row.get(8)?,
        };
        Ok((incident, Digest(row.get(9)?)))
    })
}
