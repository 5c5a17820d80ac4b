//! Removes the files of bodies that only deleted scans referred to.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use contract::Timestamp;
use rusqlite::{Connection, params};
use store::{Digest, StoreError};

use crate::artifact_files::ArtifactFiles;
use crate::database::Database;
use crate::error::DatabaseError;
use store::compression::decompress;

const DOING: &str = "removing the bodies of deleted scans";

/// A body on the list, and whether its file was removed.
type LookedAt = (Digest, Timestamp, bool);

/// Goes through the list of bodies of deleted scans and returns how many files were removed. If the
/// process ends in between, the rest stays on the list.
pub(crate) async fn remove_deleted_bodies(
    database: &Database,
    files: &Arc<ArtifactFiles>,
) -> Result<u64, StoreError> {
    let files = Arc::clone(files);
    let looked_at: Vec<LookedAt> = database
        .readers
        .read(DOING, move |connection| {
            let listed = list_bodies(connection)?;
            if listed.is_empty() {
                return Ok(Vec::new());
            }
            let in_use = find_in_use(connection, &listed)?;
            let mut looked_at = Vec::new();
            for (sha256, received_at) in listed {
                // A file that was received again since may be of a scan that is not stored yet.
                let removed =
                    !in_use.contains(&sha256) && files.remove_unless_newer(sha256, received_at)?;
                looked_at.push((sha256, received_at, removed));
            }
            Ok(looked_at)
        })
        .await?;
    if looked_at.is_empty() {
        return Ok(0);
    }
    let removed = looked_at.iter().filter(|(_, _, removed)| *removed).count() as u64;
    let write = move |connection: &Connection| take_off_the_list(connection, &looked_at);
    database.writer.write(DOING, 0, write).await?;
    Ok(removed)
}

fn list_bodies(connection: &Connection) -> Result<HashMap<Digest, Timestamp>, DatabaseError> {
    let mut statement = connection.prepare("SELECT sha256, received_at FROM deleted_bodies")?;
    let rows = statement
        .query_map([], |row| Ok((Digest(row.get(0)?), Timestamp::from_millis(row.get(1)?))))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Those of the listed bodies that a stored scan, a live reading or a content clock refers to.
fn find_in_use(
    connection: &Connection,
    listed: &HashMap<Digest, Timestamp>,
) -> Result<HashSet<Digest>, DatabaseError> {
    let mut in_use = HashSet::new();
    let mut keep = |digests: &mut dyn Iterator<Item = Digest>| {
        in_use.extend(digests.filter(|digest| listed.contains_key(digest)));
    };
    let mut statement = connection.prepare("SELECT artifacts FROM scans")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let artifacts: Vec<u8> = row.get(0)?;
        keep(&mut artifacts.as_chunks::<32>().0.iter().copied().map(Digest));
    }
    let mut statement = connection.prepare("SELECT record FROM readings WHERE scan_id IS NULL")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let packed: Vec<u8> = row.get(0)?;
        let Ok(record) = decompress(&packed) else { continue };
        keep(&mut named_bodies(&String::from_utf8_lossy(&record)));
    }
    let sql = "SELECT body_sha256 FROM clock_versions WHERE body_sha256 IS NOT NULL";
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        keep(&mut std::iter::once(Digest(row.get(0)?)));
    }
    Ok(in_use)
}

/// The digests of bodies in a record, which is canonical JSON.
fn named_bodies(record: &str) -> impl Iterator<Item = Digest> + '_ {
    let after_name = record.split(r#""body_sha256":""#).skip(1);
    after_name.filter_map(|rest| rest.get(..64)?.parse().ok())
}

fn take_off_the_list(connection: &Connection, looked_at: &[LookedAt]) -> Result<(), DatabaseError> {
    // A body that another deletion listed since, with a later time, is looked at again.
    let sql = "DELETE FROM deleted_bodies WHERE sha256 = ?1 AND received_at <= ?2";
    let mut take_off = connection.prepare_cached(sql)?;
    let sql = "DELETE FROM artifact_uses WHERE sha256 = ?1 AND last_used_at <= ?2";
    let mut forget = connection.prepare_cached(sql)?;
    for (sha256, received_at, removed) in looked_at {
        let parameters = params![sha256.as_bytes(), received_at.as_millis()];
        take_off.execute(parameters)?;
        if *removed {
            forget.execute(parameters)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bodies_that_a_record_names_are_found() {
        let digest = Digest::of(b"x");
        let record = format!(
            r#"{{"checks":[{{"body_sha256":null}},{{"body_sha256":"{digest}","path":"/robots.txt"}},{{"body_sha256":"short"}}]}}"#
        );
        assert_eq!(named_bodies(&record).collect::<Vec<_>>(), [digest]);
    }
}
