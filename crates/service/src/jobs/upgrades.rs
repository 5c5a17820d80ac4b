//! Queued full scans, made when their window comes.

use std::sync::Arc;
use std::time::Duration;

use contract::records::Visibility;
use futures_util::future::join_all;
use store::Job;

use crate::Service;
use crate::resolve::UPGRADE;
use crate::scan::{Caller, ScanAsk, ScanError};

const LOOK_EVERY: Duration = Duration::from_secs(5);
/// A scan that was begun by a process that is gone is begun again after this.
const LEASE_MS: i64 = 5 * 60_000;
const AT_ONCE: usize = 4;
const TRIES: u32 = 3;

/// Runs until it is dropped. What is due is claimed from the store, so that no restart loses it and
/// no two processes do it twice.
pub async fn upgrades(service: Arc<Service>) {
    let mut turns = tokio::time::interval(LOOK_EVERY);
    turns.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        turns.tick().await;
        service.run_due_upgrades().await;
    }
}

impl Service {
    /// Makes every queued scan that is due, and says how many.
    pub async fn run_due_upgrades(self: &Arc<Self>) -> usize {
        let mut made = 0;
        loop {
            let mut claimed = Vec::new();
            while claimed.len() < AT_ONCE {
                let now = self.clock.now();
                match self.store.claim_job(UPGRADE, now, now.plus_millis(LEASE_MS)).await {
                    Ok(Some(job)) => claimed.push(self.make_queued_scan(job)),
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

    async fn make_queued_scan(self: &Arc<Self>, job: Job) {
        let ask = ScanAsk {
            input: job.key.clone(),
            visibility: Visibility::Public,
            caller: Caller::OurWork,
        };
        let done = match self.scan(ask).await {
            Ok(reply) => {
                if let Some(id) = &reply.id
                    && let Ok(domain) = self.domain(&job.key)
                {
                    // A report of the last two minutes was given: its answer may not be made yet.
                    self.scan_landed(&domain, id).await;
                }
                self.store.finish_job(job.id).await
            }
            // Its name is no longer one that may be scanned.
            Err(ScanError::BadDomain(_)) => self.store.finish_job(job.id).await,
            Err(error) if job.tries >= TRIES => {
                tracing::warn!(%error, domain = job.key, "a queued scan is given up");
                self.store.finish_job(job.id).await
            }
            Err(error) => {
                let next = self.settings.resolve.windows.next(self.clock.now());
                self.store.put_off_job(job.id, next, &error.to_string()).await
            }
        };
        if let Err(error) = done {
            tracing::error!(%error, "what became of a queued scan could not be kept");
        }
    }
}
