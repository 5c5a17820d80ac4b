//! Sealing rate of the log, compared with its two limits in the same run: plain SQLite group commits of
//! the same bytes, and the Ed25519 signatures that one core makes.
//!
//! `cargo bench -p service --bench seal`; `SEAL_BENCH_LEAVES=100000` makes the large log smaller.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a bench program"
)]

#[path = "../tests/it/answers.rs"]
mod answers;
#[allow(dead_code, reason = "the tests use all of it")]
#[path = "../tests/it/world.rs"]
mod world;

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use answers::{answer, domain};
use bench_table::{Goal, report_bare, report_ratio};
use bytes::Bytes;
use contract::Brand;
use proof::Verifier;
use service::{Service, Settings};
use world::{HandClock, NOON, open, policy, settings};

const ROUND: Duration = Duration::from_secs(3);
const ROUNDS: usize = 5;
const BATCH: usize = 100;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let signing = signing_limit();
    println!("one core makes {signing:.0} Ed25519 signatures/s\n");
    leaves(&runtime, signing);
    whole_answers(&runtime, signing);
    latency(&runtime);
    verifying(&runtime);
    large_log(&runtime);
}

/// Decision contents alone, in batches of 100.
fn leaves(runtime: &tokio::runtime::Runtime, signing: f64) {
    let next = AtomicU64::new(0);
    let (mut bare, mut sealed) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let first = next.fetch_add(100_000_000, Ordering::Relaxed);
        bare.push(bare_sqlite(|n| content(first + n)));
        sealed.push(runtime.block_on(sealing(first, false)));
    }
    report("leaves", median(sealed), median(bare), signing, 0.75);
}

/// Whole answers: canonical form, digest, log entry, signature, storage.
fn whole_answers(runtime: &tokio::runtime::Runtime, signing: f64) {
    let sample = runtime.block_on(async {
        let dir = tempfile::tempdir_in(".").unwrap();
        let (service, _) = open(dir.path(), settings(), HandClock::new(NOON)).await;
        let sealed = service.log.seal_answer(answer(1), domain(1)).await.unwrap();
        service.log.close().await;
        sealed.bytes
    });
    println!("a whole answer is {} bytes", sample.len());
    let (mut bare, mut sealed) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS as u64 {
        let first = 10_000_000_000 + round * 100_000_000;
        let body = sample.clone();
        bare.push(bare_sqlite(move |n| Bytes::from([&n.to_be_bytes()[..], &body[8..]].concat())));
        sealed.push(runtime.block_on(sealing(first, true)));
    }
    report("whole answers", median(sealed), median(bare), signing, 0.2);
}

fn report(what: &str, sealed: f64, bare: f64, signing: f64, goal: f64) {
    let limit = bare.min(signing);
    println!("{what}: {sealed:.0}/s sealed and durable; plain SQLite {bare:.0}/s");
    let (path, limit_name) = (format!("sealing {what}"), "the smaller of SQLite and signatures");
    // What a whole answer costs beyond its leaf is measured by `wayleave --bench answers`.
    report_ratio(&path, limit_name, sealed / limit, Goal::AtLeast(goal));
}

fn content(number: u64) -> Bytes {
    let content =
        proof::decision_content::decision_content(&answer(number), &Brand::default()).unwrap();
    Bytes::from(proof::canonical::value_to_vec(&content).unwrap())
}

/// 400 callers, so that a batch of 100 always waits.
async fn sealing(first: u64, whole: bool) -> f64 {
    let dir = tempfile::tempdir_in(".").unwrap();
    let service = service_on(dir.path(), |settings| settings.log.max_leaves = BATCH).await;
    // Built before the clock starts: this measures sealing, not building answers.
    let inputs: Arc<Vec<_>> =
        Arc::new((0..4_000).map(|n| (answer(first + n), content(first + n))).collect());
    let (start, count) = (Instant::now(), Arc::new(AtomicU64::new(0)));
    let callers = (0..400_u64).map(|caller| {
        let (service, inputs, count) =
            (Arc::clone(&service), Arc::clone(&inputs), Arc::clone(&count));
        tokio::spawn(async move {
            let mut n = caller;
            while start.elapsed() < ROUND {
                let (answer, content) = &inputs[(n % 4_000) as usize];
                let number = first + n;
                if whole {
                    let mut answer = answer.clone();
                    answer.insert("domain".to_owned(), format!("site{number}.com").into());
                    service.log.seal_answer(answer, domain(number)).await.unwrap();
                } else {
                    let mut content = content.to_vec();
                    // A different leaf each time; costs a copy.
                    content.extend_from_slice(number.to_string().as_bytes());
                    service.log.seal_entry("bench", Bytes::from(content)).await.unwrap();
                }
                count.fetch_add(1, Ordering::Relaxed);
                n += 400;
            }
        })
    });
    for caller in callers.collect::<Vec<_>>() {
        caller.await.unwrap();
    }
    let rate = per_second(count.load(Ordering::Relaxed), start);
    service.log.close().await;
    rate
}

/// Rows per second that SQLite alone writes: a key of 32 bytes and the value, 100 rows per
/// transaction, with the same settings.
fn bare_sqlite(value: impl Fn(u64) -> Bytes) -> f64 {
    let dir = tempfile::tempdir_in(".").unwrap();
    let connection = rusqlite::Connection::open(dir.path().join("bare.db")).unwrap();
    connection.pragma_update(None, "journal_mode", "wal").unwrap();
    connection.pragma_update(None, "synchronous", "FULL").unwrap();
    connection.execute_batch("CREATE TABLE t (k BLOB PRIMARY KEY, v BLOB) WITHOUT ROWID").unwrap();
    let values: Vec<Bytes> = (0..4_000).map(value).collect();
    let (start, mut rows) = (Instant::now(), 0_u64);
    while start.elapsed() < ROUND {
        connection.execute_batch("BEGIN IMMEDIATE").unwrap();
        {
            let mut insert = connection.prepare_cached("INSERT INTO t VALUES (?1, ?2)").unwrap();
            for _ in 0..BATCH {
                let key = proof::sha256(&rows.to_be_bytes());
                let value = &values[(rows % 4_000) as usize];
                insert.execute(rusqlite::params![key.as_bytes(), &value[..]]).unwrap();
                rows += 1;
            }
        }
        connection.execute_batch("COMMIT").unwrap();
    }
    per_second(rows, start)
}

fn signing_limit() -> f64 {
    let key = proof::SigningKey::from_seed(
        &[7; 32],
        proof::KeyPurpose::Documents,
        contract::Timestamp::from_millis(0),
    )
    .unwrap();
    let message = proof::signature::signed_message(&proof::sha256(b"x"), &Brand::default());
    let (start, mut signatures) = (Instant::now(), 0_u64);
    while start.elapsed() < Duration::from_secs(1) {
        for _ in 0..100 {
            black_box(key.sign(black_box(message.as_bytes())).unwrap());
        }
        signatures += 100;
    }
    per_second(signatures, start)
}

/// How long a caller waits at half of the maximum load, with the default batch interval.
fn latency(runtime: &tokio::runtime::Runtime) {
    let (interval, mut waits) = runtime.block_on(async {
        let dir = tempfile::tempdir_in(".").unwrap();
        let service = service_on(dir.path(), |_| {}).await;
        let interval = settings().log.interval;
        // The maximum is one batch of 1,024 leaves per interval.
        let half = 1_024.0 / interval.as_secs_f64() / 2.0;
        let every = Duration::from_secs_f64(1.0 / half);
        let start = Instant::now();
        let mut callers = Vec::new();
        let mut n = 0_u64;
        while start.elapsed() < ROUND {
            let due = every.mul_f64(n as f64);
            if let Some(early) = due.checked_sub(start.elapsed()) {
                tokio::time::sleep(early).await;
            }
            let (service, content) = (Arc::clone(&service), Bytes::from(format!("{{\"n\":{n}}}")));
            callers.push(tokio::spawn(async move {
                let sent_at = Instant::now();
                service.log.seal_entry("bench", content).await.unwrap();
                sent_at.elapsed()
            }));
            n += 1;
        }
        let mut waits = Vec::new();
        for caller in callers {
            waits.push(caller.await.unwrap());
        }
        service.log.close().await;
        (interval, waits)
    });
    waits.sort();
    let p99 = waits[waits.len() * 99 / 100];
    println!(
        "latency under half load ({} leaves): p50 {:?}, p99 {p99:?}",
        waits.len(),
        waits[waits.len() / 2],
    );
    let ratio = p99.as_secs_f64() / interval.as_secs_f64();
    report_ratio("p99 of sealing under half load", "interval of batches", ratio, Goal::AtMost(2.0));
}

/// Whole answers per second that one core verifies.
fn verifying(runtime: &tokio::runtime::Runtime) {
    let (answers, keys) = runtime.block_on(async {
        let dir = tempfile::tempdir_in(".").unwrap();
        let service = service_on(dir.path(), |_| {}).await;
        let sealed = (0..200).map(|n| service.log.seal_answer(answer(n), domain(n)));
        let sealed = futures_util::future::join_all(sealed).await;
        let keys = policy(&service);
        service.log.close().await;
        (
            sealed
                .into_iter()
                .map(|sealed_answer| sealed_answer.unwrap().bytes)
                .collect::<Vec<_>>(),
            keys,
        )
    });
    let brand = Brand::default();
    let mut verifier = Verifier::new(&keys, &brand);
    let mut rates = Vec::new();
    for _ in 0..ROUNDS {
        let (start, mut checked) = (Instant::now(), 0_u64);
        while start.elapsed() < Duration::from_secs(1) {
            for bytes in &answers {
                assert!(verifier.verify(bytes).accepted());
                checked += 1;
            }
        }
        rates.push(per_second(checked, start));
    }
    println!("one core verifies {:.0} answers/s offline (goal: 5000)\n", median(rates));
}

fn large_log(runtime: &tokio::runtime::Runtime) {
    let leaves: u64 =
        std::env::var("SEAL_BENCH_LEAVES").map_or(1_000_000, |text| text.parse().unwrap());
    let dir = tempfile::tempdir_in(".").unwrap();
    runtime.block_on(async {
        let service = service_on(dir.path(), |settings| {
            settings.log.max_waiting = 16_384;
            settings.log.interval = Duration::ZERO;
        })
        .await;
        for first in (0..leaves).step_by(8_192) {
            let some = first..(first + 8_192).min(leaves);
            let sealed = some
                .map(|n| service.log.seal_entry("bench", Bytes::from(format!("{{\"n\":{n}}}"))));
            futures_util::future::try_join_all(sealed).await.unwrap();
        }
        service.log.close().await;
    });
    runtime.block_on(async {
        let start = Instant::now();
        let service = service_on(dir.path(), |_| {}).await;
        let opened = start.elapsed();
        let size = service.log.head().unwrap().unwrap().chain.tree_size;
        let mut proofs = Vec::new();
        for n in 0..500_u64 {
            let leaf = proof::merkle_tree::leaf_hash(
                format!("{{\"n\":{}}}", n * 7_919 % leaves).as_bytes(),
            );
            let start = Instant::now();
            black_box(service.log.inclusion_proof(leaf, None).await.unwrap().unwrap());
            proofs.push(start.elapsed());
        }
        proofs.sort();
        println!(
            "a log of {size} leaves, {:?} for a proof at the median",
            proofs[proofs.len() / 2]
        );
        report_bare("opening a large log", opened.as_secs_f64(), "s", Goal::AtMost(1.0));
        let p99 = proofs[proofs.len() * 99 / 100].as_secs_f64() * 1e3;
        report_bare("proof of inclusion in a large log, p99", p99, "ms", Goal::AtMost(5.0));
        service.log.close().await;
    });
}

async fn service_on(dir: &Path, change: impl FnOnce(&mut Settings)) -> Arc<Service> {
    let mut settings = settings();
    change(&mut settings);
    let (service, opened) = open(dir, settings, HandClock::new(NOON)).await;
    opened.unwrap();
    service
}

fn per_second(count: u64, start: Instant) -> f64 {
    count as f64 / start.elapsed().as_secs_f64()
}

fn median(mut rates: Vec<f64>) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}
