//! Opening a log that was changed: nothing is signed, and the error says why.

use std::fs;
use std::path::Path;

use proof::keys::{
    LogPosition, MARK_FILE_NAME, NEXT_ENTRY_FILE_NAME, PLACE_FILE_NAME, write_next_entry,
};
use rusqlite::Connection;
use service::{LogFault, SealError};

use crate::answers::{answer, domain};
use crate::world::{HandClock, NOON, open, open_sound, settings};

async fn fill_log(dir: &Path, numbers: std::ops::Range<u64>) {
    let service = open_sound(dir).await;
    for n in numbers {
        service.log.seal_answer(answer(n), domain(n)).await.unwrap();
    }
    service.log.close().await;
}

/// The fault that opening returns. Fails if anything can be sealed after it.
async fn opening_fault(dir: &Path) -> LogFault {
    let (service, opened) = open(dir, settings(), HandClock::new(NOON)).await;
    let fault = opened.unwrap_err();
    let refused = service.log.seal_answer(answer(1_000), domain(1_000)).await.unwrap_err();
    assert_eq!(refused, SealError::Halted(fault.to_string()));
    assert_eq!(service.log.fault(), Some(fault.to_string()));
    service.log.close().await;
    fault
}

fn database(dir: &Path) -> Connection {
    Connection::open(dir.join("wayleave.db")).unwrap()
}

fn backup(dir: &Path, to: &Path) {
    database(dir).execute("VACUUM INTO ?1", [to.to_str().unwrap()]).unwrap();
}

fn restore(dir: &Path, from: &Path) {
    for side in ["wayleave.db-wal", "wayleave.db-shm"] {
        let _ = fs::remove_file(dir.join(side));
    }
    fs::copy(from, dir.join("wayleave.db")).unwrap();
}

#[tokio::test]
async fn an_old_copy_put_back_is_refused_every_time() {
    let dir = tempfile::tempdir().unwrap();
    let copies = tempfile::tempdir().unwrap();
    for round in 0..20 {
        fill_log(dir.path(), round..round + 1).await;
        backup(dir.path(), &copies.path().join(format!("{round}.db")));
    }
    for round in 0..19 {
        restore(dir.path(), &copies.path().join(format!("{round}.db")));
        let fault = opening_fault(dir.path()).await;
        assert!(matches!(fault, LogFault::RolledBack { .. }), "{round}: {fault}");
    }
    // The newest copy is the log and can be extended.
    restore(dir.path(), &copies.path().join("19.db"));
    fill_log(dir.path(), 20..21).await;
}

#[tokio::test]
async fn another_history_under_the_same_numbers_is_refused() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fill_log(dir.path(), 0..2).await;
    // The same keys, another log.
    fs::create_dir(other.path().join("keys")).unwrap();
    for file in fs::read_dir(dir.path().join("keys")).unwrap() {
        let file = file.unwrap();
        if file.file_name() != MARK_FILE_NAME && file.file_name() != PLACE_FILE_NAME {
            fs::copy(file.path(), other.path().join("keys").join(file.file_name())).unwrap();
        }
    }
    use std::os::unix::fs::PermissionsExt;
    let private = fs::Permissions::from_mode(0o700);
    fs::set_permissions(other.path().join("keys"), private).unwrap();
    fill_log(other.path(), 10..14).await;
    let copy = other.path().join("copy.db");
    backup(other.path(), &copy);
    restore(dir.path(), &copy);
    assert_eq!(opening_fault(dir.path()).await, LogFault::Forked { batch: 1 });
}

#[tokio::test]
async fn a_lost_mark_a_damaged_mark_and_another_brand_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    fill_log(dir.path(), 0..2).await;
    let mark = dir.path().join("keys").join(MARK_FILE_NAME);
    let whole = fs::read(&mark).unwrap();
    fs::remove_file(&mark).unwrap();
    assert_eq!(opening_fault(dir.path()).await, LogFault::MarkMissing { batches: 2 });
    fs::write(&mark, "nonsense".repeat(64)).unwrap();
    assert!(proof::keys::LogMark::open(&dir.path().join("keys")).is_err());
    fs::write(&mark, whole).unwrap();
    // It is a new file.
    assert!(matches!(opening_fault(dir.path()).await, LogFault::Moved { .. }));
    fs::remove_file(mark.with_file_name(PLACE_FILE_NAME)).unwrap();

    let mut other = settings();
    other.brand = contract::Brand::new("other").unwrap();
    let (_, opened) = open(dir.path(), other, HandClock::new(NOON)).await;
    assert!(matches!(opened, Err(LogFault::WrongLog { .. })), "{opened:?}");
    fill_log(dir.path(), 2..3).await;
}

/// Copies the whole directory, as `cp -a` does.
fn copy_all(from: &Path, to: &Path) {
    let copied = std::process::Command::new("cp").arg("-a").arg(from).arg(to).status().unwrap();
    assert!(copied.success());
}

#[tokio::test]
async fn a_copy_of_the_whole_directory_signs_nothing_until_an_operator_accepts_it() {
    let home = tempfile::tempdir().unwrap();
    let [dir, copy, moved] = ["data", "copy", "moved"].map(|name| home.path().join(name));
    fs::create_dir(&dir).unwrap();
    fill_log(&dir, 0..3).await;
    copy_all(&dir, &copy);
    for _ in 0..2 {
        let fault = opening_fault(&copy).await;
        assert!(matches!(fault, LogFault::Moved { .. }), "{fault}");
        assert!(fault.to_string().contains("`wayleave log mark --accept`"), "{fault}");
    }
    // The original goes on, also under another name.
    fill_log(&dir, 3..5).await;
    fs::rename(&dir, &moved).unwrap();
    fill_log(&moved, 5..6).await;
    // An operator who accepts the copy gets what the warning says.
    let keys = copy.join("keys");
    let (_, marked) = proof::keys::LogMark::open(&keys).unwrap();
    let marked: LogPosition = marked.unwrap();
    service::log::mark::accept_mark(&keys, &marked).unwrap();
    fill_log(&copy, 10..11).await;
}

#[tokio::test]
async fn the_place_of_the_mark_is_stored_by_the_first_start_of_this_version() {
    let dir = tempfile::tempdir().unwrap();
    fill_log(dir.path(), 0..1).await;
    let place = dir.path().join("keys").join(PLACE_FILE_NAME);
    fs::remove_file(&place).unwrap();
    fill_log(dir.path(), 1..2).await;
    let stored = fs::read(&place).unwrap();
    fill_log(dir.path(), 2..3).await;
    assert_eq!(fs::read(&place).unwrap(), stored, "not written again");
    fs::write(&place, "nonsense").unwrap();
    assert!(proof::keys::LogMark::open(&dir.path().join("keys")).is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_entry_that_must_be_next_is_sealed_before_all_others_and_once() {
    let dir = tempfile::tempdir().unwrap();
    fill_log(dir.path(), 0..2).await;
    let keys = dir.path().join("keys");
    let next = br#"{"event":"restored","kind":"svc-log-epoch"}"#;
    let entries = |dir: &Path| -> Vec<bytes::Bytes> {
        let store = crate::world::open_store(dir);
        let all = async { store::Log::log_entries(&store, 0, 100).await.unwrap() };
        tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(all))
    };
    let before = entries(dir.path());
    write_next_entry(&keys, next).unwrap();
    // A log that is not opened does not seal it.
    let mark = fs::read(keys.join(MARK_FILE_NAME)).unwrap();
    fs::remove_file(keys.join(MARK_FILE_NAME)).unwrap();
    opening_fault(dir.path()).await;
    assert_eq!(entries(dir.path()), before);
    fs::write(keys.join(MARK_FILE_NAME), mark).unwrap();
    fs::remove_file(keys.join(PLACE_FILE_NAME)).unwrap();

    fill_log(dir.path(), 2..4).await;
    let after = entries(dir.path());
    assert_eq!(&after[..before.len()], before);
    assert_eq!(&after[before.len()][..], next);
    assert_eq!(after.len(), before.len() + 3);
    assert!(!keys.join(NEXT_ENTRY_FILE_NAME).exists());
    // A crash after it was sealed and before it was removed.
    write_next_entry(&keys, next).unwrap();
    fill_log(dir.path(), 4..5).await;
    assert_eq!(entries(dir.path()).len(), after.len() + 1);
    assert!(!keys.join(NEXT_ENTRY_FILE_NAME).exists());
    // A damaged one stops the log.
    write_next_entry(&keys, next).unwrap();
    let path = keys.join(NEXT_ENTRY_FILE_NAME);
    let damaged = fs::read_to_string(&path).unwrap().replace("restored", "rest");
    fs::write(&path, damaged).unwrap();
    assert!(matches!(opening_fault(dir.path()).await, LogFault::MarkUnusable(_)));
}

#[tokio::test]
async fn a_broken_tail_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    fill_log(dir.path(), 0..6).await;
    let whole = dir.path().join("whole.db");
    backup(dir.path(), &whole);
    for (change, word) in [
        // Detected by the fingerprint.
        ("UPDATE log_batches SET sth = CAST(sth || ' ' AS BLOB) WHERE batch = 4", "damaged"),
        ("UPDATE log_batches SET first_index = 77 WHERE batch = 5", "damaged"),
        // A hole in the chain.
        ("DELETE FROM log_batches WHERE batch = 3", "missing"),
        // The end of the log is removed, which the mark shows.
        ("DELETE FROM log_batches WHERE batch = 5", "acknowledged"),
        ("DELETE FROM log_batches", "acknowledged"),
    ] {
        restore(dir.path(), &whole);
        assert!(database(dir.path()).execute(change, []).unwrap() > 0, "{change}");
        let fault = opening_fault(dir.path()).await.to_string();
        assert!(fault.contains(word), "{change}: {fault}");
    }
    restore(dir.path(), &whole);
    fill_log(dir.path(), 6..7).await;
}

#[tokio::test]
async fn a_process_that_lost_the_lease_writes_nothing() {
    use store::{Log, LogLease};
    let dir = tempfile::tempdir().unwrap();
    let store = std::sync::Arc::new(crate::world::open_store(dir.path()));
    let clock = HandClock::new(NOON);
    let service =
        crate::world::build_service_on(dir.path(), settings(), clock.clone(), store.clone());
    let (mark, marked) = proof::keys::LogMark::open(&dir.path().join("keys")).unwrap();
    service.log.open(mark, marked).await.unwrap();
    service.log.seal_answer(answer(1), domain(1)).await.unwrap();
    // Another process takes over when the lease has expired.
    let later = contract::Timestamp::from_millis(NOON + 3_600_000);
    let taken = store.acquire_log_lease("other", later, later.plus_millis(10_000)).await.unwrap();
    assert!(matches!(taken, LogLease::Granted { .. }));
    let refused = service.log.seal_answer(answer(2), domain(2)).await.unwrap_err();
    assert!(refused.to_string().contains("another writer"), "{refused}");
    let refused = service.log.seal_answer(answer(3), domain(3)).await.unwrap_err();
    assert!(matches!(refused, SealError::Halted(_)), "{refused}");
    assert_eq!(store.last_batch().await.unwrap().unwrap().tree_size(), 1);
    service.log.close().await;
}

#[tokio::test]
async fn a_second_process_on_the_same_directory_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let service = open_sound(dir.path()).await;
    for _ in 0..100 {
        let second = store_sqlite::SqliteStore::open(dir.path(), Default::default());
        assert!(matches!(second, Err(store::StoreError::InUse { .. })));
    }
    service.log.close().await;
}
