//! For the test that fills the caches and measures memory.

use std::sync::Arc;

use contract::records::ResolveAnswer;
use contract::{Domain, NamePolicy, Timestamp};
use declared::robots::Robots;
use proof::Digest;
use store::StoredAnswer;

use super::answer_parts::AnswerPartsCache;
use super::cached_answers::{AnswerCache, CachedAnswer};
use super::latest_parsed::LatestParsed;
use super::load_robots::RobotsCache;

pub(crate) struct FilledCaches {
    answers: AnswerCache,
    robots: RobotsCache,
}

impl FilledCaches {
    pub(crate) fn new(answer_bytes: usize, robots_bytes: usize) -> Self {
        Self { answers: AnswerCache::new(answer_bytes), robots: RobotsCache::new(robots_bytes) }
    }

    pub(crate) fn put_answer(&self, stored: StoredAnswer, now: Timestamp) {
        self.answers.replace(Arc::new(answer_to_cache(&stored, now)), now);
    }

    pub(crate) fn put_robots(&self, digest: Digest, robots: Arc<Robots>, now: Timestamp) {
        self.robots.put(digest, robots, now);
    }
}

/// Parsed answers, each under a digest of its own.
pub(crate) fn fill_parsed_answers(
    bound: usize,
    sample: &StoredAnswer,
    now: Timestamp,
) -> impl Sized {
    let cache = AnswerPartsCache::new(bound);
    for number in 0..bound / sample.bytes.len() {
        let sha256 = Digest::of(&number.to_be_bytes());
        let cached = CachedAnswer::new(&StoredAnswer { sha256, ..sample.clone() }, None, now);
        assert!(cache.get_or_parse(&cached, now).is_some(), "the sample is an answer");
    }
    cache
}

/// Answers as they were sealed, each about a domain of its own.
pub(crate) fn fill_latest_parsed(
    bound: usize,
    sample: &StoredAnswer,
    now: Timestamp,
) -> impl Sized {
    let names = NamePolicy { allow_suffixes: vec!["lab".to_owned()], ..NamePolicy::default() };
    let cache = LatestParsed::new(bound);
    for number in 0..bound / sample.bytes.len() {
        let domain = Domain::parse(&format!("site{number}.lab"), &names).unwrap();
        let answer: ResolveAnswer = serde_json::from_slice(&sample.bytes).unwrap();
        let sealed = StoredAnswer { domain, ..sample.clone() };
        cache.put(&sealed, answer, None, now);
        // An entry that was used stays longer than one that was just put in.
        assert!(number > 0 || cache.get(&sealed.domain, &sealed.sha256, now).is_some());
    }
    cache
}

/// The answer with a prepared response of the largest allowed size.
pub(crate) fn answer_to_cache(stored: &StoredAnswer, now: Timestamp) -> CachedAnswer {
    let cached = CachedAnswer::new(stored, None, now.plus_millis(3_600_000));
    let prepared = vec![1_u8; CachedAnswer::PREPARED_RESPONSE_BYTES];
    let _ = cached.prepared_response.set(Box::new(prepared));
    cached
}
