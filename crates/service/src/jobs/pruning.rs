//! Removes what is past its retention, in small steps, so that writers hardly wait.

use std::sync::Arc;
use std::time::Duration;

use contract::Timestamp;
use store::{AnswerCutoffs, Prunable, StoreError};

use crate::Service;

const PRUNING_INTERVAL: Duration = Duration::from_secs(1_800);
/// Values that one step removes or examines: a few milliseconds of the writer.
const STEP_SIZE: usize = 200;
/// Other writers come first.
const PAUSE_BETWEEN_STEPS: Duration = Duration::from_millis(50);
/// Calls of licences by day: more than a year, so that a month can be compared with the year before.
const USAGE_DAYS: u32 = 400;
/// Deliveries to webhooks that were delivered or given up.
const DELIVERY_DAYS: u32 = 30;
const DAY_MS: i64 = 24 * 3_600_000;

const PRUNED_TOTAL: &str = "wayleave_store_pruned_total";
const STORE_BYTES: &str = "wayleave_store_bytes";

/// Runs until it is dropped. Failures are logged and tried again at the next turn.
pub async fn run_pruning(service: Arc<Service>) {
    let mut turns = tokio::time::interval(PRUNING_INTERVAL);
    turns.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        turns.tick().await;
        match service.prune_store().await {
            Ok(0) => {}
            Ok(removed) => tracing::info!(removed, "removed what is past its retention"),
            Err(error) => tracing::error!(%error, "old data could not be removed"),
        }
        service.report_store_size().await;
    }
}

impl Service {
    /// Removes everything that is past its retention, and returns how many values that were.
    pub async fn prune_store(&self) -> Result<u64, StoreError> {
        let days = self.settings.retention;
        let before = |days: u32| self.clock.now().plus_millis(-i64::from(days) * DAY_MS);
        let mut removed = self
            .prune_answers(AnswerCutoffs {
                superseded: before(days.answer_days),
                unreached: before(days.unreached_days),
                newest: before(days.domain_days),
            })
            .await?;
        // After the answers: whether a name was reached is decided by its readings.
        for (what, days) in [
            (Prunable::UnreachedReadings, days.unreached_days),
            (Prunable::Readings, days.domain_days),
            (Prunable::Changes, days.change_days),
            (Prunable::Revocations, days.revocation_days),
            (Prunable::ClearedActions, days.revocation_days),
            (Prunable::Receipts, days.receipt_days),
            (Prunable::UnreadRegistrations, days.unreached_days),
            (Prunable::Registrations, days.domain_days),
            (Prunable::RegistrationChanges, days.change_days),
        ] {
            removed += self.prune_all(what, before(days)).await?;
        }
        if days.scan_days > 0 {
            removed += self.prune_all(Prunable::Scans, before(days.scan_days)).await?;
        }
        removed += self.prune_all(Prunable::Usage, before(USAGE_DAYS)).await?;
        removed += self.prune_all(Prunable::Deliveries, before(DELIVERY_DAYS)).await?;
        if days.conduct_days > 0 {
            removed += self.prune_all(Prunable::Conduct, before(days.conduct_days)).await?;
        }
        if days.accuracy_days > 0 {
            removed += self.prune_all(Prunable::Accuracy, before(days.accuracy_days)).await?;
        }
        if days.mcp_days > 0 {
            // Scans first: the current surface of a server stays as long as a scan of it does.
            for what in [Prunable::McpScans, Prunable::McpSurfaces] {
                removed += self.prune_all(what, before(days.mcp_days)).await?;
            }
        }
        Ok(removed)
    }

    async fn prune_answers(&self, cutoffs: AnswerCutoffs) -> Result<u64, StoreError> {
        let (mut after, mut removed) = (None, 0);
        loop {
            let step = self.store.prune_answers(cutoffs, after, STEP_SIZE).await?;
            metrics::counter!(PRUNED_TOTAL, "what" => "answers").increment(step.removed);
            removed += step.removed;
            if step.next.is_none() {
                return Ok(removed);
            }
            after = step.next;
            if step.removed > 0 {
                tokio::time::sleep(PAUSE_BETWEEN_STEPS).await;
            }
        }
    }

    async fn prune_all(&self, what: Prunable, before: Timestamp) -> Result<u64, StoreError> {
        let mut removed = 0;
        loop {
            let step = self.store.prune(what, before, STEP_SIZE).await?;
            metrics::counter!(PRUNED_TOTAL, "what" => what.as_str()).increment(step);
            removed += step;
            // The chain of revocations ends a step early at an entry that is in force.
            if step < STEP_SIZE as u64 {
                return Ok(removed);
            }
            tokio::time::sleep(PAUSE_BETWEEN_STEPS).await;
        }
    }

    /// Publishes the size of the store as metrics.
    async fn report_store_size(&self) {
        match self.store.size().await {
            Ok(size) => {
                metrics::gauge!(STORE_BYTES, "part" => "database").set(size.database_bytes as f64);
                metrics::gauge!(STORE_BYTES, "part" => "free").set(size.free_bytes as f64);
            }
            Err(error) => tracing::warn!(%error, "the size of the store cannot be read"),
        }
    }
}
