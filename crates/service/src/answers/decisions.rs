//! Checks whether an issued receipt or answer is still valid, by its digest
//! (`/api/v1/decisions/{sha256}`).

mod mcp;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use contract::records::{
    Action, ActionCheck, Decision, DecisionCheck, DecisionLogPosition, DecisionReceipt,
    DecisionState, HeldDecision, ResolveAnswer, RevocationReason, RevokingEntry, SupersedingAnswer,
};
use contract::{Domain, Timestamp};
use judge::decide::held_state::{
    HeldDecisionFacts, describe_state, held_state, still_stands, worst_state,
};
use proof::{Digest, KeyPurpose, ProofError, SignedDocument};
use serde_json::Value;
use store::{ChangesQuery, StoreError, StoredAnswer, StoredDecision, StoredRevocation};

use crate::answers::Answers;
use crate::answers::revocations::LIST_VALID_MS;
use crate::answers::stored_receipt::decompress_receipt;

/// Changes examined at most to list the changed sections.
const MAX_CHANGES_EXAMINED: usize = 200;
/// How far ahead a caller's clock may be.
const MAX_CLOCK_SKEW_MS: i64 = 60_000;

/// A question about an issued receipt or answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionQuery {
    pub digest: Digest,
    /// The host of the site that wants to accept the receipt.
    pub host: Option<String>,
    /// Check only this action of an answer.
    pub action: Option<Action>,
    /// Check the state at this time instead of now.
    pub at: Option<Timestamp>,
}

/// The signed check.
#[derive(Debug, Clone)]
pub struct CheckedDecision {
    pub document: SignedDocument,
    /// Whether the decision is revoked, so that the check may be cached longer.
    pub revoked: bool,
}

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DecisionError {
    #[error(
        "no receipt or answer with this digest was issued here, or it is no longer stored; treat it as not valid"
    )]
    Unknown,
    #[error("it was issued after the given time")]
    NotIssuedYet,
    #[error("the given time is in the future")]
    FutureTime,
    #[error("the receipt is for another action")]
    ActionMismatch,
    #[error("a stored record cannot be parsed: {0}")]
    Unreadable(String),
    #[error("{0}")]
    Store(#[from] StoreError),
    #[error("{0}")]
    Signing(#[from] ProofError),
}

/// An issued receipt or answer.
struct IssuedDecision {
    digest: Digest,
    domain: Domain,
    issued_at: Timestamp,
    valid_until: Option<Timestamp>,
    /// Each action with its decision and the end of its validity.
    actions: Vec<(Action, Decision, Option<Timestamp>)>,
    receipt: Option<(Value, DecisionReceipt)>,
    /// The answer itself, or the answer that the receipt is based on; `None` if that is not stored.
    answer: Option<(StoredAnswer, ResolveAnswer)>,
    answer_sha256: Digest,
}

/// What was published about the domain since the decision was issued.
struct LaterPublications {
    newest: Option<(StoredAnswer, ResolveAnswer)>,
    entries: Vec<StoredRevocation>,
    changed_sections: Vec<String>,
}

impl Answers {
    /// Checks whether an issued decision is still valid.
    pub async fn check_decision(
        &self,
        query: DecisionQuery,
    ) -> Result<CheckedDecision, DecisionError> {
        let now = self.clock.now();
        let at = query.at.unwrap_or(now);
        if at > now.plus_millis(MAX_CLOCK_SKEW_MS) {
            return Err(DecisionError::FutureTime);
        }
        let Some(issued) = self.find_issued(query.digest).await? else {
            let record = self.check_mcp_record(&query, at, now).await?;
            return self.sign_check(&record.ok_or(DecisionError::Unknown)?);
        };
        if at.plus_millis(MAX_CLOCK_SKEW_MS) < issued.issued_at {
            return Err(DecisionError::NotIssuedYet);
        }
        let since = self.later_publications(&issued, query.at).await?;
        let record = self.build_check(&query, &issued, &since, at, now)?;
        self.sign_check(&record)
    }

    fn sign_check(&self, record: &DecisionCheck) -> Result<CheckedDecision, DecisionError> {
        let revoked = record.state == DecisionState::Revoked;
        let document = self.keys.sign_document(record, KeyPurpose::Documents)?;
        Ok(CheckedDecision { document, revoked })
    }

    /// The state of a decision that the caller of preflight already has.
    pub(crate) async fn held_decision(&self, sha256: &str) -> Result<HeldDecision, DecisionError> {
        let held = |state: DecisionState| HeldDecision {
            decision_sha256: sha256.to_owned(),
            stands: still_stands(&state),
            state,
        };
        let Ok(digest) = sha256.parse::<Digest>() else { return Ok(held(DecisionState::Unknown)) };
        let Some(issued) = self.find_issued(digest).await? else {
            return Ok(held(DecisionState::Unknown));
        };
        let now = self.clock.now();
        let since = self.later_publications(&issued, None).await?;
        let checks = check_actions(&issued, &since, None, now);
        let state = worst_state(checks.values().map(|check| &check.state));
        let all_stand = checks.values().all(|check| check.stands);
        let held = held(state.unwrap_or(DecisionState::Unknown));
        Ok(HeldDecision { stands: held.stands && all_stand, ..held })
    }

    async fn find_issued(&self, digest: Digest) -> Result<Option<IssuedDecision>, DecisionError> {
        if let Some(receipt) = self.store.decision(StoredDecision::lookup_of(&digest)).await? {
            return self.open_receipt(digest, receipt).await.map(Some);
        }
        let Some(stored) = self.store.answer(digest).await? else { return Ok(None) };
        let answer = parse_answer(&stored)?;
        let observed_at = answer.freshness.observed_at;
        let of = &answer.actions;
        let end = |hours: u32| observed_at.map(|at| at.plus_millis(i64::from(hours) * 3_600_000));
        let actions = vec![
            (Action::Read, of.read.decision.clone(), end(of.read.max_age_hours)),
            (Action::Cite, of.cite.decision.clone(), end(of.cite.max_age_hours)),
            (Action::Connect, of.connect.decision.clone(), end(of.connect.max_age_hours)),
            (Action::Transact, of.transact.decision.clone(), end(of.transact.max_age_hours)),
            (Action::Administer, of.administer.decision.clone(), end(of.administer.max_age_hours)),
        ];
        Ok(Some(IssuedDecision {
            digest,
            domain: stored.domain.clone(),
            issued_at: answer.answered_at,
            valid_until: answer.freshness.fresh_until,
            actions,
            receipt: None,
            answer_sha256: digest,
            answer: Some((stored, answer)),
        }))
    }

    async fn open_receipt(
        &self,
        digest: Digest,
        stored: StoredDecision,
    ) -> Result<IssuedDecision, DecisionError> {
        let unreadable =
            |why: String| DecisionError::Unreadable(format!("receipt {digest}: {why}"));
        let packed = proof::envelope::decrypt(&digest, &stored.sealed)?;
        let bytes = decompress_receipt(packed).map_err(unreadable)?;
        let value: Value =
            serde_json::from_slice(&bytes).map_err(|error| unreadable(error.to_string()))?;
        // As it was issued: the revocation of its key must be found.
        let receipt = serde_json::from_value::<DecisionReceipt>(value.clone())
            .map_err(|error| unreadable(error.to_string()))?;
        let shown = self.keys.resign_if_compromised(bytes)?;
        let value: Value =
            serde_json::from_slice(&shown).map_err(|error| unreadable(error.to_string()))?;
        let answer = match self.store.answer(stored.answer_sha256).await? {
            Some(answer) => {
                let parsed = parse_answer(&answer)?;
                Some((answer, parsed))
            }
            None => None,
        };
        let end = Some(receipt.expires_at);
        Ok(IssuedDecision {
            digest,
            domain: stored.domain,
            issued_at: receipt.decided_at,
            valid_until: end,
            actions: vec![(receipt.action.clone(), receipt.decision.clone(), end)],
            receipt: Some((value, receipt)),
            answer,
            answer_sha256: stored.answer_sha256,
        })
    }

    /// What was published since the decision, up to a time in the past if one is given. Without one,
    /// everything counts, whatever its time: a clock may have run ahead.
    async fn later_publications(
        &self,
        issued: &IssuedDecision,
        until: Option<Timestamp>,
    ) -> Result<LaterPublications, DecisionError> {
        let is_before_end = |at: Timestamp| until.is_none_or(|until| at <= until);
        let newest = self.store.latest_answer(&issued.domain).await?;
        let newest = newest.filter(|newest| newest.sha256 != issued.answer_sha256);
        let answered_at = issued.answer.as_ref().map(|(_, answer)| answer.answered_at);
        // Only the latest answer is loaded. If it is later than `until`, only the revocation entries show
        // what was published before.
        let newest = newest.filter(|newest| is_before_end(newest.answered_at));
        let newest = match newest {
            None => None,
            Some(stored) => {
                let answer = parse_answer(&stored)?;
                Some((stored, answer))
            }
        };
        let mut entries = Vec::new();
        for (kind, id) in revocation_targets(issued) {
            entries.extend(self.store.revocations_of(kind, &id).await?);
        }
        entries.retain(|stored| is_before_end(stored.entry.at));
        entries.sort_by_key(|stored| stored.seq);
        let query = ChangesQuery {
            domain: Some(issued.domain.clone()),
            since: Some(answered_at.unwrap_or(issued.issued_at).plus_millis(1)),
            limit: MAX_CHANGES_EXAMINED,
            ..ChangesQuery::default()
        };
        let changes = if newest.is_some() { self.store.changes(query).await? } else { Vec::new() };
        let mut changed_sections: Vec<String> = changes
            .into_iter()
            .filter(|change| is_before_end(change.at))
            .map(|change| change.section)
            .collect();
        changed_sections.sort_unstable();
        changed_sections.dedup();
        Ok(LaterPublications { newest, entries, changed_sections })
    }

    fn build_check(
        &self,
        query: &DecisionQuery,
        issued: &IssuedDecision,
        since: &LaterPublications,
        at: Timestamp,
        now: Timestamp,
    ) -> Result<DecisionCheck, DecisionError> {
        let actions = check_actions(issued, since, query.action.as_ref(), at);
        let state = worst_state(actions.values().map(|check| &check.state))
            .ok_or(DecisionError::ActionMismatch)?;
        let all_stand = actions.values().all(|check| check.stands);
        let (accept, reason) = self.check_acceptance(query, issued, &state, all_stand);
        let (brand, base_url) = (&self.issuer.brand, &self.issuer.base_url);
        let of_kind = if issued.receipt.is_some() { "decision" } else { "resolve" };
        let means = if all_stand || !still_stands(&state) {
            describe_state(&state)
        } else {
            "There is a newer answer, and the crawl policy of the site has changed. Run preflight again for this path."
        };
        let revoked = issued
            .actions
            .iter()
            .find_map(|(action, ..)| active_revocation(issued, since, action, at));
        Ok(DecisionCheck {
            kind: brand.kind("decision-check"),
            v: 1,
            schema: contract::schema::schema_url("decision-check", brand, base_url),
            checked_at: now,
            accept,
            reason,
            receipt: issued.receipt.as_ref().map(|(value, _)| value.clone()),
            decision_sha256: issued.digest.to_hex(),
            of_kind: brand.kind(of_kind),
            domain: issued.domain.clone(),
            issued_at: issued.issued_at,
            stands: still_stands(&state) && all_stand,
            means: means.to_owned(),
            state,
            actions,
            valid_until: issued.valid_until,
            superseded_by: since.newest.as_ref().map(|(newest, _)| SupersedingAnswer {
                answer_sha256: newest.sha256.to_hex(),
                at: newest.answered_at,
                address: format!("{base_url}/api/v1/resolve?domain={}", newest.domain),
            }),
            revoked: revoked.map(to_revoking_entry),
            changed_sections: since.changed_sections.clone(),
            log: self.log_position(issued),
            this_update: now,
            next_update: now.plus_millis(LIST_VALID_MS),
            sha256: None,
            signature: None,
        })
    }

    /// Whether a site may accept the receipt, and why.
    fn check_acceptance(
        &self,
        query: &DecisionQuery,
        issued: &IssuedDecision,
        state: &DecisionState,
        all_stand: bool,
    ) -> (bool, String) {
        let refuse = |why: &str| (false, why.to_owned());
        let Some((_, receipt)) = &issued.receipt else {
            return refuse("This is an answer about a domain, not a decision receipt.");
        };
        let Some(host) = &query.host else {
            return refuse(
                "Give your host name in `host`. A receipt is valid for one domain only.",
            );
        };
        match self.scanner.parse_domain(host) {
            Ok(domain) if domain == issued.domain => {}
            _ => return (false, format!("The receipt is for {}.", issued.domain)),
        }
        if !matches!(receipt.decision, Decision::Allow | Decision::Warn) {
            return (false, format!("The decision is {}.", receipt.decision));
        }
        if !still_stands(state) || !all_stand {
            return refuse(describe_state(state));
        }
        (true, format!("The receipt was issued for {} and is valid.", issued.domain))
    }

    fn log_position(&self, issued: &IssuedDecision) -> DecisionLogPosition {
        let position = issued.answer.as_ref();
        let position = position.and_then(|(_, answer)| answer.transparency.as_ref());
        // An answer may be removed before the receipts that are based on it. They name its leaf.
        let receipt = issued.receipt.as_ref().filter(|_| issued.answer.is_none());
        let named = receipt.map(|(_, receipt)| &receipt.answer.transparency);
        let batch = position.map(|position| position.batch).or_else(|| named?.batch);
        let leaf_hash = position.map(|position| position.leaf_hash.clone());
        let base_url = &self.issuer.base_url;
        DecisionLogPosition {
            state: if batch.is_some() { "included" } else { "not_logged" }.to_owned(),
            batch,
            index: position.map(|position| position.index),
            leaf_hash: leaf_hash.or_else(|| named?.leaf_hash.clone()),
            sth: batch.map(|batch| format!("{base_url}/api/v1/log/sth/{batch}")),
        }
    }
}

fn parse_answer(stored: &StoredAnswer) -> Result<ResolveAnswer, DecisionError> {
    serde_json::from_slice(&stored.bytes)
        .map_err(|error| DecisionError::Unreadable(format!("answer {}: {error}", stored.sha256)))
}

/// All targets whose revocation would affect this decision: kind and id.
fn revocation_targets(issued: &IssuedDecision) -> Vec<(&'static str, String)> {
    let mut targets = vec![("answer", issued.answer_sha256.to_hex())];
    if let Some((_, receipt)) = &issued.receipt {
        targets.push(("decision", issued.digest.to_hex()));
        targets.extend(receipt.signature.as_ref().map(|signature| ("key", signature.kid.clone())));
        targets.push(("build", receipt.rules.version_id.clone()));
    }
    if let Some((_, answer)) = &issued.answer {
        targets.extend(answer.signature.as_ref().map(|signature| ("key", signature.kid.clone())));
        targets.push(("build", answer.code.version_id.clone()));
    }
    // The domain and its parent domains.
    let mut name = issued.domain.as_str();
    while name.contains('.') {
        targets.push(("domain", name.to_owned()));
        name = name.split_once('.').map_or("", |(_, parent)| parent);
    }
    targets.sort();
    targets.dedup();
    targets
}

fn covers_action(revocation: &StoredRevocation, action: &Action) -> bool {
    let actions = &revocation.entry.actions;
    actions.is_empty() || actions.iter().any(|word| word == action.as_str())
}

/// The newest entry that revokes this action and was not followed by a reinstatement.
fn active_revocation<'a>(
    issued: &IssuedDecision,
    since: &'a LaterPublications,
    action: &Action,
    at: Timestamp,
) -> Option<&'a StoredRevocation> {
    let mut by_target: BTreeMap<(&str, &str), &StoredRevocation> = BTreeMap::new();
    for revocation in since.entries.iter().filter(|revocation| covers_action(revocation, action)) {
        let entry = &revocation.entry;
        let target = (entry.target_kind.as_str(), entry.target_id.as_str());
        // A key or build that is revoked from a time on stays valid for what it signed before.
        let applies = match target.0 {
            "key" | "build" => entry.effective_from <= issued.issued_at,
            _ => entry.effective_from <= at,
        };
        match entry.kind.as_str() {
            "revoked" | "suspended" if applies => drop(by_target.insert(target, revocation)),
            "reinstated" => drop(by_target.remove(&target)),
            _ => {}
        }
    }
    by_target.into_values().max_by_key(|revocation| revocation.seq)
}

fn to_revoking_entry(revocation: &StoredRevocation) -> RevokingEntry {
    let entry = &revocation.entry;
    RevokingEntry {
        at: entry.at,
        effective_from: entry.effective_from,
        reason: RevocationReason::from_word(&entry.reason).unwrap_or(RevocationReason::Unspecified),
        entry_seq: revocation.seq,
        why: entry.why.clone(),
    }
}

/// The state of each action.
fn check_actions(
    issued: &IssuedDecision,
    since: &LaterPublications,
    only: Option<&Action>,
    at: Timestamp,
) -> BTreeMap<String, ActionCheck> {
    // A receipt for a path depends on the robots.txt of its time; the newest answer covers only the
    // whole site. So a changed crawl policy invalidates it.
    let is_for_path =
        issued.receipt.as_ref().is_some_and(|(_, receipt)| receipt.subject.path.is_some());
    let policy_changed = since.changed_sections.iter().any(|section| section == "crawl_policy");
    let is_requested = |action: &Action| only.is_none_or(|only| only == action);
    let actions = issued.actions.iter().filter(|(action, ..)| is_requested(action));
    actions
        .map(|(action, then, end)| {
            let newest = since.newest.as_ref().map(|(_, answer)| decision_for(answer, action));
            let tightened = since.entries.iter().any(|revocation| {
                revocation.entry.kind == "tightened"
                    && revocation.entry.target_id == issued.answer_sha256.to_hex()
                    && covers_action(revocation, action)
            });
            let state = held_state(HeldDecisionFacts {
                earlier: then,
                newest,
                revoked: active_revocation(issued, since, action, at).is_some(),
                tightened,
                expired: end.is_none_or(|end| at > end),
                is_receipt: issued.receipt.is_some(),
            });
            let stands = still_stands(&state) && !(is_for_path && policy_changed);
            let now = newest.unwrap_or(then).clone();
            (action.to_string(), ActionCheck { then: then.clone(), now, state, stands })
        })
        .collect()
}

fn decision_for<'a>(answer: &'a ResolveAnswer, action: &Action) -> &'a Decision {
    let of = &answer.actions;
    match action {
        Action::Read => &of.read.decision,
        Action::Cite => &of.cite.decision,
        Action::Connect => &of.connect.decision,
        Action::Transact => &of.transact.decision,
        Action::Administer | Action::Unrecognised(_) => &of.administer.decision,
    }
}
