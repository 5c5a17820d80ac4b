//! Counts of agents on the service's own site, in the database.

use bytes::Bytes;
use rusqlite::{Row, params};
use store::{BoxFuture, Conduct, ConductDay, Day, Digest, StoreError};

use crate::SqliteStore;
use crate::columns::{sql_limit, time};
use crate::error::DatabaseError;

/// Removes at most `?2` days that ended before `?1`.
pub(crate) const DELETE_CONDUCT: &str = "DELETE FROM conduct_days WHERE day IN (
    SELECT day FROM conduct_days WHERE (day + 1) * 86400000 <= ?1 ORDER BY day LIMIT ?2)";

impl Conduct for SqliteStore {
    fn put_conduct_day(&self, day: ConductDay) -> BoxFuture<'_, Result<(), StoreError>> {
        let bytes = day.counts.len();
        Box::pin(async move {
            day.check_size()?;
            let fingerprint = day.fingerprint();
            let put = move |connection: &rusqlite::Connection| {
                let sql = "INSERT OR REPLACE INTO conduct_days (day, since, fingerprint, counts)
                           VALUES (?1, ?2, ?3, ?4)";
                connection.prepare_cached(sql)?.execute(params![
                    day.day.number(),
                    day.since.as_millis(),
                    fingerprint.as_bytes(),
                    &day.counts[..],
                ])?;
                Ok(())
            };
            self.database.writer.write("storing counts of agents", bytes, put).await
        })
    }

    fn conduct_day(&self, day: Day) -> BoxFuture<'_, Result<Option<ConductDay>, StoreError>> {
        Box::pin(self.database.readers.read("reading counts of agents", move |connection| {
            let sql = "SELECT since, fingerprint, counts FROM conduct_days WHERE day = ?1";
            let mut statement = connection.prepare_cached(sql)?;
            let mut rows = statement.query(params![day.number()])?;
            rows.next()?.map(|row| day_from_row(day, row)).transpose()
        }))
    }

    fn list_conduct_days(
        &self,
        after: Option<Day>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<Day>, StoreError>> {
        let after = after.map_or(i64::MIN, Day::number);
        Box::pin(self.database.readers.read("listing counts of agents", move |connection| {
            let sql = "SELECT day FROM conduct_days WHERE day > ?1 ORDER BY day LIMIT ?2";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map(params![after, sql_limit(limit)], |row| row.get(0))?;
            let days = rows.map(|day| Ok(Day::from_number(day?)));
            days.collect::<rusqlite::Result<_>>().map_err(DatabaseError::from)
        }))
    }
}

/// A value that cannot be converted is damage too, so that a copy reports it and continues.
fn day_from_row(day: Day, row: &Row<'_>) -> Result<ConductDay, DatabaseError> {
    let damaged = |why: String| {
        let what = format!("the counts of agents of {day}");
        DatabaseError::from(StoreError::Damaged { what, why })
    };
    let read = || -> rusqlite::Result<(ConductDay, Digest)> {
        let counts: Vec<u8> = row.get(2)?;
        let read = ConductDay { day, since: time(row, 0)?, counts: Bytes::from(counts) };
        Ok((read, Digest(row.get(1)?)))
    };
    let (read, fingerprint) = read().map_err(|error| damaged(error.to_string()))?;
    if read.fingerprint() == fingerprint {
        Ok(read)
    } else {
        Err(damaged(String::from("its fingerprint does not match")))
    }
}
