//! AI-accuracy records: damage and backups.

use std::fs;
use std::path::Path;

use bytes::Bytes;
use contract::{Day, Timestamp};
use store::{Accuracy, Digest, StoreError, StoredAccuracy};
use store_sqlite::{SqliteStore, copy_data_dir};

use crate::flips::{Chance, Reads, columns, flip};
use crate::open;

const FLIPS_PER_COLUMN: usize = 10;

/// Columns in which a read may not detect a flip: a record is not found, or an older one is taken for the newest. The
/// README lists the same columns. `wayleave fsck` finds all of them.
const UNDETECTED: [&str; 5] = ["domain", "engine", "day", "checked_at", "sha256"];

fn accuracy(name: &str, day: i64) -> StoredAccuracy {
    StoredAccuracy {
        domain: store::scans::parse_stored_domain(name).unwrap(),
        engine: String::from("oracle"),
        checked_at: Timestamp::from_millis(1_794_711_380_007 + day * 86_400_000),
        sha256: Digest::of(format!("{name} {day}").as_bytes()),
        record: Bytes::from(format!("record {name} {day} ").repeat(30)),
        evidence: Bytes::from(format!("evidence {name} {day} ").repeat(30)),
    }
}

/// Two domains with two records each, oldest first.
async fn fill(dir: &Path) -> Vec<StoredAccuracy> {
    let store = open(dir);
    let mut records = Vec::new();
    for (name, day) in [("a.lab", 1), ("b.lab", 1), ("a.lab", 2), ("b.lab", 2)] {
        let put = accuracy(name, day);
        assert_eq!(store.put_accuracy(put.clone(), Vec::new()).await, Ok(true));
        records.push(put);
    }
    records
}

async fn read_all(store: &SqliteStore, records: &[StoredAccuracy], what: &str) -> Reads {
    let mut reads = Reads::default();
    let list = |found: Result<Option<StoredAccuracy>, StoreError>| {
        found.map(|found| found.into_iter().collect::<Vec<_>>())
    };
    for record in records {
        let found = store.accuracy_by_digest(record.sha256).await;
        reads.note(list(found), std::slice::from_ref(record), records, what);
    }
    let bare: Vec<StoredAccuracy> =
        records.iter().map(|r| StoredAccuracy { evidence: Bytes::new(), ..r.clone() }).collect();
    let since = Day::from_number(0);
    for (old, new) in [(0, 2), (1, 3)] {
        let (newest, both) = (&records[new], [bare[new].clone(), bare[old].clone()]);
        for engine in [None, Some("oracle")] {
            let found = store.newest_accuracy(&newest.domain, engine).await;
            reads.note(list(found), std::slice::from_ref(newest), records, what);
            let found = store.accuracy_of(&newest.domain, engine, since, 9).await;
            reads.note(found, &both, &bare, what);
        }
    }
    reads
}

#[tokio::test]
async fn a_flipped_byte_of_an_accuracy_record_is_an_error_and_never_a_wrong_answer() {
    let dir = tempfile::tempdir().unwrap();
    let records = fill(dir.path()).await;
    let path = dir.path().join("wayleave.db");
    let whole = fs::read(&path).unwrap();
    let columns = columns(&path, &["accuracy_records"]);
    assert_eq!(columns.len(), 10, "{columns:?}");
    let sound = read_all(&open(dir.path()), &records, "nothing").await;
    assert!(!sound.error && !sound.missing, "{sound:?}");
    let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
    for column in &columns {
        let listed = UNDETECTED.iter().any(|name| column.ends_with(&format!(".{name}")));
        let mut flips = 0;
        for _ in 0..FLIPS_PER_COLUMN {
            for side in ["wayleave.db-wal", "wayleave.db-shm"] {
                let _ = fs::remove_file(dir.path().join(side));
            }
            fs::write(&path, &whole).unwrap();
            let Some(what) = flip(&path, column, &mut chance) else { continue };
            let reads = read_all(&open(dir.path()), &records, &what).await;
            assert!(!reads.missing || listed, "{what}: {reads:?}");
            assert!(reads.error || listed, "{what}: nothing was found");
            flips += 1;
        }
        assert!(flips > FLIPS_PER_COLUMN / 2, "{column}: only {flips} flips");
    }
}

/// The README must list the same columns.
#[test]
fn the_readme_lists_the_undetected_columns_of_accuracy_records() {
    let readme = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let (_, section) = readme.split_once("## Damage that a read does not detect").unwrap();
    let section = section.split("\n## ").next().unwrap();
    let line = section.lines().find(|line| line.starts_with("- `accuracy_records`")).unwrap();
    for column in UNDETECTED {
        assert!(line.contains(&format!("`{column}`")), "{column} is not in: {line}");
    }
}

#[tokio::test]
async fn a_backup_of_a_running_server_has_the_accuracy_records() {
    let dir = tempfile::tempdir().unwrap();
    let [from, to] = ["from", "to"].map(|name| dir.path().join(name));
    let server = open(&from);
    let (before, after) = (accuracy("a.lab", 1), accuracy("a.lab", 2));
    assert_eq!(server.put_accuracy(before.clone(), Vec::new()).await, Ok(true));
    copy_data_dir(&from, &to).unwrap();
    assert_eq!(server.put_accuracy(after, Vec::new()).await, Ok(true));
    assert_eq!(open(&to).newest_accuracy(&before.domain, None).await, Ok(Some(before)));
}
