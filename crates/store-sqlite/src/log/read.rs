//! Reads the log. Everything returned was compared with its fingerprint or its leaf.

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension, Params, Row, params};
use store::log::decode_contents;
use store::{Digest, LogTile, StoreError, StoredBatch};

use crate::columns::{sql_integer, sql_limit, unsigned};
use crate::error::DatabaseError;
use store::compression::{decompress, decompress_head};

pub(super) fn damaged(what: &str, why: &str) -> StoreError {
    StoreError::Damaged { what: what.to_owned(), why: why.to_owned() }
}

/// The last batch. Like most functions here it runs several queries, so callers run it in a
/// transaction to get one consistent view.
pub(super) fn last_batch(connection: &Connection) -> Result<Option<StoredBatch>, DatabaseError> {
    let found = find_batch(connection, "ORDER BY batch DESC LIMIT 1", params![])?;
    check_first_batch(connection)?;
    Ok(found)
}

/// A damaged (negative) batch number would hide a batch from all other queries.
fn check_first_batch(connection: &Connection) -> Result<(), DatabaseError> {
    let sql = "SELECT min(batch) FROM log_batches";
    let first: Option<i64> = connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
    match first {
        None | Some(0) => Ok(()),
        Some(other) => {
            Err(damaged("the log", &format!("its first batch has the number {other}")).into())
        }
    }
}

pub(super) fn batch(
    connection: &Connection,
    batch: u64,
) -> Result<Option<StoredBatch>, DatabaseError> {
    let found = find_batch(connection, "WHERE batch = ?1", params![sql_integer(batch)])?;
    if found.is_none() && last_batch(connection)?.is_some_and(|last| batch <= last.batch) {
        return Err(damaged(&format!("batch {batch} of the log"), "it is missing").into());
    }
    Ok(found)
}

pub(super) fn batch_at(
    connection: &Connection,
    log_index: u64,
) -> Result<Option<StoredBatch>, DatabaseError> {
    let which = "WHERE first_index <= ?1 ORDER BY first_index DESC LIMIT 1";
    let found = find_batch(connection, which, params![sql_integer(log_index)])?;
    let found = found.filter(|batch| log_index < batch.tree_size());
    if found.is_none() && last_batch(connection)?.is_some_and(|last| log_index < last.tree_size()) {
        return Err(damaged(&format!("index {log_index} of the log"), "it is missing").into());
    }
    Ok(found)
}

fn find_batch(
    connection: &Connection,
    which: &str,
    params: impl Params,
) -> Result<Option<StoredBatch>, DatabaseError> {
    let sql = format!("SELECT {COLUMNS} FROM log_batches {which}");
    let raw = connection.prepare_cached(&sql)?.query_row(params, RawBatch::from_row).optional()?;
    Ok(raw.map(RawBatch::into_batch).transpose()?)
}

const COLUMNS: &str = "batch, first_index, sth_sha256, fingerprint, leaves, sth";

struct RawBatch {
    batch: i64,
    first_index: i64,
    sth_sha256: [u8; 32],
    fingerprint: [u8; 32],
    leaves: Vec<u8>,
    sth: Vec<u8>,
}

impl RawBatch {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            batch: row.get(0)?,
            first_index: row.get(1)?,
            sth_sha256: row.get(2)?,
            fingerprint: row.get(3)?,
            leaves: row.get(4)?,
            sth: row.get(5)?,
        })
    }

    fn into_batch(self) -> Result<StoredBatch, StoreError> {
        let what = format!("batch {} of the log", self.batch);
        let kept = StoredBatch {
            batch: unsigned(self.batch, &what)?,
            first_index: unsigned(self.first_index, &what)?,
            sth_sha256: Digest(self.sth_sha256),
            sth: decompress_head(&self.sth).map_err(|why| damaged(&what, &why))?,
            leaves: digests(&self.leaves),
        };
        if kept.fingerprint() == Digest(self.fingerprint) {
            Ok(kept)
        } else {
            Err(damaged(&what, "its fingerprint does not match"))
        }
    }
}

/// Splits into 32-byte digests. A remainder is dropped; the fingerprint check reports it.
pub(super) fn digests(bytes: &[u8]) -> Vec<Digest> {
    bytes.as_chunks::<32>().0.iter().map(|chunk| Digest(*chunk)).collect()
}

/// Heads are read without their leaves, so the fingerprint cannot be checked. Callers verify the
/// digest and signature in each head instead.
pub(super) fn heads(
    connection: &Connection,
    from: u64,
    limit: usize,
) -> Result<Vec<Bytes>, DatabaseError> {
    let sql = "SELECT sth FROM log_batches WHERE batch >= ?1 ORDER BY batch LIMIT ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement
        .query_map(params![sql_integer(from), sql_limit(limit)], |row| row.get::<_, Vec<u8>>(0))?;
    rows.map(|sth| {
        let sth = sth?;
        // Damage is found by the caller: what cannot be decompressed is no signed head.
        Ok(decompress_head(&sth).unwrap_or_else(|_| Bytes::from(sth)))
    })
    .collect()
}

pub(super) fn entries(
    connection: &Connection,
    from: u64,
    limit: usize,
) -> Result<Vec<Bytes>, DatabaseError> {
    let Some(first) = batch_at(connection, from)? else { return Ok(Vec::new()) };
    let sql =
        format!("SELECT {COLUMNS}, contents FROM log_batches WHERE batch >= ?1 ORDER BY batch");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(params![sql_integer(first.batch)])?;
    let mut found = Vec::new();
    // The number and first index that the next batch must have.
    let mut next = (first.batch, first.first_index);
    while found.len() < limit {
        let Some(row) = rows.next()? else {
            check_first_batch(connection)?;
            break;
        };
        let kept = RawBatch::from_row(row)?.into_batch()?;
        if (kept.batch, kept.first_index) != next {
            let (batch, index) = next;
            let what = format!("batch {batch} of the log, from index {index},");
            return Err(damaged(&what, "it is missing").into());
        }
        let contents = decompress(row.get_ref(6)?.as_blob().map_err(rusqlite::Error::from)?)
            .map_err(|why| damaged(&format!("the contents of batch {}", kept.batch), &why))?;
        let contents = decode_contents(&contents, kept.batch, &kept.leaves)?;
        let skip = usize::try_from(from.saturating_sub(kept.first_index)).unwrap_or(usize::MAX);
        found.extend(contents.into_iter().skip(skip).take(limit - found.len()));
        next = (kept.batch + 1, kept.tree_size());
    }
    Ok(found)
}

pub(super) fn tile(
    connection: &Connection,
    level: u8,
    index: u64,
) -> Result<Option<Bytes>, DatabaseError> {
    let what = || format!("tile {index} of level {level}");
    let sql = "SELECT fingerprint, hashes FROM log_tiles WHERE level = ?1 AND tile = ?2";
    let found: Option<([u8; 32], Vec<u8>)> = connection
        .prepare_cached(sql)?
        .query_row(params![level, sql_integer(index)], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((fingerprint, hashes)) = found else {
        let size = last_batch(connection)?.map_or(0, |last| last.tree_size());
        return if LogTile::is_complete(level, index, size) {
            Err(damaged(&what(), "it is missing").into())
        } else {
            Ok(None)
        };
    };
    let tile = LogTile { level, index, hashes: Bytes::from(hashes) };
    if tile.fingerprint() == Digest(fingerprint) {
        Ok(Some(tile.hashes))
    } else {
        Err(damaged(&what(), "its fingerprint does not match").into())
    }
}
