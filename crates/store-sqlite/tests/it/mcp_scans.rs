//! Scans, surfaces and locks of MCP servers: damage and backups.

use std::fs;
use std::path::Path;

use bytes::Bytes;
use contract::Timestamp;
use store::{
    Digest, IssuedMcpLock, McpScanExtras, McpScans, McpSurface, StoreError, StoredMcpScan,
};
use store_sqlite::{SqliteStore, copy_data_dir};

use crate::flips::{Chance, Reads, columns, flip};
use crate::open;

const FLIPS_PER_COLUMN: usize = 10;

/// Columns in which a read may not detect a flip: a row is not found, or an older one is taken for the
/// latest. The README lists the same columns. `wayleave fsck` finds all of them.
const UNDETECTED: [&str; 7] = [
    "mcp_scans.position",
    "mcp_scans.scan_sha256",
    "mcp_scans.url",
    "mcp_scans.domain",
    "mcp_surfaces.position",
    "mcp_surfaces.url",
    "mcp_locks.lock_sha256",
];

fn at(number: i64) -> Timestamp {
    Timestamp::from_millis(1_794_711_380_007 + number)
}

fn scan(server: &str, number: i64, surface: &str) -> StoredMcpScan {
    StoredMcpScan {
        url: format!("https://{server}/mcp"),
        domain: store::scans::parse_stored_domain(server).unwrap(),
        scan_sha256: Digest::of(format!("{server} {number}").as_bytes()),
        observed_at: at(number),
        state: String::from("observed"),
        surface_sha256: Some(Digest::of(surface.as_bytes())),
        document: Bytes::from(format!("document {number} ").repeat(30)),
        lists: Bytes::from(format!("lists {number} ").repeat(30)),
    }
}

fn lock(number: i64) -> IssuedMcpLock {
    IssuedMcpLock {
        lock_sha256: Digest::of(&number.to_be_bytes()),
        url: String::from("https://a.lab/mcp"),
        domain: store::scans::parse_stored_domain("a.lab").unwrap(),
        surface_sha256: Digest::of(b"x"),
        scan_sha256: Some(Digest::of(b"scan")),
        issued_at: at(number),
    }
}

/// Two servers with two scans, surfaces and locks each.
async fn fill(dir: &Path) -> (Vec<StoredMcpScan>, Vec<McpSurface>, Vec<IssuedMcpLock>) {
    let store = open(dir);
    let mut scans = Vec::new();
    let mut surfaces = Vec::new();
    for (number, surface) in [(1, "x"), (2, "y")] {
        for server in ["a.lab", "b.lab"] {
            let put = scan(server, number, surface);
            store.put_mcp_scan(put.clone(), McpScanExtras::default()).await.unwrap();
            scans.push(put);
        }
        let (first_seen, last_seen) = (at(number), at(number));
        let surface_sha256 = Digest::of(surface.as_bytes());
        surfaces.insert(0, McpSurface { surface_sha256, first_seen, last_seen });
    }
    let locks = vec![lock(1), lock(2)];
    for lock in &locks {
        store.put_mcp_lock(lock.clone()).await.unwrap();
    }
    (scans, surfaces, locks)
}

async fn read_all(
    store: &SqliteStore,
    (scans, surfaces, locks): &(Vec<StoredMcpScan>, Vec<McpSurface>, Vec<IssuedMcpLock>),
    what: &str,
) -> Reads {
    let mut reads = Reads::default();
    let list = |found: Result<Option<StoredMcpScan>, StoreError>| {
        found.map(|found| found.into_iter().collect::<Vec<_>>())
    };
    for scan in scans {
        let found = store.mcp_scan(scan.scan_sha256).await;
        reads.note(list(found), std::slice::from_ref(scan), scans, what);
    }
    let summaries: Vec<_> = scans.iter().map(StoredMcpScan::summary).collect();
    for latest in &scans[2..] {
        let expected = std::slice::from_ref(latest);
        let of_server: Vec<StoredMcpScan> =
            scans.iter().filter(|scan| scan.url == latest.url).cloned().collect();
        let found = store.latest_mcp_scan(&latest.url).await;
        reads.note(list(found), expected, &of_server, what);
        let found = store.latest_complete_mcp_scan(&latest.url).await;
        reads.note(list(found), expected, &of_server, what);
        let found = store.mcp_scans_of_domain(&latest.domain, 9).await;
        reads.note(found, &[latest.summary()], &summaries, what);
        let found = store.mcp_surfaces(&latest.url, 9).await;
        reads.note(found, surfaces, surfaces, what);
    }
    for lock in locks {
        let found = store.mcp_lock(lock.lock_sha256).await;
        let found = found.map(|found| found.into_iter().collect());
        reads.note(found, std::slice::from_ref(lock), locks, what);
    }
    reads
}

#[tokio::test]
async fn a_flipped_byte_of_an_mcp_scan_is_an_error_and_never_a_wrong_answer() {
    let dir = tempfile::tempdir().unwrap();
    let put = fill(dir.path()).await;
    let path = dir.path().join("wayleave.db");
    let whole = fs::read(&path).unwrap();
    let columns = columns(&path, &["mcp_scans", "mcp_surfaces", "mcp_locks"]);
    assert_eq!(columns.len(), 12 + 6 + 8, "{columns:?}");
    let sound = read_all(&open(dir.path()), &put, "nothing").await;
    assert!(!sound.error && !sound.missing, "{sound:?}");
    let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
    for column in &columns {
        let listed = UNDETECTED.contains(&column.as_str());
        let mut flips = 0;
        for _ in 0..FLIPS_PER_COLUMN {
            for side in ["wayleave.db-wal", "wayleave.db-shm"] {
                let _ = fs::remove_file(dir.path().join(side));
            }
            fs::write(&path, &whole).unwrap();
            let Some(what) = flip(&path, column, &mut chance) else { continue };
            let reads = read_all(&open(dir.path()), &put, &what).await;
            assert!(!reads.missing || listed, "{what}: {reads:?}");
            assert!(reads.error || listed, "{what}: nothing was found");
            flips += 1;
        }
        assert!(flips > FLIPS_PER_COLUMN / 2, "{column}: only {flips} flips");
    }
}

/// The README must list the same columns.
#[test]
fn the_readme_lists_the_undetected_columns_of_mcp_scans() {
    let readme = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let (_, section) = readme.split_once("## Damage that a read does not detect").unwrap();
    let section = section.split("\n## ").next().unwrap();
    for column in UNDETECTED {
        let (table, column) = column.split_once('.').unwrap();
        let line = section.lines().find(|line| line.starts_with(&format!("- `{table}`"))).unwrap();
        assert!(line.contains(&format!("`{column}`")), "{table}.{column} is not in: {line}");
    }
}

#[tokio::test]
async fn a_backup_of_a_running_server_has_the_mcp_scans() {
    let dir = tempfile::tempdir().unwrap();
    let [from, to] = ["from", "to"].map(|name| dir.path().join(name));
    let server = open(&from);
    let (before, after) = (scan("a.lab", 1, "x"), scan("a.lab", 2, "y"));
    server.put_mcp_scan(before.clone(), McpScanExtras::default()).await.unwrap();
    copy_data_dir(&from, &to).unwrap();
    server.put_mcp_scan(after, McpScanExtras::default()).await.unwrap();
    assert_eq!(open(&to).latest_mcp_scan(&before.url).await, Ok(Some(before)));
}
