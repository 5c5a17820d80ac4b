//! Deleting scans: beside a server, without traces in the database file, and killed in between.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use bytes::Bytes;
use store::{Artifacts, DeletionOutcome, Deletions, Digest, Scan, ScanDeletion, Scans, Store};
use store_sqlite::{SqliteAdmin, SqliteStore};

use crate::{integrity, open, scan};

const DIR: &str = "STORE_SQLITE_DELETING_DIR";
const SCANS: usize = 120;

fn deletion(id: &str) -> ScanDeletion {
    let deleted_at = scan(id).scanned_at.plus_millis(1_000);
    ScanDeletion { id: id.to_owned(), deleted_at, reason: None, dry_run: false }
}

async fn put_with_body(store: &SqliteStore, scan: Scan, body: &'static [u8]) {
    let sha256 = Digest::of(body);
    store.put_artifact(sha256, Bytes::from_static(body), scan.scanned_at).await.unwrap();
    store.put_scan(Scan { artifacts: vec![sha256], ..scan }).await.unwrap();
}

/// Bytes that do not compress, so that they are found again in a file.
fn noise(seed: u8) -> Bytes {
    let blocks = (0..2_000_u32)
        .flat_map(|n| *Digest::of(&[&n.to_be_bytes()[..], &[seed]].concat()).as_bytes());
    blocks.collect()
}

fn is_in_database(dir: &Path, bytes: &[u8]) -> bool {
    let files = ["wayleave.db", "wayleave.db-wal"];
    let content = files.map(|name| std::fs::read(dir.join(name)).unwrap_or_default());
    // One block of the middle, within one page of any size.
    let block = &bytes[32_000..32_032];
    content.iter().any(|content| content.windows(32).any(|window| window == block))
}

#[tokio::test]
async fn beside_a_server_a_scan_goes_at_once_and_its_body_by_the_server() {
    let dir = tempfile::tempdir().unwrap();
    let server = open(dir.path());
    put_with_body(&server, scan("gone"), b"own").await;
    put_with_body(&server, scan("stays"), b"other").await;
    let admin = SqliteAdmin::open(dir.path()).unwrap();
    let outcome = admin.deletions().delete_scan(deletion("gone")).await.unwrap();
    assert!(matches!(outcome, DeletionOutcome::Deleted(..)), "{outcome:?}");
    assert_eq!(server.scan("gone").await, Ok(None));
    assert!(server.deleted_scan("gone").await.unwrap().is_some());
    // The files belong to the server.
    assert_eq!(admin.remove_deleted_bodies().await, Ok(None));
    assert!(server.artifact(Digest::of(b"own")).await.unwrap().is_some());
    assert_eq!(server.remove_deleted_bodies().await, Ok(1));
    assert_eq!(server.artifact(Digest::of(b"own")).await, Ok(None));
    assert!(server.artifact(Digest::of(b"other")).await.unwrap().is_some());
    assert_eq!(admin.deletions().count_bodies_to_remove().await, Ok(0));
    drop((admin, server));
    assert_eq!(integrity(dir.path()), "ok");
}

#[tokio::test]
async fn the_database_file_does_not_keep_what_was_deleted() {
    let dir = tempfile::tempdir().unwrap();
    let server = open(dir.path());
    let (record, evidence, other) = (noise(1), noise(2), noise(3));
    let large = Scan { record: record.clone(), evidence: evidence.clone(), ..scan("gone") };
    put_with_body(&server, large, b"own").await;
    server.put_scan(Scan { record: other.clone(), ..scan("stays") }).await.unwrap();
    drop(server);
    for bytes in [&record, &evidence, &other] {
        assert!(is_in_database(dir.path(), bytes), "it is looked for in the wrong way");
    }
    let admin = SqliteAdmin::open(dir.path()).unwrap();
    admin.deletions().delete_scan(deletion("gone")).await.unwrap();
    // Without a server the files are the command's.
    assert_eq!(admin.remove_deleted_bodies().await, Ok(Some(1)));
    drop(admin);
    assert!(!is_in_database(dir.path(), &record) && !is_in_database(dir.path(), &evidence));
    assert!(is_in_database(dir.path(), &other));
    assert_eq!(integrity(dir.path()), "ok");
}

/// Not a test by itself: the work of the process to be killed.
#[test]
fn child_that_deletes() {
    let Some(dir) = std::env::var_os(DIR) else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    runtime.block_on(async {
        for number in 0..SCANS {
            let admin = SqliteAdmin::open(Path::new(&dir)).unwrap();
            admin.deletions().delete_scan(deletion(&format!("s{number}"))).await.unwrap();
            admin.remove_deleted_bodies().await.unwrap();
        }
    });
}

#[tokio::test]
async fn a_deletion_that_is_killed_is_done_or_not_and_its_bodies_go_later() {
    let dir = tempfile::tempdir().unwrap();
    let body = |number: usize| Bytes::from(format!("body {number}"));
    let store = open(dir.path());
    for number in 0..SCANS {
        let (sha256, put) = (Digest::of(&body(number)), scan(&format!("s{number}")));
        store.put_artifact(sha256, body(number), put.scanned_at).await.unwrap();
        store.put_scan(Scan { artifacts: vec![sha256], ..put }).await.unwrap();
    }
    drop(store);
    let (mut interrupted, mut round) = (0, 0_u64);
    // A loaded machine may delete nothing in the time that is enough for a few on others: then there are
    // further rounds, and each is longer.
    while round < 12 || (interrupted == 0 && round < 40) {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "deletions::child_that_deletes", "--test-threads=1"])
            .env(DIR, dir.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let longer = 60 * round.saturating_sub(11);
        std::thread::sleep(Duration::from_millis(20 + round * 37 % 90 + longer));
        round += 1;
        let _ = child.kill();
        child.wait().unwrap();
        let store = open(dir.path());
        let mut gone = 0;
        for number in 0..SCANS {
            let id = format!("s{number}");
            let stored = store.scan(&id).await.unwrap().is_some();
            assert_ne!(stored, store.deleted_scan(&id).await.unwrap().is_some(), "{id}");
            gone += usize::from(!stored);
        }
        interrupted += usize::from(gone > 0 && gone < SCANS);
        // What the next start does.
        store.remove_deleted_bodies().await.unwrap();
        for number in 0..SCANS {
            let there = store.artifact(Digest::of(&body(number))).await.unwrap().is_some();
            let stored = store.scan(&format!("s{number}")).await.unwrap().is_some();
            assert_eq!(there, stored, "body {number}");
        }
        assert_eq!(store.inspect().await, Ok(vec![]));
    }
    assert!(interrupted > 0, "no round was killed in between");
}
