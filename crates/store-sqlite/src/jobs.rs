//! Jobs in the database.

use contract::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use store::{BoxFuture, Job, Jobs, NewJob, StoreError};

use crate::SqliteStore;
use crate::columns::{blob, count, sql_integer, sql_limit, time};
use crate::error::DatabaseError;

const COLUMNS: &str = "id, kind, key, queued_at, due_at, tries, body, last_error";

impl Jobs for SqliteStore {
    fn queue_job(&self, job: NewJob, now: Timestamp) -> BoxFuture<'_, Result<Job, StoreError>> {
        Box::pin(async move {
            job.check_size()?;
            let bytes = job.body.len();
            let write = move |connection: &rusqlite::Connection| {
                connection
                    .prepare_cached(
                        "INSERT INTO jobs (kind, key, queued_at, due_at, tries, body)
                         VALUES (?1, ?2, ?3, ?4, 0, ?5) ON CONFLICT (kind, key) DO NOTHING",
                    )?
                    .execute(params![
                        job.kind,
                        job.key,
                        now.as_millis(),
                        job.due_at.as_millis(),
                        &*job.body,
                    ])?;
                let sql = format!("SELECT {COLUMNS} FROM jobs WHERE kind = ?1 AND key = ?2");
                let mut statement = connection.prepare_cached(&sql)?;
                Ok(statement.query_row(params![job.kind, job.key], job_from_row)?)
            };
            self.database.writer.write("queueing a job", bytes, write).await
        })
    }

    fn job<'a>(
        &'a self,
        kind: &'a str,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<Job>, StoreError>> {
        let (kind, key) = (kind.to_owned(), key.to_owned());
        Box::pin(
            self.database
                .readers
                .read("reading a job", move |connection| find_job(connection, &kind, &key)),
        )
    }

    fn claim_job<'a>(
        &'a self,
        kind: &'a str,
        now: Timestamp,
        lease_until: Timestamp,
    ) -> BoxFuture<'a, Result<Option<Job>, StoreError>> {
        let kind = kind.to_owned();
        Box::pin(self.database.writer.write("claiming a job", 0, move |connection| {
            let sql = format!(
                "UPDATE jobs SET leased_until = ?3, tries = tries + 1
                 WHERE id = (SELECT id FROM jobs
                             WHERE kind = ?1 AND due_at <= ?2
                               AND (leased_until IS NULL OR leased_until <= ?2)
                             ORDER BY due_at, id LIMIT 1)
                 RETURNING {COLUMNS}"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let parameters = params![kind, now.as_millis(), lease_until.as_millis()];
            Ok(statement.query_row(parameters, job_from_row).optional()?)
        }))
    }

    fn due_jobs<'a>(
        &'a self,
        kind: &'a str,
        now: Timestamp,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Job>, StoreError>> {
        let kind = kind.to_owned();
        Box::pin(self.database.readers.read("listing due jobs", move |connection| {
            let sql = format!(
                "SELECT {COLUMNS} FROM jobs
                 WHERE kind = ?1 AND due_at <= ?2 AND (leased_until IS NULL OR leased_until <= ?2)
                 ORDER BY due_at, id LIMIT ?3"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let parameters = params![kind, now.as_millis(), sql_limit(limit)];
            let rows = statement.query_map(parameters, job_from_row)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        }))
    }

    fn claim_job_by_id(
        &self,
        id: u64,
        now: Timestamp,
        lease_until: Timestamp,
    ) -> BoxFuture<'_, Result<Option<Job>, StoreError>> {
        Box::pin(self.database.writer.write("claiming a job", 0, move |connection| {
            let sql = format!(
                "UPDATE jobs SET leased_until = ?3, tries = tries + 1
                 WHERE id = ?1 AND due_at <= ?2 AND (leased_until IS NULL OR leased_until <= ?2)
                 RETURNING {COLUMNS}"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let parameters = params![sql_integer(id), now.as_millis(), lease_until.as_millis()];
            Ok(statement.query_row(parameters, job_from_row).optional()?)
        }))
    }

    fn finish_job(&self, id: u64) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(self.database.writer.write("finishing a job", 0, move |connection| {
            connection
                .prepare_cached("DELETE FROM jobs WHERE id = ?1")?
                .execute(params![sql_integer(id)])?;
            Ok(())
        }))
    }

    fn postpone_job<'a>(
        &'a self,
        id: u64,
        due_at: Timestamp,
        why: &'a str,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        let why = why.to_owned();
        Box::pin(self.database.writer.write("postponing a job", 0, move |connection| {
            connection
                .prepare_cached(
                    "UPDATE jobs SET due_at = ?2, last_error = ?3, leased_until = NULL
                     WHERE id = ?1",
                )?
                .execute(params![sql_integer(id), due_at.as_millis(), why])?;
            Ok(())
        }))
    }

    fn count_jobs<'a>(&'a self, kind: &'a str) -> BoxFuture<'a, Result<u64, StoreError>> {
        let kind = kind.to_owned();
        Box::pin(self.database.readers.read("counting jobs", move |connection| {
            let sql = "SELECT count(*) FROM jobs WHERE kind = ?1";
            Ok(connection.prepare_cached(sql)?.query_row(params![kind], |row| count(row, 0))?)
        }))
    }

    fn export_jobs(
        &self,
        after: Option<u64>,
        most: usize,
    ) -> BoxFuture<'_, Result<Vec<Job>, StoreError>> {
        let after = after.map_or(-1, sql_integer);
        Box::pin(self.database.readers.read("listing jobs", move |connection| {
            let sql = format!("SELECT {COLUMNS} FROM jobs WHERE id > ?1 ORDER BY id LIMIT ?2");
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map(params![after, sql_limit(most)], job_from_row)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        }))
    }
}

pub(crate) fn find_job(
    connection: &Connection,
    kind: &str,
    key: &str,
) -> Result<Option<Job>, DatabaseError> {
    let sql = format!("SELECT {COLUMNS} FROM jobs WHERE kind = ?1 AND key = ?2");
    let mut statement = connection.prepare_cached(&sql)?;
    Ok(statement.query_row(params![kind, key], job_from_row).optional()?)
}

fn job_from_row(row: &Row<'_>) -> rusqlite::Result<Job> {
    Ok(Job {
        id: count(row, 0)?,
        kind: row.get(1)?,
        key: row.get(2)?,
        queued_at: time(row, 3)?,
        due_at: time(row, 4)?,
        tries: row.get(5)?,
        body: blob(row, 6)?,
        last_error: row.get(7)?,
    })
}
