//! What a client has left, and whether a request was accepted.

use std::{sync::Arc, time::Duration};

use ipnet::IpNet;

use super::rate::RateLimit;

/// A rate limit and the name under which it is reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RateLimitPolicy {
    pub(crate) name: Arc<str>,
    pub(crate) limit: RateLimit,
}

/// A client's quota under one policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QuotaStatus {
    pub(crate) policy: RateLimitPolicy,
    pub(crate) remaining: u32,
    /// Time until more quota is available. If the request was refused: until it would be accepted.
    pub(crate) reset: Duration,
    /// Whether this policy refused the request.
    pub(crate) refused: bool,
}

/// Whether a request was accepted, and the client's quota under every policy afterwards: of the counts that
/// the client belongs to, the one that is nearest to refusing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RateLimitVerdict {
    /// Time until it would be accepted; zero if it was accepted.
    pub(crate) wait: Duration,
    pub(crate) quotas: Vec<QuotaStatus>,
    /// Whose count refused, if it is not that of a single address or of a licence.
    pub(crate) refused_for: Option<RefusedNetwork>,
}

/// A network whose count refused a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RefusedNetwork {
    pub(crate) network: IpNet,
    /// The addresses of the network are counted together because there is no room to count each.
    pub(crate) is_crowd: bool,
}
