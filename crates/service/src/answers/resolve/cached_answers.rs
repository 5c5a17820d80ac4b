//! The cache of signed answers. An answer is kept as the bytes that were signed, and served without
//! being parsed, serialised or signed again.

use std::any::Any;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use bytes::Bytes;
use contract::records::ResolveAnswer;
use contract::{Domain, Timestamp};
use proof::Digest;
use tokio::sync::OnceCell;

use super::stored_robots::StoredRobots;

/// A signed answer, with the time until which it may be served as it is. The three cells are each set
/// once, by the first caller that needs the value.
#[derive(Debug)]
pub struct CachedAnswer {
    pub domain: Domain,
    pub bytes: Bytes,
    pub sha256: Digest,
    /// SHA-256 of `bytes`; `sha256` is the digest that the answer states.
    pub content_sha256: Digest,
    pub answered_at: Timestamp,
    /// From this time on a statement in the answer is no longer true, such as its age in hours.
    pub valid_until: Timestamp,
    /// For the server: a response that is prepared once and reused.
    pub prepared_response: OnceLock<Box<dyn Any + Send + Sync>>,
    parsed: OnceLock<Option<Arc<ResolveAnswer>>>,
    pub(super) robots: OnceCell<StoredRobots>,
}

impl CachedAnswer {
    pub(super) fn new(stored: &store::StoredAnswer, good_until: Timestamp) -> Self {
        Self {
            domain: stored.domain.clone(),
            bytes: stored.bytes.clone(),
            sha256: stored.sha256,
            content_sha256: proof::sha256(&stored.bytes),
            answered_at: stored.answered_at,
            valid_until: good_until,
            prepared_response: OnceLock::new(),
            parsed: OnceLock::new(),
            robots: OnceCell::new(),
        }
    }

    /// The parsed answer. Parsed at the first call; `None` if this build cannot parse it.
    #[must_use]
    pub fn answer(&self) -> Option<Arc<ResolveAnswer>> {
        let parse = || match serde_json::from_slice(&self.bytes) {
            Ok(answer) => Some(Arc::new(answer)),
            Err(error) => {
                tracing::error!(%error, "a cached answer cannot be parsed");
                None
            }
        };
        self.parsed.get_or_init(parse).clone()
    }

    /// The lower bound protects against a clock that was set back: it must not prolong the answer.
    fn is_valid(&self, now: Timestamp) -> bool {
        now < self.valid_until && now.millis_since(self.answered_at) > -MAX_CLOCK_SKEW_MS
    }
}

const MAX_CLOCK_SKEW_MS: i64 = 60_000;

/// Answers by domain, bounded in bytes; the oldest are evicted first. Whoever builds an answer puts
/// it in. The lock guards `contents` and is never held across an await.
#[derive(Debug)]
pub(super) struct AnswerCache {
    max_bytes: usize,
    contents: RwLock<CacheContents>,
}

#[derive(Debug, Default)]
struct CacheContents {
    answers: HashMap<Domain, Arc<CachedAnswer>>,
    /// In insertion order. Contains entries of answers that were replaced since.
    order: VecDeque<(Domain, Digest)>,
    bytes: usize,
}

impl AnswerCache {
    pub(super) fn new(max_bytes: usize) -> Self {
        Self { max_bytes, contents: RwLock::default() }
    }

    /// Finds only the canonical spelling of a domain.
    pub(super) fn get(&self, domain: &str, now: Timestamp) -> Option<Arc<CachedAnswer>> {
        let contents = self.contents.read().unwrap_or_else(PoisonError::into_inner);
        contents.answers.get(domain).filter(|answer| answer.is_valid(now)).cloned()
    }

    /// Does not replace a later answer by an earlier one.
    pub(super) fn put(&self, answer: Arc<CachedAnswer>) {
        let mut contents = self.contents.write().unwrap_or_else(PoisonError::into_inner);
        let has_later = contents.answers.get(&answer.domain).is_some_and(|known| {
            known.answered_at > answer.answered_at
                && known.answered_at.millis_since(answer.answered_at) < MAX_CLOCK_SKEW_MS
        });
        if has_later {
            return;
        }
        contents.bytes += answer.bytes.len();
        contents.order.push_back((answer.domain.clone(), answer.sha256));
        if let Some(replaced) = contents.answers.insert(answer.domain.clone(), answer) {
            contents.bytes = contents.bytes.saturating_sub(replaced.bytes.len());
        }
        while contents.bytes > self.max_bytes
            || contents.order.len() > 2 * contents.answers.len() + 1_024
        {
            let Some((domain, sha256)) = contents.order.pop_front() else { break };
            if contents.answers.get(&domain).is_some_and(|known| known.sha256 == sha256)
                && let Some(evicted) = contents.answers.remove(&domain)
            {
                contents.bytes = contents.bytes.saturating_sub(evicted.bytes.len());
            }
        }
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
        let stored = store::StoredAnswer { sha256, domain, answered_at, log_index: 0, bytes };
        Arc::new(CachedAnswer::new(&stored, Timestamp::from_millis(until)))
    }

    fn found(answers: &AnswerCache, number: usize, now: i64) -> bool {
        answers.get(cached(number, 0, 0, 0).domain.as_str(), Timestamp::from_millis(now)).is_some()
    }

    #[test]
    fn an_answer_is_served_until_it_is_no_longer_valid() {
        let answers = AnswerCache::new(1_000);
        answers.put(cached(1, 10, 1_000_000, 2_000_000));
        assert!(found(&answers, 1, 1_000_000) && found(&answers, 1, 1_999_999));
        assert!(!found(&answers, 1, 2_000_000) && !found(&answers, 2, 1_000_000));
        // A second before it was made is clock jitter; 100 s is a clock that was set back.
        assert!(found(&answers, 1, 999_000) && !found(&answers, 1, 900_000));
    }

    #[test]
    fn the_cache_is_bounded_and_the_oldest_are_evicted_first() {
        let answers = AnswerCache::new(1_000);
        for number in 0..50 {
            answers.put(cached(number, 100, 1_000_000, 2_000_000));
            answers.put(cached(number, 100, 1_000_001, 2_000_000));
        }
        let remaining: Vec<usize> = (0..50).filter(|n| found(&answers, *n, 1_500_000)).collect();
        assert_eq!(remaining, (40..50).collect::<Vec<_>>());
        let contents = answers.contents.read().unwrap();
        assert_eq!((contents.bytes, contents.answers.len()), (1_000, 10));
    }

    #[test]
    fn an_earlier_answer_does_not_replace_a_later_one() {
        let answers = AnswerCache::new(1_000);
        answers.put(cached(1, 10, 1_000_500, 2_000_000));
        answers.put(cached(1, 20, 1_000_000, 2_000_000));
        let domain = cached(1, 0, 0, 0).domain.clone();
        let cached = answers.get(domain.as_str(), Timestamp::from_millis(1_500_000)).unwrap();
        assert_eq!(cached.bytes.len(), 10);
    }
}
