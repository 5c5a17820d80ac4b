//! Serves the latest stored answer as its stored bytes while what it says is true, so that a request
//! about a known domain writes nothing.
//!
//! The age in hours is part of what is signed, so an answer is sealed again when it is an hour older, and
//! otherwise only when its decision changes.

use std::sync::Arc;

use contract::limits::LIVE_READING_MAX_AGE;
use contract::records::{AnswerStatus, Basis, Freshness, Incident, ResolveAnswer, UpgradeState};
use contract::{Brand, Domain, Timestamp};
use judge::resolve::{HOUR_MS, PlannedUpgrade, Sections};
use proof::{Digest, KeyPurpose};
use store::AnswerStanding;

use super::build_answer::LIVE_READ_PAUSE_MS;
use super::cached_answers::CachedAnswer;
use super::query::ResolveError;
use super::seal_answer::{AnswerDraft, LatestAnswer, ReadInTurn};
use super::stored_facts::describe_incident;
use crate::answers::Answers;
use crate::answers::revocations::withholds_the_same;

/// An answer made further in the future than this means that the clock was set back.
const MAX_CLOCK_SKEW_MS: i64 = 60_000;
/// After this time an answer that may have changed is examined again.
pub(super) const RECHECK_MS: i64 = 60_000;

impl Answers {
    /// The latest stored answer as its stored bytes while they are valid. Otherwise it is made again, with
    /// its sections brought up to date; that is sealed only if it says something new. `seen` is the answer that was
    /// the latest a moment ago.
    pub(super) async fn serve_kept(
        &self,
        domain: &Domain,
        seen: Option<LatestAnswer>,
    ) -> Result<Arc<CachedAnswer>, ResolveError> {
        let turn = self.resolve_state.turns.begin(domain).await;
        let seen_answer = seen.as_ref().and_then(|seen| seen.parsed.as_deref());
        let expired = seen_answer.filter(|answer| !is_in_time(answer, self.clock.now()));
        let (standing, facts) = match expired {
            Some(answer) => {
                let measured = answer.status == AnswerStatus::Measured;
                let (standing, facts) = self.load_standing_and_facts(domain, measured).await?;
                let is_seen = standing.latest == seen.as_ref().map(|seen| seen.stored.sha256);
                (standing, Some(facts).filter(|_| is_seen))
            }
            None => (self.store.answer_standing(domain, self.clock.now()).await?, None),
        };
        let latest = self.use_or_reload(domain, seen, standing.latest).await?;
        let Some(latest) = latest else { return Err(ResolveError::NothingStored) };
        let Some(answer) = latest.parsed.clone() else { return Err(ResolveError::NothingStored) };
        if self.are_bytes_valid(&answer, &standing, self.clock.now()).await {
            let until = stored_valid_until(&answer);
            return Ok(self.cache_stored(&turn, &latest.stored, &answer, until));
        }
        let measured = answer.status == AnswerStatus::Measured;
        let facts = match facts {
            Some(facts) => facts,
            None => self.load_stored_facts(domain, measured).await,
        };
        let upgrade = match facts.upgrade_was_read() {
            _ if measured => None,
            true => facts.queued_upgrade_at().map(|due_at| PlannedUpgrade::Queued { due_at }),
            // Not known to be over, so what was announced stays.
            false => announced_upgrade(&answer),
        };
        let draft = AnswerDraft { sections: None, facts, is_stored_reading: true, upgrade };
        let read = ReadInTurn {
            latest: Some(latest),
            withheld: standing.withheld,
            incident: standing.incident,
            control: draft.facts.control().cloned(),
        };
        self.seal_draft(&turn, &draft, Some(read)).await
    }

    /// Whether every statement of the latest answer about a domain is still true.
    async fn are_bytes_valid(
        &self,
        answer: &ResolveAnswer,
        standing: &AnswerStanding,
        now: Timestamp,
    ) -> bool {
        if !is_in_time(answer, now) || !self.is_as_made_now(answer) {
            return false;
        }
        // Control changes no decision: if it cannot be read in time, the stored answer is served.
        let control = self.load_control(&answer.domain).await;
        withholds_the_same(answer, standing.withheld.as_ref())
            && answer.incident == standing.incident.as_ref().map(describe_incident)
            && control.is_none_or(|control| control == answer.control)
    }

    /// Whether the answer would have the same addresses, key and decision rules if it were made now.
    pub(super) fn is_as_made_now(&self, answer: &ResolveAnswer) -> bool {
        self.is_signed_by_present_key(answer)
            && answer.code.decision_rules_sha256 == judge::decide::rules_sha256()
    }

    /// Whether the answer has our present addresses and was signed by the key that signs answers now.
    pub(super) fn is_signed_by_present_key(&self, answer: &ResolveAnswer) -> bool {
        let Ok(key) = self.keys.signing_key(KeyPurpose::Documents) else { return false };
        let same_key =
            answer.signature.as_ref().is_some_and(|signature| signature.kid == key.kid());
        let compromised = self.keys.compromised();
        let head =
            answer.transparency.as_ref().and_then(|included| included.sth.signature.as_ref());
        same_key
            && head.is_none_or(|head| !compromised.contains_key(&head.kid))
            && answer.schema == self.issuer.schema_url("resolve")
    }
}

/// Whether an answer that was made again says nothing that the previous one does not say: it has the same
/// decision, the same age in hours, and announces the same scan.
pub(super) fn states_the_same(
    previous: &ResolveAnswer,
    answer: &ResolveAnswer,
    brand: &Brand,
) -> bool {
    let (before, after) = (&previous.freshness, &answer.freshness);
    (before.age_hours, before.stale) == (after.age_hours, after.stale)
        && previous.upgrade == answer.upgrade
        && previous.control == answer.control
        && decision_leaf(previous, brand)
            .is_some_and(|leaf| decision_leaf(answer, brand) == Some(leaf))
}

/// The scan that an answer announces.
fn announced_upgrade(answer: &ResolveAnswer) -> Option<PlannedUpgrade> {
    let upgrade = answer.upgrade.as_ref()?;
    let at: Timestamp = upgrade.expected.parse().ok()?;
    match upgrade.state {
        UpgradeState::Queued => Some(PlannedUpgrade::Queued { due_at: at }),
        UpgradeState::QueueFull => Some(PlannedUpgrade::QueueFull { ask_again_at: at }),
        _ => None,
    }
}

fn decision_leaf(answer: &ResolveAnswer, brand: &Brand) -> Option<Digest> {
    let content = proof::decision_content::answer_content(answer, brand).ok()?;
    Some(proof::merkle_tree::leaf_hash(&content))
}

/// Whether the time for which the answer was made is not over.
fn is_in_time(answer: &ResolveAnswer, now: Timestamp) -> bool {
    let was_made = now.millis_since(answer.answered_at) > -MAX_CLOCK_SKEW_MS;
    was_made && now < stored_valid_until(answer)
}

/// Until when every statement of a stored answer is true.
fn stored_valid_until(answer: &ResolveAnswer) -> Timestamp {
    let basis = ValidityBasis {
        freshness: &answer.freshness,
        basis: &answer.basis,
        status: &answer.status,
        was_served: answer.delivery.body().is_some(),
        incident: answer.incident.as_ref(),
    };
    let upgrade_at = answer.upgrade.as_ref().and_then(|upgrade| upgrade.expected.parse().ok());
    let until = valid_until(&basis, upgrade_at, answer.answered_at);
    // Sections that could not be refreshed in time are tried again soon.
    match answer.stored_sections {
        Some(_) => until.min(answer.answered_at.plus_millis(RECHECK_MS)),
        None => until,
    }
}

/// The parts of an answer that tell how long its statements are true.
pub(super) struct ValidityBasis<'a> {
    freshness: &'a Freshness,
    basis: &'a Basis,
    status: &'a AnswerStatus,
    /// Whether the site served anything.
    was_served: bool,
    incident: Option<&'a Incident>,
}

impl<'a> ValidityBasis<'a> {
    pub(super) fn of_sections(sections: &'a Sections) -> Self {
        Self {
            freshness: &sections.freshness,
            basis: &sections.basis,
            status: &sections.status,
            was_served: sections.delivery.body().is_some(),
            incident: sections.incident.as_ref(),
        }
    }
}

/// The time until which every statement in an answer that is made now is true.
pub(super) fn valid_until(
    of: &ValidityBasis<'_>,
    upgrade_at: Option<Timestamp>,
    now: Timestamp,
) -> Timestamp {
    let freshness = of.freshness;
    let observed_at = freshness.observed_at;
    let mut until = match observed_at.zip(freshness.age_hours) {
        Some((observed_at, age)) => observed_at.plus_millis((i64::from(age) + 1) * HOUR_MS),
        // Nothing was observed, so no age is stated that could become wrong.
        None => now.plus_millis(LIVE_READ_PAUSE_MS),
    };
    let read_at = match of.basis {
        Basis::JustInTime(basis) => Some(basis.measured_at),
        _ => observed_at,
    };
    let end = match of.status {
        AnswerStatus::Measured => freshness.fresh_until,
        _ if !of.was_served => observed_at.or(read_at).map(|at| at.plus_millis(LIVE_READ_PAUSE_MS)),
        _ => observed_at.map(|at| at.plus_millis(live_reading_max_age_ms())),
    };
    // The queued scan should be done a little after its time.
    let upgraded = upgrade_at.filter(|at| *at > now).map(|at| at.plus_millis(2 * RECHECK_MS));
    let incident_end = of.incident.and_then(|incident| incident.ends_at);
    for other in [end, upgraded, incident_end].into_iter().flatten().filter(|other| *other > now) {
        until = until.min(other);
    }
    until
}

pub(super) fn live_reading_max_age_ms() -> i64 {
    i64::try_from(LIVE_READING_MAX_AGE.as_millis()).unwrap_or(i64::MAX)
}
