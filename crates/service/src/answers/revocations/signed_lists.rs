//! A cache of signed revocation lists.

use bytes::Bytes;
use contract::Timestamp;
use proof::Digest;

use super::query::{RevocationsPageQuery, RevocationsStart};
use crate::bounded_cache::BoundedCache;

/// A list is signed again after this time, well before it expires.
const LIST_REUSED_MS: i64 = 5 * 60_000;
/// Memory for signed lists.
const MAX_CACHED_BYTES: usize = 16 * 1024 * 1024;

/// Signed lists by query. A list is valid until an entry is added to the chain.
#[derive(Debug)]
pub(crate) struct SignedListCache(BoundedCache<RevocationsPageQuery, CachedList>);

#[derive(Debug, Clone)]
pub(super) struct CachedList {
    /// The sequence number of the newest entry when the list was made.
    pub(super) head: u64,
    pub(super) made_at: Timestamp,
    pub(super) list: SignedList,
}

/// A signed list as it is served.
#[derive(Debug, Clone)]
pub struct SignedList {
    pub bytes: Bytes,
    /// The digest that the list states.
    pub digest: Digest,
}

impl Default for SignedListCache {
    fn default() -> Self {
        Self(BoundedCache::new("revocation_lists", MAX_CACHED_BYTES))
    }
}

impl SignedListCache {
    pub(super) fn get(
        &self,
        query: &RevocationsPageQuery,
        head: u64,
        now: Timestamp,
    ) -> Option<SignedList> {
        let cached = self.0.get(query, now)?;
        let is_current = cached.head == head && cached.made_at <= now;
        is_current.then_some(cached.list)
    }

    pub(super) fn put(&self, query: RevocationsPageQuery, mut cached: CachedList) {
        // A copy of exactly this size: the original may have been serialised into a larger buffer.
        cached.list.bytes = Bytes::copy_from_slice(&cached.list.bytes);
        let bytes = cached.list.bytes.len() + 3 * query_heap_bytes(&query);
        let (made_at, valid_until) = (cached.made_at, cached.made_at.plus_millis(LIST_REUSED_MS));
        self.0.put(query, cached, bytes, valid_until, made_at, |_| true);
    }

    pub(crate) fn evict_expired(&self, now: Timestamp) {
        self.0.evict_expired(now);
    }

    pub(crate) fn clear(&self) {
        self.0.clear();
    }

    pub(crate) fn report_size(&self) {
        self.0.report_size();
    }
}

fn query_heap_bytes(query: &RevocationsPageQuery) -> usize {
    let cursor = match &query.from {
        RevocationsStart::Cursor(text) => text.capacity(),
        RevocationsStart::Newest | RevocationsStart::Since(_) => 0,
    };
    let words = [&query.entry_type, &query.target_kind].into_iter().flatten();
    let words: usize = words.map(String::capacity).sum();
    cursor + words + query.domain.as_ref().map_or(0, |domain| domain.as_str().len())
}

#[cfg(test)]
pub(crate) mod memory_testing {
    use super::*;

    /// A full cache of lists, each under a query of its own.
    pub(crate) fn fill_signed_lists(now: Timestamp) -> SignedListCache {
        let cache = SignedListCache::default();
        for number in 0..40_000_usize {
            let query = RevocationsPageQuery {
                from: RevocationsStart::Cursor(format!("{number:064}")),
                ..RevocationsPageQuery::default()
            };
            let digest = Digest::of(&number.to_be_bytes());
            let list = SignedList { bytes: Bytes::from(vec![1; 500]), digest };
            cache.put(query, CachedList { head: 1, made_at: now, list });
        }
        cache
    }
}
