//! What registries say about domains, in the database.

use bytes::Bytes;
use contract::Timestamp;
use rusqlite::{Connection, Row, params};
use store::registrations::{MAX_CHANGES_OF_DOMAIN, MAX_REGISTRATIONS};
use store::scans::parse_stored_domain;
use store::{BoxFuture, Digest, RegistrationChange, Registrations, StoreError, StoredRegistration};

use crate::SqliteStore;
use crate::columns::{blob, optional_time, sql_limit, time};
use crate::error::DatabaseError;

/// Removes at most `?2` registrations with a last attempt before `?1`.
pub(crate) const DELETE_REGISTRATIONS: &str = "DELETE FROM registrations WHERE domain IN (
    SELECT domain FROM registrations WHERE attempted_at < ?1 ORDER BY attempted_at LIMIT ?2)";
/// The same of those that were never read.
pub(crate) const DELETE_UNREAD_REGISTRATIONS: &str = "DELETE FROM registrations WHERE domain IN (
    SELECT domain FROM registrations WHERE read_at IS NULL AND attempted_at < ?1
    ORDER BY attempted_at LIMIT ?2)";
/// Removes at most `?2` changes from before `?1`.
pub(crate) const DELETE_REGISTRATION_CHANGES: &str = "DELETE FROM registration_changes
    WHERE (domain, at, field) IN (
        SELECT domain, at, field FROM registration_changes WHERE at < ?1 ORDER BY at LIMIT ?2)";

const COLUMNS: &str = "domain, first_read_at, read_at, source, registration, attempted_at, outcome, \
                       why, next_attempt_at, fingerprint";
const CHANGE_COLUMNS: &str = "domain, at, field, since, from_value, to_value, fingerprint";

impl Registrations for SqliteStore {
    fn put_registration(
        &self,
        registration: StoredRegistration,
        changes: Vec<RegistrationChange>,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        const DOING: &str = "storing a registration";
        Box::pin(async move {
            registration.check_size()?;
            if let Some(other) = changes.iter().find(|one| one.domain != registration.domain) {
                let why = format!("a change is about {}", other.domain);
                return Err(StoreError::Failed { doing: DOING, why });
            }
            let bytes = registration.registration.len();
            let put = move |connection: &Connection| {
                put_registration(connection, &registration)?;
                for change in &changes {
                    put_change(connection, change)?;
                }
                remove_further_changes(connection, registration.domain.as_str())?;
                remove_further_registrations(connection, MAX_REGISTRATIONS)
            };
            self.database.writer.write(DOING, bytes, put).await
        })
    }

    fn registration<'a>(
        &'a self,
        domain: &'a str,
    ) -> BoxFuture<'a, Result<Option<StoredRegistration>, StoreError>> {
        let domain = domain.to_owned();
        Box::pin(self.database.readers.read("reading a registration", move |connection| {
            let sql = format!("SELECT {COLUMNS} FROM registrations WHERE domain = ?1");
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query(params![domain])?;
            rows.next()?.map(registration_from_row).transpose()
        }))
    }

    fn registration_changes<'a>(
        &'a self,
        domain: &'a str,
    ) -> BoxFuture<'a, Result<Vec<RegistrationChange>, StoreError>> {
        let domain = domain.to_owned();
        Box::pin(self.database.readers.read(
            "reading changes of a registration",
            move |connection| {
                let sql = format!(
                    "SELECT {CHANGE_COLUMNS} FROM registration_changes WHERE domain = ?1
                 ORDER BY at DESC, field LIMIT ?2"
                );
                let mut statement = connection.prepare_cached(&sql)?;
                let mut rows =
                    statement.query(params![domain, sql_limit(MAX_CHANGES_OF_DOMAIN)])?;
                let mut found = Vec::new();
                while let Some(row) = rows.next()? {
                    found.push(change_from_row(row)?);
                }
                Ok(found)
            },
        ))
    }

    fn list_registrations(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<String>, StoreError>> {
        Box::pin(self.database.readers.read("listing registrations", move |connection| {
            let sql = "SELECT domain FROM registrations WHERE domain > ?1 ORDER BY domain LIMIT ?2";
            let mut statement = connection.prepare_cached(sql)?;
            let after = after.unwrap_or_default();
            let rows = statement.query_map(params![after, sql_limit(limit)], |row| row.get(0))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        }))
    }
}

fn put_registration(
    connection: &Connection,
    registration: &StoredRegistration,
) -> Result<(), DatabaseError> {
    // Not `INSERT OR REPLACE`, which would delete the changes.
    let sql = format!(
        "INSERT INTO registrations ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
         ON CONFLICT (domain) DO UPDATE SET
             first_read_at = ?2, read_at = ?3, source = ?4, registration = ?5, attempted_at = ?6,
             outcome = ?7, why = ?8, next_attempt_at = ?9, fingerprint = ?10"
    );
    connection.prepare_cached(&sql)?.execute(params![
        registration.domain.as_str(),
        registration.first_read_at.map(Timestamp::as_millis),
        registration.read_at.map(Timestamp::as_millis),
        registration.source,
        &registration.registration[..],
        registration.attempted_at.as_millis(),
        registration.outcome,
        registration.why,
        registration.next_attempt_at.as_millis(),
        registration.fingerprint().as_bytes(),
    ])?;
    Ok(())
}

fn put_change(connection: &Connection, change: &RegistrationChange) -> Result<(), DatabaseError> {
    let sql = format!(
        "INSERT OR REPLACE INTO registration_changes ({CHANGE_COLUMNS})
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
    );
    connection.prepare_cached(&sql)?.execute(params![
        change.domain.as_str(),
        change.at.as_millis(),
        change.field,
        change.since.as_millis(),
        change.from,
        change.to,
        change.fingerprint().as_bytes(),
    ])?;
    Ok(())
}

fn remove_further_changes(connection: &Connection, domain: &str) -> Result<(), DatabaseError> {
    let sql = "DELETE FROM registration_changes WHERE domain = ?1 AND (at, field) IN (
                   SELECT at, field FROM registration_changes WHERE domain = ?1
                   ORDER BY at DESC, field LIMIT -1 OFFSET ?2)";
    let parameters = params![domain, sql_limit(MAX_CHANGES_OF_DOMAIN)];
    connection.prepare_cached(sql)?.execute(parameters)?;
    Ok(())
}

/// Removes the registrations whose last attempts are the longest ago, until at most `limit` are left.
fn remove_further_registrations(
    connection: &Connection,
    limit: usize,
) -> Result<(), DatabaseError> {
    let sql = "DELETE FROM registrations WHERE domain IN (
                   SELECT domain FROM registrations ORDER BY attempted_at DESC, domain
                   LIMIT -1 OFFSET ?1)";
    connection.prepare_cached(sql)?.execute(params![sql_limit(limit)])?;
    Ok(())
}

/// A value that cannot be converted is damage too, so that a copy reports it and continues.
fn registration_from_row(row: &Row<'_>) -> Result<StoredRegistration, DatabaseError> {
    let name = row.get::<_, String>(0).unwrap_or_default();
    let damaged = |why: String| {
        let what = format!("the registration of {name}");
        DatabaseError::from(StoreError::Damaged { what, why })
    };
    let domain = parse_stored_domain(&name).map_err(|error| damaged(error.to_string()))?;
    let read = || -> rusqlite::Result<(StoredRegistration, Digest)> {
        let registration: Bytes = blob(row, 4)?;
        let read = StoredRegistration {
            domain: domain.clone(),
            first_read_at: optional_time(row, 1)?,
            read_at: optional_time(row, 2)?,
            source: row.get(3)?,
            registration,
            attempted_at: time(row, 5)?,
            outcome: row.get(6)?,
            why: row.get(7)?,
            next_attempt_at: time(row, 8)?,
        };
        Ok((read, Digest(row.get(9)?)))
    };
    let (read, fingerprint) = read().map_err(|error| damaged(error.to_string()))?;
    if read.fingerprint() == fingerprint {
        Ok(read)
    } else {
        Err(damaged(String::from("its fingerprint does not match")))
    }
}

fn change_from_row(row: &Row<'_>) -> Result<RegistrationChange, DatabaseError> {
    let name = row.get::<_, String>(0).unwrap_or_default();
    let damaged = |why: String| {
        let what = format!("a change of the registration of {name}");
        DatabaseError::from(StoreError::Damaged { what, why })
    };
    let domain = parse_stored_domain(&name).map_err(|error| damaged(error.to_string()))?;
    let read = || -> rusqlite::Result<(RegistrationChange, Digest)> {
        let read = RegistrationChange {
            domain: domain.clone(),
            at: time(row, 1)?,
            field: row.get(2)?,
            since: time(row, 3)?,
            from: row.get(4)?,
            to: row.get(5)?,
        };
        Ok((read, Digest(row.get(6)?)))
    };
    let (read, fingerprint) = read().map_err(|error| damaged(error.to_string()))?;
    if read.fingerprint() == fingerprint {
        Ok(read)
    } else {
        Err(damaged(String::from("its fingerprint does not match")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SqliteOptions;

    #[tokio::test]
    async fn the_registrations_with_the_oldest_attempts_go_first() {
        let dir = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(dir.path(), SqliteOptions::default()).unwrap();
        for (name, attempted) in [("a.lab", 5), ("b.lab", 1), ("c.lab", 9), ("d.lab", 1)] {
            let registration = StoredRegistration {
                domain: parse_stored_domain(name).unwrap(),
                first_read_at: None,
                read_at: None,
                source: None,
                registration: Bytes::new(),
                attempted_at: Timestamp::from_millis(attempted),
                outcome: "failed".into(),
                why: None,
                next_attempt_at: Timestamp::from_millis(attempted),
            };
            store.put_registration(registration, Vec::new()).await.unwrap();
        }
        let remove = |limit| {
            store
                .database
                .writer
                .write("removing", 0, move |c| remove_further_registrations(c, limit))
        };
        remove(4).await.unwrap();
        assert_eq!(store.list_registrations(None, 9).await.unwrap().len(), 4);
        remove(3).await.unwrap();
        assert_eq!(store.list_registrations(None, 9).await.unwrap(), ["a.lab", "b.lab", "c.lab"]);
        remove(1).await.unwrap();
        assert_eq!(store.list_registrations(None, 9).await.unwrap(), ["c.lab"]);
    }
}
