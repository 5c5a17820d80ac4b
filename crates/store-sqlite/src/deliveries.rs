//! Deliveries to webhooks in the database.

use std::collections::BTreeSet;

use contract::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use store::deliveries::{MAX_ENDED_DELIVERIES, MAX_ERROR_BYTES, MAX_WAITING_DELIVERIES};
use store::{BoxFuture, Deliveries, Delivery, DeliveryState, DeliveryTry, NewDelivery, StoreError};

use crate::SqliteStore;
use crate::columns::{blob, count, optional_time, sql_integer, sql_limit, time};
use crate::database::Database;
use crate::error::DatabaseError;

const COLUMNS: &str = "seq, id, webhook_id, event, body, created_at, next_try_at, tries, state, \
                       last_status, last_error, ended_at";

/// Removes at most `?2` deliveries that ended before `?1`.
pub(crate) const DELETE_DELIVERIES: &str = "DELETE FROM deliveries WHERE seq IN (
    SELECT seq FROM deliveries WHERE ended_at < ?1 ORDER BY ended_at LIMIT ?2)";

impl Deliveries for Database {
    fn fan_out_cursor<'a>(&'a self, source: &'a str) -> BoxFuture<'a, Result<u64, StoreError>> {
        let source = source.to_owned();
        Box::pin(
            self.readers.read("reading a cursor", move |connection| cursor_of(connection, &source)),
        )
    }

    fn fan_out_cursors(&self) -> BoxFuture<'_, Result<Vec<(String, u64)>, StoreError>> {
        Box::pin(self.readers.read("reading the cursors", |connection| {
            let sql = "SELECT source, cursor FROM fan_out_cursors ORDER BY source";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, count(row, 1)?)))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        }))
    }

    fn fan_out<'a>(
        &'a self,
        source: &'a str,
        expected: u64,
        new: u64,
        deliveries: Vec<NewDelivery>,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        let source = source.to_owned();
        Box::pin(async move {
            deliveries.iter().try_for_each(NewDelivery::check_size)?;
            let bytes = deliveries.iter().map(|delivery| delivery.body.len()).sum();
            let write = move |connection: &Connection| {
                if cursor_of(connection, &source)? != expected {
                    return Ok(false);
                }
                let sql = "INSERT OR REPLACE INTO fan_out_cursors (source, cursor) VALUES (?1, ?2)";
                connection.prepare_cached(sql)?.execute(params![source, sql_integer(new)])?;
                insert_deliveries(connection, &deliveries)?;
                Ok(true)
            };
            self.writer.write("storing deliveries", bytes, write).await
        })
    }

    fn claim_deliveries(
        &self,
        now: Timestamp,
        lease_until: Timestamp,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<Delivery>, StoreError>> {
        const DOING: &str = "claiming deliveries";
        Box::pin(async move {
            // Looked for on a reading connection: mostly nothing is due, and the writer is not needed.
            let look = move |connection: &Connection| find_due(connection, now, limit);
            let due = self.readers.read(DOING, look).await?;
            if due.is_empty() {
                return Ok(Vec::new());
            }
            let claim = move |connection: &Connection| {
                let mut claimed = Vec::new();
                // Looked for again: others may have claimed some since.
                for webhook in &due {
                    claimed.extend(claim_one(connection, webhook, now, lease_until)?);
                }
                Ok(claimed)
            };
            self.writer.write(DOING, 0, claim).await
        })
    }

    fn record_delivery<'a>(
        &'a self,
        id: &'a str,
        tried: DeliveryTry,
    ) -> BoxFuture<'a, Result<Option<Delivery>, StoreError>> {
        let id = id.to_owned();
        Box::pin(self.writer.write("recording a delivery", 0, move |connection| {
            record(connection, &id, &tried)?;
            find_one(connection, &id)
        }))
    }

    fn delivery<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Delivery>, StoreError>> {
        let id = id.to_owned();
        Box::pin(self.readers.read("reading a delivery", move |c| find_one(c, &id)))
    }

    fn deliveries_of<'a>(
        &'a self,
        webhook_id: &'a str,
        before: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Delivery>, StoreError>> {
        let webhook_id = webhook_id.to_owned();
        let before = before.map_or(i64::MAX, sql_integer);
        Box::pin(self.readers.read("listing deliveries", move |connection| {
            let sql = format!(
                "SELECT {COLUMNS} FROM deliveries WHERE webhook_id = ?1 AND seq < ?2
                 ORDER BY seq DESC LIMIT ?3"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let parameters = params![webhook_id, before, sql_limit(limit)];
            let rows = statement.query_map(parameters, delivery_from_row)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        }))
    }

    fn count_waiting_deliveries(&self) -> BoxFuture<'_, Result<u64, StoreError>> {
        Box::pin(self.readers.read("counting deliveries", |connection| {
            let sql = "SELECT count(*) FROM deliveries WHERE state = 'waiting'";
            Ok(connection.prepare_cached(sql)?.query_row([], |row| count(row, 0))?)
        }))
    }

    fn retry_delivery<'a>(
        &'a self,
        id: &'a str,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        let id = id.to_owned();
        Box::pin(self.writer.write("retrying a delivery", 0, move |connection| {
            let sql = "SELECT count(*) FROM deliveries WHERE state = 'waiting' AND webhook_id =
                       (SELECT webhook_id FROM deliveries WHERE id = ?1)";
            let waiting: i64 =
                connection.prepare_cached(sql)?.query_row(params![id], |row| row.get(0))?;
            if waiting >= sql_limit(MAX_WAITING_DELIVERIES) {
                let limit = MAX_WAITING_DELIVERIES;
                let what = "deliveries that wait for this webhook";
                return Err(StoreError::LimitReached { what, limit }.into());
            }
            let sql = "UPDATE deliveries SET state = 'waiting', next_try_at = ?2, tries = 0,
                       leased_until = NULL, ended_at = NULL WHERE id = ?1 AND state = 'dead'";
            Ok(connection.prepare_cached(sql)?.execute(params![id, now.as_millis()])? > 0)
        }))
    }
}

impl Deliveries for SqliteStore {
    fn fan_out_cursor<'a>(&'a self, source: &'a str) -> BoxFuture<'a, Result<u64, StoreError>> {
        self.database.fan_out_cursor(source)
    }

    fn fan_out_cursors(&self) -> BoxFuture<'_, Result<Vec<(String, u64)>, StoreError>> {
        self.database.fan_out_cursors()
    }

    fn fan_out<'a>(
        &'a self,
        source: &'a str,
        expected: u64,
        new: u64,
        deliveries: Vec<NewDelivery>,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        self.database.fan_out(source, expected, new, deliveries)
    }

    fn claim_deliveries(
        &self,
        now: Timestamp,
        lease_until: Timestamp,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<Delivery>, StoreError>> {
        self.database.claim_deliveries(now, lease_until, limit)
    }

    fn record_delivery<'a>(
        &'a self,
        id: &'a str,
        tried: DeliveryTry,
    ) -> BoxFuture<'a, Result<Option<Delivery>, StoreError>> {
        self.database.record_delivery(id, tried)
    }

    fn delivery<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Delivery>, StoreError>> {
        self.database.delivery(id)
    }

    fn deliveries_of<'a>(
        &'a self,
        webhook_id: &'a str,
        before: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Delivery>, StoreError>> {
        self.database.deliveries_of(webhook_id, before, limit)
    }

    fn count_waiting_deliveries(&self) -> BoxFuture<'_, Result<u64, StoreError>> {
        self.database.count_waiting_deliveries()
    }

    fn retry_delivery<'a>(
        &'a self,
        id: &'a str,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        self.database.retry_delivery(id, now)
    }
}

fn cursor_of(connection: &Connection, source: &str) -> Result<u64, DatabaseError> {
    let sql = "SELECT cursor FROM fan_out_cursors WHERE source = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    Ok(statement.query_row(params![source], |row| count(row, 0)).optional()?.unwrap_or(0))
}

fn insert_deliveries(
    connection: &Connection,
    deliveries: &[NewDelivery],
) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO deliveries (id, webhook_id, event, body, created_at, next_try_at, tries,
                                       state)
               SELECT ?1, id, ?3, ?4, ?5, ?6, 0, 'waiting' FROM webhooks WHERE id = ?2
               ON CONFLICT (id) DO NOTHING";
    let mut insert = connection.prepare_cached(sql)?;
    let mut webhooks = BTreeSet::new();
    let mut latest = None;
    for delivery in deliveries {
        insert.execute(params![
            delivery.id,
            delivery.webhook_id,
            delivery.event,
            &*delivery.body,
            delivery.created_at.as_millis(),
            delivery.next_try_at.as_millis(),
        ])?;
        webhooks.insert(delivery.webhook_id.as_str());
        latest = latest.max(Some(delivery.created_at));
    }
    let now = latest.map_or(0, Timestamp::as_millis);
    for webhook in webhooks {
        keep_bounds(connection, webhook, now)?;
    }
    Ok(())
}

/// Gives up the oldest that wait, and removes the oldest that ended, beyond their bounds.
fn keep_bounds(connection: &Connection, webhook: &str, now: i64) -> Result<(), DatabaseError> {
    let sql = "UPDATE deliveries SET state = 'dead', ended_at = ?3, leased_until = NULL,
                   last_error = 'given up, because too many newer events waited for this webhook'
               WHERE seq IN (SELECT seq FROM deliveries WHERE webhook_id = ?1 AND state = 'waiting'
                             ORDER BY seq DESC LIMIT -1 OFFSET ?2)";
    let bound = sql_limit(MAX_WAITING_DELIVERIES);
    connection.prepare_cached(sql)?.execute(params![webhook, bound, now])?;
    let sql = "DELETE FROM deliveries
               WHERE seq IN (SELECT seq FROM deliveries WHERE webhook_id = ?1 AND state <> 'waiting'
                             ORDER BY seq DESC LIMIT -1 OFFSET ?2)";
    let bound = sql_limit(MAX_ENDED_DELIVERIES);
    connection.prepare_cached(sql)?.execute(params![webhook, bound])?;
    Ok(())
}

/// What makes a delivery due for the webhook `w`, which has none claimed. `?1` is the time.
const DUE: &str = "d.webhook_id = w.id AND d.state = 'waiting' AND d.next_try_at <= ?1";
const NONE_CLAIMED: &str = "w.disabled_at IS NULL AND NOT EXISTS (
    SELECT 1 FROM deliveries c WHERE c.webhook_id = w.id AND c.leased_until > ?1)";

/// The webhooks with the deliveries that have been due the longest.
fn find_due(
    connection: &Connection,
    now: Timestamp,
    limit: usize,
) -> Result<Vec<String>, DatabaseError> {
    let sql = format!(
        "SELECT w.id, (SELECT min(d.next_try_at) FROM deliveries d WHERE {DUE}) AS due
         FROM webhooks w WHERE {NONE_CLAIMED} AND due IS NOT NULL ORDER BY due LIMIT ?2"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let parameters = params![now.as_millis(), sql_limit(limit)];
    let rows = statement.query_map(parameters, |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn claim_one(
    connection: &Connection,
    webhook: &str,
    now: Timestamp,
    lease_until: Timestamp,
) -> Result<Option<Delivery>, DatabaseError> {
    let sql = format!(
        "UPDATE deliveries SET leased_until = ?3, tries = tries + 1
         WHERE seq = (SELECT d.seq FROM webhooks w JOIN deliveries d ON {DUE}
                      WHERE w.id = ?2 AND {NONE_CLAIMED}
                      ORDER BY d.next_try_at, d.seq LIMIT 1)
         RETURNING {COLUMNS}"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let parameters = params![now.as_millis(), webhook, lease_until.as_millis()];
    Ok(statement.query_row(parameters, delivery_from_row).optional()?)
}

fn record(connection: &Connection, id: &str, tried: &DeliveryTry) -> rusqlite::Result<()> {
    let at = tried.at.as_millis();
    let Some(error) = &tried.error else {
        let sql = "UPDATE deliveries SET state = 'delivered', last_status = ?2, last_error = NULL,
                   ended_at = ?3, leased_until = NULL WHERE id = ?1 AND state <> 'delivered'";
        connection.prepare_cached(sql)?.execute(params![id, tried.status, at])?;
        return Ok(());
    };
    let error = shortened(error);
    let (state, ended_at) = match tried.next_try_at {
        Some(_) => ("waiting", None),
        None => ("dead", Some(at)),
    };
    let sql = "UPDATE deliveries SET state = ?2, last_status = ?3, last_error = ?4, ended_at = ?5,
               next_try_at = coalesce(?6, next_try_at), leased_until = NULL
               WHERE id = ?1 AND state = 'waiting'";
    let next_try_at = tried.next_try_at.map(Timestamp::as_millis);
    let parameters = params![id, state, tried.status, error, ended_at, next_try_at];
    connection.prepare_cached(sql)?.execute(parameters)?;
    Ok(())
}

/// A text cut to the longest stored error, at a character.
fn shortened(text: &str) -> &str {
    let end = (0..=MAX_ERROR_BYTES.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    end.and_then(|end| text.get(..end)).unwrap_or_default()
}

fn find_one(connection: &Connection, id: &str) -> Result<Option<Delivery>, DatabaseError> {
    let sql = format!("SELECT {COLUMNS} FROM deliveries WHERE id = ?1");
    let mut statement = connection.prepare_cached(&sql)?;
    Ok(statement.query_row(params![id], delivery_from_row).optional()?)
}

fn delivery_from_row(row: &Row<'_>) -> rusqlite::Result<Delivery> {
    let state: String = row.get(8)?;
    Ok(Delivery {
        seq: count(row, 0)?,
        id: row.get(1)?,
        webhook_id: row.get(2)?,
        event: row.get(3)?,
        body: blob(row, 4)?,
        created_at: time(row, 5)?,
        next_try_at: time(row, 6)?,
        tries: row.get(7)?,
        // The table has no other words.
        state: DeliveryState::from_word(&state).unwrap_or(DeliveryState::Dead),
        last_status: row.get(9)?,
        last_error: row.get(10)?,
        ended_at: optional_time(row, 11)?,
    })
}
