use std::path::Path;

use bytes::Bytes;
use contract::Timestamp;
use proof::tlog::{Checkpoint, SignatureType, VerifierKey, cosign};
use proof::{KeyPurpose, SigningKey};
use rusqlite::types::Value as Sql;
use store::{Answers, Cosignature, Log, StoredAnswer, StoredBatch};

use super::*;
use crate::log::mark::read_mark;
use crate::testing;

const WITNESS: &str = "witness.example/w";
const ORIGIN: &str = "svc.example/svc-resolve-log-v1";

fn witness_key() -> SigningKey {
    SigningKey::from_seed(&[7; 32], KeyPurpose::LogHeads, Timestamp::from_millis(0)).unwrap()
}

fn witness() -> VerifierKey {
    VerifierKey::new(WITNESS, SignatureType::Cosignature, witness_key().public().clone()).unwrap()
}

async fn run_fsck(dir: &Path) -> Result<FsckReport, StoreError> {
    run_fsck_with(dir, &mut |_| {}).await
}

async fn run_fsck_with(
    dir: &Path,
    progress: &mut (dyn FnMut(FsckProgress) + Send),
) -> Result<FsckReport, StoreError> {
    let store = store_sqlite::SqliteStore::open(dir, store_sqlite::SqliteOptions::default())?;
    let (brand, policy) = (Brand::default(), testing::key_policy(dir));
    let mark = read_mark(&dir.join("keys"));
    let witnesses = [witness()];
    let ask = FsckRequest {
        store: &store,
        brand: &brand,
        policy: &policy,
        origin: ORIGIN,
        witnesses: &witnesses,
        mark: &mark,
    };
    fsck(ask, progress).await
}

/// A log whose end is cosigned.
async fn fill_cosigned_log(dir: &Path, leaves: usize) {
    testing::fill_log(dir, leaves).await;
    let store = testing::open_store(dir);
    let head = super::super::snapshot::SignedTreeHead::parse(
        store.last_batch().await.unwrap().unwrap().sth,
    );
    let head = head.unwrap();
    let size = head.chain.tree_size;
    let checkpoint = Checkpoint::new(ORIGIN, size, head.tree_root.unwrap()).unwrap();
    let at = Timestamp::from_millis(1_790_000_123_000);
    let line = cosign(&checkpoint, WITNESS, &witness_key(), at).unwrap().to_string();
    let line = line.trim_end().to_owned();
    let cosignature = Cosignature { tree_size: size, witness: WITNESS.to_owned(), line, at };
    store.put_cosignatures(vec![cosignature]).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sound_log_is_found_sound() {
    let dir = tempfile::tempdir().unwrap();
    fill_cosigned_log(dir.path(), 600).await;
    let report = run_fsck(dir.path()).await.unwrap();
    assert_eq!(report.faults, []);
    assert!(report.is_sound());
    assert_eq!((report.tree_size, report.entries, report.answers), (602, 602, 600));
    assert_eq!((report.tiles, report.cosignatures, report.cosignatures_not_checked), (2, 1, 0));
    assert!(report.batches > 20 && report.batches < 602, "{}", report.batches);
    assert_eq!(report.notes, Vec::<String>::new());
}

/// How long a check takes: `ANSWERS=5000 cargo test -p service --lib time_of_a_check -- --ignored
/// --nocapture`. A time says little on a busy machine, so it asserts nothing.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "a measurement"]
async fn time_of_a_check() {
    let answers = std::env::var("ANSWERS").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000);
    let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    testing::fill_log(dir.path(), answers).await;
    let begun = std::time::Instant::now();
    let mut stage = "";
    let mut show = |step: FsckProgress| {
        if step.stage != stage {
            eprintln!("{:>10.3?} {}", begun.elapsed(), step.stage);
            stage = step.stage;
        }
    };
    let report = run_fsck_with(dir.path(), &mut show).await.unwrap();
    eprintln!("{} answers, {} batches: {:?}", report.answers, report.batches, begun.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_log_is_sound() {
    let dir = tempfile::tempdir().unwrap();
    drop(testing::open_store(dir.path()));
    let report = run_fsck(dir.path()).await.unwrap();
    assert_eq!((report.faults, report.tree_size), (vec![], 0));
}

/// Pseudo-random numbers that are the same in every run.
struct SeededRandom(u64);

impl SeededRandom {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

/// Every column of the log in which a change must be found.
const COLUMNS: &[(&str, &str)] = &[
    ("log_batches", "batch"),
    ("log_batches", "first_index"),
    ("log_batches", "sth_sha256"),
    ("log_batches", "fingerprint"),
    ("log_batches", "leaves"),
    ("log_batches", "sth"),
    ("log_batches", "contents"),
    ("log_leaves", "leaf"),
    ("log_leaves", "log_index"),
    ("log_leaves", "kind"),
    ("log_tiles", "level"),
    ("log_tiles", "tile"),
    ("log_tiles", "fingerprint"),
    ("log_tiles", "hashes"),
    ("log_cosignatures", "witness"),
    ("log_cosignatures", "line"),
    ("log_cosignatures", "at"),
    ("answers", "sha256"),
    ("answers", "domain"),
    ("answers", "answered_at"),
    ("answers", "log_index"),
    ("answers", "fingerprint"),
    ("answers", "answer"),
];

/// Those of them that are compressed. Some bits of a frame can change without changing what it unpacks to, for
/// example a reference to another occurrence of the same bytes.
const COMPRESSED: [&str; 3] = ["log_batches.sth", "log_batches.contents", "answers.answer"];

/// All that is unpacked from compressed columns.
async fn read_unpacked(dir: &Path) -> (Vec<StoredBatch>, Vec<Bytes>, Vec<StoredAnswer>) {
    let store = testing::open_store(dir);
    let last = store.last_batch().await.unwrap().unwrap();
    let mut batches = Vec::new();
    for number in 0..=last.batch {
        batches.push(store.batch(number).await.unwrap().unwrap());
    }
    let entries = store.log_entries(0, last.tree_size() as usize).await.unwrap();
    (batches, entries, store.export_answers(None, usize::MAX).await.unwrap())
}

fn key_of(table: &str) -> &'static str {
    match table {
        "log_leaves" => "leaf",
        "log_cosignatures" => "tree_size",
        _ => "rowid",
    }
}

/// Flips one bit in one value. `None` if a constraint of the table refuses it.
fn flip_bit(database: &Path, dice: &mut SeededRandom) -> Option<String> {
    let db = rusqlite::Connection::open(database).unwrap();
    let (table, column) = COLUMNS[dice.below(COLUMNS.len() as u64) as usize];
    let key = key_of(table);
    let count: i64 =
        db.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap();
    // Rows with a kind are few, so they are chosen more often.
    let only = if column == "kind" && dice.below(2) == 0 { "WHERE kind IS NOT NULL" } else { "" };
    let row = dice.below(count as u64) % if only.is_empty() { u64::MAX } else { 2 };
    let sql = format!("SELECT {key}, {column} FROM {table} {only} LIMIT 1 OFFSET {row}");
    let (id, value): (Sql, Sql) =
        db.query_row(&sql, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    let bit = dice.below(1 << 40);
    let changed = match value.clone() {
        Sql::Integer(number) => Sql::Integer(number ^ (1 << (bit % 64))),
        Sql::Blob(mut bytes) => {
            let at = (bit / 8) as usize % bytes.len();
            bytes[at] ^= 1 << (bit % 8);
            Sql::Blob(bytes)
        }
        Sql::Text(text) => {
            let mut bytes = text.into_bytes();
            let at = (bit / 8) as usize % bytes.len();
            bytes[at] ^= 1 << (bit % 7);
            Sql::Text(String::from_utf8(bytes).ok()?)
        }
        Sql::Null => Sql::Text("svc-key-event".to_owned()),
        Sql::Real(_) => unreachable!(),
    };
    assert_ne!(changed, value);
    let sql = format!("UPDATE {table} SET {column} = ?1 WHERE {key} = ?2");
    match db.execute(&sql, rusqlite::params![changed, id]) {
        Ok(1) => Some(format!("{table}.{column} of {id:?}, bit {bit}: {changed:.60?}")),
        Ok(changed) => panic!("{changed} rows"),
        // A duplicate key or a wrong length: this change cannot be made.
        Err(_) => None,
    }
}

/// `FLIPS=1000` for the full test; fewer by default.
#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_flipped_bits_are_a_thousand_faults() {
    let dir = tempfile::tempdir().unwrap();
    // Enough for a complete tile; few answers, because each is verified again for every flip.
    let service = testing::start_service(dir.path(), Vec::new()).await;
    testing::seal_answers(&service, 0..30).await;
    testing::seal_builds(&service, 10..250).await;
    testing::stop_service(service).await;
    fill_cosigned_log(dir.path(), 0).await;
    let sound = run_fsck(dir.path()).await.unwrap();
    assert_eq!((sound.faults, sound.tiles), (vec![], 1));
    let database = dir.path().join("wayleave.db");
    // Everything into the one file that is restored before each flip.
    let db = rusqlite::Connection::open(&database).unwrap();
    db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop(db);
    let good = std::fs::read(&database).unwrap();
    let mut dice = SeededRandom(0x5eed);
    let unpacked = read_unpacked(dir.path()).await;
    assert_eq!((unpacked.1.len() as u64, unpacked.2.len()), (sound.tree_size, 30));
    let (mut flips, mut missed, mut without_effect) = (0, Vec::new(), 0);
    let wanted = std::env::var("FLIPS").ok().and_then(|n| n.parse().ok()).unwrap_or(100);
    while flips < wanted {
        for side in ["wayleave.db-wal", "wayleave.db-shm"] {
            let _ = std::fs::remove_file(dir.path().join(side));
        }
        std::fs::write(&database, &good).unwrap();
        let Some(what) = flip_bit(&database, &mut dice) else { continue };
        flips += 1;
        match run_fsck(dir.path()).await {
            Ok(report) if report.is_sound() => {
                let is_compressed =
                    COMPRESSED.iter().any(|column| what.starts_with(&format!("{column} of ")));
                if is_compressed && read_unpacked(dir.path()).await == unpacked {
                    without_effect += 1;
                } else {
                    missed.push(what);
                }
            }
            Ok(_) => {}
            // One flipped bit must not prevent the check of the rest.
            Err(error) => missed.push(format!("{what}: {error}")),
        }
    }
    assert_eq!(missed, Vec::<String>::new(), "{} of {flips} were not found", missed.len());
    assert!(without_effect <= flips / 20, "{without_effect} of {flips} had no effect");
}

fn execute_sql(dir: &Path, sql: &str) {
    let db = rusqlite::Connection::open(dir.join("wayleave.db")).unwrap();
    assert!(db.execute(sql, []).unwrap() > 0, "{sql}");
}

fn faulty_parts(report: &FsckReport) -> Vec<(StorePart, Option<u64>)> {
    let mut parts: Vec<_> = report.faults.iter().map(|f| (f.part, f.batch)).collect();
    parts.dedup();
    parts
}

#[tokio::test(flavor = "multi_thread")]
async fn one_run_reports_every_fault() {
    let dir = tempfile::tempdir().unwrap();
    testing::fill_log(dir.path(), 600).await;
    execute_sql(dir.path(), "UPDATE log_batches SET contents = zeroblob(9) WHERE batch = 2");
    execute_sql(dir.path(), "UPDATE log_batches SET sth = zeroblob(9) WHERE batch = 4");
    execute_sql(dir.path(), "DELETE FROM log_batches WHERE batch = 6");
    execute_sql(dir.path(), "DELETE FROM log_tiles WHERE tile = 1 AND level = 0");
    let report = run_fsck(dir.path()).await.unwrap();
    let parts = faulty_parts(&report);
    for wanted in
        [(StorePart::Entries, Some(2)), (StorePart::Head, Some(4)), (StorePart::Chain, Some(6))]
    {
        assert!(parts.contains(&wanted), "{wanted:?}: {parts:?}");
    }
    assert!(
        report.faults.iter().any(|f| f.part == StorePart::Tiles && f.detail.contains("missing")),
        "{parts:?}"
    );
    // Batches next to the damaged ones are not reported.
    assert!(!parts.contains(&(StorePart::Head, Some(5))), "{parts:?}");
    assert!(!parts.contains(&(StorePart::Entries, Some(8))), "{parts:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_answer_in_the_place_of_the_newest_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let service = testing::start_service(dir.path(), Vec::new()).await;
    for status in ["partial", "unreachable"] {
        let (mut answer, domain) = testing::sample_answer(1);
        answer.insert("status".to_owned(), status.into());
        service.log.seal_answer(answer, domain).await.unwrap();
    }
    testing::stop_service(service).await;
    assert_eq!(run_fsck(dir.path()).await.unwrap().faults, []);
    execute_sql(
        dir.path(),
        "UPDATE answers SET position = position + 9
         WHERE position = (SELECT min(position) FROM answers)",
    );
    let report = run_fsck(dir.path()).await.unwrap();
    assert_eq!(faulty_parts(&report), [(StorePart::Answers, None)], "{:?}", report.faults);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restored_old_copy_is_found_by_its_mark() {
    let dir = tempfile::tempdir().unwrap();
    testing::fill_log(dir.path(), 50).await;
    let last = run_fsck(dir.path()).await.unwrap().batches - 1;
    let mark = dir.path().join("keys").join(proof::keys::MARK_FILE_NAME);
    let good = std::fs::read(&mark).unwrap();
    // The log cut at its end, with all that belongs to it.
    for sql in [
        format!(
            "DELETE FROM log_leaves WHERE log_index >= (SELECT first_index FROM log_batches WHERE batch = {last})"
        ),
        format!("DELETE FROM log_batches WHERE batch = {last}"),
    ] {
        execute_sql(dir.path(), &sql);
    }
    let report = run_fsck(dir.path()).await.unwrap();
    assert_eq!(faulty_parts(&report), [(StorePart::Mark, Some(last))], "{:?}", report.faults);
    std::fs::remove_file(&mark).unwrap();
    assert_eq!(faulty_parts(&run_fsck(dir.path()).await.unwrap()), [(StorePart::Mark, None)]);
    std::fs::write(&mark, &good[..100]).unwrap();
    assert_eq!(faulty_parts(&run_fsck(dir.path()).await.unwrap()), [(StorePart::Mark, None)]);
}
