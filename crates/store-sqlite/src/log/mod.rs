//! The transparency log in the database (implements `store::Log`).

mod append;
mod leaves;
mod read;

use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use contract::Timestamp;
use rusqlite::{Connection, params};
use store::{
    Append, BoxFuture, ContradictingHead, Cosignature, Digest, Log, LogLease, StoreError,
    StoredBatch,
};

use self::append::PackedAppend;
use crate::SqliteStore;
use crate::columns::{sql_integer, sql_limit, unsigned};
use crate::snapshot::in_snapshot;
use crate::sqlite_store::run_blocking;

impl Log for SqliteStore {
    fn acquire_log_lease<'a>(
        &'a self,
        holder: &'a str,
        now: Timestamp,
        until: Timestamp,
    ) -> BoxFuture<'a, Result<LogLease, StoreError>> {
        const DOING: &str = "taking the log's lease";
        let (holder, leased) = (holder.to_owned(), Arc::clone(&self.lease_taken));
        Box::pin(async move {
            let previous = self.lease_taken.load(Ordering::Relaxed);
            // Decided once, although the write may run twice.
            let holder_is_gone = OnceLock::new();
            let taking = self.database.writer.write(DOING, 0, move |connection| {
                let is_gone = holder_is_gone.get_or_init(|| !leased.swap(true, Ordering::Relaxed));
                append::take_lease(connection, &holder, now, until, *is_gone)
            });
            let taken = taking.await;
            if taken.is_err() {
                self.lease_taken.fetch_and(previous, Ordering::Relaxed);
            }
            taken
        })
    }

    fn append(&self, append: Append) -> BoxFuture<'_, Result<(), StoreError>> {
        const DOING: &str = "extending the log";
        Box::pin(async move {
            let packed = run_blocking(DOING, move || PackedAppend::new(append)).await??;
            let packed_bytes = packed.bytes();
            let change = packed.revokes().then(|| self.revocation_cache.begin_change());
            let write = move |connection: &Connection| {
                let _ends_with_the_write = &change;
                packed.write(connection)
            };
            self.database.writer.write(DOING, packed_bytes, write).await
        })
    }

    fn last_batch(&self) -> BoxFuture<'_, Result<Option<StoredBatch>, StoreError>> {
        Box::pin(
            self.database.readers.read("reading the last batch", |connection| {
                in_snapshot(connection, read::last_batch)
            }),
        )
    }

    fn batch(&self, batch: u64) -> BoxFuture<'_, Result<Option<StoredBatch>, StoreError>> {
        Box::pin(self.database.readers.read("reading a batch", move |connection| {
            in_snapshot(connection, |connection| read::batch(connection, batch))
        }))
    }

    fn batch_at(&self, log_index: u64) -> BoxFuture<'_, Result<Option<StoredBatch>, StoreError>> {
        Box::pin(self.database.readers.read("reading a batch", move |connection| {
            in_snapshot(connection, |connection| read::batch_at(connection, log_index))
        }))
    }

    fn heads(&self, from: u64, limit: usize) -> BoxFuture<'_, Result<Vec<Bytes>, StoreError>> {
        Box::pin(
            self.database
                .readers
                .read("reading tree heads", move |connection| read::heads(connection, from, limit)),
        )
    }

    fn leaf_indexes(
        &self,
        leaves: Vec<Digest>,
    ) -> BoxFuture<'_, Result<Vec<Option<u64>>, StoreError>> {
        Box::pin(
            self.database.readers.read("looking for leaves", move |connection| {
                leaves::leaf_places(connection, &leaves)
            }),
        )
    }

    fn leaf_kinds(
        &self,
        leaves: Vec<Digest>,
    ) -> BoxFuture<'_, Result<Vec<Option<String>>, StoreError>> {
        Box::pin(
            self.database.readers.read("looking for leaves", move |connection| {
                leaves::leaf_kinds(connection, &leaves)
            }),
        )
    }

    fn log_entries(
        &self,
        from: u64,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<Bytes>, StoreError>> {
        Box::pin(self.database.readers.read("reading entries of the log", move |connection| {
            in_snapshot(connection, |connection| read::entries(connection, from, limit))
        }))
    }

    fn entries_of_kind<'a>(&'a self, kind: &'a str) -> BoxFuture<'a, Result<Vec<u64>, StoreError>> {
        let kind = kind.to_owned();
        Box::pin(self.database.readers.read("listing entries of a kind", move |connection| {
            leaves::indexes_of_kind(connection, &kind)
        }))
    }

    fn count_indexed_leaves(&self) -> BoxFuture<'_, Result<u64, StoreError>> {
        Box::pin(self.database.readers.read("counting leaves", |connection| {
            let sql = "SELECT count(*) FROM log_leaves";
            let count: i64 = connection.query_row(sql, [], |row| row.get(0))?;
            Ok(unsigned(count, "the count of leaves")?)
        }))
    }

    fn tile(&self, level: u8, index: u64) -> BoxFuture<'_, Result<Option<Bytes>, StoreError>> {
        Box::pin(self.database.readers.read("reading a tile", move |connection| {
            in_snapshot(connection, |connection| read::tile(connection, level, index))
        }))
    }

    fn put_cosignatures(
        &self,
        cosignatures: Vec<Cosignature>,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(self.database.writer.write("storing cosignatures", 0, move |connection| {
            let sql = "INSERT INTO log_cosignatures (tree_size, witness, line, at)
                       VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING";
            let mut insert = connection.prepare_cached(sql)?;
            for cosignature in &cosignatures {
                insert.execute(params![
                    sql_integer(cosignature.tree_size),
                    cosignature.witness,
                    cosignature.line,
                    cosignature.at.as_millis(),
                ])?;
            }
            Ok(())
        }))
    }

    fn cosignatures(&self, tree_size: u64) -> BoxFuture<'_, Result<Vec<Cosignature>, StoreError>> {
        Box::pin(self.database.readers.read("reading cosignatures", move |connection| {
            let sql = "SELECT witness, line, at FROM log_cosignatures WHERE tree_size = ?1
                       ORDER BY witness";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map(params![sql_integer(tree_size)], |row| {
                Ok(Cosignature {
                    tree_size,
                    witness: row.get(0)?,
                    line: row.get(1)?,
                    at: Timestamp::from_millis(row.get(2)?),
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        }))
    }

    fn cosigned_sizes(
        &self,
        from: u64,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<u64>, StoreError>> {
        Box::pin(self.database.readers.read("reading cosignatures", move |connection| {
            let sql = "SELECT DISTINCT tree_size FROM log_cosignatures WHERE tree_size >= ?1
                       ORDER BY tree_size LIMIT ?2";
            let mut statement = connection.prepare_cached(sql)?;
            let sizes = statement
                .query_map(params![sql_integer(from), sql_limit(limit)], |row| row.get(0))?;
            sizes.map(|size| Ok(unsigned(size?, "a cosigned size")?)).collect()
        }))
    }

    fn last_cosigned(&self) -> BoxFuture<'_, Result<Option<u64>, StoreError>> {
        Box::pin(self.database.readers.read("reading cosignatures", |connection| {
            let sql = "SELECT max(tree_size) FROM log_cosignatures";
            let size: Option<i64> = connection.query_row(sql, [], |row| row.get(0))?;
            Ok(size.map(|size| unsigned(size, "a cosigned size")).transpose()?)
        }))
    }

    fn put_contradicting_head(
        &self,
        sighting: ContradictingHead,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        let bytes = sighting.sth.len();
        Box::pin(self.database.writer.write("storing a sighting", bytes, move |connection| {
            let sql = "INSERT INTO log_sightings (sth_sha256, batch, seen_at, sth, why)
                       VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING";
            connection.prepare_cached(sql)?.execute(params![
                sighting.sth_sha256.as_bytes(),
                sql_integer(sighting.batch),
                sighting.seen_at.as_millis(),
                &sighting.sth[..],
                sighting.why,
            ])?;
            Ok(())
        }))
    }

    fn contradicting_heads(&self) -> BoxFuture<'_, Result<Vec<ContradictingHead>, StoreError>> {
        Box::pin(self.database.readers.read("reading sightings", |connection| {
            let sql = "SELECT sth_sha256, batch, seen_at, sth, why FROM log_sightings
                       ORDER BY seen_at, sth_sha256";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map([], |row| {
                Ok(ContradictingHead {
                    sth_sha256: Digest(row.get(0)?),
                    batch: u64::try_from(row.get::<_, i64>(1)?).unwrap_or(u64::MAX),
                    seen_at: Timestamp::from_millis(row.get(2)?),
                    sth: Bytes::from(row.get::<_, Vec<u8>>(3)?),
                    why: row.get(4)?,
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        }))
    }
}
