//! What a new answer revokes: entries for the chain, and the actions withheld for the domain from now
//! on.

use contract::records::{
    Action, Decision, ImpersonationVerdict, ResolveAnswer, RevocationCause, RevocationReason,
    RevocationTargetKind, RevocationType, RevokedState,
};
use contract::{Domain, Timestamp};
use proof::Digest;
use store::{NewRevocation, WithheldActions};

/// The actions withheld while there is a cause. `read` and `cite` are never withheld.
const WITHHOLDABLE_ACTIONS: [Action; 3] = [Action::Connect, Action::Transact, Action::Administer];

/// Entries for the chain, and changed withheld actions. An entry about the previous answer names the
/// answer that replaces it, once the digest of that is known: `with_replacement`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnswerRevocations {
    pub revocations: Vec<NewRevocation>,
    pub withheld_actions: Vec<WithheldActions>,
}

impl AnswerRevocations {
    /// Sets the digest of the new answer.
    #[must_use]
    pub fn with_replacement(mut self, answer_sha256: Digest) -> Self {
        let is_about_answer =
            |entry: &&mut NewRevocation| entry.target_kind == RevocationTargetKind::Answer.as_str();
        for entry in self.revocations.iter_mut().filter(is_about_answer) {
            entry.replaced_by = Some(answer_sha256);
        }
        self
    }
}

/// What a new answer revokes of the previous answer, and which actions it withholds or reinstates.
/// `withheld` is what the store has for the domain now. `unread` are causes that could not be looked up
/// for this answer: those that withhold actions now stay.
#[must_use]
pub fn revocations_by_answer(
    previous: Option<&ResolveAnswer>,
    answer: &ResolveAnswer,
    withheld: Option<&WithheldActions>,
    unread: &[RevocationCause],
    now: Timestamp,
) -> AnswerRevocations {
    let mut entries = AnswerRevocations::default();
    entries
        .revocations
        .extend(previous.and_then(|previous| tightened_entry(previous, answer, now)));
    if let Some((entry, new_withheld)) = changed_withheld_actions(answer, withheld, unread, now) {
        entries.revocations.push(entry);
        entries.withheld_actions.push(new_withheld);
    }
    entries
}

/// Whether an answer gives no reason to change what is withheld for its domain.
#[must_use]
pub(crate) fn withholds_the_same(
    answer: &ResolveAnswer,
    withheld: Option<&WithheldActions>,
) -> bool {
    changed_withheld_actions(answer, withheld, &[], answer.answered_at).is_none()
}

/// Whether a newer answer is stricter for an action that the earlier one allows, with or without a
/// warning, however old that one is.
#[must_use]
pub fn is_stricter(earlier: &ResolveAnswer, newer: &ResolveAnswer) -> bool {
    let pairs = action_decisions(earlier).into_iter().zip(action_decisions(newer));
    let pairs = pairs.map(|((action, earlier, _), (_, newer, _))| (action, earlier, newer, true));
    !judge::decide::held_state::tightened_actions(pairs).is_empty()
}

/// One entry for all actions whose `allow` or `warn` was still fresh and became stricter.
fn tightened_entry(
    previous: &ResolveAnswer,
    answer: &ResolveAnswer,
    now: Timestamp,
) -> Option<NewRevocation> {
    let target_id = previous.sha256.clone()?;
    let observed_at = previous.freshness.observed_at?;
    let pairs = action_decisions(previous).into_iter().zip(action_decisions(answer));
    let pairs = pairs.map(|((action, earlier, max_age_hours), (_, newest, _))| {
        let fresh = now.millis_since(observed_at) <= i64::from(max_age_hours) * 3_600_000;
        (action, earlier, newest, fresh)
    });
    let actions = judge::decide::held_state::tightened_actions(pairs);
    if actions.is_empty() {
        return None;
    }
    let suspected = withholding_causes(answer).contains(&RevocationCause::ImpersonationSuspected);
    let same_rules = previous.code.decision_rules_sha256 == answer.code.decision_rules_sha256;
    let reason = match same_rules {
        _ if suspected => RevocationReason::ImpersonationFound,
        true => RevocationReason::SiteChanged,
        // The rules changed, so the site need not have changed.
        false => RevocationReason::Unspecified,
    };
    let by = if same_rules { "" } else { ", under changed rules," };
    let words = actions.iter().map(Action::as_str).collect::<Vec<_>>().join(", ");
    Some(NewRevocation {
        at: now,
        effective_from: now,
        kind: RevocationType::Tightened.as_str().to_owned(),
        target_kind: RevocationTargetKind::Answer.as_str().to_owned(),
        target_id,
        domain: Some(answer.domain.clone()),
        actions: actions.iter().map(|action| action.as_str().to_owned()).collect(),
        reason: reason.as_str().to_owned(),
        why: format!("A newer answer about {}{by} is stricter for: {words}.", answer.domain),
        replaced_by: None,
    })
}

type DecisionWithMaxAge<'a> = (Action, &'a Decision, u32);

fn action_decisions(answer: &ResolveAnswer) -> [DecisionWithMaxAge<'_>; 5] {
    let actions = &answer.actions;
    [
        (Action::Read, &actions.read.decision, actions.read.max_age_hours),
        (Action::Cite, &actions.cite.decision, actions.cite.max_age_hours),
        (Action::Connect, &actions.connect.decision, actions.connect.max_age_hours),
        (Action::Transact, &actions.transact.decision, actions.transact.max_age_hours),
        (Action::Administer, &actions.administer.decision, actions.administer.max_age_hours),
    ]
}

/// Why this answer withholds actions.
fn withholding_causes(answer: &ResolveAnswer) -> Vec<RevocationCause> {
    let mut causes = Vec::new();
    if answer.incident.is_some() {
        causes.push(RevocationCause::IncidentReported);
    }
    let verdict = answer.impersonation.body().map(|body| &body.verdict);
    // A name without a responding site is no threat, and anybody can request such names.
    let responds = answer.delivery.body().is_some();
    if responds && verdict == Some(&ImpersonationVerdict::Suspected) {
        causes.push(RevocationCause::ImpersonationSuspected);
    }
    if answer.high_risk_fields.as_ref().is_some_and(|fields| !fields.pending.is_empty()) {
        causes.push(RevocationCause::HighRiskPending);
    }
    causes
}

/// The withheld actions from now on, if the causes changed.
fn changed_withheld_actions(
    answer: &ResolveAnswer,
    withheld: Option<&WithheldActions>,
    unread: &[RevocationCause],
    now: Timestamp,
) -> Option<(NewRevocation, WithheldActions)> {
    // A suspicion stays until impersonation is measured again, and so does what was not looked up.
    let not_measured = answer.impersonation.body().is_none();
    let suspected = not_measured.then_some(RevocationCause::ImpersonationSuspected);
    let mut causes = withholding_causes(answer);
    let previous_causes = withheld.map_or(&[][..], |withheld| &withheld.causes);
    for cause in unread.iter().cloned().chain(suspected) {
        let is_in_force = previous_causes.iter().any(|known| known == cause.as_str());
        if is_in_force && !causes.contains(&cause) {
            causes.push(cause);
        }
    }
    let mut words: Vec<String> = causes.iter().map(|cause| cause.as_str().to_owned()).collect();
    words.sort_unstable();
    if words == previous_causes {
        return None;
    }
    let in_force = !words.is_empty();
    let entry_type = if in_force { RevocationType::Suspended } else { RevocationType::Reinstated };
    let reason = match &causes[..] {
        causes if causes.contains(&RevocationCause::ImpersonationSuspected) => {
            RevocationReason::ImpersonationFound
        }
        _ => RevocationReason::SiteChanged,
    };
    let actions: Vec<String> =
        WITHHOLDABLE_ACTIONS.iter().map(|action| action.as_str().to_owned()).collect();
    let entry = NewRevocation {
        at: now,
        effective_from: now,
        kind: entry_type.as_str().to_owned(),
        target_kind: RevocationTargetKind::Domain.as_str().to_owned(),
        target_id: answer.domain.to_string(),
        domain: Some(answer.domain.clone()),
        actions: actions.clone(),
        reason: reason.as_str().to_owned(),
        why: describe_causes(&answer.domain, &words),
        replaced_by: None,
    };
    let since = withheld.filter(|withheld| withheld.is_in_force() && in_force);
    let since = since.map_or(now, |withheld| withheld.since);
    let new_withheld = WithheldActions {
        domain: answer.domain.clone(),
        actions,
        causes: words,
        state: RevokedState::Suspended.as_str().to_owned(),
        since,
        updated_at: now,
    };
    Some((entry, new_withheld))
}

fn describe_causes(domain: &Domain, causes: &[String]) -> String {
    if causes.is_empty() {
        format!("No actions are withheld for {domain} any more.")
    } else {
        format!("Actions are withheld for {domain}. Causes: {}.", causes.join(", "))
    }
}
