//! The staple of a domain: its decisions in one signed line, made from an answer.

use contract::records::{
    Decision, ResolveAnswer, StapleAnswer, StapleDecisions, StapleRecord, StapleTxt,
};
use contract::{Domain, Timestamp};
use judge::decide::stricter;
use proof::staple::{Staple, txt};
use proof::{KeyPurpose, ProofError, SignedDocument};
use store::StoreError;

use crate::Service;

/// A line is good for at most this long: nobody can be asked whether it was taken back.
const LIFE_MILLIS: i64 = 24 * 3600 * 1000;

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StapleError {
    #[error("there is no answer about {0} that is fresh; resolve the domain first")]
    NoAnswer(Domain),
    #[error("the answer about {0} cannot be read: {1}")]
    Unreadable(Domain, String),
    #[error("{0}")]
    Store(#[from] StoreError),
    #[error("{0}")]
    Signing(#[from] ProofError),
}

impl Service {
    /// The staple of a domain, from its newest answer.
    pub async fn staple(&self, domain: &Domain) -> Result<SignedDocument, StapleError> {
        let kept = self.store.latest_answer(domain).await?;
        let kept = kept.ok_or_else(|| StapleError::NoAnswer(domain.clone()))?;
        let answer: ResolveAnswer = serde_json::from_slice(&kept.bytes)
            .map_err(|error| StapleError::Unreadable(domain.clone(), error.to_string()))?;
        let now = self.clock.now();
        let staple = stapled(&answer, now).ok_or_else(|| StapleError::NoAnswer(domain.clone()))?;
        let key = self.signer().key(KeyPurpose::Documents)?;
        let (brand, base_url) = (&self.settings.brand, &self.settings.base_url);
        let line = staple.sign(&key, brand)?;
        // A name has no port.
        let host = url::Url::parse(base_url).ok();
        let host = host.as_ref().and_then(url::Url::host_str).unwrap_or_default();
        let record = StapleRecord {
            kind: brand.kind("staple"),
            v: 1,
            schema: contract::schema::address("staple", brand, base_url),
            domain: domain.clone(),
            made_at: now,
            txt: StapleTxt { name: format!("{domain}._v.{host}"), value: txt(&line) },
            staple: line,
            header: brand.header("Staple"),
            decisions: StapleDecisions {
                read: staple.read,
                cite: staple.cite,
                connect: staple.connect,
                transact: staple.transact,
            },
            fresh_until: staple.fresh_until,
            reading: "The line holds until `fresh_until` and cannot be taken back before. Where the \
                      evidence for an action is too old before then, its decision is at best `warn` \
                      for reading and citing and `require_confirmation` for the rest."
                .to_owned(),
            answer: StapleAnswer {
                answer_sha256: kept.sha256.to_hex(),
                address: format!("{base_url}/api/v1/resolve?domain={domain}"),
            },
            sha256: None,
            signature: None,
        };
        Ok(self.sign_document(&record, KeyPurpose::Documents)?)
    }

    /// The line for the header of an answer, where one can be made.
    #[must_use]
    pub fn staple_line(&self, answer: &ResolveAnswer) -> Option<String> {
        let staple = stapled(answer, self.clock.now())?;
        let key = self.signer().key(KeyPurpose::Documents).ok()?;
        staple.sign(&key, &self.settings.brand).ok()
    }
}

/// What can be said for a whole day, or for as long as the answer is fresh; nothing where it is not.
fn stapled(answer: &ResolveAnswer, now: Timestamp) -> Option<Staple> {
    let observed_at = answer.freshness.observed_at?;
    let fresh_until = answer.freshness.fresh_until?.min(now.plus_millis(LIFE_MILLIS));
    // Whole seconds, and never later.
    let fresh_until = fresh_until.whole_seconds();
    if fresh_until <= now {
        return None;
    }
    let held = |decision: &Decision, hours: u32, at_best: Decision| {
        let end = observed_at.plus_millis(i64::from(hours) * 3_600_000);
        if end < fresh_until { stricter(decision, &at_best) } else { decision.clone() }
    };
    let of = &answer.actions;
    let confirm = Decision::RequireConfirmation;
    Some(Staple {
        domain: answer.domain.clone(),
        read: held(&of.read.decision, of.read.max_age_hours, Decision::Warn),
        cite: held(&of.cite.decision, of.cite.max_age_hours, Decision::Warn),
        connect: held(&of.connect.decision, of.connect.max_age_hours, confirm.clone()),
        transact: held(&of.transact.decision, of.transact.max_age_hours, confirm),
        fresh_until,
    })
}

#[cfg(test)]
mod tests {
    use contract::records::ResolveAnswer;

    use super::*;
    use crate::testing::{example_answer, now};

    const HOUR: i64 = 3_600_000;

    fn observed(hours_ago: i64) -> ResolveAnswer {
        let mut answer = example_answer();
        let at = now().plus_millis(-hours_ago * HOUR);
        answer.freshness.observed_at = Some(at);
        answer.freshness.fresh_until = Some(at.plus_millis(168 * HOUR));
        answer.actions.read.decision = Decision::Allow;
        answer.actions.connect.decision = Decision::Allow;
        answer.actions.transact.decision = Decision::Allow;
        answer
    }

    #[test]
    fn nothing_is_said_for_longer_than_its_evidence_holds() {
        let young = stapled(&observed(0), now()).unwrap();
        assert_eq!(young.fresh_until, now().plus_millis(24 * HOUR).whole_seconds());
        assert_eq!((young.read, young.transact), (Decision::Allow, Decision::Allow));
        // The evidence for a transaction is too old within the day.
        let older = stapled(&observed(2), now()).unwrap();
        assert_eq!((older.read, older.connect), (Decision::Allow, Decision::Allow));
        assert_eq!(older.transact, Decision::RequireConfirmation);
        let old = stapled(&observed(60), now()).unwrap();
        assert_eq!(old.connect, Decision::RequireConfirmation);
        // It ends with the answer.
        let ending = stapled(&observed(167), now()).unwrap();
        assert_eq!(ending.fresh_until, now().plus_millis(HOUR).whole_seconds());
        assert_eq!(stapled(&observed(168), now()), None);
        let mut unseen = observed(0);
        unseen.freshness.observed_at = None;
        assert_eq!(stapled(&unseen, now()), None);
    }
}
