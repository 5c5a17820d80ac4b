//! Webhooks: the holder of a licence names an address, and gets events there as signed requests.
//!
//! `registry` keeps the webhooks of licences. `fan_out` takes events from their sources and stores a
//! delivery for each webhook that gets them; `sender` sends what is due, `backoff` says when again.

mod address;
mod backoff;
mod events;
mod fan_out;
mod registry;
mod sender;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use contract::{Clock, Issuer};
use store::{Delivery, Store, Webhook};
use tokio::sync::{Notify, Semaphore};

use crate::SigningKeys;
use crate::random_ids::Ids;
use crate::scanner::Scanner;

pub use address::WebhookAddressError;
pub use backoff::MAX_TRIES;
pub use events::EventName;
pub use fan_out::FOLLOWED_SCANS;
pub(crate) use sender::SENT_AT_ONCE;

pub use registry::{NewWebhook, WebhookError, find_webhook, register_webhook};

/// The bounds of what is stored.
pub use store::deliveries::MAX_WAITING_DELIVERIES;
pub use store::webhooks::MAX_WEBHOOKS;

/// The most deliveries that are listed at once.
pub const MAX_LISTED_DELIVERIES: usize = 100;

/// The webhooks of all licences. What they are and what waits for them is in the store; in memory is only
/// how many deliveries are being sent.
pub struct Webhooks {
    issuer: Issuer,
    scanner: Scanner,
    store: Arc<dyn Store>,
    keys: Arc<SigningKeys>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    /// One permit for each delivery that may be sent at once. Closed when the service stops.
    sending: Semaphore,
    /// Notified when a delivery may be due.
    pub(crate) due: Notify,
}

impl Webhooks {
    pub(crate) fn new(
        issuer: Issuer,
        scanner: Scanner,
        store: Arc<dyn Store>,
        keys: Arc<SigningKeys>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn Ids>,
    ) -> Self {
        let sending = Semaphore::new(sender::SENT_AT_ONCE);
        Self { issuer, scanner, store, keys, clock, ids, sending, due: Notify::new() }
    }

    /// Adds a webhook to a licence. It gets what happens from now on.
    pub async fn register(
        &self,
        licence_id: &str,
        url: &str,
        events: &[String],
    ) -> Result<Webhook, WebhookError> {
        let new = NewWebhook { licence_id, url, events, policy: self.scanner.policy() };
        let now = self.clock.now();
        register_webhook(&*self.store, &*self.store, &*self.ids, now, new).await
    }

    /// The webhooks of a licence, oldest first.
    pub async fn list(&self, licence_id: &str) -> Result<Vec<Webhook>, WebhookError> {
        Ok(self.store.webhooks_of(licence_id).await?)
    }

    /// One webhook of a licence.
    pub async fn find(&self, licence_id: &str, id: &str) -> Result<Webhook, WebhookError> {
        find_webhook(&*self.store, licence_id, id).await
    }

    /// Removes a webhook with its deliveries.
    pub async fn delete(&self, licence_id: &str, id: &str) -> Result<(), WebhookError> {
        self.find(licence_id, id).await?;
        if self.store.delete_webhook(id).await? { Ok(()) } else { Err(WebhookError::NotFound) }
    }

    /// The deliveries of a webhook with a number below `before`, newest first.
    pub async fn deliveries_of(
        &self,
        licence_id: &str,
        id: &str,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<Delivery>, WebhookError> {
        self.find(licence_id, id).await?;
        let limit = limit.min(MAX_LISTED_DELIVERIES);
        Ok(self.store.deliveries_of(id, before, limit).await?)
    }

    /// Sends a delivery that was given up again.
    pub async fn retry(
        &self,
        licence_id: &str,
        id: &str,
        delivery_id: &str,
    ) -> Result<(), WebhookError> {
        self.find(licence_id, id).await?;
        let delivery = self.store.delivery(delivery_id).await?;
        if delivery.is_none_or(|delivery| delivery.webhook_id != id) {
            return Err(WebhookError::NoSuchDelivery);
        }
        if !self.store.retry_delivery(delivery_id, self.clock.now()).await? {
            return Err(WebhookError::NotGivenUp);
        }
        self.due.notify_one();
        Ok(())
    }

    /// Switches a webhook on again that was switched off because its receiver failed. It gets what waited
    /// for it and what happens from now on, and not what happened while it was off.
    pub async fn switch_on(&self, licence_id: &str, id: &str) -> Result<Webhook, WebhookError> {
        let webhook = self.find(licence_id, id).await?;
        let on = Webhook { failing_since: None, disabled_at: None, disabled_why: None, ..webhook };
        if !self.store.set_webhook_state(on.clone()).await? {
            return Err(WebhookError::NotFound);
        }
        self.due.notify_one();
        Ok(on)
    }

    /// Waits for what is being sent, and sends nothing after it.
    pub async fn close(&self) {
        let all = u32::try_from(sender::SENT_AT_ONCE).unwrap_or(u32::MAX);
        if let Ok(permits) = self.sending.acquire_many(all).await {
            permits.forget();
        }
        self.sending.close();
    }

    /// How many deliveries wait, for the metrics.
    pub(crate) async fn count_waiting(&self) -> Result<u64, store::StoreError> {
        self.store.count_waiting_deliveries().await
    }
}
