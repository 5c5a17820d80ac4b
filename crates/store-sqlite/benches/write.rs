//! Durable writes compared with the disk's limit: scans stored by 100 concurrent writers, and the
//! same bytes appended to a file with one `fdatasync` per 100, alternating in the same run. And with SQLite's own
//! limit: one thread inserts rows of the same size into the same table, with one commit per 100; it neither
//! compresses nor hashes them, and nobody waits for it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bench_table::{Goal, report_ratio};
use bytes::Bytes;
use contract::Timestamp;
use store::{Scan, Scans, Visibility};
use store_sqlite::{SqliteOptions, SqliteStore};

const WRITERS: usize = 100;
const ROUNDS: usize = 3;
const GOAL: f64 = 0.4;
/// Of SQLite's own limit.
const SQLITE_GOAL: f64 = 0.6;
const ROUND: Duration = Duration::from_secs(3);

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().build().unwrap();
    println!("value bytes   raw/s  SQLite/s   store/s");
    for bytes in [1_000, 20_000] {
        let (mut raw, mut sqlite, mut stored) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let dir = tempfile::tempdir_in(".").unwrap();
            raw.push(append(dir.path(), bytes));
            stored.push(runtime.block_on(put(&dir.path().join("store"), bytes)));
            sqlite.push(insert(&dir.path().join("sqlite"), bytes));
        }
        let (raw, sqlite, stored) = (median(raw), median(sqlite), median(stored));
        println!("{bytes:>11}  {raw:>6.0}  {sqlite:>8.0}  {stored:>8.0}");
        let path = format!("durable puts of {bytes} bytes by {WRITERS} writers");
        let limit = format!("append + fdatasync in groups of {WRITERS}");
        report_ratio(&path, &limit, stored / raw, Goal::AtLeast(GOAL));
        let limit = format!("SQLite alone, in groups of {WRITERS}");
        report_ratio(&path, &limit, stored / sqlite, Goal::AtLeast(SQLITE_GOAL));
    }
}

/// Values per second that the disk accepts in groups.
fn append(dir: &Path, bytes: usize) -> f64 {
    let mut file = File::create(dir.join("raw")).unwrap();
    let (start, mut values) = (Instant::now(), 0);
    while start.elapsed() < ROUND {
        for _ in 0..WRITERS {
            file.write_all(&noise(values, bytes)).unwrap();
            values += 1;
        }
        file.sync_data().unwrap();
    }
    per_second(values, start)
}

/// Rows per second that SQLite inserts by itself.
fn insert(dir: &Path, bytes: usize) -> f64 {
    // Creates the tables.
    drop(SqliteStore::open(dir, SqliteOptions::default()).unwrap());
    let connection = rusqlite::Connection::open(dir.join("wayleave.db")).unwrap();
    let settings = [("synchronous", "FULL"), ("wal_autocheckpoint", "4096"), ("temp_store", "2")];
    for (name, value) in settings {
        connection.pragma_update(None, name, value).unwrap();
    }
    let sql =
        "INSERT INTO scans (id, domain, scanned_at, visibility, score_version, grade, overall,
                                  fingerprint, artifacts, record, evidence)
               VALUES (?1, ?2, ?3, 'public', 1, 'B', 70, ?4, x'', ?5, ?6)";
    let mut statement = connection.prepare(sql).unwrap();
    let (start, mut values) = (Instant::now(), 0_u64);
    while start.elapsed() < ROUND {
        connection.execute_batch("BEGIN IMMEDIATE").unwrap();
        for writer in 0..WRITERS {
            let Scan { id, domain, record, evidence, .. } = scan(writer, values, bytes);
            let number = i64::try_from(values).unwrap();
            let row = rusqlite::params![
                id,
                domain.as_str(),
                number,
                [0_u8; 32],
                &record[..],
                &evidence[..]
            ];
            statement.execute(row).unwrap();
        }
        connection.execute_batch("COMMIT").unwrap();
        values += 1;
    }
    per_second(values * WRITERS as u64, start)
}

async fn put(dir: &Path, bytes: usize) -> f64 {
    let store = Arc::new(SqliteStore::open(dir, SqliteOptions::default()).unwrap());
    let start = Instant::now();
    let writers = (0..WRITERS).map(|writer| {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            let mut values = 0_u64;
            while start.elapsed() < ROUND {
                store.put_scan(scan(writer, values, bytes)).await.unwrap();
                values += 1;
            }
            values
        })
    });
    let mut values = 0;
    for writer in writers.collect::<Vec<_>>() {
        values += writer.await.unwrap();
    }
    per_second(values, start)
}

/// A scan whose record and evidence together are `bytes` long and hardly compress.
fn scan(writer: usize, number: u64, bytes: usize) -> Scan {
    let mut body = Bytes::from(noise(number * 1_000 + writer as u64, bytes));
    Scan {
        id: format!("{number:016x}{writer:016x}"),
        domain: store::scans::parse_stored_domain(&format!("d{number}.lab")).unwrap(),
        scanned_at: Timestamp::from_millis(i64::try_from(number).unwrap()),
        visibility: Visibility::Public,
        score_version: 1,
        grade: Some(String::from("B")),
        overall: Some(70),
        record: body.split_to(bytes / 2),
        evidence: body,
        artifacts: vec![],
    }
}

fn noise(seed: u64, len: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2).wrapping_add(1);
    let mut bytes = Vec::with_capacity(len + 8);
    while bytes.len() < len {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    bytes.truncate(len);
    bytes
}

fn per_second(values: u64, start: Instant) -> f64 {
    values as f64 / start.elapsed().as_secs_f64()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
