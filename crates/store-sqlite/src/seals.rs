//! Daily seals and their timestamps in the database.

use bytes::Bytes;
use contract::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use store::{
    Anchor, AnchorStage, BoxFuture, Day, Digest, SealPosition, SealRow, Seals, StoreError,
    StoredSeal,
};

use crate::SqliteStore;
use crate::columns::{count, sql_integer, sql_limit};
use crate::error::DatabaseError;
use crate::sqlite_store::run_blocking;
use store::compression::{compress, decompress};

impl Seals for SqliteStore {
    fn put_seal(&self, seal: StoredSeal) -> BoxFuture<'_, Result<(), StoreError>> {
        const DOING: &str = "storing a seal";
        Box::pin(async move {
            let packed = run_blocking(DOING, move || {
                seal.check_size()?;
                let statement = compress(&seal.statement)
                    .map_err(|e| StoreError::Failed { doing: DOING, why: e.to_string() })?;
                Ok::<_, StoreError>((seal.fingerprint(), statement, seal))
            });
            let (fingerprint, statement, seal) = packed.await??;
            let bytes = statement.len() + seal.digests.len() * 100;
            let write = move |c: &Connection| insert_seal(c, &seal, fingerprint, &statement);
            self.database.writer.write(DOING, bytes, write).await
        })
    }

    fn seal(&self, day: Day) -> BoxFuture<'_, Result<Option<StoredSeal>, StoreError>> {
        Box::pin(self.database.readers.read("reading a seal", move |c| find_seal(c, day)))
    }

    fn seals(
        &self,
        before: Option<Day>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<SealRow>, StoreError>> {
        let before = before.map_or(i64::MAX, Day::number);
        Box::pin(self.database.readers.read("listing the seals", move |connection| {
            let sql = "SELECT day, sha256, root, leaves, sealed_at FROM seals WHERE day < ?1
                       ORDER BY day DESC LIMIT ?2";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map(params![before, sql_limit(limit)], seal_from_row)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        }))
    }

    fn first_sealed_day(&self) -> BoxFuture<'_, Result<Option<Day>, StoreError>> {
        Box::pin(self.database.readers.read("reading the first seal", |connection| {
            let sql = "SELECT min(day) FROM seals";
            let first: Option<i64> =
                connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
            Ok(first.map(Day::from_number))
        }))
    }

    fn seal_position(
        &self,
        digest: Digest,
    ) -> BoxFuture<'_, Result<Option<SealPosition>, StoreError>> {
        Box::pin(self.database.readers.read("looking up a digest", move |connection| {
            let sql = "SELECT day, leaf FROM sealed_digests WHERE digest = ?1";
            let place = |row: &Row<'_>| {
                let day = Day::from_number(row.get(0)?);
                Ok(SealPosition { day, index: count(row, 1)? })
            };
            let mut statement = connection.prepare_cached(sql)?;
            Ok(statement.query_row(params![digest.as_bytes()], place).optional()?)
        }))
    }

    fn put_anchor(&self, anchor: Anchor) -> BoxFuture<'_, Result<(), StoreError>> {
        let bytes = anchor.timestamp.len();
        let write = move |c: &Connection| put_anchor(c, &anchor);
        Box::pin(self.database.writer.write("storing a timestamp", bytes, write))
    }

    fn anchors(&self, day: Day) -> BoxFuture<'_, Result<Vec<Anchor>, StoreError>> {
        Box::pin(self.database.readers.read("reading timestamps", move |connection| {
            let sql =
                format!("SELECT {ANCHOR_COLUMNS} FROM anchors WHERE day = ?1 ORDER BY calendar");
            find_anchors(connection, &sql, params![day.number()])
        }))
    }

    fn due_anchors(
        &self,
        stages: Vec<AnchorStage>,
        now: Timestamp,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<Anchor>, StoreError>> {
        Box::pin(self.database.readers.read("reading due timestamps", move |connection| {
            let sql = format!(
                "SELECT {ANCHOR_COLUMNS} FROM anchors WHERE stage = ?1 AND next_try_at <= ?2
                 ORDER BY next_try_at LIMIT ?3"
            );
            let mut due = Vec::new();
            for stage in stages {
                let parameters = params![stage.as_str(), now.as_millis(), sql_limit(limit)];
                due.extend(find_anchors(connection, &sql, parameters)?);
            }
            due.sort_by_key(|anchor| anchor.next_try_at);
            due.truncate(limit);
            Ok(due)
        }))
    }
}

const ANCHOR_COLUMNS: &str = "day, calendar, stage, submitted_at, upgraded_at, verified_at, block_height, \
                      timestamp, tries, next_try_at, last_error";

fn insert_seal(
    connection: &Connection,
    seal: &StoredSeal,
    fingerprint: Digest,
    statement: &[u8],
) -> Result<(), DatabaseError> {
    let day = seal.day.number();
    let kept: Option<Vec<u8>> = connection
        .prepare_cached("SELECT fingerprint FROM seals WHERE day = ?1")?
        .query_row(params![day], |row| row.get(0))
        .optional()?;
    match kept {
        Some(kept) if kept == fingerprint.as_bytes() => return Ok(()),
        Some(_) => {
            let id = seal.day.to_string();
            return Err(StoreError::Duplicate { what: "seal", id }.into());
        }
        None => {}
    }
    connection
        .prepare_cached(
            "INSERT INTO seals (day, sha256, root, leaves, sealed_at, fingerprint, statement,
                                digests)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![
            day,
            seal.sha256.as_bytes(),
            seal.root.as_bytes(),
            sql_integer(seal.digests.len() as u64),
            seal.sealed_at.as_millis(),
            fingerprint.as_bytes(),
            statement,
            seal.digest_bytes(),
        ])?;
    let mut place = connection.prepare_cached(
        "INSERT INTO sealed_digests (digest, day, leaf) VALUES (?1, ?2, ?3)
         ON CONFLICT (digest) DO UPDATE SET day = excluded.day, leaf = excluded.leaf
         WHERE excluded.day < day",
    )?;
    for (leaf, digest) in (0_i64..).zip(&seal.digests) {
        place.execute(params![digest.as_bytes(), day, leaf])?;
    }
    Ok(())
}

fn find_seal(connection: &Connection, day: Day) -> Result<Option<StoredSeal>, DatabaseError> {
    let sql = "SELECT day, sha256, root, leaves, sealed_at, fingerprint, statement, digests
               FROM seals WHERE day = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let read = |row: &Row<'_>| {
        let blobs: [Vec<u8>; 3] = [row.get(5)?, row.get(6)?, row.get(7)?];
        Ok((seal_from_row(row)?, blobs))
    };
    let found = statement.query_row(params![day.number()], read).optional()?;
    let Some((row, [fingerprint, statement, digests])) = found else { return Ok(None) };
    let damaged = |why: String| StoreError::Damaged { what: format!("the seal of {day}"), why };
    let (digests, _) = digests.as_chunks::<32>();
    let seal = StoredSeal {
        day: row.day,
        sha256: row.sha256,
        root: row.root,
        sealed_at: row.sealed_at,
        statement: decompress(&statement).map_err(&damaged)?,
        digests: digests.iter().copied().map(Digest).collect(),
    };
    if seal.fingerprint().as_bytes().as_slice() != fingerprint {
        return Err(damaged(String::from("its fingerprint does not match")).into());
    }
    Ok(Some(seal))
}

fn seal_from_row(row: &Row<'_>) -> rusqlite::Result<SealRow> {
    Ok(SealRow {
        day: Day::from_number(row.get(0)?),
        sha256: Digest(row.get(1)?),
        root: Digest(row.get(2)?),
        leaves: count(row, 3)?,
        sealed_at: Timestamp::from_millis(row.get(4)?),
    })
}

fn put_anchor(connection: &Connection, anchor: &Anchor) -> Result<(), DatabaseError> {
    let sql = format!(
        "INSERT OR REPLACE INTO anchors ({ANCHOR_COLUMNS})
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"
    );
    connection.prepare_cached(&sql)?.execute(params![
        anchor.day.number(),
        anchor.calendar,
        anchor.stage.as_str(),
        anchor.submitted_at.map(Timestamp::as_millis),
        anchor.upgraded_at.map(Timestamp::as_millis),
        anchor.verified_at.map(Timestamp::as_millis),
        anchor.block_height.map(sql_integer),
        &anchor.timestamp[..],
        anchor.tries,
        anchor.next_try_at.as_millis(),
        anchor.last_error,
    ])?;
    Ok(())
}

fn find_anchors(
    connection: &Connection,
    sql: &str,
    params: &[&dyn rusqlite::ToSql],
) -> Result<Vec<Anchor>, DatabaseError> {
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement.query_map(params, |row| {
        let stage: String = row.get(2)?;
        Ok((stage, anchor_from_row(row)?))
    })?;
    found
        .map(|read| {
            let (word, anchor) = read?;
            let stage = AnchorStage::from_word(&word).ok_or_else(|| StoreError::Damaged {
                what: format!("a timestamp of {}", anchor.day),
                why: String::from("its stage is unknown"),
            })?;
            Ok(Anchor { stage, ..anchor })
        })
        .collect()
}

/// All columns but the stage, which the caller parses.
fn anchor_from_row(row: &Row<'_>) -> rusqlite::Result<Anchor> {
    let time = |at: usize| {
        Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(at)?.map(Timestamp::from_millis))
    };
    Ok(Anchor {
        day: Day::from_number(row.get(0)?),
        calendar: row.get(1)?,
        stage: AnchorStage::Waiting,
        submitted_at: time(3)?,
        upgraded_at: time(4)?,
        verified_at: time(5)?,
        block_height: row.get::<_, Option<i64>>(6)?.map(i64::unsigned_abs),
        timestamp: Bytes::from(row.get::<_, Vec<u8>>(7)?),
        tries: row.get(8)?,
        next_try_at: Timestamp::from_millis(row.get(9)?),
        last_error: row.get(10)?,
    })
}
