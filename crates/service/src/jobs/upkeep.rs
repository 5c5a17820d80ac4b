//! Housekeeping: reloads keys and deletes expired data.

use std::sync::Arc;
use std::time::Duration;

use super::body_cleanup::BodyCleanup;
use crate::{SealError, Service};

/// The start time of a new key may have come.
const KEY_RELOAD_INTERVAL: Duration = Duration::from_secs(30);
/// Another process may have replaced a key; a compromised key must stop signing soon.
const KEY_CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// How often it is checked whether bodies have to be deleted.
const BODY_CHECK_INTERVAL: Duration = Duration::from_secs(60);
/// The counters of a day are deleted once the day is over.
const CLEANUP_INTERVAL: Duration = Duration::from_secs(600);

/// Runs until it is dropped. Failures are logged and tried again at the next turn.
pub async fn run_upkeep(service: Arc<Service>) {
    let mut keys = tokio::time::interval(KEY_RELOAD_INTERVAL);
    let mut look_at_keys = tokio::time::interval(KEY_CHECK_INTERVAL);
    let mut forget = tokio::time::interval(CLEANUP_INTERVAL);
    let mut check_bodies = tokio::time::interval(BODY_CHECK_INTERVAL);
    let mut body_cleanup = BodyCleanup::default();
    loop {
        tokio::select! {
            _ = keys.tick() => reload_keys(&service).await,
            _ = look_at_keys.tick() => {
                service.answers.report_cache_sizes();
                service.scanning.documents.report_size();
                if service.keys.are_out_of_date() {
                    reload_keys(&service).await;
                }
            }
            _ = forget.tick() => {
                service.access.delete_past_counters().await;
                service.outcomes.delete_old_reports().await;
                service.answers.evict_expired();
                service.scanning.documents.evict_expired(service.clock.now());
            }
            _ = check_bodies.tick() => body_cleanup.run_if_due(&service).await,
        }
    }
}

async fn reload_keys(service: &Arc<Service>) {
    let reloading = Arc::clone(service);
    // Reads files under a lock, so it must not run on an async worker thread.
    match tokio::task::spawn_blocking(move || reloading.keys.reload()).await {
        Ok(Ok(())) => seal_key_events(service).await,
        Ok(Err(error)) => {
            tracing::error!(%error, "the keys could not be reloaded; the current ones stay in use")
        }
        Err(error) => tracing::error!(%error, "the task that reloads the keys failed"),
    }
}

/// Seals new key events into the log.
async fn seal_key_events(service: &Service) {
    match service.log.seal_key_events().await {
        // A log that is closed or halted has logged that itself.
        Ok(()) | Err(SealError::NotOpen | SealError::Halted(_)) => {}
        Err(error) => tracing::warn!(%error, "key events could not be sealed yet"),
    }
}
