//! What resolve holds in memory: cached answers, answers being built, and the number of live reads.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use contract::{Domain, Timestamp};

use super::answer_parts::AnswerPartsCache;
use super::cached_answers::{AnswerCache, CachedAnswer};
use super::latest_parsed::LatestParsed;
use super::load_robots::RobotsCache;
use super::query::{LivePolicy, ResolveError};
use super::scan_queue::ScanQueueCounts;
use super::settings::ResolveSettings;
use super::shared_permits::SharedPermits;
use super::single_flight::SingleFlight;
use crate::domain_turns::DomainTurns;

/// What callers must have in common to share a task: the domain, whether the site is read, and how old
/// the evidence may be, in hours.
pub(super) type FlightKey = (Domain, LivePolicy, Option<u32>);

/// The result of a task that builds an answer.
#[derive(Debug, Clone)]
pub(super) struct FlightResult {
    pub(super) answer: Result<Arc<CachedAnswer>, ResolveError>,
    /// The site should have been read, and none of the callers that were asked had an allowance left.
    pub(super) lacked_permit: bool,
}

/// Shared by all requests. Each cache, `single_flight`, `turns` and `queue_counts` is guarded by a lock of its own;
/// `live_reads` is an atomic counter that is changed only through `LiveReadGuard`.
pub(crate) struct ResolveState {
    pub(super) cache: AnswerCache,
    /// For decisions.
    pub(super) parts: AnswerPartsCache,
    /// For the next answers.
    pub(super) latest_parsed: LatestParsed,
    pub(super) robots: RobotsCache,
    pub(super) single_flight: SingleFlight<FlightKey, SharedPermits, FlightResult>,
    /// Taken to make an answer, and to put a stored one into the cache.
    pub(super) turns: DomainTurns,
    pub(super) queue_counts: ScanQueueCounts,
    /// Live reads in progress.
    live_reads: Arc<AtomicUsize>,
}

impl ResolveState {
    pub(crate) fn new(settings: &ResolveSettings) -> Self {
        Self {
            cache: AnswerCache::new(settings.cache_bytes),
            parts: AnswerPartsCache::new(settings.parsed_cache_bytes),
            latest_parsed: LatestParsed::new(settings.parsed_cache_bytes),
            robots: RobotsCache::new(settings.robots_cache_bytes),
            single_flight: SingleFlight::default(),
            turns: DomainTurns::default(),
            queue_counts: ScanQueueCounts::default(),
            live_reads: Arc::default(),
        }
    }

    pub(crate) fn evict_expired(&self, now: Timestamp) {
        self.cache.evict_expired(now);
        self.parts.evict_expired(now);
        self.latest_parsed.evict_expired(now);
        self.robots.evict_expired(now);
    }

    pub(crate) fn forget_answers(&self) {
        self.cache.clear();
        self.parts.clear();
        self.latest_parsed.clear();
    }

    pub(crate) fn report_cache_sizes(&self) {
        self.cache.report_size();
        self.parts.report_size();
        self.latest_parsed.report_size();
        self.robots.report_size();
    }

    /// Counts a live read until the returned guard is dropped.
    pub(super) fn count_live_read(&self) -> LiveReadGuard {
        let others = self.live_reads.fetch_add(1, Ordering::Relaxed);
        LiveReadGuard { live_reads: Arc::clone(&self.live_reads), others }
    }
}

/// A live read in progress. Dropping it lowers the counter.
pub(super) struct LiveReadGuard {
    live_reads: Arc<AtomicUsize>,
    others: usize,
}

impl LiveReadGuard {
    /// How many other live reads were in progress when this one started.
    pub(super) fn others(&self) -> usize {
        self.others
    }
}

impl Drop for LiveReadGuard {
    fn drop(&mut self) {
        self.live_reads.fetch_sub(1, Ordering::Relaxed);
    }
}
