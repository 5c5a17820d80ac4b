//! Scans that the operator deleted. Rows go in one transaction; the files of their bodies afterwards, by
//! the process that holds the data directory.

use contract::{Day, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row, params};
use store::deletions::is_answer_from_scan;
use store::scans::{parse_stored_domain, record_digest};
use store::{
    BoxFuture, DeletedParts, DeletedScan, DeletionOutcome, Deletions, Digest, ScanDeletion,
    StoreError,
};

use crate::SqliteStore;
use crate::columns::{optional_digest, sql_limit, unsigned};
use crate::database::Database;
use crate::error::DatabaseError;
use crate::pruning::{OldAnswer, delete_answers};
use store::compression::decompress;

const DOING: &str = "deleting a scan";
const COLUMNS: &str = "id, record_sha256, day, deleted_at, reason, fingerprint";

impl Deletions for Database {
    fn delete_scan(
        &self,
        deletion: ScanDeletion,
    ) -> BoxFuture<'_, Result<DeletionOutcome, StoreError>> {
        Box::pin(async move {
            // Found on a reading connection: there may be many, and all are decompressed.
            let id = deletion.id.clone();
            let replies = self.readers.read(DOING, move |c| find_replies(c, &id)).await?;
            let delete = move |connection: &Connection| delete(connection, &deletion, &replies);
            self.writer.write(DOING, 0, delete).await
        })
    }

    fn deleted_scan<'a>(
        &'a self,
        id: &'a str,
    ) -> BoxFuture<'a, Result<Option<DeletedScan>, StoreError>> {
        let id = id.to_owned();
        Box::pin(self.readers.read("reading a deleted scan", move |c| find_deleted(c, &id)))
    }

    fn list_deleted_scans(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<DeletedScan>, StoreError>> {
        Box::pin(self.readers.read("listing deleted scans", move |connection| {
            let sql = format!(
                "SELECT {COLUMNS} FROM deleted_scans WHERE ?1 IS NULL OR id > ?1
                 ORDER BY id LIMIT ?2"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map(params![after, sql_limit(limit)], read_row)?;
            rows.map(|row| Ok(check_row(row?)?)).collect()
        }))
    }

    fn deleted_digests(&self, day: Day) -> BoxFuture<'_, Result<Vec<Digest>, StoreError>> {
        Box::pin(self.readers.read("reading deleted scans", move |connection| {
            let sql = format!("SELECT {COLUMNS} FROM deleted_scans WHERE day = ?1 ORDER BY id");
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map(params![day.number()], read_row)?;
            let digests = rows.filter_map(|row| match row {
                Ok(row) => check_row(row).map(|deleted| deleted.record_sha256).transpose(),
                Err(error) => Some(Err(crate::error::store_error(DOING, &error))),
            });
            Ok(digests.collect::<Result<_, StoreError>>()?)
        }))
    }

    fn first_deleted_day(&self) -> BoxFuture<'_, Result<Option<Day>, StoreError>> {
        Box::pin(self.readers.read("reading deleted scans", |connection| {
            let sql = "SELECT min(day) FROM deleted_scans WHERE day IS NOT NULL";
            let day: Option<i64> = connection.prepare_cached(sql)?.query_row([], |r| r.get(0))?;
            Ok(day.map(Day::from_number))
        }))
    }

    fn put_deleted_scan(&self, deleted: DeletedScan) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(self.writer.write("storing a deleted scan", 0, move |connection| {
            if find_deleted(connection, &deleted.id)?.as_ref() == Some(&deleted) {
                return Ok(());
            }
            // A copy that was made before the scan was deleted.
            if let Some(scan) = find_scan_row(connection, &deleted.id)? {
                return delete_rows(connection, &deleted, &scan, &[]).map(drop);
            }
            Ok(insert_deleted(connection, &deleted)?)
        }))
    }

    fn count_deleted_scans(&self) -> BoxFuture<'_, Result<u64, StoreError>> {
        Box::pin(self.readers.read("counting deleted scans", |c| count(c, "deleted_scans")))
    }

    fn count_bodies_to_remove(&self) -> BoxFuture<'_, Result<u64, StoreError>> {
        Box::pin(self.readers.read("counting deleted bodies", |c| count(c, "deleted_bodies")))
    }
}

impl Deletions for SqliteStore {
    fn delete_scan(
        &self,
        deletion: ScanDeletion,
    ) -> BoxFuture<'_, Result<DeletionOutcome, StoreError>> {
        self.database.delete_scan(deletion)
    }

    fn deleted_scan<'a>(
        &'a self,
        id: &'a str,
    ) -> BoxFuture<'a, Result<Option<DeletedScan>, StoreError>> {
        self.database.deleted_scan(id)
    }

    fn list_deleted_scans(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<DeletedScan>, StoreError>> {
        self.database.list_deleted_scans(after, limit)
    }

    fn deleted_digests(&self, day: Day) -> BoxFuture<'_, Result<Vec<Digest>, StoreError>> {
        self.database.deleted_digests(day)
    }

    fn first_deleted_day(&self) -> BoxFuture<'_, Result<Option<Day>, StoreError>> {
        self.database.first_deleted_day()
    }

    fn put_deleted_scan(&self, deleted: DeletedScan) -> BoxFuture<'_, Result<(), StoreError>> {
        self.database.put_deleted_scan(deleted)
    }

    fn count_deleted_scans(&self) -> BoxFuture<'_, Result<u64, StoreError>> {
        self.database.count_deleted_scans()
    }

    fn count_bodies_to_remove(&self) -> BoxFuture<'_, Result<u64, StoreError>> {
        self.database.count_bodies_to_remove()
    }
}

/// The columns that a deletion needs. The fingerprint is not compared: a damaged scan can be deleted too.
struct ScanRowToDelete {
    domain: String,
    scanned_at: i64,
    is_private: bool,
    artifacts: Vec<u8>,
    record: Vec<u8>,
}

fn delete(
    connection: &Connection,
    deletion: &ScanDeletion,
    replies: &[[u8; 32]],
) -> Result<DeletionOutcome, DatabaseError> {
    if let Some(deleted) = find_deleted(connection, &deletion.id)? {
        return Ok(DeletionOutcome::AlreadyDeleted(deleted));
    }
    let Some(scan) = find_scan_row(connection, &deletion.id)? else {
        return Ok(DeletionOutcome::Unknown);
    };
    let scanned_at = Timestamp::from_millis(scan.scanned_at);
    let deleted = DeletedScan {
        id: deletion.id.clone(),
        record_sha256: decompress(&scan.record).ok().and_then(|record| record_digest(&record)),
        day: (!scan.is_private).then(|| Day::of(scanned_at)),
        deleted_at: deletion.deleted_at,
        reason: deletion.reason.clone(),
    };
    // The freed pages are overwritten, so that the database file does not keep what they held.
    set_secure_delete(connection, true)?;
    connection.execute_batch("SAVEPOINT deletion")?;
    let parts = delete_rows(connection, &deleted, &scan, replies);
    let end = if deletion.dry_run || parts.is_err() { "ROLLBACK TO deletion;" } else { "" };
    connection.execute_batch(&format!("{end} RELEASE deletion"))?;
    set_secure_delete(connection, false)?;
    Ok(DeletionOutcome::Deleted(deleted, parts?))
}

fn delete_rows(
    connection: &Connection,
    deleted: &DeletedScan,
    scan: &ScanRowToDelete,
    replies: &[[u8; 32]],
) -> Result<DeletedParts, DatabaseError> {
    let (domain, scanned_at) = (&scan.domain, Timestamp::from_millis(scan.scanned_at));
    insert_deleted(connection, deleted)?;
    connection.execute("DELETE FROM scans WHERE id = ?1", params![deleted.id])?;
    let readings = connection.execute(
        "DELETE FROM readings WHERE domain = ?1 AND scan_id = ?2",
        params![domain, deleted.id],
    )?;
    let answers = find_answers_from(connection, domain, &deleted.id, scanned_at)?;
    let answers = delete_answers(connection, &answers)?;
    let mut delete_reply = connection.prepare_cached("DELETE FROM once WHERE key = ?1")?;
    for key in replies {
        delete_reply.execute(params![key])?;
    }
    let mut remove_body = connection.prepare_cached(
        "INSERT INTO deleted_bodies (sha256, received_at) VALUES (?1, ?2)
         ON CONFLICT (sha256) DO UPDATE SET received_at = max(received_at, excluded.received_at)",
    )?;
    let (bodies, _) = scan.artifacts.as_chunks::<32>();
    for sha256 in bodies {
        remove_body.execute(params![sha256, scan.scanned_at])?;
    }
    Ok(DeletedParts {
        domain: parse_stored_domain(domain)?,
        scanned_at,
        bodies: bodies.len() as u64,
        readings: readings as u64,
        answers,
        replies: replies.len() as u64,
    })
}

pub(crate) fn set_secure_delete(connection: &Connection, on: bool) -> rusqlite::Result<()> {
    connection.pragma_update_and_check(None, "secure_delete", on, |_| Ok(()))
}

fn find_scan_row(
    connection: &Connection,
    id: &str,
) -> Result<Option<ScanRowToDelete>, DatabaseError> {
    let sql = "SELECT domain, scanned_at, visibility = 'private', artifacts, record
               FROM scans WHERE id = ?1";
    let read = |row: &Row<'_>| {
        Ok(ScanRowToDelete {
            domain: row.get(0)?,
            scanned_at: row.get(1)?,
            is_private: row.get(2)?,
            artifacts: row.get(3)?,
            record: row.get(4)?,
        })
    };
    Ok(connection.prepare_cached(sql)?.query_row(params![id], read).optional()?)
}

fn find_answers_from(
    connection: &Connection,
    domain: &str,
    id: &str,
    scanned_at: Timestamp,
) -> Result<Vec<OldAnswer>, DatabaseError> {
    let sql = "SELECT sha256, answer FROM answers WHERE domain = ?1 ORDER BY position";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params![domain])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let packed: Vec<u8> = row.get(1)?;
        // One that cannot be read any more cannot be served either.
        if decompress(&packed).is_ok_and(|answer| is_answer_from_scan(&answer, id, scanned_at)) {
            found.push((Digest(row.get(0)?), domain.to_owned()));
        }
    }
    Ok(found)
}

/// The keys of stored replies that contain the id.
fn find_replies(connection: &Connection, id: &str) -> Result<Vec<[u8; 32]>, DatabaseError> {
    let mut statement =
        connection.prepare("SELECT key, reply FROM once WHERE reply IS NOT NULL")?;
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let packed: Vec<u8> = row.get(1)?;
        let Ok(reply) = decompress(&packed) else { continue };
        if String::from_utf8_lossy(&reply).contains(id) {
            found.push(row.get(0)?);
        }
    }
    Ok(found)
}

fn find_deleted(connection: &Connection, id: &str) -> Result<Option<DeletedScan>, DatabaseError> {
    let sql = format!("SELECT {COLUMNS} FROM deleted_scans WHERE id = ?1");
    let found = connection.prepare_cached(&sql)?.query_row(params![id], read_row).optional()?;
    Ok(found.map(check_row).transpose()?)
}

fn insert_deleted(connection: &Connection, deleted: &DeletedScan) -> rusqlite::Result<()> {
    let sql = format!("INSERT INTO deleted_scans ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
    connection.prepare_cached(&sql)?.execute(params![
        deleted.id,
        deleted.record_sha256.as_ref().map(Digest::as_bytes),
        deleted.day.map(Day::number),
        deleted.deleted_at.as_millis(),
        deleted.reason,
        deleted.fingerprint().as_bytes(),
    ])?;
    Ok(())
}

fn read_row(row: &Row<'_>) -> rusqlite::Result<(DeletedScan, [u8; 32])> {
    let deleted = DeletedScan {
        id: row.get(0)?,
        record_sha256: optional_digest(row, 1)?,
        day: row.get::<_, Option<i64>>(2)?.map(Day::from_number),
        deleted_at: Timestamp::from_millis(row.get(3)?),
        reason: row.get(4)?,
    };
    Ok((deleted, row.get(5)?))
}

fn check_row((deleted, fingerprint): (DeletedScan, [u8; 32])) -> Result<DeletedScan, StoreError> {
    if *deleted.fingerprint().as_bytes() == fingerprint {
        return Ok(deleted);
    }
    let what = format!("deleted scan {}", deleted.id);
    Err(StoreError::Damaged { what, why: String::from("its fingerprint does not match") })
}

fn count(connection: &Connection, table: &str) -> Result<u64, DatabaseError> {
    let sql = format!("SELECT count(*) FROM {table}");
    let count: i64 = connection.prepare_cached(&sql)?.query_row([], |row| row.get(0))?;
    Ok(unsigned(count, "a count")?)
}
