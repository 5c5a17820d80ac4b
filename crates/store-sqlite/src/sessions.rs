//! Sessions of licence holders in the database.

use contract::Timestamp;
use rusqlite::{OptionalExtension, Row, params};
use store::sessions::MAX_SESSIONS;
use store::{BoxFuture, Digest, Session, Sessions, StoreError};

use crate::SqliteStore;
use crate::columns::{digest_bytes, sql_limit, time};
use crate::licence_rows::unless_duplicate;

const COLUMNS: &str = "token_sha256, licence_id, key_sha256, created_at, last_seen_at, idle_until, \
                       expires_at, client";

impl Sessions for SqliteStore {
    fn put_session(&self, session: Session) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(self.database.writer.write("storing a session", 0, move |connection| {
            let sql =
                format!("INSERT INTO sessions ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)");
            connection
                .prepare_cached(&sql)?
                .execute(params![
                    session.token_sha256.as_bytes(),
                    session.licence_id,
                    session.key_sha256.as_bytes(),
                    session.created_at.as_millis(),
                    session.last_seen_at.as_millis(),
                    session.idle_until.as_millis(),
                    session.expires_at.as_millis(),
                    session.client,
                ])
                .map_err(|e| unless_duplicate(e, "session of licence", &session.licence_id))?;
            let sql = "DELETE FROM sessions WHERE rowid IN (
                           SELECT rowid FROM sessions WHERE licence_id = ?1
                           ORDER BY created_at DESC, rowid DESC LIMIT -1 OFFSET ?2)";
            let parameters = params![session.licence_id, sql_limit(MAX_SESSIONS)];
            connection.prepare_cached(sql)?.execute(parameters)?;
            Ok(())
        }))
    }

    fn session(&self, token_sha256: Digest) -> BoxFuture<'_, Result<Option<Session>, StoreError>> {
        Box::pin(self.database.readers.read("reading a session", move |connection| {
            let sql = format!("SELECT {COLUMNS} FROM sessions WHERE token_sha256 = ?1");
            let mut statement = connection.prepare_cached(&sql)?;
            let found = statement.query_row(params![token_sha256.as_bytes()], session_from_row);
            Ok(found.optional()?)
        }))
    }

    fn touch_session(
        &self,
        token_sha256: Digest,
        last_seen_at: Timestamp,
        idle_until: Timestamp,
    ) -> BoxFuture<'_, Result<bool, StoreError>> {
        Box::pin(self.database.writer.write("recording the use of a session", 0, move |c| {
            let sql = "UPDATE sessions SET last_seen_at = ?2, idle_until = ?3
                       WHERE token_sha256 = ?1";
            let times = (last_seen_at.as_millis(), idle_until.as_millis());
            let parameters = params![token_sha256.as_bytes(), times.0, times.1];
            Ok(c.prepare_cached(sql)?.execute(parameters)? > 0)
        }))
    }

    fn end_session(&self, token_sha256: Digest) -> BoxFuture<'_, Result<bool, StoreError>> {
        Box::pin(self.database.writer.write("ending a session", 0, move |connection| {
            let sql = "DELETE FROM sessions WHERE token_sha256 = ?1";
            Ok(connection.prepare_cached(sql)?.execute(params![token_sha256.as_bytes()])? > 0)
        }))
    }

    fn end_sessions<'a>(
        &'a self,
        licence_id: &'a str,
        except: Option<Digest>,
    ) -> BoxFuture<'a, Result<u64, StoreError>> {
        let licence_id = licence_id.to_owned();
        Box::pin(self.database.writer.write("ending sessions", 0, move |connection| {
            let sql = "DELETE FROM sessions WHERE licence_id = ?1 AND token_sha256 IS NOT ?2";
            let parameters = params![licence_id, digest_bytes(except.as_ref())];
            Ok(connection.prepare_cached(sql)?.execute(parameters)? as u64)
        }))
    }

    fn sessions_of<'a>(
        &'a self,
        licence_id: &'a str,
    ) -> BoxFuture<'a, Result<Vec<Session>, StoreError>> {
        let licence_id = licence_id.to_owned();
        Box::pin(self.database.readers.read("listing sessions", move |connection| {
            let sql = format!(
                "SELECT {COLUMNS} FROM sessions WHERE licence_id = ?1
                 ORDER BY last_seen_at DESC, rowid DESC LIMIT ?2"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let parameters = params![licence_id, sql_limit(MAX_SESSIONS)];
            let rows = statement.query_map(parameters, session_from_row)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        }))
    }

    fn delete_expired_sessions(&self, now: Timestamp) -> BoxFuture<'_, Result<u64, StoreError>> {
        Box::pin(self.database.writer.write("deleting ended sessions", 0, move |connection| {
            let sql = "DELETE FROM sessions WHERE min(idle_until, expires_at) <= ?1";
            Ok(connection.prepare_cached(sql)?.execute(params![now.as_millis()])? as u64)
        }))
    }
}

fn session_from_row(row: &Row<'_>) -> rusqlite::Result<Session> {
    Ok(Session {
        token_sha256: Digest(row.get(0)?),
        licence_id: row.get(1)?,
        key_sha256: Digest(row.get(2)?),
        created_at: time(row, 3)?,
        last_seen_at: time(row, 4)?,
        idle_until: time(row, 5)?,
        expires_at: time(row, 6)?,
        client: row.get(7)?,
    })
}
