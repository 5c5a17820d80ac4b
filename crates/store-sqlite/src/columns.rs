//! Conversions between the store's values and SQLite's columns.

use bytes::Bytes;
use contract::Timestamp;
use rusqlite::Row;
use store::{Digest, StoreError};

/// SQLite integers are signed 64-bit. Counts and indexes here never come near that limit.
pub(crate) fn sql_integer(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// The value of a LIMIT parameter.
pub(crate) fn sql_limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// A stored integer that must not be negative. `what` names it in the error.
pub(crate) fn unsigned(value: i64, what: &str) -> Result<u64, StoreError> {
    u64::try_from(value).map_err(|_| StoreError::Damaged {
        what: what.to_owned(),
        why: String::from("it is below zero"),
    })
}

pub(crate) fn count(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    Ok(row.get::<_, i64>(column)?.unsigned_abs())
}

pub(crate) fn time(row: &Row<'_>, column: usize) -> rusqlite::Result<Timestamp> {
    Ok(Timestamp::from_millis(row.get(column)?))
}

pub(crate) fn optional_time(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Timestamp>> {
    Ok(row.get::<_, Option<i64>>(column)?.map(Timestamp::from_millis))
}

pub(crate) fn optional_digest(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Digest>> {
    Ok(row.get::<_, Option<[u8; 32]>>(column)?.map(Digest))
}

pub(crate) fn blob(row: &Row<'_>, column: usize) -> rusqlite::Result<Bytes> {
    Ok(Bytes::from(row.get::<_, Vec<u8>>(column)?))
}

pub(crate) fn digest_bytes(digest: Option<&Digest>) -> Option<&[u8; 32]> {
    digest.map(Digest::as_bytes)
}
