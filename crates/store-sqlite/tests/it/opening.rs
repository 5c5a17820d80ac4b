//! Opening a store: a new one, an existing one, and everything that is refused.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use rusqlite::Connection;
use store::{Scans, Store, StoreError};
use store_sqlite::{SqliteOptions, SqliteStore};

use crate::{open, scan};

fn refusal(dir: &Path) -> StoreError {
    SqliteStore::open(dir, SqliteOptions::default()).expect_err("opened")
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn makes_a_private_directory_from_nothing_and_opens_it_again() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("some").join("data");
    let store = open(&dir);
    assert!(store.schema_version() >= 2);
    store.put_scan(scan("a")).await.unwrap();
    for path in [parent.path().join("some"), dir.clone(), dir.join("artifacts")] {
        assert_eq!(mode(&path), 0o700, "{}", path.display());
    }
    for name in ["wayleave.db", "wayleave.db-wal", "wayleave.lock"] {
        assert_eq!(mode(&dir.join(name)), 0o600, "{name}");
    }
    drop(store);
    assert_eq!(open(&dir).scan("a").await, Ok(Some(scan("a"))));
}

#[tokio::test]
async fn a_second_opener_is_refused_until_the_first_has_gone() {
    let dir = tempfile::tempdir().unwrap();
    let first = open(dir.path());
    for _ in 0..100 {
        let refused = refusal(dir.path());
        assert!(matches!(&refused, StoreError::InUse { .. }), "{refused}");
        assert!(refused.to_string().ends_with("is in use by another process"), "{refused}");
    }
    first.check().await.unwrap();
    drop(first);
    open(dir.path());
}

#[test]
fn a_newer_database_is_refused_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let known = open(dir.path()).schema_version();
    let connection = Connection::open(dir.path().join("wayleave.db")).unwrap();
    connection.execute("INSERT INTO migrations VALUES (99, 'later', 'x')", []).unwrap();
    drop(connection);
    assert_eq!(refusal(dir.path()), StoreError::NewerSchema { found: 99, known });
    assert_eq!(refusal(dir.path()), StoreError::NewerSchema { found: 99, known });
}

#[test]
fn a_changed_migration_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    drop(open(dir.path()));
    let connection = Connection::open(dir.path().join("wayleave.db")).unwrap();
    connection.execute("UPDATE migrations SET sha256 = 'x' WHERE number = 1", []).unwrap();
    drop(connection);
    assert_eq!(refusal(dir.path()), StoreError::ChangedMigration { number: 1 });
}

#[test]
fn a_database_of_another_program_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let connection = Connection::open(dir.path().join("wayleave.db")).unwrap();
    connection.execute_batch("CREATE TABLE theirs (x)").unwrap();
    drop(connection);
    let refused = refusal(dir.path());
    assert!(refused.to_string().ends_with("it belongs to another program"), "{refused}");
}

#[test]
fn a_file_that_is_no_database_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("wayleave.db"), "not a database\n".repeat(1000)).unwrap();
    let refused = refusal(dir.path());
    assert!(matches!(&refused, StoreError::Damaged { .. }), "{refused}");
    assert!(refused.to_string().contains("wayleave.db is damaged"), "{refused}");
}

#[test]
fn a_file_in_the_place_of_the_directory_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    for path in [file.clone(), file.join("below")] {
        let refused = refusal(&path);
        assert!(matches!(&refused, StoreError::CannotOpen { .. }), "{refused}");
    }
}

#[test]
fn a_directory_that_cannot_be_written_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let _guard = ReadOnly::new(dir.path());
    if fs::write(dir.path().join("probe"), "").is_ok() {
        // Root on a file system without the immutable flag: nothing can prevent the write.
        return;
    }
    let refused = refusal(dir.path());
    assert!(matches!(&refused, StoreError::CannotOpen { .. }), "{refused}");
    assert!(refused.to_string().contains("wayleave.lock cannot be opened"), "{refused}");
}

#[test]
fn a_store_on_a_file_system_without_room_for_it_is_refused() {
    // Nobody, not even root, can create a directory here.
    let refused = refusal(Path::new("/proc/wayleave-data"));
    assert!(matches!(&refused, StoreError::CannotOpen { .. }), "{refused}");
}

/// Makes a directory read-only, for root as well where the file system can, and back on drop.
struct ReadOnly<'a>(&'a Path);

impl<'a> ReadOnly<'a> {
    fn new(dir: &'a Path) -> Self {
        fs::set_permissions(dir, fs::Permissions::from_mode(0o500)).unwrap();
        let _ = Command::new("chattr").arg("+i").arg(dir).output();
        Self(dir)
    }
}

impl Drop for ReadOnly<'_> {
    fn drop(&mut self) {
        let _ = Command::new("chattr").arg("-i").arg(self.0).output();
        fs::set_permissions(self.0, fs::Permissions::from_mode(0o700)).unwrap();
    }
}
