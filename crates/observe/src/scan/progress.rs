//! Reporting to the caller how far a scan has come.

use std::sync::atomic::{AtomicUsize, Ordering};

use contract::evidence::{Exchange, ExchangeOutcome, ReadTarget};

use super::plan::PlannedRead;

/// Called after each read with the progress of the scan.
pub type ProgressCallback<'a> = &'a (dyn Fn(ScanProgress) + Sync);

/// The progress of a scan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScanProgress {
    pub done: usize,
    /// How many reads are planned so far; it may grow, because what was read names further addresses.
    pub total: usize,
    /// The read that just finished; `None` for a planned read that was skipped.
    pub read: Option<ProgressRead>,
}

/// A short summary of one read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgressRead {
    pub target: ReadTarget,
    pub path: String,
    pub identity: String,
    pub status: Option<u16>,
    /// The reason code, if there was no response.
    pub failure: Option<String>,
    pub took_ms: u32,
}

/// Counts finished reads and calls the callback. Parallel reads share it; the counters are atomic.
#[allow(missing_debug_implementations, reason = "holds a callback")]
pub(super) struct Reporter<'a> {
    progress: ProgressCallback<'a>,
    done: AtomicUsize,
    total: AtomicUsize,
}

impl<'a> Reporter<'a> {
    pub(super) fn new(progress: ProgressCallback<'a>, of: usize) -> Self {
        Self { progress, done: AtomicUsize::new(0), total: AtomicUsize::new(of) }
    }

    pub(super) fn report(&self, read: Option<ProgressRead>) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        // Reads that were not expected count as expected once they are done.
        let total = self.total.fetch_max(done, Ordering::Relaxed).max(done);
        (self.progress)(ScanProgress { done, total, read });
    }

    /// Adds reads that were planned later.
    pub(super) fn expect_more(&self, reads: usize) {
        self.total.fetch_add(reads, Ordering::Relaxed);
    }
}

impl ProgressRead {
    pub(super) fn new(planned: &PlannedRead<'_>, exchange: &Exchange) -> Self {
        let (status, failure) = match &exchange.outcome {
            ExchangeOutcome::Response(response) => (Some(response.status), None),
            ExchangeOutcome::Failed(failure) => (None, Some(failure.reason.clone())),
        };
        Self {
            target: planned.target.clone(),
            path: planned.path.clone(),
            identity: planned.identity.id.clone(),
            status,
            failure,
            took_ms: exchange.took_ms,
        }
    }
}
