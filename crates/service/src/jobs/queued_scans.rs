//! Runs the full scans that partial answers have queued, when their time window comes.

use std::sync::Arc;
use std::time::Duration;

use contract::records::Visibility;
use futures_util::future::join_all;
use store::Job;

use crate::Service;
use crate::answers::resolve::UPGRADE_JOB;
use crate::scanning::{Caller, ScanCommand, ScanError};

const CHECK_INTERVAL: Duration = Duration::from_secs(5);
/// A scan whose process ended is started again after this time.
const JOB_LEASE_MS: i64 = 5 * 60_000;
const MAX_CONCURRENT_SCANS: usize = 4;
const MAX_TRIES: u32 = 3;

/// Runs until it is dropped. Due scans are claimed in the store, so that a restart loses none and two
/// processes never run the same one.
pub async fn run_queued_scans(service: Arc<Service>) {
    let mut turns = tokio::time::interval(CHECK_INTERVAL);
    turns.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        turns.tick().await;
        service.run_due_queued_scans().await;
    }
}

impl Service {
    /// Runs every queued scan that is due, and returns how many.
    pub async fn run_due_queued_scans(self: &Arc<Self>) -> usize {
        let mut made = 0;
        loop {
            let mut claimed = Vec::new();
            while claimed.len() < MAX_CONCURRENT_SCANS {
                let now = self.clock.now();
                match self.store.claim_job(UPGRADE_JOB, now, now.plus_millis(JOB_LEASE_MS)).await {
                    Ok(Some(job)) => claimed.push(self.run_queued_scan(job)),
                    Ok(None) => break,
                    Err(error) => {
                        tracing::error!(%error, "queued scans cannot be read");
                        break;
                    }
                }
            }
            if claimed.is_empty() {
                return made;
            }
            made += claimed.len();
            join_all(claimed).await;
        }
    }

    async fn run_queued_scan(self: &Arc<Self>, job: Job) {
        let ask = ScanCommand {
            input: job.key.clone(),
            visibility: Visibility::Public,
            caller: Caller::Internal,
        };
        let done = match self.scanning.scan(ask).await {
            Ok(reply) => {
                if let Some(id) = &reply.id
                    && let Ok(domain) = self.parse_domain(&job.key)
                {
                    // The reply may be an earlier report (of the last two minutes) whose answer has
                    // not been built yet.
                    self.answers.update_answer_from_scan(&domain, id).await;
                }
                self.store.finish_job(job.id).await
            }
            // The domain may no longer be scanned.
            Err(ScanError::BadDomain(_)) => self.store.finish_job(job.id).await,
            Err(error) if job.tries >= MAX_TRIES => {
                tracing::warn!(%error, domain = job.key, "a queued scan failed for the last time");
                self.store.finish_job(job.id).await
            }
            Err(error) => {
                let next = self.settings.resolve.windows.next(self.clock.now());
                self.store.postpone_job(job.id, next, &error.to_string()).await
            }
        };
        if let Err(error) = done {
            tracing::error!(%error, "the result of a queued scan could not be stored");
        }
    }
}
