//! Finding leaves by their hash. The index beside the batches has no fingerprint; a place that it
//! names is given out only when the batch there holds that very leaf.

use rusqlite::{Connection, OptionalExtension, params};
use store::{Digest, StoreError};

use super::number;
use super::read::{damaged, digests, natural};
use crate::error::Refused;

pub(super) fn places(
    connection: &Connection,
    leaves: &[Digest],
) -> Result<Vec<Option<u64>>, Refused> {
    let sql = "SELECT log_index FROM log_leaves WHERE leaf = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let mut places = Vec::with_capacity(leaves.len());
    let mut found = Vec::new();
    for leaf in leaves {
        let place: Option<i64> =
            statement.query_row(params![leaf.as_bytes()], |row| row.get(0)).optional()?;
        let place = place.map(|place| natural(place, "a leaf's place")).transpose()?;
        found.extend(place.map(|place| (place, *leaf)));
        places.push(place);
    }
    check(connection, found)?;
    Ok(places)
}

pub(super) fn kinds(
    connection: &Connection,
    leaves: &[Digest],
) -> Result<Vec<Option<String>>, Refused> {
    let mut statement = connection.prepare_cached("SELECT kind FROM log_leaves WHERE leaf = ?1")?;
    let mut kinds = Vec::with_capacity(leaves.len());
    for leaf in leaves {
        let kind: Option<Option<String>> =
            statement.query_row(params![leaf.as_bytes()], |row| row.get(0)).optional()?;
        kinds.push(kind.flatten());
    }
    Ok(kinds)
}

pub(super) fn of_kind(connection: &Connection, kind: &str) -> Result<Vec<u64>, Refused> {
    let sql = "SELECT log_index, leaf FROM log_leaves WHERE kind = ?1 ORDER BY log_index";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(params![kind], |row| Ok((row.get(0)?, Digest(row.get(1)?))))?;
    let mut found = Vec::new();
    for row in rows {
        let (place, leaf) = row?;
        found.push((natural(place, "an entry's place")?, leaf));
    }
    let places = found.iter().map(|(place, _)| *place).collect();
    check(connection, found)?;
    Ok(places)
}

/// Compares places with the batches. They are gone through in log order, so that a batch is read
/// once, however many of its leaves are asked for.
///
/// A leaf is put in one transaction with its batch: whoever saw it sees the batch.
fn check(connection: &Connection, mut found: Vec<(u64, Digest)>) -> Result<(), Refused> {
    found.sort_unstable();
    let sql = "SELECT first_index, leaves FROM log_batches WHERE first_index <= ?1
               ORDER BY first_index DESC LIMIT 1";
    let mut statement = connection.prepare_cached(sql)?;
    let mut first_index = 0;
    let mut leaves: Vec<Digest> = Vec::new();
    for (place, leaf) in found {
        if place.checked_sub(first_index).is_none_or(|at| at >= leaves.len() as u64) {
            let batch: Option<(i64, Vec<u8>)> = statement
                .query_row(params![number(place)], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            let Some((first, bytes)) = batch else { return Err(elsewhere(&leaf).into()) };
            first_index = natural(first, "a batch's first index")?;
            leaves = digests(&bytes);
        }
        let at = place.checked_sub(first_index).and_then(|at| usize::try_from(at).ok());
        if at.and_then(|at| leaves.get(at)) != Some(&leaf) {
            return Err(elsewhere(&leaf).into());
        }
    }
    Ok(())
}

fn elsewhere(leaf: &Digest) -> StoreError {
    damaged(&format!("the place of leaf {leaf}"), "the log has another leaf there, or none")
}
