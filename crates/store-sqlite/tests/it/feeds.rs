//! Feeds of address ranges: damage, administrative access and backups.

use std::fs;

use bytes::Bytes;
use contract::Timestamp;
use store::{Feeds, StoredFeed};
use store_sqlite::{SqliteAdmin, copy_data_dir};

use crate::flips::{Chance, columns, flip};
use crate::open;

const FLIPS_PER_COLUMN: usize = 10;

fn feed(id: &str, number: u32) -> StoredFeed {
    let at = |ms: u32| Timestamp::from_millis(1_794_711_380_007 + i64::from(number * 10 + ms));
    let lines = (0..200).map(|line| format!("192.0.{number}.{line}/32\n"));
    StoredFeed {
        id: id.to_owned(),
        url: format!("https://{id}.example/ranges.json"),
        fetched_at: Some(at(0)),
        changed_at: Some(at(1)),
        etag: Some(format!("\"{number}\"")),
        last_modified: Some(format!("Sun, 15 Nov 2026 02:16:{number:02} GMT")),
        prefixes: Bytes::from(lines.collect::<String>()),
        prefix_count: 200,
        attempted_at: at(2),
        failures: number,
        last_fault: Some(format!("it answered 50{number}")),
        next_attempt_at: at(3),
    }
}

#[tokio::test]
async fn a_flipped_byte_of_a_feed_is_an_error_and_never_a_wrong_answer() {
    let dir = tempfile::tempdir().unwrap();
    let put = vec![feed("a", 1), feed("b", 2)];
    let store = open(dir.path());
    for feed in put.clone() {
        store.put_feed(feed).await.unwrap();
    }
    drop(store);
    let path = dir.path().join("wayleave.db");
    let whole = fs::read(&path).unwrap();
    let columns = columns(&path, &["feeds"]);
    assert_eq!(columns.len(), 13, "{columns:?}");
    let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
    for column in &columns {
        let mut found = 0;
        for _ in 0..FLIPS_PER_COLUMN {
            for side in ["wayleave.db-wal", "wayleave.db-shm"] {
                let _ = fs::remove_file(dir.path().join(side));
            }
            fs::write(&path, &whole).unwrap();
            let Some(what) = flip(&path, column, &mut chance) else { continue };
            let store = open(dir.path());
            match store.feeds().await {
                Ok(feeds) => assert_eq!(feeds, put, "{what}"),
                Err(_) => found += 1,
            }
            for feed in &put {
                match store.feed(&feed.id).await {
                    Ok(Some(got)) => assert_eq!(got, *feed, "{what}"),
                    Ok(None) => assert_eq!(column, "feeds.id", "{what}"),
                    Err(_) => {}
                }
            }
        }
        assert!(found > FLIPS_PER_COLUMN / 2, "{column}: only {found} flips were found");
    }
}

#[tokio::test]
async fn an_operator_reads_and_replaces_feeds_beside_a_server() {
    let dir = tempfile::tempdir().unwrap();
    let server = open(dir.path());
    server.put_feed(feed("a", 1)).await.unwrap();
    let admin = SqliteAdmin::open(dir.path()).unwrap();
    assert_eq!(admin.feeds().feeds().await, Ok(vec![feed("a", 1)]));
    admin.feeds().put_feed(feed("a", 2)).await.unwrap();
    admin.feeds().put_feed(feed("b", 3)).await.unwrap();
    assert_eq!(server.feeds().await, Ok(vec![feed("a", 2), feed("b", 3)]));
    assert_eq!(admin.feeds().delete_feed("a").await, Ok(true));
    assert_eq!(server.feed("a").await, Ok(None));
}

#[tokio::test]
async fn a_backup_of_a_running_server_has_the_feeds() {
    let dir = tempfile::tempdir().unwrap();
    let [from, to] = ["from", "to"].map(|name| dir.path().join(name));
    let server = open(&from);
    server.put_feed(feed("a", 1)).await.unwrap();
    copy_data_dir(&from, &to).unwrap();
    server.put_feed(feed("a", 2)).await.unwrap();
    assert_eq!(open(&to).feeds().await, Ok(vec![feed("a", 1)]));
}
