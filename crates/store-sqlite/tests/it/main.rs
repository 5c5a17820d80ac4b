//! Integration tests of the engine: the common suite, opening, disk faults and killed processes.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

mod accuracy;
mod admin;
mod conformance;
mod deletions;
mod faults;
mod feeds;
mod flips;
mod killed;
mod mcp_scans;
mod opening;

use std::path::Path;

use bytes::Bytes;
use contract::Timestamp;
use store::{Digest, Scan, Visibility};
use store_sqlite::{SqliteOptions, SqliteStore};

fn open(dir: &Path) -> SqliteStore {
    try_open(dir).unwrap()
}

/// For stores that may be damaged.
fn try_open(dir: &Path) -> Result<SqliteStore, store::StoreError> {
    SqliteStore::open(dir, SqliteOptions::default())
}

/// A scan whose content follows from its id, so that a reader can check it.
fn scan(id: &str) -> Scan {
    Scan {
        id: id.to_owned(),
        domain: store::scans::parse_stored_domain("shop.lab").unwrap(),
        scanned_at: Timestamp::from_millis(1_794_711_380_007),
        visibility: Visibility::Public,
        score_version: 1,
        grade: None,
        overall: None,
        record: Bytes::from(format!("record of {id} ").repeat(40)),
        evidence: Bytes::from(format!("evidence of {id} ").repeat(40)),
        artifacts: vec![Digest::of(id.as_bytes())],
    }
}

/// Runs SQLite's own check of the whole database.
fn integrity(dir: &Path) -> String {
    let connection = rusqlite::Connection::open(dir.join("wayleave.db")).unwrap();
    connection.pragma_query_value(None, "integrity_check", |row| row.get(0)).unwrap()
}
