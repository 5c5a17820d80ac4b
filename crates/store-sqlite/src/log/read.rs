//! Reading the log. What is given out was compared with its fingerprint, or with its leaf.

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension, Params, Row, params};
use store::log::read_contents;
use store::{Digest, KeptBatch, LogTile, StoreError};

use super::number;
use crate::error::Refused;
use crate::packed::unpack;
pub(super) use crate::sqlite_store::natural;

pub(super) fn damaged(what: &str, why: &str) -> StoreError {
    StoreError::Damaged { what: what.to_owned(), why: why.to_owned() }
}

/// The end of the log. Like everything below it asks more than one question, and is called in a
/// transaction, so that all are answered of the same log.
pub(super) fn last(connection: &Connection) -> Result<Option<KeptBatch>, Refused> {
    let found = one_batch(connection, "ORDER BY batch DESC LIMIT 1", params![])?;
    check_beginning(connection)?;
    Ok(found)
}

/// A number that has fallen below zero would hide a batch from every other question.
fn check_beginning(connection: &Connection) -> Result<(), Refused> {
    let sql = "SELECT min(batch) FROM log_batches";
    let first: Option<i64> = connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
    match first {
        None | Some(0) => Ok(()),
        Some(other) => Err(damaged("the log", &format!("its first batch is {other}")).into()),
    }
}

pub(super) fn batch(connection: &Connection, batch: u64) -> Result<Option<KeptBatch>, Refused> {
    let found = one_batch(connection, "WHERE batch = ?1", params![number(batch)])?;
    if found.is_none() && last(connection)?.is_some_and(|last| batch <= last.batch) {
        return Err(damaged(&format!("batch {batch} of the log"), "it is missing").into());
    }
    Ok(found)
}

pub(super) fn batch_at(
    connection: &Connection,
    log_index: u64,
) -> Result<Option<KeptBatch>, Refused> {
    let which = "WHERE first_index <= ?1 ORDER BY first_index DESC LIMIT 1";
    let found = one_batch(connection, which, params![number(log_index)])?;
    let found = found.filter(|batch| log_index < batch.tree_size());
    if found.is_none() && last(connection)?.is_some_and(|last| log_index < last.tree_size()) {
        return Err(damaged(&format!("index {log_index} of the log"), "it is missing").into());
    }
    Ok(found)
}

fn one_batch(
    connection: &Connection,
    which: &str,
    params: impl Params,
) -> Result<Option<KeptBatch>, Refused> {
    let sql = format!("SELECT {COLUMNS} FROM log_batches {which}");
    let raw = connection.prepare_cached(&sql)?.query_row(params, RawBatch::read).optional()?;
    Ok(raw.map(RawBatch::understood).transpose()?)
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
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            batch: row.get(0)?,
            first_index: row.get(1)?,
            sth_sha256: row.get(2)?,
            fingerprint: row.get(3)?,
            leaves: row.get(4)?,
            sth: row.get(5)?,
        })
    }

    fn understood(self) -> Result<KeptBatch, StoreError> {
        let what = format!("batch {} of the log", self.batch);
        let kept = KeptBatch {
            batch: natural(self.batch, &what)?,
            first_index: natural(self.first_index, &what)?,
            sth_sha256: Digest(self.sth_sha256),
            sth: Bytes::from(self.sth),
            leaves: digests(&self.leaves),
        };
        if kept.fingerprint() == Digest(self.fingerprint) {
            Ok(kept)
        } else {
            Err(damaged(&what, "its fingerprint is another"))
        }
    }
}

/// 32 bytes each; a rest is left over, and the fingerprint tells.
pub(super) fn digests(bytes: &[u8]) -> Vec<Digest> {
    bytes.as_chunks::<32>().0.iter().map(|chunk| Digest(*chunk)).collect()
}

/// Heads are read without their leaves, so the digest that each carries stands in for the
/// fingerprint: whoever is given one checks it anyway.
pub(super) fn heads(
    connection: &Connection,
    from: u64,
    limit: usize,
) -> Result<Vec<Bytes>, Refused> {
    let sql = "SELECT sth FROM log_batches WHERE batch >= ?1 ORDER BY batch LIMIT ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = statement.query_map(params![number(from), limit], |row| row.get::<_, Vec<u8>>(0))?;
    rows.map(|sth| Ok(Bytes::from(sth?))).collect()
}

pub(super) fn entries(
    connection: &Connection,
    from: u64,
    limit: usize,
) -> Result<Vec<Bytes>, Refused> {
    let Some(first) = batch_at(connection, from)? else { return Ok(Vec::new()) };
    let sql =
        format!("SELECT {COLUMNS}, contents FROM log_batches WHERE batch >= ?1 ORDER BY batch");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(params![number(first.batch)])?;
    let mut found = Vec::new();
    // Where the next batch must begin.
    let mut next = (first.batch, first.first_index);
    while found.len() < limit {
        let Some(row) = rows.next()? else {
            check_beginning(connection)?;
            break;
        };
        let kept = RawBatch::read(row)?.understood()?;
        if (kept.batch, kept.first_index) != next {
            let (batch, index) = next;
            let what = format!("batch {batch} of the log, from index {index},");
            return Err(damaged(&what, "it is missing").into());
        }
        let contents = unpack(row.get_ref(6)?.as_blob().map_err(rusqlite::Error::from)?)
            .map_err(|why| damaged(&format!("the contents of batch {}", kept.batch), &why))?;
        let contents = read_contents(&contents, kept.batch, &kept.leaves)?;
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
) -> Result<Option<Bytes>, Refused> {
    let what = || format!("tile {index} of level {level}");
    let sql = "SELECT fingerprint, hashes FROM log_tiles WHERE level = ?1 AND tile = ?2";
    let found: Option<([u8; 32], Vec<u8>)> = connection
        .prepare_cached(sql)?
        .query_row(params![level, number(index)], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((fingerprint, hashes)) = found else {
        let size = last(connection)?.map_or(0, |last| last.tree_size());
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
        Err(damaged(&what(), "its fingerprint is another").into())
    }
}
