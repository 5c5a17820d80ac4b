//! Answers taken apart, for decisions that are made from them.
//!
//! An agent often asks several times about one site. Parsing an answer takes longer than deciding, so the parsed
//! form of the answers that were asked about last is kept, within a bound of its own.

use std::sync::Arc;

use contract::Timestamp;
use contract::records::{Actions, PublishedFacts, ReceiptTransparency, ResolveAnswer};
use judge::decide::preflight::published_facts;
use judge::decide::{DecisionInputs, decision_inputs};
use judge::resolve::Sections;
use proof::Digest;

use super::cached_answers::CachedAnswer;
use crate::bounded_cache::BoundedCache;

/// How long a parsed answer is kept. It is named by its digest, so it never becomes wrong.
const KEPT_MS: i64 = 3_600_000;
/// What a parsed answer takes in memory at most, as a multiple of its JSON. Names of members are not stored, but every
/// text has an allocation of its own.
pub(super) const MEMORY_FACTOR: usize = 2;

/// What a decision needs of an answer.
#[derive(Debug)]
pub(crate) struct AnswerParts {
    pub(crate) sections: Sections,
    /// What follows from the sections, so that it is not found again for every decision.
    pub(crate) inputs: DecisionInputs,
    pub(crate) published: Option<PublishedFacts>,
    pub(crate) actions: Actions,
    pub(crate) transparency: ReceiptTransparency,
    /// The key that signed the answer.
    pub(crate) kid: String,
}

impl AnswerParts {
    pub(crate) fn new(answer: ResolveAnswer) -> Self {
        let place = answer.transparency.as_ref();
        let transparency = ReceiptTransparency {
            state: if place.is_some() { "included" } else { "not_logged" }.to_owned(),
            leaf_hash: place.map(|place| place.leaf_hash.clone()),
            batch: place.map(|place| place.batch),
        };
        let kid = answer.signature.as_ref().map(|signed| signed.kid.clone()).unwrap_or_default();
        let actions = answer.actions.clone();
        let sections = Sections::from_answer(answer);
        Self {
            inputs: decision_inputs(&sections),
            published: published_facts(&sections),
            sections,
            actions,
            transparency,
            kid,
        }
    }

    /// The memory of what is there twice: in the sections, and cut to its length in receipts.
    fn published_bytes(&self) -> usize {
        let Some(facts) = &self.published else { return 0 };
        let PublishedFacts { untrusted_name, untrusted_types, untrusted_url, .. } = facts;
        let lists = untrusted_types.iter().chain(&facts.untrusted_same_as).chain(&facts.read_from);
        let texts = lists.chain(untrusted_name).chain(untrusted_url);
        // Each has an allocation of its own, which may be a quarter larger than asked for.
        texts.map(|text| size_of::<String>() + 16 + text.capacity() * 5 / 4).sum()
    }
}

/// By the digest that the answer states.
#[derive(Debug)]
pub(super) struct AnswerPartsCache(BoundedCache<Digest, Arc<AnswerParts>>);

impl AnswerPartsCache {
    pub(super) fn new(max_bytes: usize) -> Self {
        Self(BoundedCache::new("parsed_answers", max_bytes))
    }

    /// `None` if this build cannot parse the answer.
    pub(super) fn get_or_parse(
        &self,
        cached: &CachedAnswer,
        now: Timestamp,
    ) -> Option<Arc<AnswerParts>> {
        if let Some(parts) = self.0.get(&cached.sha256, now) {
            return Some(parts);
        }
        let parts = Arc::new(AnswerParts::new(*cached.parse()?));
        let bytes =
            size_of::<AnswerParts>() + MEMORY_FACTOR * cached.bytes.len() + parts.published_bytes();
        let until = now.plus_millis(KEPT_MS);
        self.0.put(cached.sha256, Arc::clone(&parts), bytes, until, now, |_| false);
        Some(parts)
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
