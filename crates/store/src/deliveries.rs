//! Events on their way to webhooks. Events are taken from append-only sources in order; how far each
//! source was read is stored together with the deliveries that follow from it, so that no event is lost
//! or sent to a webhook as two deliveries, whenever the process ends.
//!
//! Not part of a copy: what waits here is sent from here. How far the sources were read is copied.

use bytes::Bytes;
use contract::Timestamp;

use crate::{BoxFuture, StoreError};

/// An event for one webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDelivery {
    /// Unique. The receiver tells repeated deliveries by it.
    pub id: String,
    pub webhook_id: String,
    /// The name of the event.
    pub event: String,
    pub body: Bytes,
    pub created_at: Timestamp,
    pub next_try_at: Timestamp,
}

/// A delivery as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// Its number in the order of storing.
    pub seq: u64,
    pub id: String,
    pub webhook_id: String,
    pub event: String,
    pub body: Bytes,
    pub created_at: Timestamp,
    pub next_try_at: Timestamp,
    /// How many times it was claimed.
    pub tries: u32,
    pub state: DeliveryState,
    /// The HTTP status of the last try, if there was an answer.
    pub last_status: Option<u16>,
    /// Why the last try failed.
    pub last_error: Option<String>,
    /// When it was delivered or given up.
    pub ended_at: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryState {
    Waiting,
    Delivered,
    /// Given up.
    Dead,
}

/// How a try ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryTry {
    pub at: Timestamp,
    pub status: Option<u16>,
    /// `None` if it was delivered.
    pub error: Option<String>,
    /// When it is tried again if it failed; `None` if it is given up.
    pub next_try_at: Option<Timestamp>,
}

/// Deliveries that wait for one webhook. For further ones the oldest are given up.
pub const MAX_WAITING_DELIVERIES: usize = 1_000;
/// Deliveries of one webhook that were delivered or given up. For further ones the oldest are removed.
pub const MAX_ENDED_DELIVERIES: usize = 1_000;
/// The longest body of a delivery, in bytes.
pub const MAX_DELIVERY_BYTES: usize = 256 * 1024;
/// The longest stored error, in bytes. Longer ones are cut.
pub const MAX_ERROR_BYTES: usize = 500;

pub trait Deliveries: Send + Sync {
    /// How far a source was read: the number of its last event that was handled; 0 at the beginning.
    fn fan_out_cursor<'a>(&'a self, source: &'a str) -> BoxFuture<'a, Result<u64, StoreError>>;

    /// How far every source was read, by name: for copying to another store.
    fn fan_out_cursors(&self) -> BoxFuture<'_, Result<Vec<(String, u64)>, StoreError>>;

    /// Moves the cursor of a source from `expected` to `new` and stores the deliveries that follow from
    /// the events between them, in one transaction; durable when this returns. Returns `false`, and
    /// changes nothing, if the cursor is not at `expected`. Deliveries to webhooks that are gone, and those
    /// with an id that is stored, are left out. Beyond [`MAX_WAITING_DELIVERIES`] of a webhook the oldest
    /// are given up, beyond [`MAX_ENDED_DELIVERIES`] the oldest are removed.
    fn fan_out<'a>(
        &'a self,
        source: &'a str,
        expected: u64,
        new: u64,
        deliveries: Vec<NewDelivery>,
    ) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// Claims deliveries that are due until `lease_until`, the longest due first, at most `limit`. A
    /// webhook has one claimed delivery at a time, so that a slow receiver takes one place only. Disabled
    /// webhooks get none. After `lease_until` a delivery can be claimed again. Increments `tries`.
    fn claim_deliveries(
        &self,
        now: Timestamp,
        lease_until: Timestamp,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<Delivery>, StoreError>>;

    /// Records how a try ended, and releases the delivery. Returns the delivery, or `None` if it is gone. A
    /// delivery that arrived stays delivered, whatever is recorded afterwards; one that was given up in
    /// the meantime stays given up unless it arrived.
    fn record_delivery<'a>(
        &'a self,
        id: &'a str,
        tried: DeliveryTry,
    ) -> BoxFuture<'a, Result<Option<Delivery>, StoreError>>;

    fn delivery<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Delivery>, StoreError>>;

    /// The deliveries of a webhook with a number below `before`, newest first, at most `limit`.
    fn deliveries_of<'a>(
        &'a self,
        webhook_id: &'a str,
        before: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Delivery>, StoreError>>;

    /// How many deliveries of all webhooks wait.
    fn count_waiting_deliveries(&self) -> BoxFuture<'_, Result<u64, StoreError>>;

    /// Makes a delivery that was given up wait again, due now and with no tries counted. Returns `false`
    /// for any other. Refused with [`StoreError::LimitReached`] if [`MAX_WAITING_DELIVERIES`] wait for its
    /// webhook.
    fn retry_delivery<'a>(
        &'a self,
        id: &'a str,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<bool, StoreError>>;
}

impl DeliveryState {
    pub const ALL: [Self; 3] = [Self::Waiting, Self::Delivered, Self::Dead];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Delivered => "delivered",
            Self::Dead => "dead",
        }
    }

    /// The state for a known word; `None` for any other.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == word)
    }
}

impl NewDelivery {
    /// Refuses a delivery that is too large. Engines call this before they write.
    pub fn check_size(&self) -> Result<(), StoreError> {
        let (bytes, limit) = (self.body.len(), MAX_DELIVERY_BYTES);
        if bytes > limit {
            return Err(StoreError::TooLarge { what: "delivery", bytes, limit });
        }
        Ok(())
    }
}
