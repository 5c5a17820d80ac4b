//! Allowances of a day or a month in the database.

use contract::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};
use store::allowances::KEPT_AFTER_PERIOD_MS;
use store::{AllowanceDraw, AllowanceOutcome, Allowances, BoxFuture, Digest, Period, StoreError};

use crate::SqliteStore;
use crate::error::DatabaseError;

impl Allowances for SqliteStore {
    fn draw_allowances(
        &self,
        period: Period,
        draws: Vec<AllowanceDraw>,
    ) -> BoxFuture<'_, Result<AllowanceOutcome, StoreError>> {
        Box::pin(
            self.database
                .writer
                .write("drawing from an allowance", 0, move |c| take_allowances(c, period, &draws)),
        )
    }

    fn allowance_used(
        &self,
        period: Period,
        what: Digest,
    ) -> BoxFuture<'_, Result<u32, StoreError>> {
        Box::pin(
            self.database
                .readers
                .read("reading an allowance", move |c| taken_count(c, period, what)),
        )
    }

    fn delete_past_allowances(&self, now: Timestamp) -> BoxFuture<'_, Result<u64, StoreError>> {
        let ended = now.plus_millis(-KEPT_AFTER_PERIOD_MS).as_millis();
        Box::pin(self.database.writer.write("deleting past allowances", 0, move |connection| {
            let sql = "DELETE FROM period_counts WHERE ends_at <= ?1";
            let deleted = connection.prepare_cached(sql)?.execute(params![ended])?;
            Ok(deleted as u64)
        }))
    }
}

/// Runs in the writer's transaction, so draws do not race.
pub(crate) fn take_allowances(
    connection: &Connection,
    period: Period,
    draws: &[AllowanceDraw],
) -> Result<AllowanceOutcome, DatabaseError> {
    for (which, draw) in draws.iter().enumerate() {
        let earlier = draws.iter().take(which).filter(|other| other.key == draw.key).count();
        let taken = taken_count(connection, period, draw.key)? as usize + earlier;
        if taken >= draw.limit as usize {
            return Ok(AllowanceOutcome::Exhausted { which });
        }
    }
    let mut add = connection.prepare_cached(
        "INSERT INTO period_counts (ends_at, kind, what, taken) VALUES (?1, ?2, ?3, 1)
         ON CONFLICT (ends_at, kind, what) DO UPDATE SET taken = taken + 1",
    )?;
    for draw in draws {
        add.execute(params![period.ends_at().as_millis(), period.kind(), draw.key.as_bytes()])?;
    }
    Ok(AllowanceOutcome::Granted)
}

fn taken_count(
    connection: &Connection,
    period: Period,
    what: Digest,
) -> Result<u32, DatabaseError> {
    let sql = "SELECT taken FROM period_counts WHERE ends_at = ?1 AND kind = ?2 AND what = ?3";
    let mut statement = connection.prepare_cached(sql)?;
    let parameters = params![period.ends_at().as_millis(), period.kind(), what.as_bytes()];
    let found = statement.query_row(parameters, |row| row.get(0));
    Ok(found.optional()?.unwrap_or(0))
}
