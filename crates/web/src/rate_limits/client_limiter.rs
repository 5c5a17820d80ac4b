//! A rate that is counted by address, or for licence holders by licence.

use proof::Digest;
use service::AddressBlock;
use tokio::time::Instant;

use super::limiter::{RateLimit, RateLimitVerdict, RateLimiter};

/// Whom a request is counted as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RateLimitClient {
    Address(AddressBlock),
    /// The digest of the licence's id.
    Licence(Digest),
}

/// Two rates for the same requests: by address, and for licence holders by licence.
#[derive(Debug)]
pub(crate) struct ClientRateLimiter {
    by_address: RateLimiter<AddressBlock>,
    by_licence: RateLimiter<Digest>,
}

impl ClientRateLimiter {
    /// The rate by licence is reported as `keyed-` and `name`.
    pub(super) fn new(name: &str, address: Vec<RateLimit>, licence: Vec<RateLimit>) -> Self {
        Self {
            by_address: RateLimiter::new(name, address),
            by_licence: RateLimiter::new(&format!("keyed-{name}"), licence),
        }
    }

    pub(super) fn acquire(&self, client: RateLimitClient, items: u32) -> RateLimitVerdict {
        match client {
            RateLimitClient::Address(block) => self.by_address.acquire(block, items),
            RateLimitClient::Licence(id) => self.by_licence.acquire(id, items),
        }
    }

    pub(super) fn acquire_one_at(&self, client: RateLimitClient, now: Instant) -> RateLimitVerdict {
        match client {
            RateLimitClient::Address(block) => self.by_address.acquire_at(block, 1, now),
            RateLimitClient::Licence(id) => self.by_licence.acquire_at(id, 1, now),
        }
    }

    /// Takes back the request that was accepted at `then`.
    pub(super) fn release(&self, client: RateLimitClient, then: Instant) -> RateLimitVerdict {
        match client {
            RateLimitClient::Address(block) => self.by_address.release(block, then),
            RateLimitClient::Licence(id) => self.by_licence.release(id, then),
        }
    }

    pub(super) fn smallest_limit(&self, client: RateLimitClient) -> Option<u32> {
        match client {
            RateLimitClient::Address(_) => self.by_address.smallest_limit(),
            RateLimitClient::Licence(_) => self.by_licence.smallest_limit(),
        }
    }
}
