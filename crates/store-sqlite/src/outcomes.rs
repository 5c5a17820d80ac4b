//! Outcome reports in the database.

use std::collections::BTreeMap;

use contract::Domain;
use rusqlite::types::FromSql;
use rusqlite::{Connection, Params, Row, params};
use store::outcomes::{MAX_AGENTS_LISTED, MAX_RECENT_OUTCOMES};
use store::scans::parse_stored_domain;
use store::{
    AllowanceDraw, AllowanceOutcome, BoxFuture, Day, Digest, NewOutcome, OutcomeCounts,
    OutcomeTally, Outcomes, StoreError, StoredOutcome,
};

use crate::SqliteStore;
use crate::columns::{count, sql_integer, sql_limit, time};
use crate::error::DatabaseError;
use crate::limits::take_allowances;
use crate::snapshot::in_snapshot;

const COLUMNS: &str =
    "seq, domain, at, action, outcome, agent, status, resolve_said, disagree, reporter";

/// In the order in which [`tally_from_row`] reads them.
const TALLY_COLUMNS: &str = "count(*), sum(outcome = 'ok'), sum(outcome = 'blocked'),
                     sum(outcome = 'challenged'), sum(outcome = 'error'), sum(disagree),
                     count(DISTINCT reporter)";

impl Outcomes for SqliteStore {
    fn put_outcome(
        &self,
        outcome: NewOutcome,
        draws: Vec<AllowanceDraw>,
    ) -> BoxFuture<'_, Result<AllowanceOutcome, StoreError>> {
        Box::pin(self.database.writer.write("storing a report", 0, move |connection| {
            let taking = take_allowances(connection, Day::of(outcome.at).into(), &draws)?;
            if taking == AllowanceOutcome::Granted {
                insert_outcome(connection, None, &outcome)?;
            }
            Ok(taking)
        }))
    }

    fn outcome_summary<'a>(
        &'a self,
        domain: &'a Domain,
        from: Day,
        to: Day,
    ) -> BoxFuture<'a, Result<OutcomeCounts, StoreError>> {
        let domain = domain.to_string();
        Box::pin(self.database.readers.read("counting reports", move |connection| {
            // One transaction, so that all counts cover the same reports.
            in_snapshot(connection, |c| summary(c, &OutcomeWindow { domain, from, to }))
        }))
    }

    fn outcome_days(
        &self,
        day: Day,
        after: Option<Domain>,
        most: usize,
    ) -> BoxFuture<'_, Result<Vec<(Domain, OutcomeTally)>, StoreError>> {
        // Sorts before every domain, because no name is empty.
        let after = after.map_or_else(String::new, |domain| domain.to_string());
        Box::pin(self.database.readers.read("counting a day's reports", move |connection| {
            let sql = format!(
                "SELECT domain, {TALLY_COLUMNS} FROM outcomes WHERE day = ?1 AND domain > ?2
                 GROUP BY domain ORDER BY domain LIMIT ?3"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement
                .query_map(params![day.number(), after, sql_limit(most)], |row| {
                    Ok((row.get::<_, String>(0)?, tally_from_row(row)?))
                })?;
            rows.map(|row| {
                let (name, tally) = row?;
                Ok((parse_stored_domain(&name)?, tally))
            })
            .collect()
        }))
    }

    fn first_outcome_day(&self) -> BoxFuture<'_, Result<Option<Day>, StoreError>> {
        Box::pin(self.database.readers.read("reading the first report", |connection| {
            let sql = "SELECT min(day) FROM outcomes";
            let first: Option<i64> =
                connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
            Ok(first.map(Day::from_number))
        }))
    }

    fn delete_outcomes_before(&self, before: Day) -> BoxFuture<'_, Result<u64, StoreError>> {
        Box::pin(self.database.writer.write("deleting reports", 0, move |connection| {
            let sql = "DELETE FROM outcomes WHERE day < ?1";
            Ok(connection.prepare_cached(sql)?.execute(params![before.number()])? as u64)
        }))
    }

    fn export_outcomes(
        &self,
        after: Option<u64>,
        most: usize,
    ) -> BoxFuture<'_, Result<Vec<StoredOutcome>, StoreError>> {
        let after = after.map_or(-1, sql_integer);
        Box::pin(self.database.readers.read("listing reports", move |connection| {
            let sql =
                format!("SELECT {COLUMNS} FROM outcomes WHERE seq > ?1 ORDER BY seq LIMIT ?2");
            find_outcomes(connection, &sql, params![after, sql_limit(most)])
        }))
    }

    fn import_outcomes(
        &self,
        outcomes: Vec<StoredOutcome>,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        let bytes = outcomes.len() * 200;
        Box::pin(self.database.writer.write("storing reports", bytes, move |connection| {
            let sql = format!("SELECT {COLUMNS} FROM outcomes WHERE seq = ?1");
            for kept in &outcomes {
                match find_outcomes(connection, &sql, params![sql_integer(kept.seq)])?.pop() {
                    None => insert_outcome(connection, Some(kept.seq), &kept.outcome)?,
                    Some(stored) if stored == *kept => {}
                    Some(_) => {
                        let id = kept.seq.to_string();
                        return Err(StoreError::Duplicate { what: "report", id }.into());
                    }
                }
            }
            Ok(())
        }))
    }
}

fn insert_outcome(
    connection: &Connection,
    seq: Option<u64>,
    new: &NewOutcome,
) -> Result<(), DatabaseError> {
    let sql = format!(
        "INSERT INTO outcomes ({COLUMNS}, day)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"
    );
    connection.prepare_cached(&sql)?.execute(params![
        seq.map(sql_integer),
        new.domain.as_str(),
        new.at.as_millis(),
        new.action,
        new.outcome,
        new.agent,
        new.status,
        new.resolve_said,
        new.disagree,
        new.reporter.as_bytes(),
        Day::of(new.at).number(),
    ])?;
    Ok(())
}

fn find_outcomes(
    connection: &Connection,
    sql: &str,
    params: impl Params,
) -> Result<Vec<StoredOutcome>, DatabaseError> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let name: String = row.get(1)?;
        let outcome = NewOutcome {
            domain: parse_stored_domain(&name)?,
            at: time(row, 2)?,
            action: row.get(3)?,
            outcome: row.get(4)?,
            agent: row.get(5)?,
            status: row.get(6)?,
            resolve_said: row.get(7)?,
            disagree: row.get(8)?,
            reporter: Digest(row.get(9)?),
        };
        found.push(StoredOutcome { seq: count(row, 0)?, outcome });
    }
    Ok(found)
}

/// Reads columns 1 to 7. Their sums are never null, because every group has a row.
fn tally_from_row(row: &Row<'_>) -> rusqlite::Result<OutcomeTally> {
    Ok(OutcomeTally {
        n: count(row, 1)?,
        ok: count(row, 2)?,
        blocked: count(row, 3)?,
        challenged: count(row, 4)?,
        error: count(row, 5)?,
        disagree: count(row, 6)?,
        reporters: count(row, 7)?,
    })
}

/// The reports that a summary covers.
struct OutcomeWindow {
    domain: String,
    from: Day,
    to: Day,
}

const IN_WINDOW: &str = "FROM outcomes WHERE domain = ?1 AND day BETWEEN ?2 AND ?3";

fn summary(
    connection: &Connection,
    window: &OutcomeWindow,
) -> Result<OutcomeCounts, DatabaseError> {
    let OutcomeWindow { domain, from, to } = window;
    let parameters = params![domain, from.number(), to.number()];
    let sql = format!("SELECT day, {TALLY_COLUMNS} {IN_WINDOW} GROUP BY day ORDER BY day");
    let mut statement = connection.prepare_cached(&sql)?;
    let days = statement
        .query_map(parameters, |row| Ok((Day::from_number(row.get(0)?), tally_from_row(row)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let sql = format!(
        "SELECT {COLUMNS} {IN_WINDOW} ORDER BY day DESC, seq DESC LIMIT {MAX_RECENT_OUTCOMES}"
    );
    let recent =
        find_outcomes(connection, &sql, parameters)?.into_iter().map(|kept| kept.outcome).collect();
    Ok(OutcomeCounts {
        days,
        by_action: counts_by_column(connection, window, "action", usize::MAX)?,
        by_agent: counts_by_column(connection, window, "agent", MAX_AGENTS_LISTED)?,
        by_status: counts_by_column(connection, window, "status", usize::MAX)?,
        recent,
    })
}

/// The number of reports for each value of a column, for the `most` most frequent values.
fn counts_by_column<K: Ord + FromSql>(
    connection: &Connection,
    window: &OutcomeWindow,
    column: &'static str,
    most: usize,
) -> Result<BTreeMap<K, u64>, DatabaseError> {
    let sql = format!(
        "SELECT {column}, count(*) {IN_WINDOW} AND {column} IS NOT NULL
         GROUP BY {column} ORDER BY count(*) DESC, {column} LIMIT ?4"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let parameters =
        params![window.domain, window.from.number(), window.to.number(), sql_limit(most)];
    let rows = statement.query_map(parameters, |row| Ok((row.get(0)?, count(row, 1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
