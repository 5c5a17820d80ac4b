//! Licences and their keys in the database. `licence_rows` has the rows.

use contract::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};
use store::licences::{MAX_STORED_KEYS, MAX_VALID_KEYS};
use store::{BoxFuture, Day, Digest, Licence, LicenceCursor, Licences, StoreError, StoredKey};

use crate::SqliteStore;
use crate::columns::sql_limit;
use crate::database::Database;
use crate::error::DatabaseError;
use crate::licence_rows::{
    KEY_COLUMNS, LICENCE_COLUMNS, find_key, find_licence, find_licences, insert_key,
    insert_licence, key_from_row,
};
use crate::snapshot::in_snapshot;

impl Licences for Database {
    fn put_licence(
        &self,
        licence: Licence,
        first_key: StoredKey,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(self.writer.write("storing a licence", 0, move |connection| {
            insert_licence(connection, &licence)?;
            insert_key(connection, &first_key)
        }))
    }

    fn licence_by_key(
        &self,
        key_sha256: Digest,
    ) -> BoxFuture<'_, Result<Option<(Licence, StoredKey)>, StoreError>> {
        Box::pin(self.readers.read("reading a licence", move |connection| {
            // One transaction, so that key and licence belong together.
            in_snapshot(connection, |connection| {
                let Some(key) = find_key(connection, key_sha256)? else { return Ok(None) };
                let licence = find_licence(connection, &select_by_id(), params![key.licence_id])?;
                Ok(licence.map(|licence| (licence, key)))
            })
        }))
    }

    fn licence<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Licence>, StoreError>> {
        let id = id.to_owned();
        Box::pin(self.readers.read("reading a licence", move |connection| {
            find_licence(connection, &select_by_id(), params![id])
        }))
    }

    fn licence_by_mailbox(
        &self,
        mailbox: Digest,
    ) -> BoxFuture<'_, Result<Option<Licence>, StoreError>> {
        Box::pin(self.readers.read("reading a licence", move |connection| {
            let sql = format!(
                "SELECT {LICENCE_COLUMNS} FROM licences WHERE mailbox = ?1 AND revoked_at IS NULL
                 ORDER BY created_at DESC, id DESC LIMIT 1"
            );
            find_licence(connection, &sql, params![mailbox.as_bytes()])
        }))
    }

    fn licences(
        &self,
        after: Option<LicenceCursor>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<Licence>, StoreError>> {
        // No licence is earlier than this.
        let (time, id) = after
            .map_or((i64::MIN, String::new()), |after| (after.created_at.as_millis(), after.id));
        Box::pin(self.readers.read("listing the licences", move |connection| {
            let sql = format!(
                "SELECT {LICENCE_COLUMNS} FROM licences WHERE (created_at, id) > (?1, ?2)
                 ORDER BY created_at, id LIMIT ?3"
            );
            find_licences(connection, &sql, params![time, id, sql_limit(limit)])
        }))
    }

    fn keys_of<'a>(
        &'a self,
        licence_id: &'a str,
    ) -> BoxFuture<'a, Result<Vec<StoredKey>, StoreError>> {
        let id = licence_id.to_owned();
        Box::pin(self.readers.read("listing the keys of a licence", move |connection| {
            let sql = format!(
                "SELECT {KEY_COLUMNS} FROM licence_keys WHERE licence_id = ?1
                 ORDER BY created_at, rowid LIMIT ?2"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let rows =
                statement.query_map(params![id, sql_limit(MAX_STORED_KEYS)], key_from_row)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        }))
    }

    fn add_key(
        &self,
        key: StoredKey,
        end_others_at: Option<Timestamp>,
    ) -> BoxFuture<'_, Result<bool, StoreError>> {
        Box::pin(
            self.writer.write("storing a key", 0, move |connection| {
                add_key(connection, &key, end_others_at)
            }),
        )
    }

    fn revoke_licence<'a>(
        &'a self,
        id: &'a str,
        at: Timestamp,
    ) -> BoxFuture<'a, Result<Option<Licence>, StoreError>> {
        let id = id.to_owned();
        Box::pin(self.writer.write("revoking a licence", 0, move |connection| {
            let sql = format!(
                "UPDATE licences SET revoked_at = coalesce(revoked_at, ?2) WHERE id = ?1
                 RETURNING {LICENCE_COLUMNS}"
            );
            find_licence(connection, &sql, params![id, at.as_millis()])
        }))
    }

    fn revoke_key(
        &self,
        key_sha256: Digest,
        at: Timestamp,
    ) -> BoxFuture<'_, Result<Option<StoredKey>, StoreError>> {
        Box::pin(self.writer.write("revoking a key", 0, move |connection| {
            let sql = format!(
                "UPDATE licence_keys SET revoked_at = coalesce(revoked_at, ?2)
                 WHERE key_sha256 = ?1 RETURNING {KEY_COLUMNS}"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let parameters = params![key_sha256.as_bytes(), at.as_millis()];
            Ok(statement.query_row(parameters, key_from_row).optional()?)
        }))
    }

    fn mark_licence_used<'a>(
        &'a self,
        id: &'a str,
        day: Day,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        let id = id.to_owned();
        Box::pin(self.writer.write("recording the use of a licence", 0, move |connection| {
            let sql = "UPDATE licences SET last_used = ?2
                       WHERE id = ?1 AND (last_used IS NULL OR last_used < ?2)";
            connection.prepare_cached(sql)?.execute(params![id, day.number()])?;
            Ok(())
        }))
    }

    fn import_licence(
        &self,
        licence: Licence,
        keys: Vec<StoredKey>,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(self.writer.write("copying a licence", 0, move |connection| {
            import_licence(connection, licence.clone(), keys.clone())
        }))
    }
}

impl Licences for SqliteStore {
    fn put_licence(
        &self,
        licence: Licence,
        first_key: StoredKey,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        self.database.put_licence(licence, first_key)
    }

    fn licence_by_key(
        &self,
        key_sha256: Digest,
    ) -> BoxFuture<'_, Result<Option<(Licence, StoredKey)>, StoreError>> {
        self.database.licence_by_key(key_sha256)
    }

    fn licence<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Licence>, StoreError>> {
        self.database.licence(id)
    }

    fn licence_by_mailbox(
        &self,
        mailbox: Digest,
    ) -> BoxFuture<'_, Result<Option<Licence>, StoreError>> {
        self.database.licence_by_mailbox(mailbox)
    }

    fn licences(
        &self,
        after: Option<LicenceCursor>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<Licence>, StoreError>> {
        self.database.licences(after, limit)
    }

    fn keys_of<'a>(
        &'a self,
        licence_id: &'a str,
    ) -> BoxFuture<'a, Result<Vec<StoredKey>, StoreError>> {
        self.database.keys_of(licence_id)
    }

    fn add_key(
        &self,
        key: StoredKey,
        end_others_at: Option<Timestamp>,
    ) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.database.add_key(key, end_others_at)
    }

    fn revoke_licence<'a>(
        &'a self,
        id: &'a str,
        at: Timestamp,
    ) -> BoxFuture<'a, Result<Option<Licence>, StoreError>> {
        self.database.revoke_licence(id, at)
    }

    fn revoke_key(
        &self,
        key_sha256: Digest,
        at: Timestamp,
    ) -> BoxFuture<'_, Result<Option<StoredKey>, StoreError>> {
        self.database.revoke_key(key_sha256, at)
    }

    fn mark_licence_used<'a>(
        &'a self,
        id: &'a str,
        day: Day,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        self.database.mark_licence_used(id, day)
    }

    fn import_licence(
        &self,
        licence: Licence,
        keys: Vec<StoredKey>,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        self.database.import_licence(licence, keys)
    }
}

fn select_by_id() -> String {
    format!("SELECT {LICENCE_COLUMNS} FROM licences WHERE id = ?1")
}

fn add_key(
    connection: &Connection,
    key: &StoredKey,
    end_others_at: Option<Timestamp>,
) -> Result<bool, DatabaseError> {
    let licence = find_licence(connection, &select_by_id(), params![key.licence_id])?;
    if licence.is_none_or(|licence| licence.revoked_at.is_some()) {
        return Ok(false);
    }
    if let Some(at) = end_others_at {
        let sql = "UPDATE licence_keys SET expires_at = min(coalesce(expires_at, ?2), ?2)
                   WHERE licence_id = ?1";
        connection.prepare_cached(sql)?.execute(params![key.licence_id, at.as_millis()])?;
    }
    insert_key(connection, key)?;
    let sql = "SELECT count(*) FROM licence_keys WHERE licence_id = ?1 AND revoked_at IS NULL
               AND (expires_at IS NULL OR expires_at > ?2)";
    let valid: i64 = connection
        .prepare_cached(sql)?
        .query_row(params![key.licence_id, key.created_at.as_millis()], |row| row.get(0))?;
    if valid > sql_limit(MAX_VALID_KEYS) {
        let limit = MAX_VALID_KEYS;
        return Err(StoreError::LimitReached { what: "keys of this licence", limit }.into());
    }
    // Those that end first go first. The valid ones are fewer than what is kept.
    let sql = "DELETE FROM licence_keys WHERE rowid IN (
                   SELECT rowid FROM licence_keys WHERE licence_id = ?1
                   ORDER BY min(coalesce(revoked_at, 9e18), coalesce(expires_at, 9e18)) DESC,
                            created_at DESC, rowid DESC
                   LIMIT -1 OFFSET ?2)";
    connection.prepare_cached(sql)?.execute(params![key.licence_id, sql_limit(MAX_STORED_KEYS)])?;
    Ok(true)
}

fn import_licence(
    connection: &Connection,
    mut licence: Licence,
    keys: Vec<StoredKey>,
) -> Result<(), DatabaseError> {
    let duplicate = |id: &str| StoreError::Duplicate { what: "licence", id: id.to_owned() };
    match find_licence(connection, &select_by_id(), params![licence.id])? {
        None => insert_licence(connection, &licence)?,
        Some(stored) if stored.created_at != licence.created_at => {
            return Err(duplicate(&licence.id).into());
        }
        Some(stored) => {
            licence.revoked_at = earlier(stored.revoked_at, licence.revoked_at);
            licence.last_used = stored.last_used.max(licence.last_used);
            let sql = "UPDATE licences SET plan = ?2, domains = ?3, label = ?4, mailbox = ?5,
                       expires_at = ?6, revoked_at = ?7, last_used = ?8 WHERE id = ?1";
            connection.prepare_cached(sql)?.execute(params![
                licence.id,
                licence.plan,
                licence.domains.to_text(),
                licence.label,
                licence.mailbox.as_ref().map(Digest::as_bytes),
                licence.expires_at.map(Timestamp::as_millis),
                licence.revoked_at.map(Timestamp::as_millis),
                licence.last_used.map(Day::number),
            ])?;
        }
    }
    let sql = "SELECT key_sha256 FROM licence_keys WHERE licence_id = ?1";
    let stored: Vec<[u8; 32]> = {
        let mut statement = connection.prepare_cached(sql)?;
        let rows = statement.query_map(params![licence.id], |row| row.get(0))?;
        rows.collect::<rusqlite::Result<_>>()?
    };
    let mut remove = connection.prepare_cached("DELETE FROM licence_keys WHERE key_sha256 = ?1")?;
    for other in stored {
        if !keys.iter().any(|key| *key.key_sha256.as_bytes() == other) {
            remove.execute(params![other])?;
        }
    }
    for key in keys {
        match find_key(connection, key.key_sha256)? {
            None => insert_key(connection, &key)?,
            Some(stored) if stored.licence_id != key.licence_id => {
                return Err(duplicate(&key.licence_id).into());
            }
            Some(stored) => {
                let sql = "UPDATE licence_keys SET prefix = ?2, expires_at = ?3, revoked_at = ?4
                           WHERE key_sha256 = ?1";
                connection.prepare_cached(sql)?.execute(params![
                    key.key_sha256.as_bytes(),
                    key.prefix,
                    key.expires_at.map(Timestamp::as_millis),
                    earlier(stored.revoked_at, key.revoked_at).map(Timestamp::as_millis),
                ])?;
            }
        }
    }
    Ok(())
}

/// The earlier of two times, where `None` is never.
fn earlier(one: Option<Timestamp>, other: Option<Timestamp>) -> Option<Timestamp> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}
