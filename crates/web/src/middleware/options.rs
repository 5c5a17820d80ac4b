//! The settings of the HTTP side.

use std::time::Duration;

use ipnet::IpNet;

use super::request_id;
use crate::rate_limits::RateLimits;

/// The settings of the HTTP side.
#[derive(Debug, Clone)]
pub struct WebOptions {
    /// Proxies whose `X-Forwarded-For` or `Forwarded` header is trusted.
    pub trusted_proxies: Vec<IpNet>,
    /// Requests in flight at a time; a request above the cap gets 503 `overloaded`.
    pub max_in_flight: usize,
    /// Rate limits per client.
    pub limits: RateLimits,
    /// No request takes longer than this (then 504 `deadline`). The service has tighter limits of
    /// its own; this one is the last resort.
    pub request_deadline: Duration,
    /// Makes this process's request ids differ from another's. Not a secret.
    pub request_id_seed: u64,
    /// The metrics are served on another address ([`crate::metrics_app`]), not at `/metrics`.
    pub metrics_elsewhere: bool,
    /// `POST /api/v1/scan` without a credential is a free scan instead of 401.
    pub free_scans_v1: bool,
    /// Requests of agents are counted for the conduct record. Benchmarks measure what that costs.
    pub counts_agents: bool,
}

impl Default for WebOptions {
    fn default() -> Self {
        Self {
            trusted_proxies: Vec::new(),
            max_in_flight: 256,
            limits: RateLimits::default(),
            request_deadline: Duration::from_secs(120),
            request_id_seed: request_id::process_seed(),
            metrics_elsewhere: false,
            free_scans_v1: false,
            counts_agents: true,
        }
    }
}

/// The settings that can be changed while the server runs ([`crate::App::reload`]). They have the meaning
/// of the same fields of [`WebOptions`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReloadableOptions {
    pub trusted_proxies: Vec<IpNet>,
    pub limits: RateLimits,
}
