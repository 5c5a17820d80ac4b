//! The rate limits of this server, and one limiter for each. The defaults are those of
//! [`contract::policies`].

use contract::policies::{self, Period, Policy};

use super::{
    client_limiter::ClientRateLimiter, limiter::RateLimiter, open_streams::OpenStreams,
    rate::RateLimit,
};

/// The rate limits of the HTTP side. An empty list means no limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RateLimits {
    /// Scan requests, by address. All limits of the list apply.
    pub scans: Vec<RateLimit>,
    /// Scan requests with a licence key, by licence.
    pub keyed_scans: Vec<RateLimit>,
    /// Requests to the log and other feeds, by address.
    pub feeds: Vec<RateLimit>,
    /// Files of the log, by address.
    pub log_files: Vec<RateLimit>,
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
    /// Outcome reports, by address.
    pub outcomes: Vec<RateLimit>,
    /// Messages to the MCP server, by address.
    pub mcp_messages: Vec<RateLimit>,
    /// Readiness checks, by address.
    pub readiness: Vec<RateLimit>,
    /// Requests for the metrics, by address.
    pub metrics: Vec<RateLimit>,
    /// Requests with a licence key that is not valid, by address.
    pub wrong_keys: Vec<RateLimit>,
    /// Streams of the progress of scans that one address may have open; `None` for no limit.
    pub streams_at_once: Option<u32>,
}

impl RateLimits {
    /// No limits.
    #[must_use]
    pub fn none() -> Self {
        Self {
            scans: Vec::new(),
            keyed_scans: Vec::new(),
            feeds: Vec::new(),
            log_files: Vec::new(),
            reads: Vec::new(),
            decisions: Vec::new(),
            live_reads: Vec::new(),
            keyed_reads: Vec::new(),
            keyed_decisions: Vec::new(),
            keyed_live_reads: Vec::new(),
            visitors: Vec::new(),
            outcomes: Vec::new(),
            mcp_messages: Vec::new(),
            readiness: Vec::new(),
            metrics: Vec::new(),
            wrong_keys: Vec::new(),
            streams_at_once: None,
        }
    }

    /// How many of a policy this server accepts. The outer `None` is for policies that are enforced
    /// elsewhere, the inner one for no limit.
    pub(crate) fn max_of(&self, policy: &Policy) -> Option<Option<u32>> {
        if policy.name == policies::STREAM.name {
            return Some(self.streams_at_once);
        }
        let lists = [
            (policies::SCAN_BURST, &self.scans),
            (policies::SCAN, &self.scans),
            (policies::KEYED_SCAN, &self.keyed_scans),
            (policies::READ, &self.reads),
            (policies::KEYED_READ, &self.keyed_reads),
            (policies::DECIDE, &self.decisions),
            (policies::KEYED_DECIDE, &self.keyed_decisions),
            (policies::LIVE, &self.live_reads),
            (policies::KEYED_LIVE, &self.keyed_live_reads),
            (policies::VISITORS, &self.visitors),
            (policies::FEED, &self.feeds),
            (policies::LOG_FILE, &self.log_files),
            (policies::OUTCOME, &self.outcomes),
            (policies::MCP, &self.mcp_messages),
            (policies::READINESS, &self.readiness),
            (policies::METRICS, &self.metrics),
            (policies::WRONG_KEY, &self.wrong_keys),
        ];
        let (_, list) = lists.into_iter().find(|(known, _)| known.name == policy.name)?;
        let of_window = |limit: &&RateLimit| Some(limit.window) == policy.period.window();
        Some(list.iter().find(of_window).map(|limit| limit.max))
    }
}

impl Default for RateLimits {
    fn default() -> Self {
        let limit = |policy: Policy| vec![to_rate_limit(policy)];
        Self {
            scans: vec![to_rate_limit(policies::SCAN_BURST), to_rate_limit(policies::SCAN)],
            keyed_scans: limit(policies::KEYED_SCAN),
            feeds: limit(policies::FEED),
            log_files: limit(policies::LOG_FILE),
            reads: limit(policies::READ),
            decisions: limit(policies::DECIDE),
            live_reads: limit(policies::LIVE),
            keyed_reads: limit(policies::KEYED_READ),
            keyed_decisions: limit(policies::KEYED_DECIDE),
            keyed_live_reads: limit(policies::KEYED_LIVE),
            visitors: limit(policies::VISITORS),
            outcomes: limit(policies::OUTCOME),
            mcp_messages: limit(policies::MCP),
            readiness: limit(policies::READINESS),
            metrics: limit(policies::METRICS),
            wrong_keys: limit(policies::WRONG_KEY),
            streams_at_once: Some(policies::STREAM.max),
        }
    }
}

fn to_rate_limit(policy: Policy) -> RateLimit {
    RateLimit { max: policy.max, window: policy.period.window().unwrap_or_default() }
}

/// One rate limiter per policy. Each has its own lock; requests write to it, nobody else does.
#[derive(Debug)]
pub(crate) struct RateLimiters {
    pub(crate) scans: ClientRateLimiter,
    /// The log and other feeds.
    pub(crate) feeds: RateLimiter,
    pub(crate) log_files: RateLimiter,
    pub(crate) reads: ClientRateLimiter,
    pub(crate) decisions: ClientRateLimiter,
    pub(crate) live_reads: ClientRateLimiter,
    pub(crate) visitors: RateLimiter,
    pub(crate) outcomes: RateLimiter,
    pub(crate) mcp_messages: RateLimiter,
    pub(crate) readiness: RateLimiter,
    pub(crate) metrics: RateLimiter,
    pub(crate) wrong_keys: RateLimiter,
    pub(crate) streams: OpenStreams,
}

impl RateLimiters {
    pub(crate) fn new(limits: RateLimits) -> Self {
        let by_address =
            |policy: Policy, limits| RateLimiter::new(policy.name, limits, is_exact(policy.period));
        let by_client = |policy: Policy, limits, keyed| {
            ClientRateLimiter::new(policy.name, limits, keyed, is_exact(policy.period))
        };
        Self {
            scans: by_client(policies::SCAN, limits.scans, limits.keyed_scans),
            feeds: by_address(policies::FEED, limits.feeds),
            log_files: by_address(policies::LOG_FILE, limits.log_files),
            reads: by_client(policies::READ, limits.reads, limits.keyed_reads),
            decisions: by_client(policies::DECIDE, limits.decisions, limits.keyed_decisions),
            live_reads: by_client(policies::LIVE, limits.live_reads, limits.keyed_live_reads),
            visitors: by_address(policies::VISITORS, limits.visitors),
            outcomes: by_address(policies::OUTCOME, limits.outcomes),
            mcp_messages: by_address(policies::MCP, limits.mcp_messages),
            readiness: by_address(policies::READINESS, limits.readiness),
            metrics: by_address(policies::METRICS, limits.metrics),
            wrong_keys: by_address(policies::WRONG_KEY, limits.wrong_keys),
            streams: OpenStreams::new(limits.streams_at_once),
        }
    }
}

fn is_exact(period: Period) -> bool {
    matches!(period, Period::Exact(_))
}

#[cfg(test)]
mod tests {
    use contract::policies::{CountedBy, POLICIES};

    use super::*;

    /// Every policy by address or licence that is not counted in the store has its limit here.
    #[test]
    fn the_limits_are_those_of_the_table() {
        let (defaults, none) = (RateLimits::default(), RateLimits::none());
        for policy in POLICIES {
            let is_ours = matches!(policy.counted_by, CountedBy::Address | CountedBy::Licence)
                && policy.period != Period::Day;
            assert_eq!(
                defaults.max_of(&policy),
                is_ours.then_some(Some(policy.max)),
                "{}",
                policy.name
            );
            assert_eq!(none.max_of(&policy), is_ours.then_some(None), "{}", policy.name);
        }
    }
}
