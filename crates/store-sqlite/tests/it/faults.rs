//! Disk faults: a sync that fails, bytes that change.

use std::collections::HashSet;
use std::fs;
use std::process::Command;

use store::{Scans, Store, StoreError};

use crate::killed::{acknowledged, check, start_child};
use crate::{open, scan, try_open};

/// Flips a byte at every offset of the database file (in steps): a read returns the right value or an
/// error, and never panics.
#[tokio::test]
async fn a_damaged_database_is_an_error_and_never_a_wrong_answer() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    for number in 0..20 {
        store.put_scan(scan(&format!("s{number}"))).await.unwrap();
    }
    drop(store);
    let path = dir.path().join("wayleave.db");
    let whole = fs::read(&path).unwrap();
    let mut found = 0;
    for place in (0..whole.len()).step_by(337) {
        let mut damaged = whole.clone();
        damaged[place] ^= 0xff;
        fs::write(&path, damaged).unwrap();
        for side in ["wayleave.db-wal", "wayleave.db-shm"] {
            let _ = fs::remove_file(dir.path().join(side));
        }
        let store = match try_open(dir.path()) {
            Ok(store) => store,
            Err(error) => {
                assert!(!error.to_string().is_empty());
                found += 1;
                continue;
            }
        };
        for number in 0..20 {
            let id = format!("s{number}");
            match store.scan(&id).await {
                Ok(Some(got)) => assert_eq!(got, scan(&id), "a flip at {place} was served"),
                // An index page: the row is not found, but no wrong content is returned.
                Ok(None) | Err(_) => found += 1,
            }
        }
    }
    assert!(found > 0);
}

/// With strace, the n-th sync of each thread fails: the store must stop writing at once, and
/// everything acknowledged before must still be there.
#[tokio::test]
async fn a_failed_sync_ends_all_writing() {
    if Command::new("strace").arg("-V").output().is_err() {
        // Without strace a sync cannot be made to fail from outside; the writer's unit tests do it inside.
        return;
    }
    for when in [3, 20, 60] {
        let dir = tempfile::tempdir().unwrap();
        drop(open(dir.path()));
        let inject = format!("inject=fsync,fdatasync:error=EIO:when={when}");
        let strace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", &inject];
        let wrapper = [&strace[..], &["timeout", "-s", "KILL", "60"]].concat();
        let mut child = start_child(dir.path(), when, &wrapper);
        // The child unwraps every write, so the error ends it.
        let stored: HashSet<String> = acknowledged(&mut child, |_| {}).into_iter().collect();
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        if stderr.contains("ptrace") {
            return;
        }
        // 101 is the exit code of a failed test; a store that continued would hit the timeout.
        assert_eq!(output.status.code(), Some(101), "{stderr}");
        assert!(stderr.contains("Unavailable"), "{stderr}");
        check(dir.path(), &stored).await;
    }
}

#[tokio::test]
async fn an_artefact_directory_that_vanishes_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    fs::remove_dir_all(dir.path().join("artifacts")).unwrap();
    let body = bytes::Bytes::from_static(b"body");
    let put = store::Artifacts::put_artifact(
        &store,
        store::Digest::of(&body),
        body,
        scan("x").scanned_at,
    );
    let refused = put.await.unwrap_err();
    assert!(matches!(refused, StoreError::Failed { .. }), "{refused}");
    store.check().await.unwrap();
}
