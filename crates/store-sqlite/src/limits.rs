//! Allowances by the day in the database.

use rusqlite::{Connection, OptionalExtension, params};
use store::{BoxFuture, Day, Digest, Draw, Limits, StoreError, Taking};

use crate::SqliteStore;
use crate::error::Refused;

impl Limits for SqliteStore {
    fn take(&self, day: Day, draws: Vec<Draw>) -> BoxFuture<'_, Result<Taking, StoreError>> {
        Box::pin(
            self.database.writer.write("taking of an allowance", 0, move |c| take(c, day, &draws)),
        )
    }

    fn taken(&self, day: Day, what: Digest) -> BoxFuture<'_, Result<u32, StoreError>> {
        Box::pin(self.database.readers.read("reading an allowance", move |c| count(c, day, what)))
    }

    fn forget_before(&self, day: Day) -> BoxFuture<'_, Result<u64, StoreError>> {
        Box::pin(self.database.writer.write("forgetting past days", 0, move |connection| {
            let sql = "DELETE FROM day_counts WHERE day < ?1";
            let gone = connection.prepare_cached(sql)?.execute(params![day.number()])?;
            Ok(gone as u64)
        }))
    }
}

/// Runs inside the writer's transaction: nobody counts in between.
pub(crate) fn take(connection: &Connection, day: Day, draws: &[Draw]) -> Result<Taking, Refused> {
    for (which, draw) in draws.iter().enumerate() {
        let before = draws.iter().take(which).filter(|other| other.what == draw.what).count();
        let taken = count(connection, day, draw.what)? as usize + before;
        if taken >= draw.most as usize {
            return Ok(Taking::Spent { which });
        }
    }
    let mut add = connection.prepare_cached(
        "INSERT INTO day_counts (day, what, taken) VALUES (?1, ?2, 1)
         ON CONFLICT (day, what) DO UPDATE SET taken = taken + 1",
    )?;
    for draw in draws {
        add.execute(params![day.number(), draw.what.as_bytes()])?;
    }
    Ok(Taking::Taken)
}

fn count(connection: &Connection, day: Day, what: Digest) -> Result<u32, Refused> {
    let sql = "SELECT taken FROM day_counts WHERE day = ?1 AND what = ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement.query_row(params![day.number(), what.as_bytes()], |row| row.get(0));
    Ok(found.optional()?.unwrap_or(0))
}
