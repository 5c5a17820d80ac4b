//! The rows of licences and of their keys.

use contract::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, ffi, params};
use store::{Day, Digest, Licence, LicensedDomains, StoreError, StoredKey};

use crate::columns::{optional_digest, optional_time, time};
use crate::error::DatabaseError;

pub(crate) const LICENCE_COLUMNS: &str =
    "id, plan, domains, label, mailbox, created_at, expires_at, revoked_at, last_used";
pub(crate) const KEY_COLUMNS: &str =
    "key_sha256, licence_id, prefix, created_at, expires_at, revoked_at";

pub(crate) fn insert_licence(
    connection: &Connection,
    licence: &Licence,
) -> Result<(), DatabaseError> {
    let sql = format!(
        "INSERT INTO licences ({LICENCE_COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
    );
    let inserted = connection.prepare_cached(&sql)?.execute(params![
        licence.id,
        licence.plan,
        licence.domains.to_text(),
        licence.label,
        licence.mailbox.as_ref().map(Digest::as_bytes),
        licence.created_at.as_millis(),
        licence.expires_at.map(Timestamp::as_millis),
        licence.revoked_at.map(Timestamp::as_millis),
        licence.last_used.map(Day::number),
    ]);
    inserted.map(drop).map_err(|error| unless_duplicate(error, "licence", &licence.id))
}

pub(crate) fn insert_key(connection: &Connection, key: &StoredKey) -> Result<(), DatabaseError> {
    let sql = format!("INSERT INTO licence_keys ({KEY_COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
    let inserted = connection.prepare_cached(&sql)?.execute(params![
        key.key_sha256.as_bytes(),
        key.licence_id,
        key.prefix,
        key.created_at.as_millis(),
        key.expires_at.map(Timestamp::as_millis),
        key.revoked_at.map(Timestamp::as_millis),
    ]);
    // The digest of a key is not shown: it is what the store looks for.
    inserted.map(drop).map_err(|error| unless_duplicate(error, "key of licence", &key.licence_id))
}

pub(crate) fn unless_duplicate(
    error: rusqlite::Error,
    what: &'static str,
    id: &str,
) -> DatabaseError {
    match error.sqlite_extended_error_code() {
        Some(ffi::SQLITE_CONSTRAINT_PRIMARYKEY | ffi::SQLITE_CONSTRAINT_UNIQUE) => {
            StoreError::Duplicate { what, id: id.to_owned() }.into()
        }
        _ => error.into(),
    }
}

pub(crate) fn find_licence(
    connection: &Connection,
    sql: &str,
    params: &[&dyn rusqlite::ToSql],
) -> Result<Option<Licence>, DatabaseError> {
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement.query_row(params, RawLicence::from_row).optional()?;
    Ok(found.map(RawLicence::into_licence).transpose()?)
}

pub(crate) fn find_licences(
    connection: &Connection,
    sql: &str,
    params: &[&dyn rusqlite::ToSql],
) -> Result<Vec<Licence>, DatabaseError> {
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(params, RawLicence::from_row)?;
    rows.map(|raw| Ok(raw?.into_licence()?)).collect()
}

pub(crate) fn find_key(
    connection: &Connection,
    key_sha256: Digest,
) -> Result<Option<StoredKey>, DatabaseError> {
    let sql = format!("SELECT {KEY_COLUMNS} FROM licence_keys WHERE key_sha256 = ?1");
    let mut statement = connection.prepare_cached(&sql)?;
    Ok(statement.query_row(params![key_sha256.as_bytes()], key_from_row).optional()?)
}

pub(crate) fn key_from_row(row: &Row<'_>) -> rusqlite::Result<StoredKey> {
    Ok(StoredKey {
        key_sha256: Digest(row.get(0)?),
        licence_id: row.get(1)?,
        prefix: row.get(2)?,
        created_at: time(row, 3)?,
        expires_at: optional_time(row, 4)?,
        revoked_at: optional_time(row, 5)?,
    })
}

/// The columns as stored, before the domains are parsed.
struct RawLicence {
    licence: Licence,
    domains: Option<String>,
}

impl RawLicence {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let licence = Licence {
            id: row.get(0)?,
            plan: row.get(1)?,
            domains: LicensedDomains::Only([].into()),
            label: row.get(3)?,
            mailbox: optional_digest(row, 4)?,
            created_at: time(row, 5)?,
            expires_at: optional_time(row, 6)?,
            revoked_at: optional_time(row, 7)?,
            last_used: row.get::<_, Option<i64>>(8)?.map(Day::from_number),
        };
        Ok(Self { licence, domains: row.get(2)? })
    }

    fn into_licence(self) -> Result<Licence, StoreError> {
        let domains = LicensedDomains::parse(self.domains.as_deref())?;
        Ok(Licence { domains, ..self.licence })
    }
}
