//! Outcome reports in the database.

use std::collections::BTreeMap;

use contract::Domain;
use rusqlite::types::FromSql;
use rusqlite::{Connection, Params, Row, params};
use store::outcomes::{AGENTS_NAMED, RECENT_OUTCOMES};
use store::scans::kept_domain;
use store::{
    BoxFuture, Day, Digest, Draw, KeptOutcome, NewOutcome, OutcomeCounts, OutcomeTally, Outcomes,
    StoreError, Taking,
};

use crate::SqliteStore;
use crate::columns::{count, limit, number, time};
use crate::error::Refused;
use crate::limits::take;

const COLUMNS: &str =
    "seq, domain, at, action, outcome, agent, status, resolve_said, disagree, reporter";

/// One after the other, as [`tally`] reads them.
const TALLY: &str = "count(*), sum(outcome = 'ok'), sum(outcome = 'blocked'),
                     sum(outcome = 'challenged'), sum(outcome = 'error'), sum(disagree),
                     count(DISTINCT reporter)";

impl Outcomes for SqliteStore {
    fn put_outcome(
        &self,
        outcome: NewOutcome,
        draws: Vec<Draw>,
    ) -> BoxFuture<'_, Result<Taking, StoreError>> {
        Box::pin(self.database.writer.write("keeping a report", 0, move |connection| {
            let taking = take(connection, Day::of(outcome.at), &draws)?;
            if taking == Taking::Taken {
                insert(connection, None, &outcome)?;
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
            // One transaction, so that all counts are of the same reports.
            let transaction = connection.unchecked_transaction()?;
            summary(&transaction, &Window { domain, from, to })
        }))
    }

    fn outcome_days(
        &self,
        day: Day,
        after: Option<Domain>,
        most: usize,
    ) -> BoxFuture<'_, Result<Vec<(Domain, OutcomeTally)>, StoreError>> {
        // No name is empty.
        let after = after.map_or_else(String::new, |domain| domain.to_string());
        Box::pin(self.database.readers.read("counting a day's reports", move |connection| {
            let sql = format!(
                "SELECT domain, {TALLY} FROM outcomes WHERE day = ?1 AND domain > ?2
                 GROUP BY domain ORDER BY domain LIMIT ?3"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map(params![day.number(), after, limit(most)], |row| {
                Ok((row.get::<_, String>(0)?, tally(row)?))
            })?;
            rows.map(|row| {
                let (name, tally) = row?;
                Ok((kept_domain(&name)?, tally))
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

    fn forget_outcomes(&self, before: Day) -> BoxFuture<'_, Result<u64, StoreError>> {
        Box::pin(self.database.writer.write("forgetting reports", 0, move |connection| {
            let sql = "DELETE FROM outcomes WHERE day < ?1";
            Ok(connection.prepare_cached(sql)?.execute(params![before.number()])? as u64)
        }))
    }

    fn export_outcomes(
        &self,
        after: Option<u64>,
        most: usize,
    ) -> BoxFuture<'_, Result<Vec<KeptOutcome>, StoreError>> {
        let after = after.map_or(-1, number);
        Box::pin(self.database.readers.read("listing reports", move |connection| {
            let sql =
                format!("SELECT {COLUMNS} FROM outcomes WHERE seq > ?1 ORDER BY seq LIMIT ?2");
            reports(connection, &sql, params![after, limit(most)])
        }))
    }

    fn import_outcomes(&self, outcomes: Vec<KeptOutcome>) -> BoxFuture<'_, Result<(), StoreError>> {
        let bytes = outcomes.len() * 200;
        Box::pin(self.database.writer.write("keeping reports", bytes, move |connection| {
            let sql = format!("SELECT {COLUMNS} FROM outcomes WHERE seq = ?1");
            for kept in &outcomes {
                match reports(connection, &sql, params![number(kept.seq)])?.pop() {
                    None => insert(connection, Some(kept.seq), &kept.outcome)?,
                    Some(there) if there == *kept => {}
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

fn insert(connection: &Connection, seq: Option<u64>, new: &NewOutcome) -> Result<(), Refused> {
    let sql = format!(
        "INSERT INTO outcomes ({COLUMNS}, day)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"
    );
    connection.prepare_cached(&sql)?.execute(params![
        seq.map(number),
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

fn reports(
    connection: &Connection,
    sql: &str,
    params: impl Params,
) -> Result<Vec<KeptOutcome>, Refused> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let name: String = row.get(1)?;
        let outcome = NewOutcome {
            domain: kept_domain(&name)?,
            at: time(row, 2)?,
            action: row.get(3)?,
            outcome: row.get(4)?,
            agent: row.get(5)?,
            status: row.get(6)?,
            resolve_said: row.get(7)?,
            disagree: row.get(8)?,
            reporter: Digest(row.get(9)?),
        };
        found.push(KeptOutcome { seq: count(row, 0)?, outcome });
    }
    Ok(found)
}

/// Of columns 1 to 7. A sum over no rows is null; there is none in a group.
fn tally(row: &Row<'_>) -> rusqlite::Result<OutcomeTally> {
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

/// The reports a summary is of.
struct Window {
    domain: String,
    from: Day,
    to: Day,
}

const IN_WINDOW: &str = "FROM outcomes WHERE domain = ?1 AND day BETWEEN ?2 AND ?3";

fn summary(connection: &Connection, window: &Window) -> Result<OutcomeCounts, Refused> {
    let Window { domain, from, to } = window;
    let asked = params![domain, from.number(), to.number()];
    let sql = format!("SELECT day, {TALLY} {IN_WINDOW} GROUP BY day ORDER BY day");
    let mut statement = connection.prepare_cached(&sql)?;
    let days = statement
        .query_map(asked, |row| Ok((Day::from_number(row.get(0)?), tally(row)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let sql =
        format!("SELECT {COLUMNS} {IN_WINDOW} ORDER BY day DESC, seq DESC LIMIT {RECENT_OUTCOMES}");
    let recent = reports(connection, &sql, asked)?.into_iter().map(|kept| kept.outcome).collect();
    Ok(OutcomeCounts {
        days,
        by_action: by(connection, window, "action", usize::MAX)?,
        by_agent: by(connection, window, "agent", AGENTS_NAMED)?,
        by_status: by(connection, window, "status", usize::MAX)?,
        recent,
    })
}

/// How many there are of each value of a column, the most frequent `most` of them.
fn by<K: Ord + FromSql>(
    connection: &Connection,
    window: &Window,
    column: &'static str,
    most: usize,
) -> Result<BTreeMap<K, u64>, Refused> {
    let sql = format!(
        "SELECT {column}, count(*) {IN_WINDOW} AND {column} IS NOT NULL
         GROUP BY {column} ORDER BY count(*) DESC, {column} LIMIT ?4"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let asked = params![window.domain, window.from.number(), window.to.number(), limit(most)];
    let rows = statement.query_map(asked, |row| Ok((row.get(0)?, count(row, 1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
