//! Applies the rules to what servers list: a few at a time, and once for each stored scan.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use contract::Timestamp;
use contract::mcp_evidence::McpEvidence;
use judge::mcp::{JudgedServer, date_findings, judge_evidence, rulepack};
use proof::Digest;
use tokio::sync::{Mutex, MutexGuard, Semaphore};
use tokio::time::{Instant, timeout, timeout_at};

use super::McpError;
use super::read::parse_scan;
use crate::bounded_cache::BoundedCache;

/// Servers whose lists are judged at the same time. More would take every core from the other requests.
const JUDGED_AT_ONCE: usize = 4;
/// How long a caller waits for its turn.
const JUDGING_PATIENCE: Duration = Duration::from_secs(10);
/// Memory for lists that were judged.
const JUDGED_BYTES: usize = 64 << 20;
/// They are kept a little longer than stored scans are served.
const JUDGED_VALID_MS: i64 = 20 * 60 * 1_000;
/// Callers that wait for the same scan wait at the same lock.
const LOCKS: usize = 64;

const APPLIED: &str = "wayleave_mcp_rules_applied_total";

/// Shared by all requests. The locks guard nothing but the work on the scans that fall to them: one of the
/// callers for a scan judges it, and the others find the result in the cache.
pub(super) struct Judging {
    slots: Arc<Semaphore>,
    judged: BoundedCache<Digest, Arc<JudgedServer>>,
    locks: Vec<Mutex<()>>,
    applied: AtomicU64,
}

impl Judging {
    pub(super) fn new() -> Self {
        Self {
            slots: Arc::new(Semaphore::new(JUDGED_AT_ONCE)),
            judged: BoundedCache::new("mcp_judged", JUDGED_BYTES),
            locks: (0..LOCKS).map(|_| Mutex::new(())).collect(),
            applied: AtomicU64::new(0),
        }
    }

    /// Runs work that applies the rules, on a blocking thread, when it is its turn.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, McpError> {
        let slot = timeout(JUDGING_PATIENCE, Arc::clone(&self.slots).acquire_owned());
        let Ok(Ok(slot)) = slot.await else { return Err(McpError::BUSY) };
        self.applied.fetch_add(1, Ordering::Relaxed);
        metrics::counter!(APPLIED).increment(1);
        super::read::run_blocking(move || {
            // Held by the work, which goes on when its caller goes away.
            let _slot = slot;
            work()
        })
        .await
    }

    /// The judged lists of a stored scan.
    pub(super) async fn of_stored(
        &self,
        scan_sha256: Digest,
        document: &bytes::Bytes,
        lists: bytes::Bytes,
        now: Timestamp,
    ) -> Result<Arc<JudgedServer>, McpError> {
        let key = cache_key(scan_sha256);
        if let Some(judged) = self.judged.get(&key, now) {
            return Ok(judged);
        }
        let _turn = self.lock(&key).await?;
        if let Some(judged) = self.judged.get(&key, now) {
            return Ok(judged);
        }
        let document = document.clone();
        let judged = self.run(move || judge_stored(&document, &lists)).await??;
        let judged = Arc::new(judged);
        self.remember(scan_sha256, &judged, now);
        Ok(judged)
    }

    /// Remembers the judged lists of a scan.
    pub(super) fn remember(&self, scan_sha256: Digest, judged: &Arc<JudgedServer>, now: Timestamp) {
        let until = now.plus_millis(JUDGED_VALID_MS);
        let bytes = judged.memory_bytes();
        self.judged.put(cache_key(scan_sha256), Arc::clone(judged), bytes, until, now, |_| true);
    }

    async fn lock(&self, key: &Digest) -> Result<Option<MutexGuard<'_, ()>>, McpError> {
        let at = key.as_bytes().first().map_or(0, |first| usize::from(*first) % LOCKS);
        let Some(lock) = self.locks.get(at) else { return Ok(None) };
        let until = Instant::now() + JUDGING_PATIENCE;
        timeout_at(until, lock.lock()).await.map(Some).map_err(|_| McpError::BUSY)
    }

    pub(super) fn evict_expired(&self, now: Timestamp) {
        self.judged.evict_expired(now);
    }

    pub(super) fn report_size(&self) {
        self.judged.report_size();
    }

    /// How often rules were applied.
    #[cfg(test)]
    pub(super) fn applied(&self) -> u64 {
        self.applied.load(Ordering::Relaxed)
    }
}

/// A scan has one evidence; the rules of this build are part of the key, as for every judgement.
fn cache_key(scan_sha256: Digest) -> Digest {
    let mut key = rulepack().rulepack_sha256.into_bytes();
    key.extend_from_slice(scan_sha256.as_bytes());
    Digest::of(&key)
}

fn judge_stored(document: &[u8], lists: &[u8]) -> Result<JudgedServer, McpError> {
    let evidence: McpEvidence =
        serde_json::from_slice(lists).map_err(|error| McpError::Unreadable(error.to_string()))?;
    let scan = parse_scan(document)?;
    let mut judged = judge_evidence(&evidence, &[]);
    date_findings(&mut judged.report.findings, &scan.findings, scan.scanned_at);
    Ok(judged)
}
