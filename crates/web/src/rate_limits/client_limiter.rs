//! A rate that is counted by address, or for licence holders by licence.

use super::{
    limiter::{CountedRequest, RateLimiter},
    quota::RateLimitVerdict,
    rate::RateLimit,
    scopes::RateLimitClient,
};

/// Two rates for the same requests: by address, and for licence holders by licence.
#[derive(Debug)]
pub(crate) struct ClientRateLimiter {
    by_address: RateLimiter,
    by_licence: RateLimiter,
}

impl ClientRateLimiter {
    /// The rate by licence is reported as `keyed-` and `name`. Small limits by address can be exact.
    pub(super) fn new(
        name: &str,
        address: Vec<RateLimit>,
        licence: Vec<RateLimit>,
        is_exact: bool,
    ) -> Self {
        Self {
            by_address: RateLimiter::new(name, address, is_exact),
            by_licence: RateLimiter::new(&format!("keyed-{name}"), licence, false),
        }
    }

    pub(super) fn acquire(&self, client: RateLimitClient, items: u32) -> RateLimitVerdict {
        self.limiter_of(client).acquire(client, items)
    }

    /// Accepts one request that may be given back.
    pub(super) fn acquire_one(
        &self,
        client: RateLimitClient,
    ) -> (RateLimitVerdict, CountedRequest) {
        self.limiter_of(client).acquire_one(client)
    }

    /// Takes back a request that was accepted.
    pub(super) fn release(
        &self,
        client: RateLimitClient,
        counted: &CountedRequest,
    ) -> RateLimitVerdict {
        self.limiter_of(client).release(counted)
    }

    pub(super) fn smallest_limit(&self, client: RateLimitClient) -> Option<u32> {
        self.limiter_of(client).smallest_limit(client)
    }

    fn limiter_of(&self, client: RateLimitClient) -> &RateLimiter {
        match client {
            RateLimitClient::Address(_) => &self.by_address,
            RateLimitClient::Licence { .. } => &self.by_licence,
        }
    }
}
