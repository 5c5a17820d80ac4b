//! Idempotency keys and their replies in the database.

use bytes::Bytes;
use contract::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use store::{BoxFuture, Digest, Idempotency, IdempotencyStart, StoreError, StoredReply};

use crate::SqliteStore;
use crate::error::DatabaseError;
use store::compression::{compress, decompress};

impl Idempotency for SqliteStore {
    fn begin_idempotent(
        &self,
        key: Digest,
        request: Digest,
        now: Timestamp,
        until: Timestamp,
    ) -> BoxFuture<'_, Result<IdempotencyStart, StoreError>> {
        Box::pin(self.database.writer.write(
            "starting an idempotent request",
            0,
            move |connection| begin_request(connection, key, request, now, until),
        ))
    }

    fn finish_idempotent(
        &self,
        key: Digest,
        reply: StoredReply,
        until: Timestamp,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        const DOING: &str = "storing a reply";
        Box::pin(async move {
            reply.check_size()?;
            let packed = compress(&reply.bytes)
                .map_err(|e| StoreError::Failed { doing: DOING, why: e.to_string() })?;
            let bytes = packed.len();
            let write = move |connection: &Connection| {
                connection
                    .prepare_cached(
                        "UPDATE once SET until = ?2, status = ?3, content_type = ?4, reply = ?5
                         WHERE key = ?1 AND status IS NULL",
                    )?
                    .execute(params![
                        key.as_bytes(),
                        until.as_millis(),
                        reply.status,
                        reply.content_type,
                        packed,
                    ])?;
                Ok(())
            };
            self.database.writer.write(DOING, bytes, write).await
        })
    }

    fn abandon_idempotent(&self, key: Digest) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(self.database.writer.write(
            "abandoning an idempotent request",
            0,
            move |connection| {
                connection
                    .prepare_cached("DELETE FROM once WHERE key = ?1 AND status IS NULL")?
                    .execute(params![key.as_bytes()])?;
                Ok(())
            },
        ))
    }

    fn delete_expired_replies(&self, now: Timestamp) -> BoxFuture<'_, Result<u64, StoreError>> {
        Box::pin(self.database.writer.write("deleting replies", 0, move |connection| {
            let sql = "DELETE FROM once WHERE until <= ?1";
            Ok(connection.prepare_cached(sql)?.execute(params![now.as_millis()])? as u64)
        }))
    }
}

/// Runs in the writer's transaction, so two requests with one key do not race.
fn begin_request(
    connection: &Connection,
    key: Digest,
    request: Digest,
    now: Timestamp,
    until: Timestamp,
) -> Result<IdempotencyStart, DatabaseError> {
    let sql = "SELECT request, status, content_type, reply FROM once
               WHERE key = ?1 AND until > ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement
        .query_row(params![key.as_bytes(), now.as_millis()], request_and_reply)
        .optional()?;
    match found {
        Some((kept, _)) if kept != request => Ok(IdempotencyStart::Reused),
        Some((_, Some(packed))) => {
            let bytes = decompress(&packed.bytes)
                .map_err(|why| StoreError::Damaged { what: String::from("a stored reply"), why })?;
            Ok(IdempotencyStart::Done(StoredReply { bytes, ..packed }))
        }
        Some((_, None)) => Ok(IdempotencyStart::InFlight),
        None => {
            connection
                .prepare_cached(
                    "INSERT OR REPLACE INTO once (key, request, until) VALUES (?1, ?2, ?3)",
                )?
                .execute(params![key.as_bytes(), request.as_bytes(), until.as_millis()])?;
            Ok(IdempotencyStart::New)
        }
    }
}

/// The request digest and the reply in a row; the reply is still compressed.
fn request_and_reply(row: &Row<'_>) -> rusqlite::Result<(Digest, Option<StoredReply>)> {
    let reply = match row.get::<_, Option<u16>>(1)? {
        None => None,
        Some(status) => Some(StoredReply {
            status,
            content_type: row.get(2)?,
            bytes: Bytes::from(row.get::<_, Vec<u8>>(3)?),
        }),
    };
    Ok((Digest(row.get(0)?), reply))
}
