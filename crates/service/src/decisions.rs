//! Whether a decision still stands: a receipt, or an answer, by its digest.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use contract::records::{
    Action, ActionCheck, Decision, DecisionCheck, DecisionLog, DecisionReceipt, HeldDecision,
    HeldState, ResolveAnswer, RevocationReason, RevokedBy, SupersededBy,
};
use contract::{Domain, Timestamp};
use judge::decide::standing::{Look, means, standing, stands, together};
use proof::{Digest, KeyPurpose, ProofError, SignedDocument};
use serde_json::Value;
use store::{ChangesAsk, KeptAnswer, KeptDecision, KeptRevocation, StoreError};

use crate::Service;
use crate::revocations::GOOD_MILLIS;

/// How long after its end a receipt is kept.
const KEPT_AFTER_MILLIS: i64 = 30 * 24 * 3600 * 1000;
/// Changes that are looked through for the sections they are in.
const CHANGES: usize = 200;
/// How far a caller's clock may be ahead.
const SKEW_MILLIS: i64 = 60_000;

/// What is asked about a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionAsk {
    pub digest: Digest,
    /// Of the site that wants to accept a receipt.
    pub host: Option<String>,
    /// Only this one of an answer's actions.
    pub action: Option<Action>,
    /// As things stood then.
    pub at: Option<Timestamp>,
}

/// The signed answer.
#[derive(Debug, Clone)]
pub struct DecisionChecked {
    pub document: SignedDocument,
    /// Taken back: that will not change soon.
    pub revoked: bool,
}

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DecisionError {
    #[error(
        "nothing with this digest was issued here, or it is no longer kept: treat it as not standing"
    )]
    Unknown,
    #[error("it was not issued yet at that time")]
    NotIssuedYet,
    #[error("a time that has not come yet")]
    NotYet,
    #[error("the receipt is not about this action")]
    OtherAction,
    #[error("what is kept cannot be read: {0}")]
    Unreadable(String),
    #[error("{0}")]
    Store(#[from] StoreError),
    #[error("{0}")]
    Signing(#[from] ProofError),
}

/// What was given out, as far as it bears on whether it stands.
struct Issued {
    digest: Digest,
    domain: Domain,
    issued_at: Timestamp,
    valid_until: Option<Timestamp>,
    /// With the end of each.
    actions: Vec<(Action, Decision, Option<Timestamp>)>,
    receipt: Option<(Value, DecisionReceipt)>,
    /// The answer that it is, or rests on; nothing where that is not kept.
    answer: Option<(KeptAnswer, ResolveAnswer)>,
    answer_sha256: Digest,
}

/// Everything that was said since.
struct Since {
    newest: Option<(KeptAnswer, ResolveAnswer)>,
    entries: Vec<KeptRevocation>,
    changed_sections: Vec<String>,
}

impl Service {
    /// Says whether something that was decided still stands.
    pub async fn check_decision(&self, ask: DecisionAsk) -> Result<DecisionChecked, DecisionError> {
        let now = self.clock.now();
        let moment = ask.at.unwrap_or(now);
        if moment > now.plus_millis(SKEW_MILLIS) {
            return Err(DecisionError::NotYet);
        }
        let issued = self.issued(ask.digest).await?.ok_or(DecisionError::Unknown)?;
        if moment.plus_millis(SKEW_MILLIS) < issued.issued_at {
            return Err(DecisionError::NotIssuedYet);
        }
        let since = self.since(&issued, moment).await?;
        let record = self.decision_told(&ask, &issued, &since, moment, now)?;
        let revoked = record.state == HeldState::Revoked;
        let document = self.sign_document(&record, KeyPurpose::Documents)?;
        Ok(DecisionChecked { document, revoked })
    }

    /// What became of a decision that a caller holds, for a receipt.
    pub(crate) async fn held_decision(&self, sha256: &str) -> Result<HeldDecision, DecisionError> {
        let held = |state: HeldState| HeldDecision {
            decision_sha256: sha256.to_owned(),
            stands: stands(&state),
            state,
        };
        let Ok(digest) = sha256.parse::<Digest>() else { return Ok(held(HeldState::Unknown)) };
        let Some(issued) = self.issued(digest).await? else { return Ok(held(HeldState::Unknown)) };
        let now = self.clock.now();
        let since = self.since(&issued, now).await?;
        let checks = checks(&issued, &since, None, now);
        let state = together(checks.values().map(|check| &check.state));
        let all_stand = checks.values().all(|check| check.stands);
        let held = held(state.unwrap_or(HeldState::Unknown));
        Ok(HeldDecision { stands: held.stands && all_stand, ..held })
    }

    /// Removes receipts that ended long ago.
    pub async fn forget_decisions(&self) {
        let before = self.clock.now().plus_millis(-KEPT_AFTER_MILLIS);
        match self.store.forget_decisions(before).await {
            Ok(0) => {}
            Ok(forgotten) => tracing::info!(forgotten, "receipts past their time removed"),
            Err(error) => tracing::error!(%error, "receipts could not be removed"),
        }
    }

    async fn issued(&self, digest: Digest) -> Result<Option<Issued>, DecisionError> {
        if let Some(kept) = self.store.decision(KeptDecision::lookup_of(&digest)).await? {
            return self.issued_receipt(digest, kept).await.map(Some);
        }
        let Some(kept) = self.store.answer(digest).await? else { return Ok(None) };
        let answer = read_answer(&kept)?;
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
        Ok(Some(Issued {
            digest,
            domain: kept.domain.clone(),
            issued_at: answer.answered_at,
            valid_until: answer.freshness.fresh_until,
            actions,
            receipt: None,
            answer_sha256: digest,
            answer: Some((kept, answer)),
        }))
    }

    async fn issued_receipt(
        &self,
        digest: Digest,
        kept: KeptDecision,
    ) -> Result<Issued, DecisionError> {
        let unreadable =
            |why: String| DecisionError::Unreadable(format!("receipt {digest}: {why}"));
        let bytes = proof::envelope::open(&digest, &kept.sealed)?;
        let value: Value =
            serde_json::from_slice(&bytes).map_err(|error| unreadable(error.to_string()))?;
        let receipt = serde_json::from_value::<DecisionReceipt>(value.clone())
            .map_err(|error| unreadable(error.to_string()))?;
        let answer = match self.store.answer(kept.answer_sha256).await? {
            Some(answer) => {
                let read = read_answer(&answer)?;
                Some((answer, read))
            }
            None => None,
        };
        let end = Some(receipt.expires_at);
        Ok(Issued {
            digest,
            domain: kept.domain,
            issued_at: receipt.decided_at,
            valid_until: end,
            actions: vec![(receipt.action.clone(), receipt.decision.clone(), end)],
            receipt: Some((value, receipt)),
            answer,
            answer_sha256: kept.answer_sha256,
        })
    }

    /// What was said up to a moment.
    async fn since(&self, issued: &Issued, moment: Timestamp) -> Result<Since, DecisionError> {
        let newest = self.store.latest_answer(&issued.domain).await?;
        // Of an earlier moment only the entries tell what was newer then.
        let newest = newest.filter(|newest| newest.sha256 != issued.answer_sha256);
        let answered_at = issued.answer.as_ref().map(|(_, answer)| answer.answered_at);
        let newest = newest.filter(|newest| {
            newest.answered_at <= moment && answered_at.is_none_or(|at| newest.answered_at >= at)
        });
        let newest = match newest {
            None => None,
            Some(kept) => {
                let answer = read_answer(&kept)?;
                Some((kept, answer))
            }
        };
        let mut entries = Vec::new();
        for (kind, id) in targets(issued) {
            entries.extend(self.store.revocations_of(kind, &id).await?);
        }
        entries.retain(|kept| kept.entry.at <= moment);
        entries.sort_by_key(|kept| kept.seq);
        let ask = ChangesAsk {
            domain: Some(issued.domain.clone()),
            since: answered_at.map(|at| at.plus_millis(1)),
            limit: CHANGES,
            ..ChangesAsk::default()
        };
        let changes = if newest.is_some() { self.store.changes(ask).await? } else { Vec::new() };
        let mut changed_sections: Vec<String> = changes
            .into_iter()
            .filter(|change| change.at <= moment)
            .map(|change| change.section)
            .collect();
        changed_sections.sort_unstable();
        changed_sections.dedup();
        Ok(Since { newest, entries, changed_sections })
    }

    fn decision_told(
        &self,
        ask: &DecisionAsk,
        issued: &Issued,
        since: &Since,
        moment: Timestamp,
        now: Timestamp,
    ) -> Result<DecisionCheck, DecisionError> {
        let actions = checks(issued, since, ask.action.as_ref(), moment);
        let state = together(actions.values().map(|check| &check.state))
            .ok_or(DecisionError::OtherAction)?;
        let all_stand = actions.values().all(|check| check.stands);
        let (accept, reason) = self.accepted(ask, issued, &state, all_stand);
        let (brand, base_url) = (&self.settings.brand, &self.settings.base_url);
        let of_kind = if issued.receipt.is_some() { "decision" } else { "resolve" };
        let means = if all_stand || !stands(&state) {
            means(&state)
        } else {
            "There is a newer answer, and the site's policy has changed since: ask again for the path."
        };
        let revoked = issued
            .actions
            .iter()
            .find_map(|(action, ..)| taken_back(issued, since, action, moment));
        Ok(DecisionCheck {
            kind: brand.kind("decision-check"),
            v: 1,
            schema: contract::schema::address("decision-check", brand, base_url),
            checked_at: now,
            accept,
            reason,
            receipt: issued.receipt.as_ref().map(|(value, _)| value.clone()),
            decision_sha256: issued.digest.to_hex(),
            of_kind: brand.kind(of_kind),
            domain: issued.domain.clone(),
            issued_at: issued.issued_at,
            stands: stands(&state) && all_stand,
            means: means.to_owned(),
            state,
            actions,
            valid_until: issued.valid_until,
            superseded_by: since.newest.as_ref().map(|(kept, _)| SupersededBy {
                answer_sha256: kept.sha256.to_hex(),
                at: kept.answered_at,
                address: format!("{base_url}/api/v1/resolve?domain={}", kept.domain),
            }),
            revoked: revoked.map(revoked_by),
            changed_sections: since.changed_sections.clone(),
            log: self.logged(issued),
            this_update: now,
            next_update: now.plus_millis(GOOD_MILLIS),
            sha256: None,
            signature: None,
        })
    }

    /// Whether a site may let a request in on it.
    fn accepted(
        &self,
        ask: &DecisionAsk,
        issued: &Issued,
        state: &HeldState,
        all_stand: bool,
    ) -> (bool, String) {
        let no = |why: &str| (false, why.to_owned());
        let Some((_, receipt)) = &issued.receipt else {
            return no("This is an answer about a domain, and no receipt of a decision.");
        };
        let Some(host) = &ask.host else {
            return no("Name your host in `host`: a receipt is good for one domain only.");
        };
        match self.domain(host) {
            Ok(domain) if domain == issued.domain => {}
            _ => return (false, format!("The receipt is for {}.", issued.domain)),
        }
        if !matches!(receipt.decision, Decision::Allow | Decision::Warn) {
            return (false, format!("The decision is {}.", receipt.decision));
        }
        if !stands(state) || !all_stand {
            return no(means(state));
        }
        (true, format!("We issued it for {}, and it stands.", issued.domain))
    }

    fn logged(&self, issued: &Issued) -> DecisionLog {
        let place = issued.answer.as_ref().and_then(|(_, answer)| answer.transparency.as_ref());
        let base_url = &self.settings.base_url;
        DecisionLog {
            state: if place.is_some() { "included" } else { "not_logged" }.to_owned(),
            batch: place.map(|place| place.batch),
            index: place.map(|place| place.index),
            leaf_hash: place.map(|place| place.leaf_hash.clone()),
            sth: place.map(|place| format!("{base_url}/api/v1/log/sth/{}", place.batch)),
        }
    }
}

fn read_answer(kept: &KeptAnswer) -> Result<ResolveAnswer, DecisionError> {
    serde_json::from_slice(&kept.bytes)
        .map_err(|error| DecisionError::Unreadable(format!("answer {}: {error}", kept.sha256)))
}

/// Everything that an entry could take back and this rests on.
fn targets(issued: &Issued) -> Vec<(&'static str, String)> {
    let mut targets = vec![("answer", issued.answer_sha256.to_hex())];
    if let Some((_, receipt)) = &issued.receipt {
        targets.push(("decision", issued.digest.to_hex()));
        targets.extend(receipt.signature.as_ref().map(|by| ("key", by.kid.clone())));
        targets.push(("build", receipt.rules.version_id.clone()));
    }
    if let Some((_, answer)) = &issued.answer {
        targets.extend(answer.signature.as_ref().map(|by| ("key", by.kid.clone())));
        targets.push(("build", answer.code.version_id.clone()));
    }
    // The domain, and every domain that it is under.
    let mut name = issued.domain.as_str();
    while name.contains('.') {
        targets.push(("domain", name.to_owned()));
        name = name.split_once('.').map_or("", |(_, parent)| parent);
    }
    targets.sort();
    targets.dedup();
    targets
}

fn is_about(kept: &KeptRevocation, action: &Action) -> bool {
    let actions = &kept.entry.actions;
    actions.is_empty() || actions.iter().any(|word| word == action.as_str())
}

/// The entry that takes this action back, if one does and none gave it free again.
fn taken_back<'a>(
    issued: &Issued,
    since: &'a Since,
    action: &Action,
    moment: Timestamp,
) -> Option<&'a KeptRevocation> {
    let mut by_target: BTreeMap<(&str, &str), &KeptRevocation> = BTreeMap::new();
    for kept in since.entries.iter().filter(|kept| is_about(kept, action)) {
        let entry = &kept.entry;
        let target = (entry.target_kind.as_str(), entry.target_id.as_str());
        // A key or a build that others held from a time on says nothing of what it made before.
        let reaches = match target.0 {
            "key" | "build" => entry.effective_from <= issued.issued_at,
            _ => entry.effective_from <= moment,
        };
        match entry.kind.as_str() {
            "revoked" | "suspended" if reaches => drop(by_target.insert(target, kept)),
            "reinstated" => drop(by_target.remove(&target)),
            _ => {}
        }
    }
    by_target.into_values().max_by_key(|kept| kept.seq)
}

fn revoked_by(kept: &KeptRevocation) -> RevokedBy {
    RevokedBy {
        at: kept.entry.at,
        effective_from: kept.entry.effective_from,
        reason: RevocationReason::known(&kept.entry.reason)
            .unwrap_or(RevocationReason::Unspecified),
        entry_seq: kept.seq,
        why: kept.entry.why.clone(),
    }
}

/// What became of each action.
fn checks(
    issued: &Issued,
    since: &Since,
    only: Option<&Action>,
    moment: Timestamp,
) -> BTreeMap<String, ActionCheck> {
    // A path was judged by the site's policy as it was; the newest answer speaks of the whole site.
    let path_judged =
        issued.receipt.as_ref().is_some_and(|(_, receipt)| receipt.subject.path.is_some());
    let policy_changed = since.changed_sections.iter().any(|section| section == "crawl_policy");
    let wanted = |action: &Action| only.is_none_or(|only| only == action);
    let actions = issued.actions.iter().filter(|(action, ..)| wanted(action));
    actions
        .map(|(action, then, end)| {
            let newest = since.newest.as_ref().map(|(_, answer)| decision_of(answer, action));
            let tightened = since.entries.iter().any(|kept| {
                kept.entry.kind == "tightened"
                    && kept.entry.target_id == issued.answer_sha256.to_hex()
                    && is_about(kept, action)
            });
            let state = standing(Look {
                then,
                now: newest,
                revoked: taken_back(issued, since, action, moment).is_some(),
                tightened,
                over: end.is_none_or(|end| moment > end),
                ends_with_its_time: issued.receipt.is_some(),
            });
            let stands = stands(&state) && !(path_judged && policy_changed);
            let now = newest.unwrap_or(then).clone();
            (action.to_string(), ActionCheck { then: then.clone(), now, state, stands })
        })
        .collect()
}

fn decision_of<'a>(answer: &'a ResolveAnswer, action: &Action) -> &'a Decision {
    let of = &answer.actions;
    match action {
        Action::Read => &of.read.decision,
        Action::Cite => &of.cite.decision,
        Action::Connect => &of.connect.decision,
        Action::Transact => &of.transact.decision,
        Action::Administer | Action::Unrecognised(_) => &of.administer.decision,
    }
}
