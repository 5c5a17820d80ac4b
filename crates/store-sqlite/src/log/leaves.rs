//! Finds leaves by their hash. The table `log_leaves` has no fingerprints, so an index from it is
//! returned only if the batch at that index contains the leaf.

use rusqlite::{Connection, OptionalExtension, params};
use store::{Digest, StoreError};

use super::read::{damaged, digests};
use crate::columns::{sql_integer, unsigned};
use crate::error::DatabaseError;

pub(super) fn leaf_places(
    connection: &Connection,
    leaves: &[Digest],
) -> Result<Vec<Option<u64>>, DatabaseError> {
    let sql = "SELECT log_index FROM log_leaves WHERE leaf = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let mut places = Vec::with_capacity(leaves.len());
    let mut found = Vec::new();
    for leaf in leaves {
        let place: Option<i64> =
            statement.query_row(params![leaf.as_bytes()], |row| row.get(0)).optional()?;
        let place = place.map(|place| unsigned(place, "a leaf's index")).transpose()?;
        found.extend(place.map(|place| (place, *leaf)));
        places.push(place);
    }
    check_places(connection, found)?;
    Ok(places)
}

pub(super) fn leaf_kinds(
    connection: &Connection,
    leaves: &[Digest],
) -> Result<Vec<Option<String>>, DatabaseError> {
    let mut statement = connection.prepare_cached("SELECT kind FROM log_leaves WHERE leaf = ?1")?;
    let mut kinds = Vec::with_capacity(leaves.len());
    for leaf in leaves {
        let kind: Option<Option<String>> =
            statement.query_row(params![leaf.as_bytes()], |row| row.get(0)).optional()?;
        kinds.push(kind.flatten());
    }
    Ok(kinds)
}

pub(super) fn indexes_of_kind(
    connection: &Connection,
    kind: &str,
) -> Result<Vec<u64>, DatabaseError> {
    let sql = "SELECT log_index, leaf FROM log_leaves WHERE kind = ?1 ORDER BY log_index";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(params![kind], |row| Ok((row.get(0)?, Digest(row.get(1)?))))?;
    let mut found = Vec::new();
    for row in rows {
        let (place, leaf) = row?;
        found.push((unsigned(place, "an entry's index")?, leaf));
    }
    let places = found.iter().map(|(place, _)| *place).collect();
    check_places(connection, found)?;
    Ok(places)
}

/// Checks that each leaf is in the batch at its index. Goes through them in log order, so that each
/// batch is read once.
///
/// A leaf and its batch are stored in one transaction, so a reader that sees the leaf sees the
/// batch.
fn check_places(
    connection: &Connection,
    mut found: Vec<(u64, Digest)>,
) -> Result<(), DatabaseError> {
    found.sort_unstable();
    let sql = "SELECT first_index, leaves FROM log_batches WHERE first_index <= ?1
               ORDER BY first_index DESC LIMIT 1";
    let mut statement = connection.prepare_cached(sql)?;
    let mut first_index = 0;
    let mut leaves: Vec<Digest> = Vec::new();
    for (place, leaf) in found {
        if place.checked_sub(first_index).is_none_or(|at| at >= leaves.len() as u64) {
            let batch: Option<(i64, Vec<u8>)> = statement
                .query_row(params![sql_integer(place)], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            let Some((first, bytes)) = batch else { return Err(misplaced_leaf(&leaf).into()) };
            first_index = unsigned(first, "a batch's first index")?;
            leaves = digests(&bytes);
        }
        let at = place.checked_sub(first_index).and_then(|at| usize::try_from(at).ok());
        if at.and_then(|at| leaves.get(at)) != Some(&leaf) {
            return Err(misplaced_leaf(&leaf).into());
        }
    }
    Ok(())
}

fn misplaced_leaf(leaf: &Digest) -> StoreError {
    damaged(&format!("the index of leaf {leaf}"), "the log has another leaf at that index, or none")
}
