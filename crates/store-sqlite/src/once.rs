//! Requests that are done once, in the database.

use bytes::Bytes;
use contract::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use store::{Begun, BoxFuture, Digest, KeptReply, Once, StoreError};

use crate::SqliteStore;
use crate::error::Refused;
use crate::packed::{pack, unpack};

impl Once for SqliteStore {
    fn begin_once(
        &self,
        key: Digest,
        request: Digest,
        now: Timestamp,
        until: Timestamp,
    ) -> BoxFuture<'_, Result<Begun, StoreError>> {
        Box::pin(self.database.writer.write("beginning a request", 0, move |connection| {
            begin(connection, key, request, now, until)
        }))
    }

    fn end_once(
        &self,
        key: Digest,
        reply: KeptReply,
        until: Timestamp,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        const DOING: &str = "keeping a reply";
        Box::pin(async move {
            reply.check_size()?;
            let packed = pack(&reply.bytes)
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

    fn abandon_once(&self, key: Digest) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(self.database.writer.write("abandoning a request", 0, move |connection| {
            connection
                .prepare_cached("DELETE FROM once WHERE key = ?1 AND status IS NULL")?
                .execute(params![key.as_bytes()])?;
            Ok(())
        }))
    }

    fn forget_replies(&self, now: Timestamp) -> BoxFuture<'_, Result<u64, StoreError>> {
        Box::pin(self.database.writer.write("forgetting replies", 0, move |connection| {
            let sql = "DELETE FROM once WHERE until <= ?1";
            Ok(connection.prepare_cached(sql)?.execute(params![now.as_millis()])? as u64)
        }))
    }
}

/// Runs inside the writer's transaction: nobody begins in between.
fn begin(
    connection: &Connection,
    key: Digest,
    request: Digest,
    now: Timestamp,
    until: Timestamp,
) -> Result<Begun, Refused> {
    let sql = "SELECT request, status, content_type, reply FROM once
               WHERE key = ?1 AND until > ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let found =
        statement.query_row(params![key.as_bytes(), now.as_millis()], standing).optional()?;
    match found {
        Some((kept, _)) if kept != request => Ok(Begun::Reused),
        Some((_, Some(packed))) => {
            let bytes = unpack(&packed.bytes)
                .map_err(|why| StoreError::Damaged { what: String::from("a kept reply"), why })?;
            Ok(Begun::Done(KeptReply { bytes, ..packed }))
        }
        Some((_, None)) => Ok(Begun::InFlight),
        None => {
            connection
                .prepare_cached(
                    "INSERT OR REPLACE INTO once (key, request, until) VALUES (?1, ?2, ?3)",
                )?
                .execute(params![key.as_bytes(), request.as_bytes(), until.as_millis()])?;
            Ok(Begun::New)
        }
    }
}

/// What stands in a row, its reply still packed.
fn standing(row: &Row<'_>) -> rusqlite::Result<(Digest, Option<KeptReply>)> {
    let reply = match row.get::<_, Option<u16>>(1)? {
        None => None,
        Some(status) => Some(KeptReply {
            status,
            content_type: row.get(2)?,
            bytes: Bytes::from(row.get::<_, Vec<u8>>(3)?),
        }),
    };
    Ok((Digest(row.get(0)?), reply))
}
