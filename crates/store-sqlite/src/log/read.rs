//! Reading the log. What is given out was compared with its fingerprint, or with its leaf.

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension, Params, params};
use store::log::read_contents;
use store::{Digest, KeptBatch, StoreError};

use super::number;
use crate::error::Refused;
use crate::packed::unpack;

/// A number that was kept and can only be natural.
pub(super) fn natural(value: i64, what: &str) -> Result<u64, StoreError> {
    u64::try_from(value).map_err(|_| damaged(what, "it is below zero"))
}

fn damaged(what: &str, why: &str) -> StoreError {
    StoreError::Damaged { what: what.to_owned(), why: why.to_owned() }
}

pub(super) fn batch(
    connection: &Connection,
    which: &str,
    params: impl Params,
) -> Result<Option<KeptBatch>, Refused> {
    let sql = format!(
        "SELECT batch, first_index, sth_sha256, fingerprint, leaves, sth FROM log_batches {which}"
    );
    let raw = connection
        .prepare_cached(&sql)?
        .query_row(params, |row| {
            Ok(RawBatch {
                batch: row.get(0)?,
                first_index: row.get(1)?,
                sth_sha256: row.get(2)?,
                fingerprint: row.get(3)?,
                leaves: row.get(4)?,
                sth: row.get(5)?,
            })
        })
        .optional()?;
    Ok(raw.map(RawBatch::understood).transpose()?)
}

struct RawBatch {
    batch: i64,
    first_index: i64,
    sth_sha256: [u8; 32],
    fingerprint: [u8; 32],
    leaves: Vec<u8>,
    sth: Vec<u8>,
}

impl RawBatch {
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
fn digests(bytes: &[u8]) -> Vec<Digest> {
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
    let sql = "SELECT batch, first_index, leaves, contents FROM log_batches
               WHERE first_index >= coalesce(
                   (SELECT max(first_index) FROM log_batches WHERE first_index <= ?1), 0)
               ORDER BY first_index";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params![number(from)])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let batch = natural(row.get(0)?, "a batch's number")?;
        let first_index = natural(row.get(1)?, "a batch's first index")?;
        let leaves = digests(&row.get::<_, Vec<u8>>(2)?);
        let contents = unpack(row.get_ref(3)?.as_blob().map_err(rusqlite::Error::from)?)
            .map_err(|why| damaged(&format!("the contents of batch {batch}"), &why))?;
        let contents = read_contents(&contents, batch, &leaves)?;
        let skip = usize::try_from(from.saturating_sub(first_index)).unwrap_or(usize::MAX);
        found.extend(contents.into_iter().skip(skip).take(limit - found.len()));
        if found.len() >= limit {
            break;
        }
    }
    Ok(found)
}

pub(super) fn tile(
    connection: &Connection,
    level: u8,
    index: u64,
) -> Result<Option<Bytes>, Refused> {
    let sql = "SELECT sha256, hashes FROM log_tiles WHERE level = ?1 AND tile = ?2";
    let found: Option<([u8; 32], Vec<u8>)> = connection
        .prepare_cached(sql)?
        .query_row(params![level, number(index)], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    match found {
        Some((sha256, hashes)) if Digest::of(&hashes) != Digest(sha256) => {
            let what = format!("tile {index} of level {level}");
            Err(damaged(&what, "its digest is another").into())
        }
        found => Ok(found.map(|(_, hashes)| Bytes::from(hashes))),
    }
}
