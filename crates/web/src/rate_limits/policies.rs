//! The rate limit policies: their settings, and one limiter for each.

use proof::Digest;
use service::AddressBlock;

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
            metrics: Vec::new(),
            wrong_keys: Vec::new(),
        }
    }
}

impl Default for RateLimits {
    fn default() -> Self {
        use contract::limits;
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
            reads: vec![RateLimit { max: limits::READ_PER_MINUTE, window: limits::RATE_WINDOW }],
            decisions: vec![RateLimit {
                max: limits::DECIDE_PER_MINUTE,
                window: limits::RATE_WINDOW,
            }],
            live_reads: vec![RateLimit {
                max: limits::LIVE_PER_MINUTE,
                window: limits::RATE_WINDOW,
            }],
            metrics: vec![RateLimit {
                max: limits::METRICS_PER_MINUTE,
                window: limits::RATE_WINDOW,
            }],
            wrong_keys: vec![RateLimit {
                max: limits::WRONG_KEYS_PER_MINUTE,
                window: limits::RATE_WINDOW,
            }],
        }
    }
}

/// One rate limiter per policy. Each has its own lock; requests write to it, nobody else does.
#[derive(Debug)]
pub(crate) struct RateLimiters {
    pub(crate) scans: RateLimiter<AddressBlock>,
    /// Keyed by the digest of the licence's id.
    pub(crate) keyed_scans: RateLimiter<Digest>,
    /// The log and other feeds.
    pub(crate) feeds: RateLimiter<AddressBlock>,
    pub(crate) reads: RateLimiter<AddressBlock>,
    pub(crate) decisions: RateLimiter<AddressBlock>,
    pub(crate) live_reads: RateLimiter<AddressBlock>,
    pub(crate) metrics: RateLimiter<AddressBlock>,
    pub(crate) wrong_keys: RateLimiter<AddressBlock>,
}

impl RateLimiters {
    pub(crate) fn new(limits: RateLimits) -> Self {
        Self {
            scans: RateLimiter::new("scan", limits.scans),
            keyed_scans: RateLimiter::new("keyed-scan", limits.keyed_scans),
            feeds: RateLimiter::new("feed", limits.feeds),
            reads: RateLimiter::new("read", limits.reads),
            decisions: RateLimiter::new("decide", limits.decisions),
            live_reads: RateLimiter::new("live", limits.live_reads),
            metrics: RateLimiter::new("metrics", limits.metrics),
            wrong_keys: RateLimiter::new("wrong-key", limits.wrong_keys),
        }
    }
}
