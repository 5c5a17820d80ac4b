//! Changed bytes in the files of a closed store are detected, or have no effect.

use std::fs;
use std::panic;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proof::Digest;
use proof::audit::LogAudit;
use proof::keys::LogMark;
use service::Service;
use store::{Answers, Log, StoredAnswer, StoredBatch};
use store_sqlite::SqliteStore;

use crate::answers::{answer, domain};
use crate::world::{
    HandClock, NOON, build_service_on, open_sound, policy, settings, try_open_store,
};

const FLIPS: usize = 1_000;

/// Everything that the log serves.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LogContent {
    batches: Vec<StoredBatch>,
    entries: Vec<bytes::Bytes>,
    places: Vec<Option<u64>>,
    answers: Vec<StoredAnswer>,
}

/// Opens the store and the log, and audits all of it. The error says what is wrong.
async fn read_log(dir: &Path, known: &[Digest]) -> Result<LogContent, String> {
    let store = try_open_store(dir).map_err(|e| e.to_string())?;
    let store = Arc::new(store);
    let service = build_service_on(dir, settings(), HandClock::new(NOON), store.clone());
    let (mark, marked) = LogMark::open(&dir.join("keys")).map_err(|e| e.to_string())?;
    service.log.open(mark, marked).await.map_err(|e| e.to_string())?;
    let content = audit_log(&service, store.as_ref(), known).await;
    service.log.close().await;
    content
}

async fn audit_log(
    service: &Service,
    store: &SqliteStore,
    known: &[Digest],
) -> Result<LogContent, String> {
    let keys = policy(service);
    let mut audit = LogAudit::new(keys.clone(), contract::Brand::default());
    let failed = |e: store::StoreError| e.to_string();
    let last = store.last_batch().await.map_err(failed)?.ok_or("the log is empty")?;
    let (mut batches, mut entries, mut leaves) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..=last.batch {
        let batch = store.batch(number).await.map_err(failed)?.ok_or("a batch is missing")?;
        let contents = store.log_entries(batch.first_index, batch.leaves.len()).await;
        let contents = contents.map_err(failed)?;
        let checked = audit.check_batch(&batch.sth, &batch.leaves, Some(&contents));
        checked.map_err(|fault| format!("{fault:?}"))?;
        entries.extend(contents);
        leaves.extend(batch.leaves.clone());
        batches.push(batch);
    }
    let count = store.count_indexed_leaves().await.map_err(failed)?;
    if count != leaves.len() as u64 {
        return Err(format!("{count} leaves are found by their hash"));
    }
    let places = store.leaf_indexes(leaves).await.map_err(failed)?;
    if places != (0..count).map(Some).collect::<Vec<_>>() {
        return Err("a leaf is not found by its hash".to_owned());
    }
    let mut answers = store.export_answers(None, usize::MAX).await.map_err(failed)?;
    answers.sort_by_key(|answer| answer.log_index);
    for sha256 in known {
        let found = store.answer(*sha256).await.map_err(failed)?;
        let found = found.ok_or_else(|| format!("the answer {sha256} is not found"))?;
        let verdict = proof::verify_document(&found.bytes, &keys, &contract::Brand::default());
        if !verdict.accepted() {
            return Err(format!("the answer {sha256} does not verify"));
        }
        if !answers.contains(&found) {
            return Err(format!("the answer {sha256} is not listed"));
        }
    }
    Ok(LogContent { batches, entries, places, answers })
}

/// Five batches, twelve answers.
async fn fill_log(dir: &Path) -> Vec<Digest> {
    let service = open_sound(dir).await;
    let mut known = Vec::new();
    let mut next = 0..;
    for answers in [1, 4, 2, 3, 2] {
        let sealing =
            next.by_ref().take(answers).map(|n| service.log.seal_answer(answer(n), domain(n)));
        let sealed = futures_util::future::join_all(sealing).await;
        known.extend(sealed.into_iter().map(|answer| answer.unwrap().sha256));
    }
    service.log.close().await;
    known
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flipped_byte_in_a_file_is_found_or_changes_nothing() {
    // In memory if possible: thousands of syncs to disk prove nothing here.
    let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let known = fill_log(dir.path()).await;
    // A panic in a thread of the store would come back as an error and look like a detected flip.
    static PANICS: AtomicUsize = AtomicUsize::new(0);
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |about| {
        // Other tests run in threads that are named after them. A panic in this one's ends it anyway.
        let in_a_test = std::thread::current().name().is_some_and(|name| name.contains("::"));
        PANICS.fetch_add(usize::from(!in_a_test), Ordering::SeqCst);
        before(about);
    }));
    let whole = read_log(dir.path(), &known).await.unwrap();
    assert_eq!((whole.entries.len(), whole.answers.len()), (12, 12));
    let files = [dir.path().join("wayleave.db"), dir.path().join("keys/log-mark")];
    let originals = [fs::read(&files[0]).unwrap(), fs::read(&files[1]).unwrap()];
    let in_use: Vec<usize> =
        originals[0].iter().enumerate().filter(|(_, byte)| **byte != 0).map(|(at, _)| at).collect();
    let mut chance = SeededRandom(0x5eed_0fa1_1aca_7e57);
    let (mut found, mut harmless) = ([0, 0], [0, 0]);
    for number in 0..FLIPS {
        // One in ten in the mark, which is small.
        let which = usize::from(number % 10 == 0);
        for side in ["wayleave.db-wal", "wayleave.db-shm"] {
            let _ = fs::remove_file(dir.path().join(side));
        }
        for (file, original) in files.iter().zip(&originals) {
            fs::write(file, original).unwrap();
        }
        let mut bytes = originals[which].clone();
        // Every table and index has a page of its own, and most of them are empty here: half of the flips
        // are aimed at bytes in use.
        let at = match number % 2 {
            0 => chance.below(bytes.len()),
            _ => in_use[chance.below(in_use.len())],
        };
        let with = u8::try_from(1 + chance.below(255)).unwrap();
        bytes[at] ^= with;
        fs::write(&files[which], bytes).unwrap();
        match read_log(dir.path(), &known).await {
            Err(why) => {
                assert!(!why.is_empty() && !why.contains("panic"), "{why}");
                found[which] += 1;
            }
            Ok(content) => {
                assert!(content == whole, "{:?} ^ {with:#x} at {at} is not noticed", files[which]);
                harmless[which] += 1;
            }
        }
        assert_eq!(PANICS.load(Ordering::SeqCst), 0, "{:?} ^ {with:#x} at {at}", files[which]);
    }
    println!("flips in the database and the mark: {found:?} detected, {harmless:?} without effect");
    assert!(found[0] > FLIPS / 8, "too few flips hit content: {found:?} {harmless:?}");
}

/// Pseudo-random numbers, the same in every run, so that a failure can be reproduced.
struct SeededRandom(u64);

impl SeededRandom {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 16) % end as u64).unwrap()
    }
}
