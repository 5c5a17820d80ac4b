//! Several reads of one state of the database.

use rusqlite::Connection;

use crate::error::DatabaseError;

/// Runs reads in one transaction, so that they belong together. It also costs less than each by itself: a statement
/// outside of a transaction looks up by itself what was written since the last one.
pub(crate) fn in_snapshot<T>(
    connection: &Connection,
    read: impl FnOnce(&Connection) -> Result<T, DatabaseError>,
) -> Result<T, DatabaseError> {
    if !connection.is_autocommit() {
        return read(connection);
    }
    // Kept prepared, unlike the statements of rusqlite's transactions.
    connection.prepare_cached("BEGIN")?.execute([])?;
    let result = read(connection);
    // Nothing was written. A connection that goes back to the others must not stay in the transaction.
    let ended = connection.prepare_cached("ROLLBACK").and_then(|mut end| end.execute([]));
    let result = result?;
    ended?;
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_see_one_state_and_the_transaction_ends_also_after_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let open = || Connection::open(dir.path().join("a.db")).unwrap();
        let (writer, reader) = (open(), open());
        writer
            .execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (n); BEGIN; COMMIT;")
            .unwrap();
        let count = |c: &Connection| -> Result<i64, DatabaseError> {
            Ok(c.prepare_cached("SELECT count(*) FROM t")?.query_row([], |row| row.get(0))?)
        };
        let insert = || writer.execute("INSERT INTO t VALUES (1)", []).unwrap();
        let seen = in_snapshot(&reader, |c| {
            let before = count(c)?;
            insert();
            // Within another one it is the outer one that counts.
            Ok((before, in_snapshot(c, count)?))
        });
        assert_eq!(seen.ok(), Some((0, 0)));
        let failed = in_snapshot(&reader, |c| Ok(c.execute("INSERT INTO missing VALUES (1)", [])?));
        assert!(failed.is_err() && reader.is_autocommit());
        insert();
        assert_eq!(in_snapshot(&reader, count).ok(), Some(2));
    }
}
