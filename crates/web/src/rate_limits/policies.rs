//! The rate limit policies: their settings, and one limiter for each.

use service::AddressBlock;

use super::client_limiter::ClientRateLimiter;
use super::limiter::{RateLimit, RateLimiter};

/// The rate limits of the HTTP side. An empty list means no limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RateLimits {
    /// Scan requests, by address. All limits of the list apply.
    pub scans: Vec<RateLimit>,
    /// Scan requests with a licence key, by licence.
    pub keyed_scans: Vec<RateLimit>,
    /// Requests to the log and other feeds, by address.
    pub feeds: Vec<RateLimit>,
    /// Requests for stored records, by address.
    pub reads: Vec<RateLimit>,
    /// Decisions, by address. A batch counts as its number of items.
    pub decisions: Vec<RateLimit>,
    /// Live readings of sites that requests start, by address.
    pub live_reads: Vec<RateLimit>,
    /// The same three with a licence key, by licence.
    pub keyed_reads: Vec<RateLimit>,
    pub keyed_decisions: Vec<RateLimit>,
    pub keyed_live_reads: Vec<RateLimit>,
    /// Visitors to check, by address. A batch counts as its number of items.
    pub visitors: Vec<RateLimit>,
    /// Requests for the metrics, by address.
    pub metrics: Vec<RateLimit>,
    /// Requests with a licence key that is not valid, by address.
    pub wrong_keys: Vec<RateLimit>,
}

impl RateLimits {
    /// No limits.
    #[must_use]
    pub fn none() -> Self {
        Self {
            scans: Vec::new(),
            keyed_scans: Vec::new(),
            feeds: Vec::new(),
            reads: Vec::new(),
            decisions: Vec::new(),
            live_reads: Vec::new(),
            keyed_reads: Vec::new(),
            keyed_decisions: Vec::new(),
            keyed_live_reads: Vec::new(),
            visitors: Vec::new(),
            metrics: Vec::new(),
            wrong_keys: Vec::new(),
        }
    }
}

impl Default for RateLimits {
    fn default() -> Self {
        use contract::limits;
        let per_minute = |max| vec![RateLimit { max, window: limits::RATE_WINDOW }];
        Self {
            scans: vec![
                RateLimit { max: limits::SCAN_BURST, window: limits::SCAN_BURST_WINDOW },
                RateLimit { max: limits::SCAN_PER_MINUTE, window: limits::SCAN_MINUTE_WINDOW },
            ],
            keyed_scans: vec![RateLimit {
                max: limits::KEYED_SCANS_PER_MINUTE,
                window: limits::SCAN_MINUTE_WINDOW,
            }],
            feeds: vec![RateLimit { max: limits::FEED_PER_MINUTE, window: limits::FEED_WINDOW }],
            reads: per_minute(limits::READ_PER_MINUTE),
            decisions: per_minute(limits::DECIDE_PER_MINUTE),
            live_reads: per_minute(limits::LIVE_PER_MINUTE),
            keyed_reads: per_minute(limits::KEYED_READS_PER_MINUTE),
            keyed_decisions: per_minute(limits::KEYED_DECISIONS_PER_MINUTE),
            keyed_live_reads: per_minute(limits::KEYED_LIVE_PER_MINUTE),
            visitors: per_minute(limits::VISITORS_PER_MINUTE),
            metrics: per_minute(limits::METRICS_PER_MINUTE),
            wrong_keys: per_minute(limits::WRONG_KEYS_PER_MINUTE),
        }
    }
}

/// One rate limiter per policy. Each has its own lock; requests write to it, nobody else does.
#[derive(Debug)]
pub(crate) struct RateLimiters {
    pub(crate) scans: ClientRateLimiter,
    /// The log and other feeds.
    pub(crate) feeds: RateLimiter<AddressBlock>,
    pub(crate) reads: ClientRateLimiter,
    pub(crate) decisions: ClientRateLimiter,
    pub(crate) live_reads: ClientRateLimiter,
    pub(crate) visitors: RateLimiter<AddressBlock>,
    pub(crate) metrics: RateLimiter<AddressBlock>,
    pub(crate) wrong_keys: RateLimiter<AddressBlock>,
}

impl RateLimiters {
    pub(crate) fn new(limits: RateLimits) -> Self {
        Self {
            scans: ClientRateLimiter::new("scan", limits.scans, limits.keyed_scans),
            feeds: RateLimiter::new("feed", limits.feeds),
            reads: ClientRateLimiter::new("read", limits.reads, limits.keyed_reads),
            decisions: ClientRateLimiter::new("decide", limits.decisions, limits.keyed_decisions),
            live_reads: ClientRateLimiter::new("live", limits.live_reads, limits.keyed_live_reads),
            visitors: RateLimiter::new("visitors", limits.visitors),
            metrics: RateLimiter::new("metrics", limits.metrics),
            wrong_keys: RateLimiter::new("wrong-key", limits.wrong_keys),
        }
    }
}
