//! Runs the full scans that partial answers have queued, when their time window comes.

use std::sync::Arc;
use std::time::Duration;

use contract::Timestamp;
use contract::records::Visibility;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use store::{Job, StoreError};

use super::fair_order::{MAX_RUNNING, QueueTurns, choose_next};
use crate::Service;
use crate::answers::resolve::{QueuedScan, UPGRADE_JOB};
use crate::scanning::{Caller, ScanCommand, ScanError};

const CHECK_INTERVAL: Duration = Duration::from_secs(5);
/// A scan whose process ended is started again after this time.
const JOB_LEASE_MS: i64 = 5 * 60_000;
const MAX_TRIES: u32 = 3;
/// A scan that has to wait for a limit again and again is given up after this time.
const MAX_WAIT_MS: i64 = 24 * 3_600_000;
/// Due scans that are loaded at once, and for how long the list is used.
const MAX_LOADED: usize = 10_000;
const RELOAD_MS: i64 = 5_000;

const LENGTH: &str = "wayleave_scan_queue_length";
const WAIT_SECONDS: &str = "wayleave_scan_queue_wait_seconds";

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

/// The scans that are due and not yet claimed.
#[derive(Debug, Default)]
struct DueScans {
    jobs: Vec<Job>,
    /// The same scans, parsed.
    scans: Vec<QueuedScan>,
    loaded_at: Option<Timestamp>,
}

/// What became of a claimed scan.
enum QueuedScanEnd {
    Finished,
    /// No free scan may start for now.
    NoMoreScans,
}

impl Service {
    /// Runs every queued scan that is due, and returns how many. Stops early while free scans are
    /// paused or used up.
    pub async fn run_due_queued_scans(self: &Arc<Self>) -> usize {
        let (mut made, mut stopped) = (0, false);
        let (mut due, mut turns) = (DueScans::default(), QueueTurns::default());
        let mut running = FuturesUnordered::new();
        loop {
            while !stopped && running.len() < MAX_RUNNING {
                match self.claim_next(&mut due, &mut turns).await {
                    Ok(Some((job, scan))) => {
                        turns.begin(&scan);
                        made += 1;
                        running.push(async move { (self.run_queued_scan(job).await, scan) });
                    }
                    Ok(None) => break,
                    Err(error) => {
                        tracing::error!(%error, "queued scans cannot be read");
                        break;
                    }
                }
            }
            let Some((end, scan)) = running.next().await else { return made };
            turns.end(&scan);
            stopped |= matches!(end, QueuedScanEnd::NoMoreScans);
        }
    }

    /// Claims the next due scan that may run now.
    async fn claim_next(
        &self,
        due: &mut DueScans,
        turns: &mut QueueTurns,
    ) -> Result<Option<(Job, QueuedScan)>, StoreError> {
        let now = self.clock.now();
        let is_old = due.loaded_at.is_none_or(|at| now.millis_since(at).abs() > RELOAD_MS);
        if is_old {
            due.jobs = self.store.due_jobs(UPGRADE_JOB, now, MAX_LOADED).await?;
            due.scans = due.jobs.iter().map(|job| QueuedScan::from_body(&job.body)).collect();
            due.loaded_at = Some(now);
            turns.forget_others(&due.scans);
            metrics::gauge!(LENGTH).set(self.store.count_jobs(UPGRADE_JOB).await? as f64);
        }
        if due.jobs.is_empty() || self.access.check_not_paused().await.is_err() {
            return Ok(None);
        }
        while let Some(index) = choose_next(&due.scans, turns) {
            let (job, scan) = (due.jobs.remove(index), due.scans.remove(index));
            let lease_until = now.plus_millis(JOB_LEASE_MS);
            if let Some(job) = self.store.claim_job_by_id(job.id, now, lease_until).await? {
                let waited_ms = now.millis_since(job.due_at).max(0);
                metrics::histogram!(WAIT_SECONDS).record(waited_ms as f64 / 1000.0);
                return Ok(Some((job, scan)));
            }
        }
        Ok(None)
    }

    async fn run_queued_scan(self: &Arc<Self>, job: Job) -> QueuedScanEnd {
        let ask = ScanCommand {
            input: job.key.clone(),
            visibility: Visibility::Public,
            caller: Caller::Queued,
        };
        let (mut end, now) = (QueuedScanEnd::Finished, self.clock.now());
        let done = match self.scanning.scan(ask).await {
            Ok(reply) => {
                if let Some(id) = &reply.id
                    && let Ok(domain) = self.parse_domain(&job.key)
                {
                    // The reply may be an earlier report (of the last two minutes) whose answer has
                    // not been built yet.
                    self.answers.update_answer_from_scan(&domain, id, false).await;
                }
                self.store.finish_job(job.id).await
            }
            // The domain may no longer be scanned.
            Err(ScanError::BadDomain(_)) => self.store.finish_job(job.id).await,
            Err(error) => {
                if matches!(error, ScanError::ServiceLimitReached { .. } | ScanError::Paused { .. })
                {
                    end = QueuedScanEnd::NoMoreScans;
                }
                let limit_wait = limit_wait_s(&error);
                let give_up = match limit_wait {
                    Some(_) => now.millis_since(job.queued_at) > MAX_WAIT_MS,
                    None => job.tries >= MAX_TRIES,
                };
                if give_up {
                    tracing::warn!(%error, domain = job.key, "a queued scan is given up");
                    self.store.finish_job(job.id).await
                } else {
                    let wait_ms = limit_wait.unwrap_or(0).saturating_mul(1_000);
                    let from = now.plus_millis(i64::try_from(wait_ms).unwrap_or(i64::MAX));
                    let next = self.settings.resolve.windows.next(from);
                    self.store.postpone_job(job.id, next, &error.to_string()).await
                }
            }
        };
        if let Err(error) = done {
            tracing::error!(%error, "the result of a queued scan could not be stored");
        }
        end
    }
}

/// The wait if a limit of this service refused the scan, so that its next try is not a retry of a
/// failure.
fn limit_wait_s(error: &ScanError) -> Option<u64> {
    match error {
        ScanError::InProgress { retry_after_s }
        | ScanError::Busy { retry_after_s }
        | ScanError::TargetLimit { retry_after_s }
        | ScanError::ServiceLimitReached { retry_after_s }
        | ScanError::Paused { retry_after_s } => Some(*retry_after_s),
        _ => None,
    }
}
