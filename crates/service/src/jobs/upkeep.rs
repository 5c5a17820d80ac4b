//! The house kept in order: keys read again, bodies past their time removed.

use std::sync::Arc;
use std::time::Duration;

use crate::{SealError, Service};

/// A new key's start may have come.
const KEYS_EVERY: Duration = Duration::from_secs(30);
/// Another process may have replaced a key; one that others hold must stop soon.
const LOOK_AT_KEYS_EVERY: Duration = Duration::from_secs(1);
const SWEEP_EVERY: Duration = Duration::from_secs(24 * 3600);
/// A day's counts are of no use, and nobody's business, once the day is over.
const FORGET_EVERY: Duration = Duration::from_secs(600);

/// Runs until it is dropped. What fails is logged and tried again at the next turn.
pub async fn upkeep(service: Arc<Service>) {
    let mut keys = tokio::time::interval(KEYS_EVERY);
    let mut look_at_keys = tokio::time::interval(LOOK_AT_KEYS_EVERY);
    let mut forget = tokio::time::interval(FORGET_EVERY);
    let mut sweep = tokio::time::interval(SWEEP_EVERY);
    loop {
        tokio::select! {
            _ = keys.tick() => reload_keys(&service).await,
            _ = look_at_keys.tick() => {
                if service.keys_are_out_of_date() {
                    reload_keys(&service).await;
                }
            }
            _ = forget.tick() => {
                service.forget_past_days().await;
                service.forget_old_reports().await;
                service.forget_decisions().await;
            }
            _ = sweep.tick() => service.sweep().await,
        }
    }
}

async fn reload_keys(service: &Arc<Service>) {
    let reloading = Arc::clone(service);
    // Files are read under a lock: not a thing to do on the loop that serves everybody.
    match tokio::task::spawn_blocking(move || reloading.reload_keys()).await {
        Ok(Ok(())) => log_key_events(service).await,
        Ok(Err(error)) => {
            tracing::error!(%error, "the keys cannot be read again; those in use stay")
        }
        Err(error) => tracing::error!(%error, "reading the keys again failed"),
    }
}

/// A key that came or went is told in the log.
async fn log_key_events(service: &Service) {
    match service.log_key_events().await {
        // A log that is closed or halted has said so itself.
        Ok(()) | Err(SealError::NotOpen | SealError::Halted(_)) => {}
        Err(error) => tracing::warn!(%error, "what became of the keys is not in the log yet"),
    }
}

impl Service {
    /// Removes bodies past their retention.
    pub async fn sweep(&self) {
        let Some(cutoff) = self.settings.artifact_retention.cutoff(self.clock.now()) else {
            return;
        };
        match self.store.sweep_artifacts(cutoff).await {
            Ok(report) => {
                tracing::info!(removed = report.removed, kept = report.kept, "bodies swept")
            }
            Err(error) => tracing::error!(%error, "bodies past their time could not be removed"),
        }
    }
}
