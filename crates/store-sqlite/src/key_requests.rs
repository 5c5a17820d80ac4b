//! Requests for free keys in the database.

use contract::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use store::key_requests::{MAX_REQUESTS, MAX_REQUESTS_OF_MAILBOX};
use store::{
    BoxFuture, Digest, KeyRequest, KeyRequestOutcome, KeyRequests, Licence, StoreError, StoredKey,
};

use crate::SqliteStore;
use crate::columns::{sql_limit, time};
use crate::error::DatabaseError;
use crate::licence_rows::{insert_key, insert_licence, unless_duplicate};

const COLUMNS: &str = "token_sha256, mailbox, created_at, expires_at";

impl KeyRequests for SqliteStore {
    fn put_key_request(&self, request: KeyRequest) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(
            self.database.writer.write("storing a request for a key", 0, move |connection| {
                put(connection, &request)
            }),
        )
    }

    fn key_request(
        &self,
        token_sha256: Digest,
    ) -> BoxFuture<'_, Result<Option<KeyRequest>, StoreError>> {
        Box::pin(
            self.database
                .readers
                .read("reading a request for a key", move |c| find_request(c, token_sha256)),
        )
    }

    fn take_key_request(
        &self,
        token_sha256: Digest,
        now: Timestamp,
        licence: Licence,
        first_key: StoredKey,
    ) -> BoxFuture<'_, Result<KeyRequestOutcome, StoreError>> {
        Box::pin(self.database.writer.write("giving out a free key", 0, move |connection| {
            let Some(request) = find_request(connection, token_sha256)? else {
                return Ok(KeyRequestOutcome::Unknown);
            };
            if now >= request.expires_at {
                return Ok(KeyRequestOutcome::Expired);
            }
            let mailbox = request.mailbox;
            let sql = "SELECT EXISTS (SELECT 1 FROM licences WHERE mailbox = ?1
                       AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?2))";
            let parameters = params![mailbox.as_bytes(), now.as_millis()];
            if connection.prepare_cached(sql)?.query_row(parameters, |row| row.get(0))? {
                return Ok(KeyRequestOutcome::HasLicence);
            }
            let licence = Licence { mailbox: Some(mailbox), ..licence.clone() };
            insert_licence(connection, &licence)?;
            insert_key(connection, &first_key)?;
            let sql = "DELETE FROM key_requests WHERE mailbox = ?1";
            connection.prepare_cached(sql)?.execute(params![mailbox.as_bytes()])?;
            Ok(KeyRequestOutcome::Taken)
        }))
    }

    fn delete_expired_key_requests(
        &self,
        now: Timestamp,
    ) -> BoxFuture<'_, Result<u64, StoreError>> {
        Box::pin(self.database.writer.write("deleting expired requests", 0, move |connection| {
            let sql = "DELETE FROM key_requests WHERE expires_at <= ?1";
            Ok(connection.prepare_cached(sql)?.execute(params![now.as_millis()])? as u64)
        }))
    }
}

fn put(connection: &Connection, request: &KeyRequest) -> Result<(), DatabaseError> {
    let sql = format!("INSERT INTO key_requests ({COLUMNS}) VALUES (?1, ?2, ?3, ?4)");
    connection
        .prepare_cached(&sql)?
        .execute(params![
            request.token_sha256.as_bytes(),
            request.mailbox.as_bytes(),
            request.created_at.as_millis(),
            request.expires_at.as_millis(),
        ])
        .map_err(|error| unless_duplicate(error, "request for a key", "given"))?;
    let sql = "DELETE FROM key_requests WHERE rowid IN (
                   SELECT rowid FROM key_requests WHERE mailbox = ?1
                   ORDER BY created_at DESC, rowid DESC LIMIT -1 OFFSET ?2)";
    let parameters = params![request.mailbox.as_bytes(), sql_limit(MAX_REQUESTS_OF_MAILBOX)];
    connection.prepare_cached(sql)?.execute(parameters)?;
    let sql = "SELECT 1 FROM key_requests LIMIT 1 OFFSET ?1";
    let mut statement = connection.prepare_cached(sql)?;
    if statement.query_row(params![sql_limit(MAX_REQUESTS)], |_| Ok(())).optional()?.is_some() {
        let limit = MAX_REQUESTS;
        return Err(StoreError::LimitReached { what: "requests for keys", limit }.into());
    }
    Ok(())
}

fn find_request(
    connection: &Connection,
    token_sha256: Digest,
) -> Result<Option<KeyRequest>, DatabaseError> {
    let read = |row: &Row<'_>| {
        Ok(KeyRequest {
            token_sha256: Digest(row.get(0)?),
            mailbox: Digest(row.get(1)?),
            created_at: time(row, 2)?,
            expires_at: time(row, 3)?,
        })
    };
    let sql = format!("SELECT {COLUMNS} FROM key_requests WHERE token_sha256 = ?1");
    let mut statement = connection.prepare_cached(&sql)?;
    Ok(statement.query_row(params![token_sha256.as_bytes()], read).optional()?)
}
