//! Webhooks in the database.

use contract::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use store::webhooks::MAX_WEBHOOKS;
use store::{BoxFuture, StoreError, Webhook, Webhooks};

use crate::SqliteStore;
use crate::columns::{optional_time, sql_limit, time};
use crate::database::Database;
use crate::error::DatabaseError;
use crate::licence_rows::unless_duplicate;

const COLUMNS: &str = "id, licence_id, url, events, created_at, failing_since, disabled_at, \
                       disabled_why";

impl Webhooks for Database {
    fn put_webhook(&self, webhook: Webhook) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(self.writer.write("storing a webhook", 0, move |connection| {
            let sql = "SELECT count(*) FROM webhooks WHERE licence_id = ?1";
            let mut statement = connection.prepare_cached(sql)?;
            let stored: i64 = statement.query_row(params![webhook.licence_id], |row| row.get(0))?;
            if stored >= sql_limit(MAX_WEBHOOKS) {
                let limit = MAX_WEBHOOKS;
                let what = "webhooks of this licence";
                return Err(StoreError::LimitReached { what, limit }.into());
            }
            insert(connection, &webhook, "")
        }))
    }

    fn webhook<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Webhook>, StoreError>> {
        let id = id.to_owned();
        Box::pin(self.readers.read("reading a webhook", move |connection| {
            let sql = format!("SELECT {COLUMNS} FROM webhooks WHERE id = ?1");
            let mut statement = connection.prepare_cached(&sql)?;
            Ok(statement.query_row(params![id], webhook_from_row).optional()?)
        }))
    }

    fn webhooks_of<'a>(
        &'a self,
        licence_id: &'a str,
    ) -> BoxFuture<'a, Result<Vec<Webhook>, StoreError>> {
        let licence_id = licence_id.to_owned();
        Box::pin(self.readers.read("listing the webhooks of a licence", move |c| {
            let sql = format!(
                "SELECT {COLUMNS} FROM webhooks WHERE licence_id = ?1 ORDER BY created_at, id"
            );
            find(c, &sql, params![licence_id])
        }))
    }

    fn active_webhooks(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<Webhook>, StoreError>> {
        let after = after.unwrap_or_default();
        Box::pin(self.readers.read("listing webhooks", move |connection| {
            let sql = format!(
                "SELECT {COLUMNS} FROM webhooks WHERE disabled_at IS NULL AND id > ?1
                 ORDER BY id LIMIT ?2"
            );
            find(connection, &sql, params![after, sql_limit(limit)])
        }))
    }

    fn set_webhook_state(&self, webhook: Webhook) -> BoxFuture<'_, Result<bool, StoreError>> {
        Box::pin(self.writer.write("storing the state of a webhook", 0, move |c| {
            let sql = "UPDATE webhooks SET failing_since = ?2, disabled_at = ?3, disabled_why = ?4
                       WHERE id = ?1";
            let changed = c.prepare_cached(sql)?.execute(params![
                webhook.id,
                webhook.failing_since.map(Timestamp::as_millis),
                webhook.disabled_at.map(Timestamp::as_millis),
                webhook.disabled_why,
            ])?;
            Ok(changed > 0)
        }))
    }

    fn delete_webhook<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<bool, StoreError>> {
        let id = id.to_owned();
        Box::pin(self.writer.write("deleting a webhook", 0, move |connection| {
            let sql = "DELETE FROM webhooks WHERE id = ?1";
            Ok(connection.prepare_cached(sql)?.execute(params![id])? > 0)
        }))
    }

    fn import_webhook(&self, webhook: Webhook) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(self.writer.write("copying a webhook", 0, move |connection| {
            // Not OR REPLACE, which would remove its deliveries.
            let replace = "ON CONFLICT (id) DO UPDATE SET licence_id = ?2, url = ?3, events = ?4,
                           created_at = ?5, failing_since = ?6, disabled_at = ?7, disabled_why = ?8";
            insert(connection, &webhook, replace)
        }))
    }
}

impl Webhooks for SqliteStore {
    fn put_webhook(&self, webhook: Webhook) -> BoxFuture<'_, Result<(), StoreError>> {
        self.database.put_webhook(webhook)
    }

    fn webhook<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Webhook>, StoreError>> {
        self.database.webhook(id)
    }

    fn webhooks_of<'a>(
        &'a self,
        licence_id: &'a str,
    ) -> BoxFuture<'a, Result<Vec<Webhook>, StoreError>> {
        self.database.webhooks_of(licence_id)
    }

    fn active_webhooks(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<Webhook>, StoreError>> {
        self.database.active_webhooks(after, limit)
    }

    fn set_webhook_state(&self, webhook: Webhook) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.database.set_webhook_state(webhook)
    }

    fn delete_webhook<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<bool, StoreError>> {
        self.database.delete_webhook(id)
    }

    fn import_webhook(&self, webhook: Webhook) -> BoxFuture<'_, Result<(), StoreError>> {
        self.database.import_webhook(webhook)
    }
}

fn insert(
    connection: &Connection,
    webhook: &Webhook,
    on_conflict: &str,
) -> Result<(), DatabaseError> {
    let sql = format!(
        "INSERT INTO webhooks ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) {on_conflict}"
    );
    let inserted = connection.prepare_cached(&sql)?.execute(params![
        webhook.id,
        webhook.licence_id,
        webhook.url,
        webhook.events.join(" "),
        webhook.created_at.as_millis(),
        webhook.failing_since.map(Timestamp::as_millis),
        webhook.disabled_at.map(Timestamp::as_millis),
        webhook.disabled_why,
    ]);
    inserted.map(drop).map_err(|error| unless_duplicate(error, "webhook", &webhook.id))
}

fn find(
    connection: &Connection,
    sql: &str,
    params: &[&dyn rusqlite::ToSql],
) -> Result<Vec<Webhook>, DatabaseError> {
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(params, webhook_from_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn webhook_from_row(row: &Row<'_>) -> rusqlite::Result<Webhook> {
    let events: String = row.get(3)?;
    Ok(Webhook {
        id: row.get(0)?,
        licence_id: row.get(1)?,
        url: row.get(2)?,
        events: events.split(' ').filter(|name| !name.is_empty()).map(str::to_owned).collect(),
        created_at: time(row, 4)?,
        failing_since: optional_time(row, 5)?,
        disabled_at: optional_time(row, 6)?,
        disabled_why: row.get(7)?,
    })
}
