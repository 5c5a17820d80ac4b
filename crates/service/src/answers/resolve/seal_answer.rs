//! Makes an answer from sections: brings them up to date, decides, and seals the answer in the log.
//!
//! One answer about a domain is made at a time (`DomainTurn`), from the latest one. The append names that
//! one too: if another was stored in between, the answer is made again. So nothing is revoked twice, and
//! nothing that was withheld is lost.

use std::sync::Arc;

use contract::records::{ControlSummary, ResolveAnswer, RevocationCause};
use contract::{Domain, Timestamp};
use judge::resolve::{PlannedUpgrade, Sections, assemble_answer, carry_calls, refresh_sections};
use proof::canonical::{KeptMembers, MemberPlaces};
use proof::{Digest, ProofError};
use serde_json::Value;
use store::{
    AnswerStanding, OwnerIncident, Predecessor, StoreError, StoredAnswer, WithheldActions,
};

use super::build_answer::NewReading;
use super::cached_answers::CachedAnswer;
use super::kept_answer::{RECHECK_MS, ValidityBasis, states_the_same, valid_until};
use super::latest_parsed::ParsedAnswer;
use super::publish_scan::append_extras;
use super::query::ResolveError;
use super::stored_facts::{OwnerState, StoredFacts};
use crate::answers::Answers;
use crate::answers::revocations::{is_stricter, revocations_by_answer};
use crate::domain_turns::DomainTurn;
use crate::log::{AnswerContext, SealError};

/// How often an answer is made again because another one was stored first. Within one process the turns
/// prevent that, so this is rare.
const ATTEMPTS: usize = 8;

/// The answer about a domain that was stored last. Copies share what is large.
#[derive(Clone)]
pub(super) struct LatestAnswer {
    pub(super) stored: StoredAnswer,
    /// `None` if this build cannot parse it: an earlier build may have used another structure.
    pub(super) parsed: Option<Arc<ResolveAnswer>>,
    /// Where its members are in its bytes, if that is known.
    places: Option<Arc<MemberPlaces>>,
}

impl LatestAnswer {
    fn parse(stored: StoredAnswer) -> Self {
        let parsed = serde_json::from_slice(&stored.bytes)
            .inspect_err(|error| tracing::warn!(%error, "a stored answer cannot be parsed"))
            .ok();
        Self { stored, parsed: parsed.map(Arc::new), places: None }
    }
}

/// What is read in the turn of a domain before its answer is made: nothing of it changes before the turn ends,
/// except by the owner or the operator.
pub(super) struct ReadInTurn {
    pub(super) latest: Option<LatestAnswer>,
    pub(super) withheld: Option<WithheldActions>,
    pub(super) incident: Option<OwnerIncident>,
    /// `None` if the claims could not be read in time.
    pub(super) control: Option<ControlSummary>,
}

/// An answer before it is brought up to date.
pub(super) struct AnswerDraft {
    /// The sections of a new reading; `None` for those of the latest answer.
    pub(super) sections: Option<Sections>,
    pub(super) facts: StoredFacts,
    /// Whether the reading was made for an earlier request.
    pub(super) is_stored_reading: bool,
    pub(super) upgrade: Option<PlannedUpgrade>,
}

impl Answers {
    pub(super) async fn load_latest_answer(
        &self,
        domain: &Domain,
    ) -> Result<Option<LatestAnswer>, ResolveError> {
        Ok(self.store.latest_answer(domain).await?.map(LatestAnswer::parse))
    }

    /// The answer with this digest, which is the latest about its domain: the cached one, if it is that one.
    pub(super) async fn load_cached_or_stored(
        &self,
        domain: &Domain,
        latest: &Digest,
    ) -> Result<Option<LatestAnswer>, ResolveError> {
        let now = self.clock.now();
        let Some(cached) = self.resolve_state.cache.find(domain, latest, now) else {
            return self.load_latest_answer(domain).await;
        };
        let stored = cached.to_stored();
        Ok(Some(match self.resolve_state.latest_parsed.get(domain, latest, now) {
            Some(ParsedAnswer { answer, places }) => {
                LatestAnswer { stored, parsed: Some(answer), places }
            }
            None => LatestAnswer::parse(stored),
        }))
    }

    /// The latest answer, which is mostly the one that was seen before: then it is not read and parsed again.
    pub(super) async fn reload_latest_answer(
        &self,
        domain: &Domain,
        seen: Option<LatestAnswer>,
    ) -> Result<Option<LatestAnswer>, ResolveError> {
        let Some(seen) = seen else { return self.load_latest_answer(domain).await };
        let latest = self.store.latest_digests(vec![domain.clone()]).await?.pop().flatten();
        self.use_or_reload(domain, Some(seen), latest).await
    }

    /// The answer with this digest, which was the latest a moment ago: the one that was seen, if it is that one.
    pub(super) async fn use_or_reload(
        &self,
        domain: &Domain,
        seen: Option<LatestAnswer>,
        latest: Option<Digest>,
    ) -> Result<Option<LatestAnswer>, ResolveError> {
        match seen {
            Some(seen) if latest == Some(seen.stored.sha256) => Ok(Some(seen)),
            _ => self.load_latest_answer(domain).await,
        }
    }

    async fn read_in_turn(&self, domain: &Domain) -> Result<ReadInTurn, ResolveError> {
        // Not limited in time: without it, actions that are withheld would be taken for allowed.
        let standing = self.store.answer_standing(domain, self.clock.now()).await?;
        let AnswerStanding { withheld, incident, .. } = standing;
        let latest = self.load_latest_answer(domain).await?;
        Ok(ReadInTurn { latest, withheld, incident, control: self.load_control(domain).await })
    }

    /// Makes the answer from a new reading. It follows the latest answer, whichever that is by then.
    pub(super) async fn seal_new_reading(
        self: &Arc<Self>,
        new_reading: NewReading,
        facts: StoredFacts,
        upgrade: Option<PlannedUpgrade>,
    ) -> Result<Arc<CachedAnswer>, ResolveError> {
        let domain = new_reading.reading.domain.clone();
        let draft = AnswerDraft {
            facts: facts.with_new_reading(&new_reading.reading),
            is_stored_reading: new_reading.reading.scan_id.is_some(),
            sections: Some(new_reading.sections),
            upgrade,
        };
        let answers = Arc::clone(self);
        // A task of its own: if the caller left between sealing and caching, the cache would keep the
        // superseded answer.
        let sealing = tokio::spawn(async move {
            let turn = answers.resolve_state.turns.begin(&domain).await;
            answers.seal_draft(&turn, &draft, None).await
        });
        sealing.await.map_err(|e| ResolveError::Internal(e.to_string()))?
    }

    /// `read`: what was read in this turn already.
    pub(super) async fn seal_draft(
        &self,
        turn: &DomainTurn,
        draft: &AnswerDraft,
        mut read: Option<ReadInTurn>,
    ) -> Result<Arc<CachedAnswer>, ResolveError> {
        for _ in 0..ATTEMPTS {
            // Read in the turn of the domain, not while the site was read: a claim that ended in between would be
            // stated as proven, and whoever ended it has brought the answer up to date already.
            let read = match read.take() {
                Some(read) => read,
                None => self.read_in_turn(turn.domain()).await?,
            };
            match self.try_seal(turn, draft, read).await {
                Err(ResolveError::Seal(error)) if is_superseded(&error) => {}
                done => return done,
            }
        }
        Err(SealError::Superseded.into())
    }

    /// Brings the draft up to date and decides; then logs, signs, stores and caches the answer. If it
    /// says nothing new, or cannot be sealed, the latest answer is served instead.
    async fn try_seal(
        &self,
        turn: &DomainTurn,
        draft: &AnswerDraft,
        read: ReadInTurn,
    ) -> Result<Arc<CachedAnswer>, ResolveError> {
        let now = self.clock.now();
        let AnswerDraft { sections, facts, is_stored_reading, upgrade } = draft;
        let upgrade = *upgrade;
        let ReadInTurn { latest, withheld, incident, control } = read;
        let (stored, previous, places) = match latest {
            Some(latest) => (Some(latest.stored), latest.parsed, latest.places),
            None => (None, None, None),
        };
        let is_kept = sections.is_none();
        let sections = sections.clone().or_else(|| previous.as_deref().map(Sections::copied_from));
        let Some(mut sections) = sections else { return Err(ResolveError::NothingStored) };
        if let Some(previous) = &previous {
            carry_forward(&mut sections, previous);
            if !is_kept {
                carry_calls(&mut sections, previous, now);
            }
        }
        let unread_causes: &[RevocationCause] = match facts.readings_were_read() {
            true => &[],
            false => &[RevocationCause::HighRiskPending],
        };
        let inputs = facts.to_refresh_inputs(
            &sections,
            *is_stored_reading,
            upgrade,
            OwnerState { incident, control },
            now,
            &self.issuer,
        );
        refresh_sections(&mut sections, inputs, &self.issuer);
        self.mcp.add_stored_scans(&mut sections.capabilities).await;
        metrics::counter!(super::ANSWERS_TOTAL, "from" => "kept").increment(u64::from(is_kept));
        let valid_until = valid_until(
            &ValidityBasis::of_sections(&sections),
            upgrade.map(PlannedUpgrade::at),
            now,
        );
        let observed_at = sections.freshness.observed_at;
        // If it fails, nothing can be sealed, but the stored answer may still be served.
        let build_logged = self.builds.ensure_logged().await;
        let answer = assemble_answer(sections, self.builds.code_or_unknown(), now, &self.issuer);
        let kept = stored.as_ref().zip(previous.as_deref());
        if let Some((stored, previous)) = kept
            && is_kept
            && self.is_as_made_now(previous)
            && states_the_same(previous, &answer, &self.issuer.brand)
        {
            return Ok(self.cache_stored(turn, stored, previous, now.plus_millis(RECHECK_MS)));
        }
        let predecessor = Predecessor {
            domain: turn.domain().clone(),
            answer: stored.as_ref().map(|stored| stored.sha256),
        };
        let at = now.whole_seconds();
        let revoked = revocations_by_answer(
            previous.as_deref(),
            &answer,
            withheld.as_ref(),
            unread_causes,
            at,
        );
        let withholds_the_same = revoked.withheld_actions.is_empty();
        let answer = Arc::new(answer);
        let extras = append_extras(previous.clone(), Arc::clone(&answer), revoked, at);
        let context = AnswerContext { predecessor: Some(predecessor), extras };
        let equal = previous.as_ref().filter(|_| places.is_some());
        let equal = equal.map(|previous| previous.equal_members(&answer)).unwrap_or_default();
        let members = stored.as_ref().zip(places.as_deref());
        let members = members.map(|(stored, places)| KeptMembers {
            bytes: &stored.bytes,
            places,
            names: &equal,
        });
        let sealed = match build_logged {
            Ok(()) => self.log.seal_answer_in_context(&answer, members.as_ref(), context).await,
            Err(error) => Err(error),
        };
        let sealed = match sealed {
            Ok(sealed) => sealed,
            Err(error) => {
                // Nothing can be sealed now. What is stored is signed and says when it was made; it is
                // served as long as it permits nothing that is no longer permitted.
                if !is_superseded(&error)
                    && withholds_the_same
                    && let Some((stored, previous)) = kept
                    && !is_stricter(previous, &answer)
                {
                    if self.is_signed_by_present_key(previous) {
                        tracing::warn!(%error, "an answer cannot be sealed; the stored one is served");
                        return Ok(self.cache_stored(turn, stored, previous, now));
                    }
                    if self.keys.names_compromised_key(&stored.bytes) {
                        tracing::warn!(%error, "an answer cannot be sealed; the stored one is signed again");
                        let observed_at = previous.freshness.observed_at;
                        return self.serve_resigned(stored.clone(), observed_at, now).await;
                    }
                }
                return Err(error.into());
            }
        };
        // Its key may have been reported as compromised while it was stored.
        if self.keys.names_compromised_key(&sealed.stored.bytes) {
            return self.serve_resigned(sealed.stored, observed_at, now).await;
        }
        let cached = Arc::new(CachedAnswer::new(&sealed.stored, observed_at, valid_until));
        self.resolve_state.cache.put(turn, Arc::clone(&cached), now);
        self.resolve_state.latest_parsed.put_sealed(sealed, answer, now);
        Ok(cached)
    }

    /// A stored answer with a new signature. It is not cached: the next request makes a new answer.
    async fn serve_resigned(
        &self,
        mut stored: StoredAnswer,
        observed_at: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<Arc<CachedAnswer>, ResolveError> {
        let unsigned = |error: ProofError| ResolveError::Seal(SealError::NotSigned(error));
        let resigned =
            self.keys.make_servable(vec![stored.bytes.into_bytes()]).await.map_err(unsigned)?;
        stored.bytes = resigned.into_iter().next().unwrap_or_default().into();
        let document = proof::canonical::parse_strict(&stored.bytes).map_err(unsigned)?;
        let digest = document.get("sha256").and_then(Value::as_str);
        let digest = digest.and_then(|digest| digest.parse().ok());
        stored.sha256 = digest.ok_or_else(|| {
            unsigned(ProofError::Document("a stored answer has no digest".to_owned()))
        })?;
        Ok(Arc::new(CachedAnswer::new(&stored, observed_at, now)))
    }

    /// Puts the latest answer into the cache until the given time, and returns it.
    pub(super) fn cache_stored(
        &self,
        turn: &DomainTurn,
        stored: &StoredAnswer,
        answer: &ResolveAnswer,
        valid_until: Timestamp,
    ) -> Arc<CachedAnswer> {
        metrics::counter!(super::ANSWERS_TOTAL, "from" => "stored").increment(1);
        let observed_at = answer.freshness.observed_at;
        let cached = Arc::new(CachedAnswer::new(stored, observed_at, valid_until));
        self.resolve_state.cache.put(turn, Arc::clone(&cached), self.clock.now());
        cached
    }
}

fn is_superseded(error: &SealError) -> bool {
    matches!(
        error,
        SealError::Superseded | SealError::NotStored(StoreError::AnswerSuperseded { .. })
    )
}

/// What a new reading does not show stays as in the previous answer until it is looked up. What is not
/// looked up in time stays.
fn carry_forward(sections: &mut Sections, previous: &ResolveAnswer) {
    sections.incident = previous.incident.clone();
    sections.high_risk_fields = previous.high_risk_fields.clone();
    sections.content_clock = previous.content_clock.clone();
    sections.control = previous.control.clone();
}
