//! Bit flips in the stored log: every column of every table, one flip at a time.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use bytes::Bytes;
use contract::Timestamp;
use proof::tlog::RightEdge;
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use store::{
    Answers, Append, AppendExtras, ContradictingHead, Cosignature, Digest, Log, LogEntry, LogLease,
    LogTile, NewBatch, StoreError, StoredAnswer,
};
use store_sqlite::SqliteStore;

use crate::{open, try_open};

const FLIPS: usize = 300;

const TABLES: [&str; 7] = [
    "log_batches",
    "log_leaves",
    "log_tiles",
    "log_lease",
    "log_cosignatures",
    "log_sightings",
    "answers",
];

/// Columns in which a read may not detect a flip. The README lists the same columns. The test checks
/// both directions: flips in these columns can go undetected, and in no other column.
const UNDETECTED: [&str; 17] = [
    // The leaf is not found, or the entry is not listed under its kind.
    "log_leaves.leaf",
    "log_leaves.kind",
    // The answer is not found; the list of all answers is an error.
    "answers.sha256",
    // The list of all answers has another order.
    "answers.position",
    // Statements by others, signed by them.
    "log_cosignatures.tree_size",
    "log_cosignatures.witness",
    "log_cosignatures.line",
    "log_cosignatures.at",
    "log_sightings.sth_sha256",
    "log_sightings.batch",
    "log_sightings.seen_at",
    "log_sightings.sth",
    "log_sightings.why",
    // Not read by any of these queries.
    "log_lease.id",
    "log_lease.holder",
    "log_lease.epoch",
    "log_lease.until",
];

/// The values that were stored and must be read back.
struct Put {
    batches: Vec<NewBatch>,
    answers: Vec<StoredAnswer>,
    cosignatures: Vec<Cosignature>,
    sightings: Vec<ContradictingHead>,
}

#[tokio::test]
async fn a_flipped_byte_of_the_log_is_an_error_and_never_a_wrong_answer() {
    let dir = tempfile::tempdir().unwrap();
    let put = fill(dir.path()).await;
    let path = dir.path().join("wayleave.db");
    let whole = fs::read(&path).unwrap();
    let columns = columns(&path, &TABLES);
    assert_eq!(columns.len(), 7 + 3 + 4 + 4 + 4 + 5 + 7, "{columns:?}");
    // First the test itself: an undamaged log gives no error.
    assert_eq!(read(&open(dir.path()), &put).await, BTreeSet::new());

    let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
    let mut faults: BTreeMap<&String, BTreeSet<ReadFault>> = BTreeMap::new();
    let listed = |column: &&String| UNDETECTED.contains(&column.as_str());
    // Not every flip of a listed column goes undetected, so try more of those.
    let more = columns.iter().filter(listed).cycle().take(FLIPS);
    for (number, column) in columns.iter().cycle().take(FLIPS).chain(more).enumerate() {
        let shown = faults.get(column).is_some_and(|faults| faults.iter().any(ReadFault::is_wrong));
        if number >= FLIPS && shown {
            continue;
        }
        let what = loop {
            for side in ["wayleave.db-wal", "wayleave.db-shm"] {
                let _ = fs::remove_file(dir.path().join(side));
            }
            fs::write(&path, &whole).unwrap();
            if let Some(what) = flip(&path, column, &mut chance) {
                break what;
            }
        };
        let found = match try_open(dir.path()) {
            Ok(store) => read(&store, &put).await,
            Err(_) => BTreeSet::from([ReadFault::Error]),
        };
        let wrong = found.iter().any(ReadFault::is_wrong);
        assert!(!wrong || listed(&column), "{what}: {found:?}");
        faults.entry(column).or_default().extend(found);
    }
    // A column counts as checked if some flip of it was an error. A column whose flips never show
    // would not be tested at all.
    for column in &columns {
        let faults = &faults[column];
        let detected =
            faults.contains(&ReadFault::Error) && !faults.iter().any(ReadFault::is_wrong);
        assert_eq!(detected, !listed(&column), "{column}: {faults:?}");
    }
}

/// The README must list the same columns.
#[test]
fn the_readme_lists_the_undetected_columns() {
    let readme = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let (_, section) = readme.split_once("## Damage that a read does not detect").unwrap();
    let section = section.split("\n## ").next().unwrap();
    for column in UNDETECTED {
        let (table, column) = column.split_once('.').unwrap();
        let line = section.lines().find(|line| line.starts_with(&format!("- `{table}`"))).unwrap();
        assert!(line.contains(&format!("`{column}`")), "{table}.{column} is not in: {line}");
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ReadFault {
    Error,
    /// The query that returned something other than what was stored.
    Wrong(&'static str),
}

impl ReadFault {
    fn is_wrong(&self) -> bool {
        matches!(self, Self::Wrong(_))
    }
}

/// Runs every query and compares the results with what was stored.
async fn read(store: &SqliteStore, put: &Put) -> BTreeSet<ReadFault> {
    let mut faults = BTreeSet::new();
    let mut is = |what: &'static str, right: Result<bool, StoreError>| match right {
        Ok(true) => {}
        Ok(false) => drop(faults.insert(ReadFault::Wrong(what))),
        Err(_) => drop(faults.insert(ReadFault::Error)),
    };
    let last = put.batches.last().map(NewBatch::to_stored);
    let size = last.as_ref().unwrap().tree_size();
    is("last_batch", store.last_batch().await.map(|got| got == last));
    is("past the end", store.batch_at(size).await.map(|got| got.is_none()));
    is("past the end", store.batch(put.batches.len() as u64).await.map(|got| got.is_none()));
    is("indexed_leaves", store.count_indexed_leaves().await.map(|got| got == size));
    for batch in &put.batches {
        let stored = batch.to_stored();
        is("batch", store.batch(stored.batch).await.map(|got| got.as_ref() == Some(&stored)));
        for index in [stored.first_index, stored.tree_size() - 1] {
            is("batch_at", store.batch_at(index).await.map(|got| got.as_ref() == Some(&stored)));
        }
        for tile in &batch.tiles {
            let got = store.tile(tile.level, tile.index).await;
            is("tile", got.map(|got| got.as_ref() == Some(&tile.hashes)));
        }
    }
    let entries: Vec<&LogEntry> = put.batches.iter().flat_map(|batch| &batch.entries).collect();
    let contents: Vec<Bytes> = entries.iter().map(|entry| entry.content.clone()).collect();
    for from in (0..contents.len()).step_by(41) {
        for limit in [1, 60, usize::MAX] {
            let got = store.log_entries(from as u64, limit).await;
            let end = from.saturating_add(limit).min(contents.len());
            is("log_entries", got.map(|got| got == contents[from..end]));
        }
    }
    let leaves: Vec<Digest> = entries.iter().map(|entry| entry.leaf).collect();
    let places: Vec<Option<u64>> = (0..size).map(Some).collect();
    is("leaf_places", store.leaf_indexes(leaves.clone()).await.map(|got| got == places));
    let kinds: Vec<Option<String>> = entries.iter().map(|entry| entry.kind.clone()).collect();
    is("leaf_kinds", store.leaf_kinds(leaves).await.map(|got| got == kinds));
    let builds: Vec<u64> =
        (0..).zip(&kinds).filter(|(_, kind)| kind.is_some()).map(|(place, _)| place).collect();
    is("entries_of_kind", store.entries_of_kind("build").await.map(|got| got == builds));
    for answer in &put.answers {
        let got = store.answer(answer.sha256).await;
        is("answer", got.map(|got| got.as_ref() == Some(answer)));
    }
    for domain in put.answers.iter().map(|answer| &answer.domain) {
        let latest = put.answers.iter().rfind(|answer| answer.domain == *domain);
        is("latest_answer", store.latest_answer(domain).await.map(|got| got.as_ref() == latest));
    }
    let all = store.export_answers(None, usize::MAX).await;
    is("export_answers", all.map(|got| got == put.answers));
    let cosignatures = store.cosignatures(put.cosignatures[0].tree_size).await;
    is("cosignatures", cosignatures.map(|got| got == put.cosignatures));
    is("sightings", store.contradicting_heads().await.map(|got| got == put.sightings));
    // `heads` is left out: by design it returns the stored bytes unchecked.
    faults
}

/// A small log with a row in every table. Answers are in export order.
async fn fill(dir: &Path) -> Put {
    let store = open(dir);
    let at = Timestamp::from_millis(1_794_711_380_007);
    let leasing = store.acquire_log_lease("us", at, at.plus_millis(60_000)).await.unwrap();
    let LogLease::Granted { epoch } = leasing else { panic!("{leasing:?}") };
    let mut edge = RightEdge::new();
    let mut batches: Vec<NewBatch> = Vec::new();
    let mut answers = Vec::new();
    for (batch, leaves) in [(0_u64, 3_u64), (1, 280), (2, 1), (3, 250), (4, 7), (5, 2)] {
        let first_index = edge.size();
        let mut entries: Vec<LogEntry> = (0..leaves)
            .map(|number| {
                let content = Bytes::from(format!("{{\"of\":\"{batch}.{number}\"}}"));
                let kind = (number % 90 == 0).then(|| String::from("build"));
                LogEntry { leaf: proof::merkle_tree::leaf_hash(&content), kind, content }
            })
            .collect();
        entries.sort_by_key(|entry| entry.leaf);
        let mut full = Vec::new();
        entries.iter().for_each(|entry| edge.push(entry.leaf, &mut full));
        let tiles = full.into_iter().map(|tile| LogTile {
            level: tile.level,
            index: tile.index,
            hashes: Bytes::from(tile.hashes),
        });
        let sth = Bytes::from(format!("head {batch}"));
        let new = NewBatch {
            batch,
            first_index,
            sth_sha256: Digest::of(&sth),
            sth,
            entries,
            tiles: tiles.collect(),
        };
        let after = batches.last().map(|last| last.sth_sha256);
        let answered_at = at.plus_millis(i64::try_from(batch).unwrap());
        let domain =
            store::scans::parse_stored_domain(["a.lab", "b.lab"][batch as usize % 2]).unwrap();
        let answer = StoredAnswer {
            sha256: Digest::of(format!("answer {batch}").as_bytes()),
            domain,
            answered_at,
            log_index: first_index,
            bytes: format!("answer {batch} ").repeat(30).into(),
        };
        answers.push(answer.clone());
        batches.push(new.clone());
        let append = Append {
            epoch,
            previous_head: after,
            batch: Some(new),
            answers: vec![answer],
            extras: AppendExtras::default(),
        };
        store.append(append).await.unwrap();
    }
    assert_eq!(batches.iter().map(|batch| batch.tiles.len()).sum::<usize>(), 2);
    let cosignature = |witness: &str| Cosignature {
        tree_size: 283,
        witness: witness.to_owned(),
        line: format!("— {witness} saw it"),
        at,
    };
    let cosignatures = vec![cosignature("a.lab"), cosignature("b.lab")];
    store.put_cosignatures(cosignatures.clone()).await.unwrap();
    let sth = Bytes::from_static(b"another head");
    let sth_sha256 = Digest::of(&sth);
    let sighting =
        ContradictingHead { sth_sha256, batch: 1, seen_at: at, sth, why: "not ours".into() };
    store.put_contradicting_head(sighting.clone()).await.unwrap();
    Put { batches, answers, cosignatures, sightings: vec![sighting] }
}

/// What the reads of a damaged store gave.
#[derive(Debug, Default)]
pub(crate) struct Reads {
    /// At least one read was an error.
    pub(crate) error: bool,
    /// At least one read gave less or something older than what was stored.
    pub(crate) missing: bool,
}

impl Reads {
    /// Notes a read. Something that was never stored fails the test.
    pub(crate) fn note<T: PartialEq + std::fmt::Debug>(
        &mut self,
        read: Result<Vec<T>, StoreError>,
        expected: &[T],
        stored: &[T],
        what: &str,
    ) {
        match read {
            Err(_) => self.error = true,
            Ok(found) => {
                assert!(found.iter().all(|value| stored.contains(value)), "{what}: {found:?}");
                self.missing |= found != expected;
            }
        }
    }
}

/// All columns of these tables, `table.column`.
pub(crate) fn columns(database: &Path, tables: &[&str]) -> Vec<String> {
    let connection = Connection::open(database).unwrap();
    let mut all = Vec::new();
    for table in tables {
        let mut statement = connection.prepare("SELECT name FROM pragma_table_info(?1)").unwrap();
        let names = statement.query_map([table], |row| row.get::<_, String>(0)).unwrap();
        all.extend(names.map(|name| format!("{table}.{}", name.unwrap())));
    }
    all
}

/// Flips a bit of one value of the column, in the table and its indexes, and describes the flip.
/// `None` if a constraint forbids the new value.
pub(crate) fn flip(database: &Path, column: &str, chance: &mut Chance) -> Option<String> {
    let (table, column) = column.split_once('.').unwrap();
    let connection = Connection::open(database).unwrap();
    connection.pragma_update(None, "ignore_check_constraints", true).unwrap();
    connection.pragma_update(None, "synchronous", "OFF").unwrap();
    let rows = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, u32>(0)).unwrap();
    let count = rows(&format!("SELECT count({column}) FROM {table}"));
    let row = chance.below(count.into());
    let mut statement = connection
        .prepare(&format!(
            "SELECT * FROM {table} WHERE {column} IS NOT NULL ORDER BY 1, 2 LIMIT 1 OFFSET {row}"
        ))
        .unwrap();
    let names: Vec<String> = statement.column_names().map(String::from).collect();
    let values: Vec<Value> =
        statement.query_row([], |row| (0..names.len()).map(|at| row.get(at)).collect()).unwrap();
    let at = names.iter().position(|name| name == column).unwrap();
    let (new, cast) = match values[at].clone() {
        Value::Integer(number) => (Value::Integer(number ^ (1 << chance.below(64))), "?1"),
        Value::Blob(bytes) => (Value::Blob(flipped(bytes, chance)), "?1"),
        // Also if it is no longer valid text.
        Value::Text(text) => (Value::Blob(flipped(text.into_bytes(), chance)), "CAST(?1 AS TEXT)"),
        other => panic!("{table}.{column} is {other:?}"),
    };
    let what = format!("{table}.{column}, row {row}, from {:?} to {new:?}", values[at]);
    // Identified by the whole row, because not every table has a rowid.
    let same: Vec<String> =
        names.iter().enumerate().map(|(at, name)| format!("{name} IS ?{}", at + 2)).collect();
    let sql = format!("UPDATE {table} SET {column} = {cast} WHERE {}", same.join(" AND "));
    let parameters = [new].into_iter().chain(values);
    match connection.execute(&sql, params_from_iter(parameters)) {
        Ok(changed) => assert_eq!(changed, 1, "{what}"),
        Err(error) => {
            let code = error.sqlite_error_code();
            assert_eq!(code, Some(rusqlite::ErrorCode::ConstraintViolation), "{what}: {error}");
            return None;
        }
    }
    Some(what)
}

fn flipped(mut bytes: Vec<u8>, chance: &mut Chance) -> Vec<u8> {
    let at = usize::try_from(chance.below(bytes.len() as u64)).unwrap();
    bytes[at] ^= 1 << chance.below(8);
    bytes
}

/// Deterministic, so that failures are reproducible.
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) % end.max(1)
    }
}
