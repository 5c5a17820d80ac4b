//! Signatures that were used before: whoever has seen a signed request can send its signature again.
//!
//! A signature belongs to one request, so it comes from one address. What is remembered is a fingerprint of
//! the signature and a keyed hash of the address, in memory, until the signature expires.

use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;

use contract::Timestamp;
use proof::Digest;
use proof::http_signatures::BotSignature;

use crate::bounded_cache::BoundedCache;

const MAX_CACHE_BYTES: usize = 8 << 20;
const ENTRY_BYTES: usize = 48;
/// The clocks of signers and this service may differ.
const CLOCK_SKEW_MS: i64 = 60_000;

#[derive(Debug)]
pub(super) struct UsedSignatures {
    addresses: BoundedCache<Digest, u64>,
    /// With a secret of this process, so that a hash cannot be turned back into an address.
    hasher: RandomState,
}

impl Default for UsedSignatures {
    fn default() -> Self {
        Self {
            addresses: BoundedCache::new("used_signatures", MAX_CACHE_BYTES),
            hasher: RandomState::new(),
        }
    }
}

impl UsedSignatures {
    /// Whether a valid signature came from another address before.
    pub(super) fn is_copy(
        &self,
        signature: &BotSignature,
        address: Option<IpAddr>,
        now: Timestamp,
    ) -> bool {
        let address = self.hasher.hash_one(address);
        let fingerprint = signature.fingerprint();
        if let Some(first) = self.addresses.get(&fingerprint, now) {
            return first != address;
        }
        let until = signature.expires_at().unwrap_or(now).plus_millis(2 * CLOCK_SKEW_MS);
        self.addresses.put(fingerprint, address, ENTRY_BYTES, until, now, |_| false);
        false
    }
}
