//! The census in the database.

use bytes::Bytes;
use contract::{Domain, Timestamp};
use rusqlite::{Connection, OptionalExtension, Params, Row, params};
use store::scans::kept_domain;
use store::{BoxFuture, Census, CensusAsk, CensusRow, CensusRun, StoreError};

use crate::SqliteStore;
use crate::columns::{blob, count, digest_bytes, limit, maybe_digest, maybe_time, number, time};
use crate::error::Refused;

const RUN: &str = "run, started_at, finished_at, frame, method, version_id";
const ROW: &str = "run, rank, domain, status, measured_at, answer_sha256, body";

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
        Box::pin(self.database.writer.write("beginning a census", bytes, write))
    }

    fn put_census(&self, rows: Vec<CensusRow>) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            rows.iter().try_for_each(CensusRow::check_size)?;
            let bytes = rows.iter().map(|row| row.body.len() + 200).sum();
            let write = move |connection: &Connection| {
                let sql = format!(
                    "INSERT OR REPLACE INTO census_rows ({ROW})
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
                );
                let mut statement = connection.prepare_cached(&sql)?;
                for row in &rows {
                    statement.execute(params![
                        number(row.run),
                        number(row.rank),
                        row.domain.as_str(),
                        row.status,
                        row.measured_at.map(Timestamp::as_millis),
                        digest_bytes(row.answer_sha256.as_ref()),
                        &*row.body,
                    ])?;
                }
                Ok(())
            };
            self.database.writer.write("keeping census rows", bytes, write).await
        })
    }

    fn finish_census(&self, run: u64, at: Timestamp) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(self.database.writer.write("ending a census", 0, move |connection| {
            connection
                .prepare_cached(
                    "UPDATE census_runs SET finished_at = ?2
                     WHERE run = ?1 AND finished_at IS NULL",
                )?
                .execute(params![number(run), at.as_millis()])?;
            Ok(())
        }))
    }

    fn census_run(
        &self,
        run: Option<u64>,
    ) -> BoxFuture<'_, Result<Option<(CensusRun, u64)>, StoreError>> {
        Box::pin(self.database.readers.read("reading a census run", move |connection| {
            let transaction = connection.unchecked_transaction()?;
            let sql = format!(
                "SELECT {RUN} FROM census_runs
                 WHERE run = coalesce(?1, (SELECT max(run) FROM census_runs))"
            );
            let mut statement = transaction.prepare_cached(&sql)?;
            let found = statement.query_row(params![run.map(number)], kept_run).optional()?;
            let Some(found) = found else { return Ok(None) };
            let sql = "SELECT count(*) FROM census_rows WHERE run = ?1";
            let rows = transaction
                .prepare_cached(sql)?
                .query_row(params![number(found.run)], |row| count(row, 0))?;
            Ok(Some((found, rows)))
        }))
    }

    fn census_rows(
        &self,
        run: u64,
        ask: CensusAsk,
    ) -> BoxFuture<'_, Result<Vec<CensusRow>, StoreError>> {
        Box::pin(self.database.readers.read("reading census rows", move |connection| {
            let after = ask.after_rank.map_or(-1, number);
            let max = ask.rank_max.map_or(i64::MAX, number);
            let most = limit(ask.limit);
            // Two questions, each of which an index answers.
            match ask.domain {
                None => {
                    let sql = format!(
                        "SELECT {ROW} FROM census_rows WHERE run = ?1 AND rank > ?2 AND rank <= ?3
                         ORDER BY rank LIMIT ?4"
                    );
                    rows(connection, &sql, params![number(run), after, max, most])
                }
                Some(domain) => {
                    let sql = format!(
                        "SELECT {ROW} FROM census_rows
                         WHERE domain = ?5 AND run = ?1 AND rank > ?2 AND rank <= ?3
                         ORDER BY rank LIMIT ?4"
                    );
                    rows(connection, &sql, params![number(run), after, max, most, domain.as_str()])
                }
            }
        }))
    }

    fn census_of<'a>(
        &'a self,
        domain: &'a Domain,
    ) -> BoxFuture<'a, Result<Option<CensusRow>, StoreError>> {
        let domain = domain.to_string();
        Box::pin(self.database.readers.read("reading a census row", move |connection| {
            let sql = format!(
                "SELECT {ROW} FROM census_rows WHERE domain = ?1 ORDER BY run DESC, rank LIMIT 1"
            );
            Ok(rows(connection, &sql, params![domain])?.pop())
        }))
    }

    fn census_runs(
        &self,
        after: Option<u64>,
        most: usize,
    ) -> BoxFuture<'_, Result<Vec<CensusRun>, StoreError>> {
        let after = after.map_or(-1, number);
        Box::pin(self.database.readers.read("listing census runs", move |connection| {
            let sql = format!("SELECT {RUN} FROM census_runs WHERE run > ?1 ORDER BY run LIMIT ?2");
            let mut statement = connection.prepare_cached(&sql)?;
            let found = statement.query_map(params![after, limit(most)], kept_run)?;
            Ok(found.collect::<rusqlite::Result<_>>()?)
        }))
    }

    fn import_census_run(&self, run: CensusRun) -> BoxFuture<'_, Result<(), StoreError>> {
        let bytes = run.frame.len();
        let write = move |c: &Connection| import_run(c, &run);
        Box::pin(self.database.writer.write("keeping a census run", bytes, write))
    }
}

fn import_run(connection: &Connection, run: &CensusRun) -> Result<(), Refused> {
    let sql = format!("SELECT {RUN} FROM census_runs WHERE run = ?1");
    let mut statement = connection.prepare_cached(&sql)?;
    let there = statement.query_row(params![number(run.run)], kept_run).optional()?;
    match there {
        Some(there) if there == *run => return Ok(()),
        Some(CensusRun { finished_at: None, .. }) | None => {}
        Some(_) => return Err(another_run(run)),
    }
    if let Some(there) = there
        && there != (CensusRun { finished_at: None, ..run.clone() })
    {
        return Err(another_run(run));
    }
    // REPLACE would take the run's rows for orphans.
    let sql = format!(
        "INSERT INTO census_runs ({RUN}) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (run) DO UPDATE SET finished_at = excluded.finished_at"
    );
    connection.prepare_cached(&sql)?.execute(params![
        number(run.run),
        run.started_at.as_millis(),
        run.finished_at.map(Timestamp::as_millis),
        &*run.frame,
        run.method,
        run.version_id,
    ])?;
    Ok(())
}

fn another_run(run: &CensusRun) -> Refused {
    StoreError::Duplicate { what: "census run", id: run.run.to_string() }.into()
}

fn kept_run(row: &Row<'_>) -> rusqlite::Result<CensusRun> {
    Ok(CensusRun {
        run: count(row, 0)?,
        started_at: time(row, 1)?,
        finished_at: maybe_time(row, 2)?,
        frame: blob(row, 3)?,
        method: row.get(4)?,
        version_id: row.get(5)?,
    })
}

fn rows(
    connection: &Connection,
    sql: &str,
    params: impl Params,
) -> Result<Vec<CensusRow>, Refused> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let name: String = row.get(2)?;
        found.push(CensusRow {
            run: count(row, 0)?,
            rank: count(row, 1)?,
            domain: kept_domain(&name)?,
            status: row.get(3)?,
            measured_at: maybe_time(row, 4)?,
            answer_sha256: maybe_digest(row, 5)?,
            body: blob(row, 6)?,
        });
    }
    Ok(found)
}
