//! The engine's own check: SQLite's, and that tables which repeat others agree with them.

use std::collections::HashMap;

use rusqlite::Connection;
use store::Digest;

use crate::artifact_files::ArtifactFiles;
use crate::error::DatabaseError;

/// Problems that are listed; a damaged file can have very many.
const MOST_PROBLEMS: usize = 100;

/// What must give no rows: a text with `{}` for the first column, and the query.
const QUERIES: &[(&str, &str)] = &[
    (
        "newest_answers has {} under another time or domain than its answer",
        "SELECT hex(n.sha256) FROM newest_answers n LEFT JOIN answers a USING (sha256)
         WHERE a.answered_at IS NOT n.answered_at",
    ),
    (
        "sealed_digests has {} for a day that has no such leaf",
        "SELECT hex(d.digest) FROM sealed_digests d LEFT JOIN seals s USING (day)
         WHERE s.day IS NULL OR d.leaf NOT BETWEEN 0 AND s.leaves - 1",
    ),
    (
        "anchors has a timestamp for day {}, which is not sealed",
        "SELECT a.day FROM anchors a LEFT JOIN seals s USING (day) WHERE s.day IS NULL",
    ),
    (
        "deleted_scans has {}, which is stored",
        "SELECT s.id FROM scans s JOIN deleted_scans d USING (id)",
    ),
    (
        "a row of {} refers to a row that is missing",
        "SELECT \"table\" FROM pragma_foreign_key_check",
    ),
];

/// Everything that is wrong with the database by itself, in words.
pub(crate) fn inspect(
    connection: &Connection,
    files: &ArtifactFiles,
) -> Result<Vec<String>, DatabaseError> {
    // Pages, cells, indexes against their tables, and the tables' own constraints.
    let mut problems = query_texts(connection, "PRAGMA integrity_check(100)")?;
    problems.retain(|line| line != "ok");
    for (text, query) in QUERIES {
        let query = format!("SELECT * FROM ({query}) LIMIT {MOST_PROBLEMS}");
        let found = query_texts(connection, &query)?;
        problems.extend(found.into_iter().map(|what| text.replace("{}", &what)));
    }
    problems.extend(find_unprotected_artifacts(connection, files)?);
    problems.truncate(MOST_PROBLEMS);
    Ok(problems)
}

fn query_texts(connection: &Connection, sql: &str) -> Result<Vec<String>, DatabaseError> {
    let mut statement = connection.prepare(sql)?;
    let text = |row: &rusqlite::Row<'_>| {
        use rusqlite::types::ValueRef;
        Ok(match row.get_ref(0)? {
            ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
            ValueRef::Integer(number) => number.to_string(),
            other => format!("{other:?}"),
        })
    };
    let found = statement.query_map([], text)?;
    Ok(found.collect::<rusqlite::Result<_>>()?)
}

/// Artefacts of scans that a sweep could take away too early, because their last use is missing or
/// recorded too early. The use of an artefact that was swept is forgotten with it.
fn find_unprotected_artifacts(
    connection: &Connection,
    files: &ArtifactFiles,
) -> Result<Vec<String>, DatabaseError> {
    let mut last_used: HashMap<Vec<u8>, i64> = HashMap::new();
    let mut statement = connection.prepare("SELECT sha256, last_used_at FROM artifact_uses")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        last_used.insert(row.get(0)?, row.get(1)?);
    }
    let mut problems = Vec::new();
    let mut statement = connection.prepare("SELECT id, scanned_at, artifacts FROM scans")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (id, at, artifacts): (String, i64, Vec<u8>) = (row.get(0)?, row.get(1)?, row.get(2)?);
        for digest in artifacts.as_chunks().0 {
            let protected = match last_used.get(digest.as_slice()) {
                Some(used) => *used >= at,
                None => !files.artifact_path(Digest(*digest)).1.exists(),
            };
            if !protected && problems.len() < MOST_PROBLEMS {
                problems
                    .push(format!("artifact_uses does not list the use of a body by scan {id}"));
            }
        }
    }
    Ok(problems)
}
