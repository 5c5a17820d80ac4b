//! The answers that were sealed last, in parsed form.
//!
//! An answer states its age in hours, so the next one is made from it an hour later. To parse it again would take
//! about as long as to sign the new one.

use std::sync::Arc;

use contract::records::{ResolveAnswer, Signature, Transparency};
use contract::{Domain, Timestamp};
use proof::Digest;
use serde::Deserialize;
use store::StoredAnswer;

use super::answer_parts::MEMORY_FACTOR;
use crate::bounded_cache::BoundedCache;

/// Answers that nobody asks about for this long are not kept.
const KEPT_MS: i64 = 2 * 3_600_000;

/// What sealing adds to an answer.
#[derive(Deserialize)]
struct SealMembers {
    transparency: Option<Transparency>,
    sha256: Option<String>,
    signature: Option<Signature>,
}

/// By domain, with the digest that tells which answer it is.
#[derive(Debug)]
pub(super) struct LatestParsed(BoundedCache<Domain, (Digest, Arc<ResolveAnswer>)>);

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
    ) -> Option<Arc<ResolveAnswer>> {
        let (digest, answer) = self.0.get(domain, now)?;
        (digest == *sha256).then_some(answer)
    }

    /// Keeps an answer that was just sealed. `answer` is what was sealed, without what sealing added.
    pub(super) fn put(&self, sealed: &StoredAnswer, answer: Arc<ResolveAnswer>, now: Timestamp) {
        let Ok(added) = serde_json::from_slice::<SealMembers>(&sealed.bytes) else { return };
        let answer = ResolveAnswer {
            transparency: added.transparency,
            sha256: added.sha256,
            signature: added.signature,
            ..Arc::unwrap_or_clone(answer)
        };
        debug_assert_eq!(
            serde_json::from_slice::<ResolveAnswer>(&sealed.bytes).ok().as_ref(),
            Some(&answer),
            "it is what parsing would give"
        );
        let bytes = size_of::<ResolveAnswer>() + MEMORY_FACTOR * sealed.bytes.len();
        let (until, domain) = (now.plus_millis(KEPT_MS), sealed.domain.clone());
        self.0.put(domain, (sealed.sha256, Arc::new(answer)), bytes, until, now, |_| true);
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
