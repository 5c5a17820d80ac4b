//! Licences in the database.

use contract::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, ffi, params};
use store::{BoxFuture, Digest, Licence, Licences, LicensedDomains, StoreError};

use crate::SqliteStore;
use crate::database::Database;
use crate::error::Refused;

const COLUMNS: &str = "id, key_sha256, domains, label, created_at, revoked_at";

impl Licences for Database {
    fn put_licence(&self, licence: Licence) -> BoxFuture<'_, Result<(), StoreError>> {
        let written = self.writer.write("keeping a licence", 0, move |c| insert(c, &licence));
        Box::pin(written)
    }

    fn licence_by_key(
        &self,
        key_sha256: Digest,
    ) -> BoxFuture<'_, Result<Option<Licence>, StoreError>> {
        Box::pin(self.readers.read("reading a licence", move |connection| {
            let sql = format!("SELECT {COLUMNS} FROM licences WHERE key_sha256 = ?1");
            one(connection, &sql, params![key_sha256.as_bytes()])
        }))
    }

    fn licences(&self) -> BoxFuture<'_, Result<Vec<Licence>, StoreError>> {
        Box::pin(self.readers.read("listing the licences", |connection| {
            let sql = format!("SELECT {COLUMNS} FROM licences ORDER BY created_at, id");
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map([], RawLicence::read)?;
            rows.map(|raw| Ok(raw?.understood()?)).collect()
        }))
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
                 RETURNING {COLUMNS}"
            );
            one(connection, &sql, params![id, at.as_millis()])
        }))
    }
}

impl Licences for SqliteStore {
    fn put_licence(&self, licence: Licence) -> BoxFuture<'_, Result<(), StoreError>> {
        self.database.put_licence(licence)
    }

    fn licence_by_key(
        &self,
        key_sha256: Digest,
    ) -> BoxFuture<'_, Result<Option<Licence>, StoreError>> {
        self.database.licence_by_key(key_sha256)
    }

    fn licences(&self) -> BoxFuture<'_, Result<Vec<Licence>, StoreError>> {
        self.database.licences()
    }

    fn revoke_licence<'a>(
        &'a self,
        id: &'a str,
        at: Timestamp,
    ) -> BoxFuture<'a, Result<Option<Licence>, StoreError>> {
        self.database.revoke_licence(id, at)
    }
}

fn insert(connection: &Connection, licence: &Licence) -> Result<(), Refused> {
    let sql = format!("INSERT INTO licences ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
    let inserted = connection.prepare_cached(&sql)?.execute(params![
        licence.id,
        licence.key_sha256.as_bytes(),
        licence.domains.written(),
        licence.label,
        licence.created_at.as_millis(),
        licence.revoked_at.map(Timestamp::as_millis),
    ]);
    match inserted {
        Ok(_) => Ok(()),
        Err(error) => match error.sqlite_extended_error_code() {
            Some(ffi::SQLITE_CONSTRAINT_PRIMARYKEY | ffi::SQLITE_CONSTRAINT_UNIQUE) => {
                let id = licence.id.clone();
                Err(StoreError::Duplicate { what: "licence", id }.into())
            }
            _ => Err(error.into()),
        },
    }
}

fn one(
    connection: &Connection,
    sql: &str,
    params: &[&dyn rusqlite::ToSql],
) -> Result<Option<Licence>, Refused> {
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement.query_row(params, RawLicence::read).optional()?;
    Ok(found.map(RawLicence::understood).transpose()?)
}

/// The columns as they lie in the database, before they are understood.
struct RawLicence {
    id: String,
    key_sha256: [u8; 32],
    domains: Option<String>,
    label: Option<String>,
    created_at: i64,
    revoked_at: Option<i64>,
}

impl RawLicence {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get(0)?,
            key_sha256: row.get(1)?,
            domains: row.get(2)?,
            label: row.get(3)?,
            created_at: row.get(4)?,
            revoked_at: row.get(5)?,
        })
    }

    fn understood(self) -> Result<Licence, StoreError> {
        Ok(Licence {
            id: self.id,
            key_sha256: Digest(self.key_sha256),
            domains: LicensedDomains::read(self.domains.as_deref())?,
            label: self.label,
            created_at: Timestamp::from_millis(self.created_at),
            revoked_at: self.revoked_at.map(Timestamp::from_millis),
        })
    }
}
