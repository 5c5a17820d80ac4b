//! What durability costs at least: rows are made one after the other and inserted into the table of the service by SQLite
//! alone, as many in a transaction as there are callers, neither compressed nor encrypted.

use std::time::{Duration, Instant};

use rusqlite::{Connection, params};
use store_sqlite::{SqliteOptions, SqliteStore};

use crate::CALLERS;
use crate::world::cpu_seconds;

/// What the second limit of a path is called in the table.
pub(crate) const WITH_STORING: &str = "the same, inserted by SQLite alone in groups of 32";

/// Rows per second of CPU time. `sql` gets a key of 32 bytes, the bytes of the row and its number; `make` makes the bytes
/// of the row with this number.
pub(crate) fn rate_with_storing(
    round: Duration,
    sql: &str,
    mut make: impl FnMut(usize) -> Vec<u8>,
) -> f64 {
    const { assert!(CALLERS == 32, "the name of the limit says how many") };
    let folder = tempfile::tempdir().unwrap();
    // Creates the tables.
    drop(SqliteStore::open(folder.path(), SqliteOptions::default()).unwrap());
    let connection = Connection::open(folder.path().join("wayleave.db")).unwrap();
    for (name, value) in [("synchronous", "FULL"), ("wal_autocheckpoint", "4096")] {
        connection.pragma_update(None, name, value).unwrap();
    }
    let mut insert = connection.prepare(sql).unwrap();
    let (begun, before, mut rows) = (Instant::now(), cpu_seconds(), 0_usize);
    while begun.elapsed() < round.min(Duration::from_secs(2)) {
        connection.execute_batch("BEGIN IMMEDIATE").unwrap();
        for number in rows..rows + CALLERS {
            // As spread as the digests of documents.
            let key = proof::sha256(&number.to_le_bytes());
            let number_of_row = i64::try_from(number).unwrap();
            insert.execute(params![key.as_bytes(), make(number), number_of_row]).unwrap();
        }
        connection.execute_batch("COMMIT").unwrap();
        rows += CALLERS;
    }
    rows as f64 / (cpu_seconds() - before).max(0.01)
}
