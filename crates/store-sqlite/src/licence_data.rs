//! Deleting what the database has about the holder of a licence.

use contract::Timestamp;
use rusqlite::{Connection, params};
use store::licence_data::MAX_LISTED_SCANS;
use store::{BoxFuture, DeletedLicenceData, LicenceData, StoreError};

use crate::SqliteStore;
use crate::columns::sql_limit;
use crate::database::Database;
use crate::deletions::set_secure_delete;
use crate::error::DatabaseError;
use crate::licence_rows::{LICENCE_COLUMNS, find_licence};

impl LicenceData for Database {
    fn delete_licence_data<'a>(
        &'a self,
        licence_id: &'a str,
        at: Timestamp,
    ) -> BoxFuture<'a, Result<Option<DeletedLicenceData>, StoreError>> {
        let id = licence_id.to_owned();
        Box::pin(self.writer.write("deleting the data of a licence", 0, move |connection| {
            // The freed pages are overwritten, so that the database file does not keep what they held.
            set_secure_delete(connection, true)?;
            let deleted = delete(connection, &id, at);
            set_secure_delete(connection, false)?;
            deleted
        }))
    }
}

impl LicenceData for SqliteStore {
    fn delete_licence_data<'a>(
        &'a self,
        licence_id: &'a str,
        at: Timestamp,
    ) -> BoxFuture<'a, Result<Option<DeletedLicenceData>, StoreError>> {
        self.database.delete_licence_data(licence_id, at)
    }
}

/// Everything of a licence `?1`, in the order in which the tables refer to each other.
const DELETE: &[&str] = &[
    "DELETE FROM sessions WHERE licence_id = ?1",
    "DELETE FROM webhooks WHERE licence_id = ?1",
    "DELETE FROM usage_days WHERE licence_id = ?1",
    "DELETE FROM usage_months WHERE licence_id = ?1",
    "DELETE FROM licence_keys WHERE licence_id = ?1",
    "DELETE FROM key_requests WHERE mailbox = (SELECT mailbox FROM licences WHERE id = ?1)",
    "DELETE FROM licence_scans WHERE licence_id = ?1
     AND scan_id IN (SELECT id FROM scans WHERE visibility = 'public')",
];

fn delete(
    connection: &Connection,
    id: &str,
    at: Timestamp,
) -> Result<Option<DeletedLicenceData>, DatabaseError> {
    for sql in DELETE {
        connection.prepare_cached(sql)?.execute(params![id])?;
    }
    let sql = format!(
        "UPDATE licences SET label = NULL, mailbox = NULL, domains = '', last_used = NULL,
         revoked_at = coalesce(revoked_at, ?2) WHERE id = ?1 RETURNING {LICENCE_COLUMNS}"
    );
    let Some(licence) = find_licence(connection, &sql, params![id, at.as_millis()])? else {
        return Ok(None);
    };
    let sql = "SELECT scan_id FROM licence_scans WHERE licence_id = ?1 ORDER BY seq LIMIT ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(params![id, sql_limit(MAX_LISTED_SCANS)], |row| row.get(0))?;
    let hidden_scans = rows.collect::<rusqlite::Result<_>>()?;
    Ok(Some(DeletedLicenceData { licence, hidden_scans }))
}
