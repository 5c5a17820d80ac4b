//! The census in the database.

use bytes::Bytes;
use contract::{Domain, Timestamp};
use rusqlite::{Connection, OptionalExtension, Params, Row, params};
use store::scans::parse_stored_domain;
use store::{BoxFuture, Census, CensusQuery, CensusRow, CensusRun, StoreError};

use crate::SqliteStore;
use crate::columns::{
    blob, count, digest_bytes, optional_digest, optional_time, sql_integer, sql_limit, time,
};
use crate::error::DatabaseError;
use crate::snapshot::in_snapshot;

const RUN_COLUMNS: &str = "run, started_at, finished_at, frame, method, version_id";
const ROW_COLUMNS: &str = "run, rank, domain, status, measured_at, answer_sha256, body";

impl Census for SqliteStore {
    fn begin_census(
        &self,
        started_at: Timestamp,
        frame: Bytes,
        method: String,
        version_id: String,
    ) -> BoxFuture<'_, Result<u64, StoreError>> {
        let bytes = frame.len();
        let write = move |connection: &Connection| {
            connection
                .prepare_cached(
                    "INSERT INTO census_runs (started_at, frame, method, version_id)
                     VALUES (?1, ?2, ?3, ?4)",
                )?
                .execute(params![started_at.as_millis(), &*frame, method, version_id])?;
            Ok(connection.last_insert_rowid().unsigned_abs())
        };
        Box::pin(self.database.writer.write("starting a census", bytes, write))
    }

    fn put_census_rows(&self, rows: Vec<CensusRow>) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            rows.iter().try_for_each(CensusRow::check_size)?;
            let bytes = rows.iter().map(|row| row.body.len() + 200).sum();
            let write = move |connection: &Connection| {
                let sql = format!(
                    "INSERT OR REPLACE INTO census_rows ({ROW_COLUMNS})
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
                );
                let mut statement = connection.prepare_cached(&sql)?;
                for row in &rows {
                    statement.execute(params![
                        sql_integer(row.run),
                        sql_integer(row.rank),
                        row.domain.as_str(),
                        row.status,
                        row.measured_at.map(Timestamp::as_millis),
                        digest_bytes(row.answer_sha256.as_ref()),
                        &*row.body,
                    ])?;
                }
                Ok(())
            };
            self.database.writer.write("storing census rows", bytes, write).await
        })
    }

    fn finish_census(&self, run: u64, at: Timestamp) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(self.database.writer.write("finishing a census", 0, move |connection| {
            connection
                .prepare_cached(
                    "UPDATE census_runs SET finished_at = ?2
                     WHERE run = ?1 AND finished_at IS NULL",
                )?
                .execute(params![sql_integer(run), at.as_millis()])?;
            Ok(())
        }))
    }

    fn census_run(
        &self,
        run: Option<u64>,
    ) -> BoxFuture<'_, Result<Option<(CensusRun, u64)>, StoreError>> {
        Box::pin(self.database.readers.read("reading a census run", move |connection| {
            in_snapshot(connection, |connection| find_run(connection, run))
        }))
    }

    fn census_rows(
        &self,
        run: u64,
        query: CensusQuery,
    ) -> BoxFuture<'_, Result<Vec<CensusRow>, StoreError>> {
        Box::pin(self.database.readers.read("reading census rows", move |connection| {
            let after = query.after_rank.map_or(-1, sql_integer);
            let max = query.rank_max.map_or(i64::MAX, sql_integer);
            let most = sql_limit(query.limit);
            // Two statements, so that each uses an index.
            match query.domain {
                None => {
                    let sql = format!(
                        "SELECT {ROW_COLUMNS} FROM census_rows WHERE run = ?1 AND rank > ?2 AND rank <= ?3
                         ORDER BY rank LIMIT ?4"
                    );
                    find_rows(connection, &sql, params![sql_integer(run), after, max, most])
                }
                Some(domain) => {
                    let sql = format!(
                        "SELECT {ROW_COLUMNS} FROM census_rows
                         WHERE domain = ?5 AND run = ?1 AND rank > ?2 AND rank <= ?3
                         ORDER BY rank LIMIT ?4"
                    );
                    find_rows(
                        connection,
                        &sql,
                        params![sql_integer(run), after, max, most, domain.as_str()],
                    )
                }
            }
        }))
    }

    fn latest_census_row<'a>(
        &'a self,
        domain: &'a Domain,
    ) -> BoxFuture<'a, Result<Option<CensusRow>, StoreError>> {
        let domain = domain.to_string();
        Box::pin(self.database.readers.read("reading a census row", move |connection| {
            let sql = format!(
                "SELECT {ROW_COLUMNS} FROM census_rows WHERE domain = ?1 ORDER BY run DESC, rank LIMIT 1"
            );
            Ok(find_rows(connection, &sql, params![domain])?.pop())
        }))
    }

    fn census_runs(
        &self,
        after: Option<u64>,
        most: usize,
    ) -> BoxFuture<'_, Result<Vec<CensusRun>, StoreError>> {
        let after = after.map_or(-1, sql_integer);
        Box::pin(self.database.readers.read("listing census runs", move |connection| {
            let sql = format!(
                "SELECT {RUN_COLUMNS} FROM census_runs WHERE run > ?1 ORDER BY run LIMIT ?2"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let found = statement.query_map(params![after, sql_limit(most)], run_from_row)?;
            Ok(found.collect::<rusqlite::Result<_>>()?)
        }))
    }

    fn import_census_run(&self, run: CensusRun) -> BoxFuture<'_, Result<(), StoreError>> {
        let bytes = run.frame.len();
        let write = move |c: &Connection| import_run(c, &run);
        Box::pin(self.database.writer.write("storing a census run", bytes, write))
    }
}

fn import_run(connection: &Connection, run: &CensusRun) -> Result<(), DatabaseError> {
    let sql = format!("SELECT {RUN_COLUMNS} FROM census_runs WHERE run = ?1");
    let mut statement = connection.prepare_cached(&sql)?;
    let stored = statement.query_row(params![sql_integer(run.run)], run_from_row).optional()?;
    match stored {
        Some(stored) if stored == *run => return Ok(()),
        Some(CensusRun { finished_at: None, .. }) | None => {}
        Some(_) => return Err(duplicate_run_error(run)),
    }
    if let Some(stored) = stored
        && stored != (CensusRun { finished_at: None, ..run.clone() })
    {
        return Err(duplicate_run_error(run));
    }
    // Not REPLACE: it would delete the run, and with it the rows that refer to it.
    let sql = format!(
        "INSERT INTO census_runs ({RUN_COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (run) DO UPDATE SET finished_at = excluded.finished_at"
    );
    connection.prepare_cached(&sql)?.execute(params![
        sql_integer(run.run),
        run.started_at.as_millis(),
        run.finished_at.map(Timestamp::as_millis),
        &*run.frame,
        run.method,
        run.version_id,
    ])?;
    Ok(())
}

fn duplicate_run_error(run: &CensusRun) -> DatabaseError {
    StoreError::Duplicate { what: "census run", id: run.run.to_string() }.into()
}

fn run_from_row(row: &Row<'_>) -> rusqlite::Result<CensusRun> {
    Ok(CensusRun {
        run: count(row, 0)?,
        started_at: time(row, 1)?,
        finished_at: optional_time(row, 2)?,
        frame: blob(row, 3)?,
        method: row.get(4)?,
        version_id: row.get(5)?,
    })
}

fn find_rows(
    connection: &Connection,
    sql: &str,
    params: impl Params,
) -> Result<Vec<CensusRow>, DatabaseError> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let name: String = row.get(2)?;
        found.push(CensusRow {
            run: count(row, 0)?,
            rank: count(row, 1)?,
            domain: parse_stored_domain(&name)?,
            status: row.get(3)?,
            measured_at: optional_time(row, 4)?,
            answer_sha256: optional_digest(row, 5)?,
            body: blob(row, 6)?,
        });
    }
    Ok(found)
}

/// A run, or the last one, with the number of its rows.
fn find_run(
    connection: &Connection,
    run: Option<u64>,
) -> Result<Option<(CensusRun, u64)>, DatabaseError> {
    let sql = format!(
        "SELECT {RUN_COLUMNS} FROM census_runs
         WHERE run = coalesce(?1, (SELECT max(run) FROM census_runs))"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let found = statement.query_row(params![run.map(sql_integer)], run_from_row).optional()?;
    let Some(found) = found else { return Ok(None) };
    let sql = "SELECT count(*) FROM census_rows WHERE run = ?1";
    let rows = connection
        .prepare_cached(sql)?
        .query_row(params![sql_integer(found.run)], |row| count(row, 0))?;
    Ok(Some((found, rows)))
}
