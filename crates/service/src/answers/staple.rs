//! The staple of a domain: the decisions of its newest answer in one signed line.

use contract::records::{
    Decision, ResolveAnswer, StapleAnswer, StapleDecisions, StapleRecord, StapleTxt,
};
use contract::{Domain, Timestamp};
use judge::decide::stricter;
use proof::staple::{Staple, to_txt_record};
use proof::{KeyPurpose, ProofError, SignedDocument};
use store::StoreError;

use crate::answers::Answers;

/// A staple is valid for at most this long, because it is checked offline and cannot be revoked.
const MAX_LIFETIME_MS: i64 = 24 * 3600 * 1000;

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StapleError {
    #[error("no fresh answer about {0} is stored; resolve the domain first")]
    NoAnswer(Domain),
    #[error("the stored answer about {0} cannot be parsed: {1}")]
    Unreadable(Domain, String),
    #[error("{0}")]
    Store(#[from] StoreError),
    #[error("{0}")]
    Signing(#[from] ProofError),
}

impl Answers {
    /// The signed staple record of a domain, from its newest answer.
    pub async fn staple(&self, domain: &Domain) -> Result<SignedDocument, StapleError> {
        let stored = self.store.latest_answer(domain).await?;
        let stored = stored.ok_or_else(|| StapleError::NoAnswer(domain.clone()))?;
        let answer: ResolveAnswer = serde_json::from_slice(&stored.bytes)
            .map_err(|error| StapleError::Unreadable(domain.clone(), error.to_string()))?;
        let now = self.clock.now();
        let staple =
            build_staple(&answer, now).ok_or_else(|| StapleError::NoAnswer(domain.clone()))?;
        let key = self.keys.signing_key(KeyPurpose::Documents)?;
        let (brand, base_url) = (&self.issuer.brand, &self.issuer.base_url);
        let line = staple.sign(&key, brand)?;
        // The DNS name of the TXT record has no port.
        let host = url::Url::parse(base_url).ok();
        let host = host.as_ref().and_then(url::Url::host_str).unwrap_or_default();
        let record = StapleRecord {
            kind: brand.kind("staple"),
            v: 1,
            schema: contract::schema::schema_url("staple", brand, base_url),
            domain: domain.clone(),
            made_at: now,
            txt: StapleTxt { name: format!("{domain}._v.{host}"), value: to_txt_record(&line) },
            staple: line,
            header: brand.header("Staple"),
            decisions: StapleDecisions {
                read: staple.read,
                cite: staple.cite,
                connect: staple.connect,
                transact: staple.transact,
            },
            fresh_until: staple.fresh_until,
            reading: "The staple is valid until `fresh_until` and cannot be revoked before then. If the \
                      evidence for an action becomes too old before that time, the decision is at best \
                      `warn` for `read` and `cite`, and `require_confirmation` for the other actions."
                .to_owned(),
            answer: StapleAnswer {
                answer_sha256: stored.sha256.to_hex(),
                address: format!("{base_url}/api/v1/resolve?domain={domain}"),
            },
            sha256: None,
            signature: None,
        };
        Ok(self.keys.sign_document(&record, KeyPurpose::Documents)?)
    }

    /// The staple for the response header of an answer; `None` if the answer is not fresh.
    #[must_use]
    pub fn staple_line(&self, answer: &ResolveAnswer) -> Option<String> {
        let staple = build_staple(answer, self.clock.now())?;
        let key = self.keys.signing_key(KeyPurpose::Documents).ok()?;
        staple.sign(&key, &self.issuer.brand).ok()
    }
}

/// Decisions that are valid for a day, or while the answer is fresh if that is shorter. `None` if the
/// answer is not fresh.
fn build_staple(answer: &ResolveAnswer, now: Timestamp) -> Option<Staple> {
    let observed_at = answer.freshness.observed_at?;
    let fresh_until = answer.freshness.fresh_until?.min(now.plus_millis(MAX_LIFETIME_MS));
    // Rounded down to whole seconds.
    let fresh_until = fresh_until.whole_seconds();
    if fresh_until <= now {
        return None;
    }
    let limited = |decision: &Decision, hours: u32, at_best: Decision| {
        let end = observed_at.plus_millis(i64::from(hours) * 3_600_000);
        if end < fresh_until { stricter(decision, &at_best) } else { decision.clone() }
    };
    let actions = &answer.actions;
    let confirm = Decision::RequireConfirmation;
    Some(Staple {
        domain: answer.domain.clone(),
        read: limited(&actions.read.decision, actions.read.max_age_hours, Decision::Warn),
        cite: limited(&actions.cite.decision, actions.cite.max_age_hours, Decision::Warn),
        connect: limited(&actions.connect.decision, actions.connect.max_age_hours, confirm.clone()),
        transact: limited(&actions.transact.decision, actions.transact.max_age_hours, confirm),
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
    fn a_decision_is_not_valid_longer_than_its_evidence() {
        let young = build_staple(&observed(0), now()).unwrap();
        assert_eq!(young.fresh_until, now().plus_millis(24 * HOUR).whole_seconds());
        assert_eq!((young.read, young.transact), (Decision::Allow, Decision::Allow));
        // The evidence for `transact` becomes too old within the day.
        let older = build_staple(&observed(2), now()).unwrap();
        assert_eq!((older.read, older.connect), (Decision::Allow, Decision::Allow));
        assert_eq!(older.transact, Decision::RequireConfirmation);
        let old = build_staple(&observed(60), now()).unwrap();
        assert_eq!(old.connect, Decision::RequireConfirmation);
        // The staple expires with the answer.
        let ending = build_staple(&observed(167), now()).unwrap();
        assert_eq!(ending.fresh_until, now().plus_millis(HOUR).whole_seconds());
        assert_eq!(build_staple(&observed(168), now()), None);
        let mut unseen = observed(0);
        unseen.freshness.observed_at = None;
        assert_eq!(build_staple(&unseen, now()), None);
    }
}
