//! Licences in the database.

use contract::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, ffi, params};
use store::{BoxFuture, Digest, Licence, Licences, LicensedDomains, StoreError};

use crate::SqliteStore;
use crate::database::Database;
use crate::error::DatabaseError;

const COLUMNS: &str = "id, key_sha256, domains, label, created_at, revoked_at";

impl Licences for Database {
    fn put_licence(&self, licence: Licence) -> BoxFuture<'_, Result<(), StoreError>> {
        let written =
            self.writer.write("storing a licence", 0, move |c| insert_licence(c, &licence));
        Box::pin(written)
    }

    fn licence_by_key(
        &self,
        key_sha256: Digest,
    ) -> BoxFuture<'_, Result<Option<Licence>, StoreError>> {
        Box::pin(self.readers.read("reading a licence", move |connection| {
            let sql = format!("SELECT {COLUMNS} FROM licences WHERE key_sha256 = ?1");
            find_licence(connection, &sql, params![key_sha256.as_bytes()])
        }))
    }

    fn licences(&self) -> BoxFuture<'_, Result<Vec<Licence>, StoreError>> {
        Box::pin(self.readers.read("listing the licences", |connection| {
            let sql = format!("SELECT {COLUMNS} FROM licences ORDER BY created_at, id");
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map([], RawLicence::from_row)?;
            rows.map(|raw| Ok(raw?.into_licence()?)).collect()
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
            find_licence(connection, &sql, params![id, at.as_millis()])
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

fn insert_licence(connection: &Connection, licence: &Licence) -> Result<(), DatabaseError> {
    let sql = format!("INSERT INTO licences ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
    let inserted = connection.prepare_cached(&sql)?.execute(params![
        licence.id,
        licence.key_sha256.as_bytes(),
        licence.domains.to_text(),
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

fn find_licence(
    connection: &Connection,
    sql: &str,
    params: &[&dyn rusqlite::ToSql],
) -> Result<Option<Licence>, DatabaseError> {
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement.query_row(params, RawLicence::from_row).optional()?;
    Ok(found.map(RawLicence::into_licence).transpose()?)
}

/// The columns as stored, before they are parsed.
struct RawLicence {
    id: String,
    key_sha256: [u8; 32],
    domains: Option<String>,
    label: Option<String>,
    created_at: i64,
    revoked_at: Option<i64>,
}

impl RawLicence {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get(0)?,
            key_sha256: row.get(1)?,
            domains: row.get(2)?,
            label: row.get(3)?,
            created_at: row.get(4)?,
            revoked_at: row.get(5)?,
        })
    }

    fn into_licence(self) -> Result<Licence, StoreError> {
        Ok(Licence {
            id: self.id,
            key_sha256: Digest(self.key_sha256),
            domains: LicensedDomains::parse(self.domains.as_deref())?,
            label: self.label,
            created_at: Timestamp::from_millis(self.created_at),
            revoked_at: self.revoked_at.map(Timestamp::from_millis),
        })
    }
}
