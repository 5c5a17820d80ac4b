//! What a new answer takes back: entries of the chain, and what is withheld for a domain from now on.

use contract::records::{
    Action, Decision, ImpersonationVerdict, ResolveAnswer, RevocationCause, RevocationReason,
    RevocationTargetKind, RevocationType, RevokedState,
};
use contract::{Domain, Timestamp};
use proof::Digest;
use store::{NewRevocation, Standing};

/// What is withheld while a cause is there. Reading and citing never are.
const WITHHELD: [Action; 3] = [Action::Connect, Action::Transact, Action::Administer];

/// What goes into the chain, and beside it. Entries about the earlier answer name what replaces it
/// only once that has a digest: [`Entries::replaced_by`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entries {
    pub revocations: Vec<NewRevocation>,
    pub standings: Vec<Standing>,
}

impl Entries {
    /// Puts the digest of the new answer in, once it is known.
    #[must_use]
    pub fn replaced_by(mut self, after: Digest) -> Self {
        let tightened =
            |entry: &&mut NewRevocation| entry.target_kind == RevocationTargetKind::Answer.as_str();
        for entry in self.revocations.iter_mut().filter(tightened) {
            entry.replaced_by = Some(after);
        }
        self
    }
}

/// What a new answer takes back of the one before it, and what it withholds or gives free.
/// `standing` is what is kept of the domain now.
#[must_use]
pub fn revocation_entries(
    before: Option<&ResolveAnswer>,
    after: &ResolveAnswer,
    standing: Option<&Standing>,
    now: Timestamp,
) -> Entries {
    let mut entries = Entries::default();
    entries.revocations.extend(before.and_then(|before| tightened(before, after, now)));
    if let Some((entry, new)) = restanding(after, standing, now) {
        entries.revocations.push(entry);
        entries.standings.push(new);
    }
    entries
}

/// One entry for all actions of a still fresh `allow` or `warn` that became stricter.
fn tightened(
    before: &ResolveAnswer,
    after: &ResolveAnswer,
    now: Timestamp,
) -> Option<NewRevocation> {
    let target_id = before.sha256.clone()?;
    let observed_at = before.freshness.observed_at?;
    let was = decisions(before);
    let pairs =
        was.into_iter().zip(decisions(after)).map(|((action, then, hours), (_, now_is, _))| {
            let fresh = now.millis_since(observed_at) <= i64::from(hours) * 3_600_000;
            (action, then, now_is, fresh)
        });
    let actions = judge::decide::standing::tightened(pairs);
    if actions.is_empty() {
        return None;
    }
    let suspected = causes(after).contains(&RevocationCause::ImpersonationSuspected);
    let same_rules = before.code.decision_rules_sha256 == after.code.decision_rules_sha256;
    let reason = match same_rules {
        _ if suspected => RevocationReason::ImpersonationFound,
        true => RevocationReason::SiteChanged,
        // The site may be as it was, and the earlier rules need not have been wrong.
        false => RevocationReason::Unspecified,
    };
    let by = if same_rules { "" } else { ", by other rules," };
    let words = actions.iter().map(Action::as_str).collect::<Vec<_>>().join(", ");
    Some(NewRevocation {
        at: now,
        effective_from: now,
        kind: RevocationType::Tightened.as_str().to_owned(),
        target_kind: RevocationTargetKind::Answer.as_str().to_owned(),
        target_id,
        domain: Some(after.domain.clone()),
        actions: actions.iter().map(|action| action.as_str().to_owned()).collect(),
        reason: reason.as_str().to_owned(),
        why: format!("A newer answer about {}{by} is stricter for: {words}.", after.domain),
        replaced_by: None,
    })
}

type Decided<'a> = (Action, &'a Decision, u32);

fn decisions(answer: &ResolveAnswer) -> [Decided<'_>; 5] {
    let of = &answer.actions;
    [
        (Action::Read, &of.read.decision, of.read.max_age_hours),
        (Action::Cite, &of.cite.decision, of.cite.max_age_hours),
        (Action::Connect, &of.connect.decision, of.connect.max_age_hours),
        (Action::Transact, &of.transact.decision, of.transact.max_age_hours),
        (Action::Administer, &of.administer.decision, of.administer.max_age_hours),
    ]
}

/// Why things are withheld by this answer.
fn causes(answer: &ResolveAnswer) -> Vec<RevocationCause> {
    let mut causes = Vec::new();
    if answer.incident.is_some() {
        causes.push(RevocationCause::IncidentReported);
    }
    let verdict = answer.impersonation.body().map(|body| &body.verdict);
    // A name at which nothing answers harms nobody, and anybody can think of such names.
    let answers = answer.delivery.body().is_some();
    if answers && verdict == Some(&ImpersonationVerdict::Suspected) {
        causes.push(RevocationCause::ImpersonationSuspected);
    }
    if answer.high_risk_fields.as_ref().is_some_and(|fields| !fields.pending.is_empty()) {
        causes.push(RevocationCause::HighRiskPending);
    }
    causes
}

/// What is withheld from now on, where that is another than before.
fn restanding(
    after: &ResolveAnswer,
    standing: Option<&Standing>,
    now: Timestamp,
) -> Option<(NewRevocation, Standing)> {
    // What was not measured this time is not gone: a suspicion stays until it was looked at again.
    let not_looked_at = after.impersonation.body().is_none();
    let suspected = RevocationCause::ImpersonationSuspected;
    let mut causes = causes(after);
    let was = standing.map_or(&[][..], |standing| &standing.causes);
    if not_looked_at && was.iter().any(|cause| cause == suspected.as_str()) {
        causes.push(suspected);
    }
    let mut words: Vec<String> = causes.iter().map(|cause| cause.as_str().to_owned()).collect();
    words.sort_unstable();
    if words == was {
        return None;
    }
    let in_force = !words.is_empty();
    let what = if in_force { RevocationType::Suspended } else { RevocationType::Reinstated };
    let reason = match &causes[..] {
        causes if causes.contains(&RevocationCause::ImpersonationSuspected) => {
            RevocationReason::ImpersonationFound
        }
        _ => RevocationReason::SiteChanged,
    };
    let actions: Vec<String> = WITHHELD.iter().map(|action| action.as_str().to_owned()).collect();
    let entry = NewRevocation {
        at: now,
        effective_from: now,
        kind: what.as_str().to_owned(),
        target_kind: RevocationTargetKind::Domain.as_str().to_owned(),
        target_id: after.domain.to_string(),
        domain: Some(after.domain.clone()),
        actions: actions.clone(),
        reason: reason.as_str().to_owned(),
        why: why(&after.domain, &words),
        replaced_by: None,
    };
    let since = standing.filter(|standing| standing.is_in_force() && in_force);
    let since = since.map_or(now, |standing| standing.since);
    let new = Standing {
        domain: after.domain.clone(),
        actions,
        causes: words,
        state: RevokedState::Suspended.as_str().to_owned(),
        since,
        updated_at: now,
    };
    Some((entry, new))
}

fn why(domain: &Domain, causes: &[String]) -> String {
    if causes.is_empty() {
        format!("Nothing is withheld for {domain} any more.")
    } else {
        format!("Withheld for {domain}: {}.", causes.join(", "))
    }
}
