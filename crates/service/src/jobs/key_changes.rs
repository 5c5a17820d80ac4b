//! Follows changes of the keys: writes them to the log, and withdraws what a compromised key signed.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use contract::Timestamp;
use tokio::time::MissedTickBehavior;

use crate::{SealError, Service};

/// How often the caches are emptied after a key was compromised, once at each look at the keys: a
/// document that was being signed then may be put into a cache a little later.
const EMPTIED_TIMES: u32 = 20;
/// Looks at the keys after which they are read again even if nothing seems to have changed: some file
/// systems have coarse times.
const LOOKS_PER_RELOAD: u32 = 120;
/// The pause after something could not be recorded.
const RETRY_PAUSE: Duration = Duration::from_secs(5);

/// Another process may have replaced a key. What a compromised key signed must not be served longer than
/// a second.
const KEY_CHECK_INTERVAL: Duration = Duration::from_millis(250);

/// Runs until it is dropped. Failures are logged and tried again. Recording a change may wait for a slow
/// store; withdrawing what a compromised key signed must not.
pub async fn run_key_changes(service: Arc<Service>) {
    tokio::join!(withdraw_compromised(&service), record_changes(&service));
}

/// Reads the keys again if they changed, and empties the caches if one is compromised.
async fn withdraw_compromised(service: &Service) {
    let mut look_at_keys = tokio::time::interval(KEY_CHECK_INTERVAL);
    look_at_keys.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut known = service.keys.compromised();
    let (mut looks, mut emptyings_left) = (0_u32, 0_u32);
    loop {
        look_at_keys.tick().await;
        looks = looks.wrapping_add(1);
        if looks.is_multiple_of(LOOKS_PER_RELOAD) {
            service.keys.reload_and_log().await;
        } else {
            service.keys.refresh().await;
        }
        let compromised = service.keys.compromised();
        if compromised != known {
            tracing::warn!("a key was reported as compromised; what it signed is no longer served");
            emptyings_left = EMPTIED_TIMES;
            known = compromised;
        }
        if emptyings_left > 0 {
            emptyings_left -= 1;
            service.answers.empty_caches();
            service.scanning.documents.clear();
        }
    }
}

/// Writes changes of the keys to the log and the revocations.
async fn record_changes(service: &Service) {
    let mut look_at_keys = tokio::time::interval(KEY_CHECK_INTERVAL);
    look_at_keys.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut recorded = RecordedChanges::default();
    loop {
        look_at_keys.tick().await;
        if !recorded.record(service).await {
            tokio::time::sleep(RETRY_PAUSE).await;
        }
    }
}

/// What was recorded about the keys as they are.
#[derive(Debug, Default)]
struct RecordedChanges {
    /// The version of the keys whose events are in the log.
    sealed_version: Option<u64>,
    /// The compromised keys whose entries are in the chain of revocations.
    revoked: Option<Arc<BTreeMap<String, Timestamp>>>,
}

impl RecordedChanges {
    /// Records what is new. False if something must be tried again.
    async fn record(&mut self, service: &Service) -> bool {
        let (version, compromised) = (service.keys.version(), service.keys.compromised());
        let mut done = true;
        if self.revoked.as_ref() != Some(&compromised) {
            match service.answers.revoke_compromised_keys(&compromised).await {
                Ok(()) => self.revoked = Some(compromised),
                Err(error) => {
                    tracing::warn!(%error, "a compromised key could not be revoked yet");
                    done = false;
                }
            }
        }
        if self.sealed_version != Some(version) {
            match service.log.seal_key_events().await {
                Ok(()) => self.sealed_version = Some(version),
                // A log that is closed or halted has logged that itself.
                Err(SealError::NotOpen | SealError::Halted(_)) => done = false,
                Err(error) => {
                    tracing::warn!(%error, "key events could not be sealed yet");
                    done = false;
                }
            }
        }
        done
    }
}
