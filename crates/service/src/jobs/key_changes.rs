//! Follows changes of the keys: writes them to the log, and withdraws what a compromised key signed.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use contract::Timestamp;
use store::StoreError;

use crate::{SealError, Service};

/// How often the caches are emptied after a key was compromised, once at each look at the keys: a
/// document that was being signed then may be put into a cache a little later.
const EMPTIED_TIMES: u32 = 20;
/// Looks at the keys after which they are read again even if nothing seems to have changed: some file
/// systems have coarse times.
const LOOKS_PER_RELOAD: u32 = 120;
/// Looks until something that failed is tried again.
const LOOKS_PER_RETRY: u32 = 20;

/// Another process may have replaced a key. What a compromised key signed must not be served longer than
/// a second, so nothing else is done in this loop.
const KEY_CHECK_INTERVAL: Duration = Duration::from_millis(250);

/// Runs until it is dropped. Failures are logged and tried again.
pub async fn run_key_changes(service: Arc<Service>) {
    let mut look_at_keys = tokio::time::interval(KEY_CHECK_INTERVAL);
    look_at_keys.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut key_changes = KeyChanges::default();
    loop {
        look_at_keys.tick().await;
        key_changes.follow(&service).await;
    }
}

/// What was done about the keys as they are.
#[derive(Debug, Default)]
struct KeyChanges {
    /// The version of the keys whose events are in the log.
    sealed_version: Option<u64>,
    /// The compromised keys whose entries are in the chain of revocations.
    revoked: Option<Arc<BTreeMap<String, Timestamp>>>,
    compromised: Option<Arc<BTreeMap<String, Timestamp>>>,
    empty_caches: u32,
    looks: u32,
    retry_at_look: u32,
}

impl KeyChanges {
    /// Reads the keys again if they changed, and does what follows from the change.
    async fn follow(&mut self, service: &Arc<Service>) {
        self.looks = self.looks.wrapping_add(1);
        if self.looks.is_multiple_of(LOOKS_PER_RELOAD) {
            service.keys.reload_and_log().await;
        } else {
            service.keys.refresh().await;
        }
        let compromised = service.keys.compromised();
        if self.compromised.as_ref().is_some_and(|known| *known != compromised) {
            tracing::warn!("a key was reported as compromised; what it signed is no longer served");
            self.empty_caches = EMPTIED_TIMES;
        }
        self.compromised = Some(Arc::clone(&compromised));
        if self.empty_caches > 0 {
            self.empty_caches -= 1;
            service.answers.empty_caches();
        }
        if self.looks < self.retry_at_look {
            return;
        }
        if self.revoked.as_ref() != Some(&compromised) {
            match service.answers.revoke_compromised_keys(&compromised).await {
                Ok(()) => self.revoked = Some(compromised),
                Err(error) => {
                    self.retry_later("a compromised key could not be revoked yet", &error)
                }
            }
        }
        let version = service.keys.version();
        if self.sealed_version != Some(version) {
            match service.log.seal_key_events().await {
                Ok(()) => self.sealed_version = Some(version),
                // A log that is closed or halted has logged that itself.
                Err(SealError::NotOpen | SealError::Halted(_)) => self.retry_quietly(),
                Err(SealError::NotStored(error)) => {
                    self.retry_later("key events could not be sealed yet", &error);
                }
                Err(error) => {
                    tracing::warn!(%error, "key events could not be sealed yet");
                    self.retry_quietly();
                }
            }
        }
    }

    fn retry_later(&mut self, what: &str, error: &StoreError) {
        tracing::warn!(%error, "{what}");
        self.retry_quietly();
    }

    fn retry_quietly(&mut self) {
        self.retry_at_look = self.looks.wrapping_add(LOOKS_PER_RETRY);
    }
}
