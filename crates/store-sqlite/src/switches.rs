//! Switches in the database.

use contract::Timestamp;
use rusqlite::{OptionalExtension, Row, params};
use store::{BoxFuture, StoreError, Switch, Switches};

use crate::SqliteStore;
use crate::database::Database;

impl Switches for Database {
    fn set_switch(&self, switch: Switch) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(self.writer.write("setting a switch", 0, move |connection| {
            connection
                .prepare_cached(
                    "INSERT INTO switches (name, is_on, changed_at) VALUES (?1, ?2, ?3)
                     ON CONFLICT (name) DO UPDATE
                     SET is_on = excluded.is_on, changed_at = excluded.changed_at",
                )?
                .execute(params![switch.name, switch.on, switch.changed_at.as_millis()])?;
            Ok(())
        }))
    }

    fn switch<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<Switch>, StoreError>> {
        let name = name.to_owned();
        Box::pin(self.readers.read("reading a switch", move |connection| {
            let sql = "SELECT name, is_on, changed_at FROM switches WHERE name = ?1";
            Ok(connection.prepare_cached(sql)?.query_row([name], switch_from_row).optional()?)
        }))
    }

    fn switches(&self) -> BoxFuture<'_, Result<Vec<Switch>, StoreError>> {
        Box::pin(self.readers.read("reading the switches", |connection| {
            let sql = "SELECT name, is_on, changed_at FROM switches ORDER BY name";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map([], switch_from_row)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        }))
    }
}

impl Switches for SqliteStore {
    fn set_switch(&self, switch: Switch) -> BoxFuture<'_, Result<(), StoreError>> {
        self.database.set_switch(switch)
    }

    fn switch<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<Switch>, StoreError>> {
        self.database.switch(name)
    }

    fn switches(&self) -> BoxFuture<'_, Result<Vec<Switch>, StoreError>> {
        self.database.switches()
    }
}

fn switch_from_row(row: &Row<'_>) -> rusqlite::Result<Switch> {
    Ok(Switch {
        name: row.get(0)?,
        on: row.get(1)?,
        changed_at: Timestamp::from_millis(row.get(2)?),
    })
}
