//! The answers that were sealed last, in parsed form.
//!
//! An answer states its age in hours, so the next one is made from it an hour later. To parse it again would take
//! about as long as to sign the new one.

use std::sync::Arc;

use contract::records::ResolveAnswer;
use contract::{Domain, Timestamp};
use proof::Digest;
use proof::canonical::MemberPlaces;
use store::StoredAnswer;

use super::answer_parts::MEMORY_FACTOR;
use crate::bounded_cache::BoundedCache;
use crate::log::SealedAnswer;

/// Answers that nobody asks about for this long are not kept.
const KEPT_MS: i64 = 2 * 3_600_000;

/// An answer in parsed form.
#[derive(Debug, Clone)]
pub(super) struct ParsedAnswer {
    pub(super) answer: Arc<ResolveAnswer>,
    /// Where its members are in its bytes, if it was sealed by this process.
    pub(super) places: Option<Arc<MemberPlaces>>,
}

/// By domain, with the digest that tells which answer it is.
#[derive(Debug)]
pub(super) struct LatestParsed(BoundedCache<Domain, (Digest, ParsedAnswer)>);

impl LatestParsed {
    pub(super) fn new(max_bytes: usize) -> Self {
        Self(BoundedCache::new("latest_parsed", max_bytes))
    }

    /// The answer with this digest.
    pub(super) fn get(
        &self,
        domain: &Domain,
        sha256: &Digest,
        now: Timestamp,
    ) -> Option<ParsedAnswer> {
        let (digest, answer) = self.0.get(domain, now)?;
        (digest == *sha256).then_some(answer)
    }

    /// Keeps an answer that was just sealed. `answer` is what was sealed, without what sealing added.
    pub(super) fn put_sealed(
        &self,
        sealed: SealedAnswer,
        answer: Arc<ResolveAnswer>,
        now: Timestamp,
    ) {
        let SealedAnswer { stored, transparency, signature, places } = sealed;
        // Without an entry here the next one parses the stored bytes.
        let Ok(transparency) = serde_json::from_value(transparency) else { return };
        let answer = ResolveAnswer {
            transparency: Some(transparency),
            sha256: Some(stored.sha256.to_hex()),
            signature: Some(signature),
            ..Arc::unwrap_or_clone(answer)
        };
        self.put(&stored, answer, Some(places), now);
    }

    /// Keeps a stored answer; `answer` is what parsing gives.
    pub(super) fn put(
        &self,
        stored: &StoredAnswer,
        answer: ResolveAnswer,
        places: Option<MemberPlaces>,
        now: Timestamp,
    ) {
        debug_assert_eq!(
            serde_json::from_slice::<ResolveAnswer>(&stored.bytes).ok().as_ref(),
            Some(&answer),
            "it is what parsing would give"
        );
        let places_bytes = places.as_ref().map_or(0, MemberPlaces::heap_bytes);
        let bytes = size_of::<ResolveAnswer>() + MEMORY_FACTOR * stored.bytes.len() + places_bytes;
        let answer = ParsedAnswer { answer: Arc::new(answer), places: places.map(Arc::new) };
        let (until, domain) = (now.plus_millis(KEPT_MS), stored.domain.clone());
        self.0.put(domain, (stored.sha256, answer), bytes, until, now, |_| true);
    }

    pub(super) fn clear(&self) {
        self.0.clear();
    }

    pub(super) fn evict_expired(&self, now: Timestamp) {
        self.0.evict_expired(now);
    }

    pub(super) fn report_size(&self) {
        self.0.report_size();
    }
}
