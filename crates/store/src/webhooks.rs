//! Webhooks: addresses of licence holders to which events are sent. `deliveries` has the events.

use contract::Timestamp;

use crate::{BoxFuture, StoreError};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    /// Unique and never reused.
    pub id: String,
    pub licence_id: String,
    pub url: String,
    /// The names of the events that it gets. Names have no spaces.
    pub events: Vec<String>,
    pub created_at: Timestamp,
    /// Since when every delivery failed; `None` if the last one did not.
    pub failing_since: Option<Timestamp>,
    /// It gets nothing from this time on.
    pub disabled_at: Option<Timestamp>,
    pub disabled_why: Option<String>,
}

/// Webhooks of one licence.
pub const MAX_WEBHOOKS: usize = 10;

pub trait Webhooks: Send + Sync {
    /// Stores a webhook; durable when this returns. Refused with [`StoreError::LimitReached`] if its
    /// licence has [`MAX_WEBHOOKS`] already.
    fn put_webhook(&self, webhook: Webhook) -> BoxFuture<'_, Result<(), StoreError>>;

    fn webhook<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Webhook>, StoreError>>;

    /// The webhooks of a licence, oldest first.
    fn webhooks_of<'a>(
        &'a self,
        licence_id: &'a str,
    ) -> BoxFuture<'a, Result<Vec<Webhook>, StoreError>>;

    /// The webhooks of all licences that are not disabled, with an id after `after`, ordered by id, at
    /// most `limit`. Whether their licences are active is decided by the caller.
    fn active_webhooks(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<Webhook>, StoreError>>;

    /// Replaces the state of a webhook by that of the given one: `failing_since`, `disabled_at` and
    /// `disabled_why`. Returns `false` if it is gone.
    fn set_webhook_state(&self, webhook: Webhook) -> BoxFuture<'_, Result<bool, StoreError>>;

    /// Removes a webhook with its deliveries. Returns `false` if there was none.
    fn delete_webhook<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// Stores a webhook of another store, or replaces the stored one.
    fn import_webhook(&self, webhook: Webhook) -> BoxFuture<'_, Result<(), StoreError>>;
}

impl Webhook {
    #[must_use]
    pub fn is_disabled(&self) -> bool {
        self.disabled_at.is_some()
    }

    /// Whether it gets events of this name.
    #[must_use]
    pub fn wants(&self, event: &str) -> bool {
        self.events.iter().any(|wanted| wanted == event)
    }
}
