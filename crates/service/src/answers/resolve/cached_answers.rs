//! The cache of signed answers. An answer is kept as the bytes that were signed, and served without
//! being parsed, serialised or signed again. `answer_parts` keeps some in parsed form.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use contract::records::ResolveAnswer;
use contract::{Domain, Timestamp};
use proof::{Digest, ProofError, SignedLayout};
use store::{HashedBytes, StoredAnswer};

use crate::bounded_cache::BoundedCache;
use crate::domain_turns::DomainTurn;

/// A signed answer, with the time until which it may be served as it is.
#[derive(Debug)]
pub struct CachedAnswer {
    pub domain: Domain,
    pub bytes: Bytes,
    pub sha256: Digest,
    /// SHA-256 of `bytes`; `sha256` is the digest that the answer states.
    pub content_sha256: Digest,
    pub answered_at: Timestamp,
    /// The log index of its decision.
    log_index: u64,
    /// When the evidence was read, as the answer states it.
    pub observed_at: Option<Timestamp>,
    /// From this time on a statement in the answer is no longer true, such as its age in hours.
    pub valid_until: Timestamp,
    /// For the server: a response that is prepared once and reused. It shares `bytes` and holds at
    /// most [`Self::PREPARED_RESPONSE_BYTES`] besides. Set once, by the first caller that needs it.
    pub prepared_response: OnceLock<Box<dyn Any + Send + Sync>>,
    /// Found when the answer is first put into a batch.
    layout: OnceLock<Option<SignedLayout>>,
}

impl CachedAnswer {
    /// What the header fields of a prepared response may take.
    pub const PREPARED_RESPONSE_BYTES: usize = 4_096;

    pub(super) fn new(
        stored: &StoredAnswer,
        observed_at: Option<Timestamp>,
        valid_until: Timestamp,
    ) -> Self {
        Self {
            domain: stored.domain.clone(),
            // A copy of exactly this size: the original may be part of a larger buffer.
            bytes: Bytes::copy_from_slice(&stored.bytes),
            sha256: stored.sha256,
            content_sha256: stored.bytes.sha256(),
            answered_at: stored.answered_at,
            log_index: stored.log_index,
            observed_at,
            valid_until,
            prepared_response: OnceLock::new(),
            layout: OnceLock::new(),
        }
    }

    /// Appends the answer as a value inside another canonical document.
    pub(super) fn write_canonical(&self, out: &mut Vec<u8>) -> Result<(), ProofError> {
        let layout = self.layout.get_or_init(|| SignedLayout::find(&self.bytes));
        match layout {
            Some(layout) if layout.write_canonical(&self.bytes, out) => Ok(()),
            _ => proof::embedding::write_canonical(&self.bytes, out),
        }
    }

    /// The answer as it is stored.
    pub(super) fn to_stored(&self) -> StoredAnswer {
        StoredAnswer {
            sha256: self.sha256,
            domain: self.domain.clone(),
            answered_at: self.answered_at,
            log_index: self.log_index,
            bytes: HashedBytes::with_digest(self.bytes.clone(), self.content_sha256),
        }
    }

    /// Parses the answer; `None` if this build cannot parse it.
    #[must_use]
    pub fn parse(&self) -> Option<Box<ResolveAnswer>> {
        serde_json::from_slice(&self.bytes)
            .inspect_err(|error| tracing::error!(%error, "a cached answer cannot be parsed"))
            .ok()
    }

    /// All memory that the answer holds, with the response that may be prepared from it.
    fn memory_bytes(&self) -> usize {
        // The name of the domain is stored here and three times in the cache.
        size_of::<Self>()
            + self.bytes.len()
            + 4 * self.domain.as_str().len()
            + Self::PREPARED_RESPONSE_BYTES
    }
}

const MAX_CLOCK_SKEW_MS: i64 = 60_000;
/// How long an answer is kept when it is no longer served: the next one is made from it.
const KEPT_AFTERWARDS_MS: i64 = 3_600_000;

/// Answers by domain. Whoever has the turn of a domain puts its answer in.
#[derive(Debug)]
pub(super) struct AnswerCache(BoundedCache<Domain, Arc<CachedAnswer>>);

impl AnswerCache {
    pub(super) fn new(max_bytes: usize) -> Self {
        Self(BoundedCache::new("answers", max_bytes))
    }

    /// Finds only the canonical spelling of a domain.
    pub(super) fn get(&self, domain: &str, now: Timestamp) -> Option<Arc<CachedAnswer>> {
        let is_valid = |answer: &Arc<CachedAnswer>| {
            // Protects against a clock that was set back: it must not prolong the answer.
            let not_set_back = now.millis_since(answer.answered_at) > -MAX_CLOCK_SKEW_MS;
            not_set_back && now < answer.valid_until
        };
        self.0.get(domain, now).filter(is_valid)
    }

    /// The answer with this digest, whether or not it may still be served.
    pub(super) fn find(
        &self,
        domain: &Domain,
        sha256: &Digest,
        now: Timestamp,
    ) -> Option<Arc<CachedAnswer>> {
        self.0.get(domain, now).filter(|answer| answer.sha256 == *sha256)
    }

    /// Puts in the latest answer about a domain. Whoever has the turn of the domain knows which one that
    /// is; times do not tell, because clocks are set back.
    pub(super) fn put(&self, turn: &DomainTurn, answer: Arc<CachedAnswer>, now: Timestamp) {
        debug_assert_eq!(turn.domain(), &answer.domain);
        self.replace(answer, now);
    }

    pub(super) fn replace(&self, answer: Arc<CachedAnswer>, now: Timestamp) {
        let (domain, bytes) = (answer.domain.clone(), answer.memory_bytes());
        let kept_until = answer.valid_until.plus_millis(KEPT_AFTERWARDS_MS);
        self.0.put(domain, answer, bytes, kept_until, now, |_| true);
    }

    pub(super) fn remove(&self, domain: &Domain) {
        self.0.remove(domain);
    }

    pub(super) fn evict_expired(&self, now: Timestamp) {
        self.0.evict_expired(now);
    }

    pub(super) fn clear(&self) {
        self.0.clear();
    }

    pub(super) fn report_size(&self) {
        self.0.report_size();
    }
}

#[cfg(test)]
mod tests {
    use contract::NamePolicy;

    use super::*;

    fn cached(number: usize, bytes: usize, at: i64, until: i64) -> Arc<CachedAnswer> {
        let names = NamePolicy { allow_suffixes: vec!["lab".to_owned()], ..NamePolicy::default() };
        let domain = Domain::parse(&format!("site{number}.lab"), &names).unwrap();
        let bytes = Bytes::from(vec![b'x'; bytes]);
        let sha256 = proof::sha256(format!("{number} {at}").as_bytes());
        let answered_at = Timestamp::from_millis(at);
        let bytes = bytes.into();
        let stored = store::StoredAnswer { sha256, domain, answered_at, log_index: 0, bytes };
        Arc::new(CachedAnswer::new(&stored, None, Timestamp::from_millis(until)))
    }

    fn put(answers: &AnswerCache, answer: Arc<CachedAnswer>) {
        let now = answer.answered_at;
        answers.replace(answer, now);
    }

    fn found(answers: &AnswerCache, number: usize, now: i64) -> bool {
        answers.get(cached(number, 0, 0, 0).domain.as_str(), Timestamp::from_millis(now)).is_some()
    }

    #[test]
    fn an_answer_is_served_until_it_is_no_longer_valid() {
        let answers = AnswerCache::new(100_000);
        put(&answers, cached(1, 10, 1_000_000, 2_000_000));
        assert!(found(&answers, 1, 1_000_000) && found(&answers, 1, 1_999_999));
        assert!(!found(&answers, 1, 2_000_000) && !found(&answers, 2, 1_000_000));
        // A second before it was made is clock jitter; 100 s is a clock that was set back.
        assert!(found(&answers, 1, 999_000) && !found(&answers, 1, 900_000));
    }

    #[test]
    fn the_answer_that_was_put_last_is_served_whatever_its_time() {
        let answers = AnswerCache::new(100_000);
        put(&answers, cached(1, 20, 1_000_500, 2_000_000));
        put(&answers, cached(1, 10, 1_000_000, 2_000_000));
        let domain = cached(1, 0, 0, 0).domain.clone();
        let cached = answers.get(domain.as_str(), Timestamp::from_millis(1_500_000)).unwrap();
        assert_eq!(cached.bytes.len(), 10);
    }

    #[test]
    fn everything_that_an_answer_holds_counts() {
        let answer = cached(1, 10_000, 0, 1);
        assert!(answer.memory_bytes() > 10_000 + CachedAnswer::PREPARED_RESPONSE_BYTES);
        let answers = AnswerCache::new(100_000);
        (0..50).for_each(|number| put(&answers, cached(number, 10_000, 1_000, 2_000_000)));
        assert!((4..10).contains(&answers.0.len()) && answers.0.bytes() <= 100_000);
    }
}
