//! Daily allowances in the database.

use rusqlite::{Connection, OptionalExtension, params};
use store::{AllowanceDraw, AllowanceOutcome, Allowances, BoxFuture, Day, Digest, StoreError};

use crate::SqliteStore;
use crate::error::DatabaseError;

impl Allowances for SqliteStore {
    fn draw_allowances(
        &self,
        day: Day,
        draws: Vec<AllowanceDraw>,
    ) -> BoxFuture<'_, Result<AllowanceOutcome, StoreError>> {
        Box::pin(
            self.database
                .writer
                .write("drawing from an allowance", 0, move |c| take_allowances(c, day, &draws)),
        )
    }

    fn allowance_used(&self, day: Day, what: Digest) -> BoxFuture<'_, Result<u32, StoreError>> {
        Box::pin(
            self.database.readers.read("reading an allowance", move |c| taken_count(c, day, what)),
        )
    }

    fn delete_allowances_before(&self, day: Day) -> BoxFuture<'_, Result<u64, StoreError>> {
        Box::pin(self.database.writer.write("deleting past days", 0, move |connection| {
            let sql = "DELETE FROM day_counts WHERE day < ?1";
            let deleted = connection.prepare_cached(sql)?.execute(params![day.number()])?;
            Ok(deleted as u64)
        }))
    }
}

/// Runs in the writer's transaction, so draws do not race.
pub(crate) fn take_allowances(
    connection: &Connection,
    day: Day,
    draws: &[AllowanceDraw],
) -> Result<AllowanceOutcome, DatabaseError> {
    for (which, draw) in draws.iter().enumerate() {
        let earlier = draws.iter().take(which).filter(|other| other.key == draw.key).count();
        let taken = taken_count(connection, day, draw.key)? as usize + earlier;
        if taken >= draw.limit as usize {
            return Ok(AllowanceOutcome::Exhausted { which });
        }
    }
    let mut add = connection.prepare_cached(
        "INSERT INTO day_counts (day, what, taken) VALUES (?1, ?2, 1)
         ON CONFLICT (day, what) DO UPDATE SET taken = taken + 1",
    )?;
    for draw in draws {
        add.execute(params![day.number(), draw.key.as_bytes()])?;
    }
    Ok(AllowanceOutcome::Granted)
}

fn taken_count(connection: &Connection, day: Day, what: Digest) -> Result<u32, DatabaseError> {
    let sql = "SELECT taken FROM day_counts WHERE day = ?1 AND what = ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement.query_row(params![day.number(), what.as_bytes()], |row| row.get(0));
    Ok(found.optional()?.unwrap_or(0))
}
