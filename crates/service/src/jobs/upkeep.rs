//! Housekeeping: deletes expired data, follows deletions by the operator, and reports the sizes of the caches.

use std::sync::Arc;
use std::time::Duration;

use super::body_cleanup::BodyCleanup;
use super::deletions::FollowedDeletions;
use crate::Service;

const METRICS_INTERVAL: Duration = Duration::from_secs(1);
/// How soon a deletion by the operator is followed.
const DELETIONS_INTERVAL: Duration = Duration::from_secs(1);
/// How often it is checked whether bodies have to be deleted.
const BODY_CHECK_INTERVAL: Duration = Duration::from_secs(60);
/// The counters of a day are deleted two days after it.
const CLEANUP_INTERVAL: Duration = Duration::from_secs(600);

/// Runs until it is dropped. Failures are logged and tried again at the next turn.
pub async fn run_upkeep(service: Arc<Service>) {
    let mut report = tokio::time::interval(METRICS_INTERVAL);
    let mut forget = tokio::time::interval(CLEANUP_INTERVAL);
    let mut check_bodies = tokio::time::interval(BODY_CHECK_INTERVAL);
    let mut body_cleanup = BodyCleanup::default();
    let mut look_for_deletions = tokio::time::interval(DELETIONS_INTERVAL);
    let mut deletions = FollowedDeletions::default();
    loop {
        tokio::select! {
            _ = report.tick() => {
                service.answers.report_cache_sizes();
                service.scanning.documents.report_size();
            }
            _ = forget.tick() => {
                service.access.delete_past_counters().await;
                service.access.delete_expired_access().await;
                service.outcomes.delete_old_reports().await;
                service.answers.evict_expired();
                service.scanning.documents.evict_expired(service.clock.now());
            }
            _ = look_for_deletions.tick() => deletions.look(&service).await,
            _ = check_bodies.tick() => body_cleanup.run_if_due(&service).await,
        }
    }
}
