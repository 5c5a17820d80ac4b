//! The calls of licences in the database.

use contract::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use store::usage::{MAX_USAGE_ROWS, UsageCursor};
use store::{BoxFuture, Day, Month, QuotaOutcome, StoreError, Usage, UsageRow};

use crate::SqliteStore;
use crate::columns::{count, sql_integer, sql_limit};
use crate::database::Database;
use crate::error::DatabaseError;

const COLUMNS: &str = "licence_id, day, operation, calls";

impl Usage for Database {
    fn count_call<'a>(
        &'a self,
        licence_id: &'a str,
        at: Timestamp,
        operation: &'a str,
        quota: Option<u64>,
    ) -> BoxFuture<'a, Result<QuotaOutcome, StoreError>> {
        let call = Call::new(licence_id, at, operation);
        Box::pin(self.writer.write("counting a call", 0, move |connection| {
            let used_in_month = calls_in_month(connection, &call.licence_id, call.month)?;
            if quota.is_some_and(|quota| used_in_month >= quota) {
                return Ok(QuotaOutcome::Spent { used_in_month });
            }
            call.add(connection, 1)?;
            Ok(QuotaOutcome::Counted { used_in_month: used_in_month.saturating_add(1) })
        }))
    }

    fn give_back_call<'a>(
        &'a self,
        licence_id: &'a str,
        at: Timestamp,
        operation: &'a str,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        let call = Call::new(licence_id, at, operation);
        Box::pin(self.writer.write("taking back a call", 0, move |connection| {
            let is_counted = calls_of_day(connection, &call)? > 0
                && calls_in_month(connection, &call.licence_id, call.month)? > 0;
            if is_counted {
                call.add(connection, -1)?;
            }
            Ok(is_counted)
        }))
    }

    fn used_in_month<'a>(
        &'a self,
        licence_id: &'a str,
        month: Month,
    ) -> BoxFuture<'a, Result<u64, StoreError>> {
        let licence_id = licence_id.to_owned();
        Box::pin(self.readers.read("reading the calls of a month", move |connection| {
            calls_in_month(connection, &licence_id, month)
        }))
    }

    fn usage_of<'a>(
        &'a self,
        licence_id: &'a str,
        first: Day,
        last: Day,
    ) -> BoxFuture<'a, Result<Vec<UsageRow>, StoreError>> {
        let licence_id = licence_id.to_owned();
        Box::pin(self.readers.read("reading the calls of a licence", move |connection| {
            let sql = format!(
                "SELECT {COLUMNS} FROM usage_days
                 WHERE licence_id = ?1 AND day BETWEEN ?2 AND ?3 AND calls > 0
                 ORDER BY day, operation LIMIT ?4"
            );
            let most = sql_limit(MAX_USAGE_ROWS);
            find_rows(connection, &sql, params![licence_id, first.number(), last.number(), most])
        }))
    }

    fn export_usage(
        &self,
        after: Option<UsageCursor>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<UsageRow>, StoreError>> {
        // No row comes before this one.
        let (licence_id, day, operation) = after
            .map_or((String::new(), i64::MIN, String::new()), |after| {
                (after.licence_id, after.day.number(), after.operation)
            });
        Box::pin(self.readers.read("reading all calls", move |connection| {
            let sql = format!(
                "SELECT {COLUMNS} FROM usage_days
                 WHERE (licence_id, day, operation) > (?1, ?2, ?3)
                 ORDER BY licence_id, day, operation LIMIT ?4"
            );
            find_rows(connection, &sql, params![licence_id, day, operation, sql_limit(limit)])
        }))
    }

    fn import_usage(&self, rows: Vec<UsageRow>) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(self.writer.write("copying calls", 0, move |connection| {
            for row in &rows {
                let call = Call::new(&row.licence_id, row.day.begins_at(), &row.operation);
                let stored = calls_of_day(connection, &call)?;
                call.add(connection, sql_integer(row.calls) - sql_integer(stored))?;
            }
            Ok(())
        }))
    }
}

impl Usage for SqliteStore {
    fn count_call<'a>(
        &'a self,
        licence_id: &'a str,
        at: Timestamp,
        operation: &'a str,
        quota: Option<u64>,
    ) -> BoxFuture<'a, Result<QuotaOutcome, StoreError>> {
        self.database.count_call(licence_id, at, operation, quota)
    }

    fn give_back_call<'a>(
        &'a self,
        licence_id: &'a str,
        at: Timestamp,
        operation: &'a str,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        self.database.give_back_call(licence_id, at, operation)
    }

    fn used_in_month<'a>(
        &'a self,
        licence_id: &'a str,
        month: Month,
    ) -> BoxFuture<'a, Result<u64, StoreError>> {
        self.database.used_in_month(licence_id, month)
    }

    fn usage_of<'a>(
        &'a self,
        licence_id: &'a str,
        first: Day,
        last: Day,
    ) -> BoxFuture<'a, Result<Vec<UsageRow>, StoreError>> {
        self.database.usage_of(licence_id, first, last)
    }

    fn export_usage(
        &self,
        after: Option<UsageCursor>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<UsageRow>, StoreError>> {
        self.database.export_usage(after, limit)
    }

    fn import_usage(&self, rows: Vec<UsageRow>) -> BoxFuture<'_, Result<(), StoreError>> {
        self.database.import_usage(rows)
    }
}

/// What a call is counted under.
struct Call {
    licence_id: String,
    day: Day,
    month: Month,
    operation: String,
}

impl Call {
    fn new(licence_id: &str, at: Timestamp, operation: &str) -> Self {
        Self {
            licence_id: licence_id.to_owned(),
            day: Day::of(at),
            month: Month::of(at),
            operation: operation.to_owned(),
        }
    }

    /// Adds to the month and to the row of the day. The tables refuse a count below zero.
    fn add(&self, connection: &Connection, calls: i64) -> rusqlite::Result<()> {
        let sql = "INSERT INTO usage_months (licence_id, month, calls) VALUES (?1, ?2, max(?3, 0))
                   ON CONFLICT (licence_id, month) DO UPDATE SET calls = calls + ?3";
        let parameters = params![self.licence_id, self.month.number(), calls];
        connection.prepare_cached(sql)?.execute(parameters)?;
        let sql = "INSERT INTO usage_days (licence_id, day, operation, calls)
                   VALUES (?1, ?2, ?3, max(?4, 0))
                   ON CONFLICT (licence_id, day, operation) DO UPDATE SET calls = calls + ?4";
        let parameters = params![self.licence_id, self.day.number(), self.operation, calls];
        connection.prepare_cached(sql)?.execute(parameters)?;
        Ok(())
    }
}

fn calls_in_month(
    connection: &Connection,
    licence_id: &str,
    month: Month,
) -> Result<u64, DatabaseError> {
    let sql = "SELECT calls FROM usage_months WHERE licence_id = ?1 AND month = ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement.query_row(params![licence_id, month.number()], |row| count(row, 0));
    Ok(found.optional()?.unwrap_or(0))
}

fn calls_of_day(connection: &Connection, call: &Call) -> Result<u64, DatabaseError> {
    let sql = "SELECT calls FROM usage_days WHERE licence_id = ?1 AND day = ?2 AND operation = ?3";
    let mut statement = connection.prepare_cached(sql)?;
    let parameters = params![call.licence_id, call.day.number(), call.operation];
    let found = statement.query_row(parameters, |row| count(row, 0));
    Ok(found.optional()?.unwrap_or(0))
}

fn find_rows(
    connection: &Connection,
    sql: &str,
    params: &[&dyn rusqlite::ToSql],
) -> Result<Vec<UsageRow>, DatabaseError> {
    let read = |row: &Row<'_>| {
        Ok(UsageRow {
            licence_id: row.get(0)?,
            day: Day::from_number(row.get(1)?),
            operation: row.get(2)?,
            calls: count(row, 3)?,
        })
    };
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(params, read)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Removes at most `limit` rows of days that ended before this time, and months that did.
pub(crate) fn prune_usage(
    connection: &Connection,
    before: i64,
    limit: i64,
) -> rusqlite::Result<usize> {
    let sql = "DELETE FROM usage_days WHERE (licence_id, day, operation) IN (
        SELECT licence_id, day, operation FROM usage_days INDEXED BY usage_days_by_day
        WHERE day < ?1 ORDER BY day LIMIT ?2)";
    let before = Timestamp::from_millis(before);
    let removed =
        connection.prepare_cached(sql)?.execute(params![Day::of(before).number(), limit])?;
    let sql = "DELETE FROM usage_months WHERE (licence_id, month) IN (
        SELECT licence_id, month FROM usage_months INDEXED BY usage_months_by_month
        WHERE month < ?1 ORDER BY month LIMIT ?2)";
    connection.prepare_cached(sql)?.execute(params![Month::of(before).number(), limit])?;
    Ok(removed)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures_util::future::join_all;

    use super::*;
    use crate::SqliteOptions;

    /// The bytes of the write-ahead log, which every commit that writes makes longer.
    fn log_bytes(dir: &std::path::Path) -> u64 {
        std::fs::metadata(dir.join("wayleave.db-wal")).unwrap().len()
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn calls_that_are_counted_at_once_share_their_commits() {
        let dir = tempfile::tempdir().unwrap();
        let store = Arc::new(SqliteStore::open(dir.path(), SqliteOptions::default()).unwrap());
        let at = Timestamp::from_millis(1_794_711_380_007);
        store.count_call("l", at, "resolve", None).await.unwrap();
        let before = log_bytes(dir.path());
        store.count_call("l", at, "resolve", None).await.unwrap();
        let alone = log_bytes(dir.path()) - before;
        let before = log_bytes(dir.path());
        let begin = std::time::Instant::now();
        let calls = (0..200).map(|_| store.count_call("l", at, "resolve", None));
        for counted in join_all(calls).await {
            counted.unwrap();
        }
        let took = begin.elapsed();
        let together = log_bytes(dir.path()) - before;
        eprintln!("200 calls: {took:?}, {together} bytes of log; one call: {alone} bytes");
        assert!(together < 20 * alone, "{together} bytes for 200 calls, {alone} for one");
        let month = store.used_in_month("l", Month::of(at)).await;
        assert_eq!(month, Ok(202));
    }
}
