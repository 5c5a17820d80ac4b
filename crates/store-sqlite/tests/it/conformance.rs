//! The conformance suite that every store engine must pass.

use std::path::PathBuf;
use std::sync::Arc;

use store::conformance::{Engine, LogPart, StoreLocation, run};
use store::{BoxFuture, Day, Digest, Store};

struct Sqlite;

struct Dir(tempfile::TempDir);

impl Engine for Sqlite {
    fn new_location(&self) -> BoxFuture<'_, Box<dyn StoreLocation>> {
        Box::pin(async { Box::new(Dir(tempfile::tempdir().unwrap())) as Box<dyn StoreLocation> })
    }
}

impl StoreLocation for Dir {
    fn open(&self) -> BoxFuture<'_, Arc<dyn Store>> {
        Box::pin(async { Arc::new(crate::open(self.0.path())) as Arc<dyn Store> })
    }

    fn damage_artifact(&self, sha256: Digest) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let path = artifact_path(self.0.path(), sha256);
            let mut bytes = std::fs::read(&path).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 0x10;
            std::fs::write(&path, bytes).unwrap();
        })
    }

    fn damage_scan<'a>(&'a self, id: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let connection = rusqlite::Connection::open(self.0.path().join("wayleave.db")).unwrap();
            let mut record: Vec<u8> = connection
                .query_row("SELECT record FROM scans WHERE id = ?1", [id], |row| row.get(0))
                .unwrap();
            let last = record.len() - 1;
            record[last] ^= 0x01;
            let sql = "UPDATE scans SET record = ?2 WHERE id = ?1";
            assert_eq!(connection.execute(sql, rusqlite::params![id, record]).unwrap(), 1);
        })
    }

    fn damage_log(&self, part: LogPart) -> BoxFuture<'_, ()> {
        let (table, column, row) = match part {
            LogPart::Head { batch } => ("log_batches", "sth", format!("batch = {batch}")),
            LogPart::Leaves { batch } => ("log_batches", "leaves", format!("batch = {batch}")),
            LogPart::Contents { batch } => ("log_batches", "contents", format!("batch = {batch}")),
            LogPart::Tile { level, index } => {
                ("log_tiles", "hashes", format!("level = {level} AND tile = {index}"))
            }
            LogPart::Answer { sha256 } => ("answers", "answer", format!("sha256 = x'{sha256}'")),
            LogPart::Revocation { seq } => ("revocations", "entry_sha256", format!("seq = {seq}")),
        };
        Box::pin(async move {
            let connection = rusqlite::Connection::open(self.0.path().join("wayleave.db")).unwrap();
            let sql = format!("SELECT {column} FROM {table} WHERE {row}");
            let mut bytes: Vec<u8> = connection.query_row(&sql, [], |row| row.get(0)).unwrap();
            let last = bytes.len() - 1;
            bytes[last] ^= 0x01;
            let sql = format!("UPDATE {table} SET {column} = ?1 WHERE {row}");
            assert_eq!(connection.execute(&sql, [bytes]).unwrap(), 1);
        })
    }

    fn damage_seal(&self, day: Day) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let connection = rusqlite::Connection::open(self.0.path().join("wayleave.db")).unwrap();
            let sql = "UPDATE seals SET root = randomblob(32) WHERE day = ?1";
            assert_eq!(connection.execute(sql, [day.number()]).unwrap(), 1);
        })
    }

    fn damage_feed<'a>(&'a self, id: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let connection = rusqlite::Connection::open(self.0.path().join("wayleave.db")).unwrap();
            let mut prefixes: Vec<u8> = connection
                .query_row("SELECT prefixes FROM feeds WHERE id = ?1", [id], |row| row.get(0))
                .unwrap();
            let last = prefixes.len() - 1;
            prefixes[last] ^= 0x01;
            let sql = "UPDATE feeds SET prefixes = ?2 WHERE id = ?1";
            assert_eq!(connection.execute(sql, rusqlite::params![id, prefixes]).unwrap(), 1);
        })
    }

    fn damage_registration<'a>(&'a self, domain: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let connection = rusqlite::Connection::open(self.0.path().join("wayleave.db")).unwrap();
            let sql = "UPDATE registrations SET registration = x'7b7d' WHERE domain = ?1";
            assert_eq!(connection.execute(sql, [domain]).unwrap(), 1);
        })
    }

    fn damage_accuracy(&self, sha256: Digest) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let connection = rusqlite::Connection::open(self.0.path().join("wayleave.db")).unwrap();
            let sql = "SELECT record FROM accuracy_records WHERE sha256 = ?1";
            let mut record: Vec<u8> =
                connection.query_row(sql, [sha256.as_bytes()], |row| row.get(0)).unwrap();
            let last = record.len() - 1;
            record[last] ^= 0x01;
            let sql = "UPDATE accuracy_records SET record = ?2 WHERE sha256 = ?1";
            let parameters = rusqlite::params![sha256.as_bytes(), record];
            assert_eq!(connection.execute(sql, parameters).unwrap(), 1);
        })
    }

    fn damage_conduct(&self, day: Day) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let connection = rusqlite::Connection::open(self.0.path().join("wayleave.db")).unwrap();
            let sql = "UPDATE conduct_days SET counts = x'7b7d' WHERE day = ?1";
            assert_eq!(connection.execute(sql, [day.number()]).unwrap(), 1);
        })
    }

    fn damage_mcp_scan(&self, scan_sha256: Digest) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let connection = rusqlite::Connection::open(self.0.path().join("wayleave.db")).unwrap();
            let sql = "SELECT document FROM mcp_scans WHERE scan_sha256 = ?1";
            let mut document: Vec<u8> =
                connection.query_row(sql, [scan_sha256.as_bytes()], |row| row.get(0)).unwrap();
            let last = document.len() - 1;
            document[last] ^= 0x01;
            let sql = "UPDATE mcp_scans SET document = ?2 WHERE scan_sha256 = ?1";
            let parameters = rusqlite::params![scan_sha256.as_bytes(), document];
            assert_eq!(connection.execute(sql, parameters).unwrap(), 1);
        })
    }

    fn damage_mcp_lock(&self, lock_sha256: Digest) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let connection = rusqlite::Connection::open(self.0.path().join("wayleave.db")).unwrap();
            let sql = "UPDATE mcp_locks SET issued_at = issued_at + 1 WHERE lock_sha256 = ?1";
            assert_eq!(connection.execute(sql, [lock_sha256.as_bytes()]).unwrap(), 1);
        })
    }
}

pub(crate) fn artifact_path(dir: &std::path::Path, sha256: Digest) -> PathBuf {
    let name = sha256.to_string();
    dir.join("artifacts").join(&name[..2]).join(&name[2..4]).join(format!("{name}.zst"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn passes_the_common_suite() {
    match run(&Sqlite).await {
        Ok(cases) => assert!(cases >= 100, "{cases}"),
        Err(failures) => panic!("\n{failures}"),
    }
}
