//! Serves the last stored answer as its stored bytes while every statement in it is true, so that a
//! request about a known domain writes nothing.

use std::sync::Arc;

use contract::Timestamp;
use contract::records::ResolveAnswer;
use judge::resolve::Sections;
use proof::{Digest, KeyPurpose};

use super::build_answer::{LIVE_ANSWER_VALID_MS, valid_until};
use super::cached_answers::CachedAnswer;
use super::query::ResolveError;
use crate::answers::Answers;

/// An answer made further in the future than this means that the clock was set back.
const MAX_CLOCK_SKEW_MS: i64 = 60_000;

impl Answers {
    /// The stored bytes of the last answer about a domain, if they may still be served.
    pub(super) async fn find_valid_bytes(
        &self,
        answer: &ResolveAnswer,
        now: Timestamp,
    ) -> Result<Option<Arc<CachedAnswer>>, ResolveError> {
        let valid_until = stored_valid_until(answer);
        let was_made = now.millis_since(answer.answered_at) > -MAX_CLOCK_SKEW_MS;
        if now >= valid_until || !was_made || !self.is_as_made_now(answer) {
            return Ok(None);
        }
        let withheld = self.store.withheld_actions_for(&answer.domain).await?;
        if withheld.is_some_and(|withheld| withheld.updated_at > answer.answered_at) {
            return Ok(None);
        }
        let digest: Option<Digest> = answer.sha256.as_ref().and_then(|hex| hex.parse().ok());
        let Some(digest) = digest else { return Ok(None) };
        let Some(stored) = self.store.answer(digest).await? else { return Ok(None) };
        let observed_at = answer.freshness.observed_at;
        let cached = Arc::new(CachedAnswer::new(&stored, observed_at, valid_until));
        self.resolve_state.cache.put(Arc::clone(&cached), now);
        Ok(Some(cached))
    }

    /// Whether the answer would have the same addresses, key and decision rules if it were made now.
    fn is_as_made_now(&self, answer: &ResolveAnswer) -> bool {
        let Ok(key) = self.keys.signing_key(KeyPurpose::Documents) else { return false };
        let same_key =
            answer.signature.as_ref().is_some_and(|signature| signature.kid == key.kid());
        same_key
            && answer.schema == self.issuer.schema_url("resolve")
            && answer.code.decision_rules_sha256 == judge::decide::rules_sha256()
    }
}

/// Until when every statement of a stored answer is true.
fn stored_valid_until(answer: &ResolveAnswer) -> Timestamp {
    let sections = Sections::from_answer(answer.clone());
    let is_stored_reading = answer.served_from.is_some();
    let upgrade_at = answer.upgrade.as_ref().and_then(|upgrade| upgrade.expected.parse().ok());
    let until = valid_until(&sections, is_stored_reading, upgrade_at, answer.answered_at);
    // Sections that could not be refreshed in time are tried again soon.
    match answer.stored_sections {
        Some(_) => until.min(answer.answered_at.plus_millis(LIVE_ANSWER_VALID_MS)),
        None => until,
    }
}
