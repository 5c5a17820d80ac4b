//! Deletes stored response bodies: those past their retention, and the oldest of those that exceed the
//! bound on all of them. Anybody can have a site scanned whose bodies do not compress.

use std::time::Duration;

use contract::Timestamp;
use store::{StoreError, SweepReport};
use tokio::time::Instant;

use crate::Service;

const CLEANUP_INTERVAL: Duration = Duration::from_secs(24 * 3600);
/// The part of the bound that may be written before the next cleanup.
const PART_BEFORE_CLEANUP: u64 = 20;
/// How often the age is halved, at most: 90 days become four minutes.
const MAX_HALVINGS: u32 = 15;
const DAY_MS: i64 = 24 * 3600 * 1000;

/// When bodies were deleted last, and how many bytes had been written then.
#[derive(Debug, Default)]
pub(super) struct BodyCleanup {
    last: Option<(Instant, u64)>,
}

impl BodyCleanup {
    pub(super) async fn run_if_due(&mut self, service: &Service) {
        let written = service.store.artifact_bytes_written();
        let bound = service.settings.artifact_max_bytes;
        if self.last.is_some_and(|(at, before)| {
            let new = written.saturating_sub(before);
            at.elapsed() < CLEANUP_INTERVAL
                && bound.is_none_or(|bound| new <= bound / PART_BEFORE_CLEANUP)
        }) {
            return;
        }
        self.last = Some((Instant::now(), written));
        service.delete_expired_bodies().await;
    }
}

impl Service {
    /// Deletes stored bodies that are past their retention, and the oldest ones beyond the bound.
    pub async fn delete_expired_bodies(&self) {
        match self.sweep_bodies(self.clock.now()).await {
            Ok(report) => {
                metrics::gauge!("wayleave_store_bytes", "part" => "bodies")
                    .set(report.kept_bytes as f64);
                tracing::info!(
                    removed = report.removed,
                    kept = report.kept,
                    kept_bytes = report.kept_bytes,
                    "deleted expired bodies"
                );
            }
            Err(error) => tracing::error!(%error, "expired bodies could not be deleted"),
        }
    }

    /// Halves the age until the bodies that are left fit.
    async fn sweep_bodies(&self, now: Timestamp) -> Result<SweepReport, StoreError> {
        let bound = self.settings.artifact_max_bytes.unwrap_or(u64::MAX);
        let cutoff = self.settings.artifact_retention.cutoff(now);
        let mut age = cutoff.map_or(400 * DAY_MS, |cutoff| now.millis_since(cutoff));
        let mut total = match cutoff {
            Some(cutoff) => self.store.sweep_artifacts(cutoff).await?,
            // Removes nothing and counts.
            None => self.store.sweep_artifacts(Timestamp::from_millis(0)).await?,
        };
        for _ in 0..MAX_HALVINGS {
            if total.kept_bytes <= bound {
                break;
            }
            age /= 2;
            let swept = self.store.sweep_artifacts(now.plus_millis(-age)).await?;
            total.removed += swept.removed;
            total.removed_bytes += swept.removed_bytes;
            (total.kept, total.kept_bytes) = (swept.kept, swept.kept_bytes);
        }
        if total.kept_bytes > bound {
            tracing::warn!(
                kept_bytes = total.kept_bytes,
                "the response bodies of the last minutes exceed store.artifact_gb"
            );
        }
        Ok(total)
    }
}
