//! Feeds of address ranges in the database.

use std::path::Path;

use contract::Timestamp;
use rusqlite::{Connection, OptionalExtension, Params, Row, params};
use store::feeds::MAX_FEEDS;
use store::{BoxFuture, Digest, Feeds, StoreError, StoredFeed};

use crate::SqliteStore;
use crate::columns::{optional_time, sql_limit, time};
use crate::connect;
use crate::data_dir::DataDir;
use crate::database::Database;
use crate::error::{DatabaseError, open_error};
use crate::sqlite_store::run_blocking;
use store::compression::{compress, decompress};

const COLUMNS: &str = "id, url, fetched_at, changed_at, etag, last_modified, prefix_count, attempted_at, \
                       failures, last_fault, next_attempt_at, fingerprint, prefixes";

impl Feeds for Database {
    fn put_feed(&self, feed: StoredFeed) -> BoxFuture<'_, Result<(), StoreError>> {
        const DOING: &str = "storing a feed";
        Box::pin(async move {
            let packed = run_blocking(DOING, move || PackedFeed::new(feed)).await??;
            let bytes = packed.prefixes.len();
            self.writer.write(DOING, bytes, move |connection| packed.put(connection)).await
        })
    }

    fn feed<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<StoredFeed>, StoreError>> {
        let id = id.to_owned();
        Box::pin(self.readers.read("reading a feed", move |connection| {
            let sql = format!("SELECT {COLUMNS} FROM feeds WHERE id = ?1");
            Ok(find_feeds(connection, &sql, params![id])?.pop())
        }))
    }

    fn feeds(&self) -> BoxFuture<'_, Result<Vec<StoredFeed>, StoreError>> {
        Box::pin(self.readers.read("reading the feeds", |connection| {
            let sql = format!("SELECT {COLUMNS} FROM feeds ORDER BY id LIMIT ?1");
            find_feeds(connection, &sql, params![sql_limit(MAX_FEEDS)])
        }))
    }

    fn feed_ids(&self) -> BoxFuture<'_, Result<Vec<String>, StoreError>> {
        Box::pin(self.readers.read("listing the feeds", |connection| {
            let sql = "SELECT id FROM feeds ORDER BY id LIMIT ?1";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map(params![sql_limit(MAX_FEEDS)], |row| row.get(0))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        }))
    }

    fn delete_feed<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<bool, StoreError>> {
        let id = id.to_owned();
        Box::pin(self.writer.write("deleting a feed", 0, move |connection| {
            let sql = "DELETE FROM feeds WHERE id = ?1";
            Ok(connection.prepare_cached(sql)?.execute(params![id])? > 0)
        }))
    }
}

impl Feeds for SqliteStore {
    fn put_feed(&self, feed: StoredFeed) -> BoxFuture<'_, Result<(), StoreError>> {
        self.database.put_feed(feed)
    }

    fn feed<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<StoredFeed>, StoreError>> {
        self.database.feed(id)
    }

    fn feeds(&self) -> BoxFuture<'_, Result<Vec<StoredFeed>, StoreError>> {
        self.database.feeds()
    }

    fn feed_ids(&self) -> BoxFuture<'_, Result<Vec<String>, StoreError>> {
        self.database.feed_ids()
    }

    fn delete_feed<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<bool, StoreError>> {
        self.database.delete_feed(id)
    }
}

/// The feeds in a data directory. Changes nothing, and works while a server has the directory open. Empty if
/// there is no database yet, or its schema is older than feeds.
pub fn stored_feeds(dir: &Path) -> Result<Vec<StoredFeed>, StoreError> {
    let current = crate::schema_versions(dir)?.filter(|schema| schema.found == schema.known);
    if current.is_none() {
        return Ok(Vec::new());
    }
    let path = dir.join(DataDir::DATABASE);
    let place = path.display().to_string();
    let connection = connect::reader_connection(&path).map_err(|e| open_error(&place, &e))?;
    let sql = format!("SELECT {COLUMNS} FROM feeds ORDER BY id LIMIT ?1");
    find_feeds(&connection, &sql, params![sql_limit(MAX_FEEDS)])
        .map_err(|error| error.into_store_error("reading the feeds"))
}

/// A feed ready to be written: fingerprint and compression are done.
struct PackedFeed {
    feed: StoredFeed,
    fingerprint: Digest,
    prefixes: Vec<u8>,
}

impl PackedFeed {
    fn new(feed: StoredFeed) -> Result<Self, StoreError> {
        feed.check_size()?;
        let prefixes = compress(&feed.prefixes)
            .map_err(|e| StoreError::Failed { doing: "compressing a feed", why: e.to_string() })?;
        Ok(Self { fingerprint: feed.fingerprint(), prefixes, feed })
    }

    fn put(&self, connection: &Connection) -> Result<(), DatabaseError> {
        let feed = &self.feed;
        let sql = "SELECT 1 FROM feeds WHERE id <> ?1 LIMIT 1 OFFSET ?2";
        let is_full = connection
            .prepare_cached(sql)?
            .query_row(params![feed.id, sql_limit(MAX_FEEDS - 1)], |_| Ok(()))
            .optional()?
            .is_some();
        if is_full {
            let why = format!("a store has at most {MAX_FEEDS} feeds; delete one first");
            return Err(StoreError::Failed { doing: "storing a feed", why }.into());
        }
        let sql = format!(
            "INSERT OR REPLACE INTO feeds ({COLUMNS})
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)"
        );
        connection.prepare_cached(&sql)?.execute(params![
            feed.id,
            feed.url,
            feed.fetched_at.map(Timestamp::as_millis),
            feed.changed_at.map(Timestamp::as_millis),
            feed.etag,
            feed.last_modified,
            feed.prefix_count,
            feed.attempted_at.as_millis(),
            feed.failures,
            feed.last_fault,
            feed.next_attempt_at.as_millis(),
            self.fingerprint.as_bytes(),
            self.prefixes,
        ])?;
        Ok(())
    }
}

fn find_feeds(
    connection: &Connection,
    sql: &str,
    params: impl Params,
) -> Result<Vec<StoredFeed>, DatabaseError> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(feed_from_row(row)?);
    }
    Ok(found)
}

/// A value that cannot be converted is damage too, so that a copy reports it and continues.
fn feed_from_row(row: &Row<'_>) -> Result<StoredFeed, StoreError> {
    let name = row.get::<_, String>(0).unwrap_or_default();
    let damaged = |why: String| StoreError::Damaged { what: format!("the feed {name}"), why };
    let (mut feed, fingerprint, prefixes) =
        read_columns(row).map_err(|e| damaged(e.to_string()))?;
    feed.prefixes = decompress(&prefixes).map_err(damaged)?;
    if feed.fingerprint() == fingerprint {
        Ok(feed)
    } else {
        Err(damaged(String::from("its fingerprint does not match")))
    }
}

/// The feed without its content, its fingerprint, and its content as it is stored.
fn read_columns(row: &Row<'_>) -> rusqlite::Result<(StoredFeed, Digest, Vec<u8>)> {
    let feed = StoredFeed {
        id: row.get(0)?,
        url: row.get(1)?,
        fetched_at: optional_time(row, 2)?,
        changed_at: optional_time(row, 3)?,
        etag: row.get(4)?,
        last_modified: row.get(5)?,
        prefix_count: row.get(6)?,
        attempted_at: time(row, 7)?,
        failures: row.get(8)?,
        last_fault: row.get(9)?,
        next_attempt_at: time(row, 10)?,
        prefixes: bytes::Bytes::new(),
    };
    Ok((feed, Digest(row.get(11)?), row.get(12)?))
}
