//! How much a record rests on, and what was not seen. Counts only: no composite.

use contract::evidence::{Evidence, FailureKind, Outcome, Reading};
use contract::records::{AgentView, Confidence, NonObservation, SectionScore, Share};

use super::count;
use super::served::is_turned_away;

/// Everything that was planned and not seen: never begun, or begun without an answer.
pub(super) fn non_observations(evidence: &Evidence) -> Vec<NonObservation> {
    let unread = evidence.not_read.iter().map(|unread| NonObservation {
        what: unread.target.to_string(),
        path: super::checks::told_path(&unread.path),
        identity: unread.identity.clone(),
        why: unread.why.to_string(),
    });
    let failed = evidence.reads.iter().filter_map(|reading| match &reading.exchange.outcome {
        Outcome::Failed(failure) => Some(NonObservation {
            what: reading.target.to_string(),
            path: super::checks::told_path(&reading.path),
            identity: reading.identity.clone(),
            why: format!("{}: {}", failure.kind, failure.reason),
        }),
        Outcome::Response(response) => response.body.cut.as_ref().map(|cut| NonObservation {
            what: format!("{}, to its end", reading.target),
            path: super::checks::told_path(&reading.path),
            identity: reading.identity.clone(),
            why: format!("{}: {}", cut.kind, cut.reason),
        }),
    });
    failed.chain(unread).collect()
}

pub(super) fn confidence(
    evidence: &Evidence,
    view: &AgentView,
    sections: &[SectionScore],
    non_observations: &[NonObservation],
) -> Confidence {
    let planned = evidence.reads.len() + evidence.not_read.len();
    let whole = evidence
        .reads
        .iter()
        .filter(|r| r.exchange.response().is_some_and(|response| response.body.cut.is_none()))
        .count();
    let refused_by_us = |outcome: &Outcome| matches!(outcome, Outcome::Failed(failure) if failure.kind == FailureKind::RefusedByPolicy);
    let (kept_back, tried): (Vec<_>, Vec<_>) =
        evidence.reads.iter().partition(|r| refused_by_us(&r.exchange.outcome));
    let broken =
        |r: &&Reading| r.exchange.response().is_none_or(|response| response.body.cut.is_some());
    let answered = view.rows.iter().filter(|row| row.status.is_some()).count();
    let scored = sections.iter().filter(|section| section.score.is_some()).count();
    Confidence {
        v: 1,
        sections_scored: share(scored, sections.len()),
        identities_answered: share(answered, view.rows.len()),
        fetches_kept: share(whole, planned),
        stage_failures: u32::from(!answered_dns(evidence)) + u32::from(!kept_back.is_empty()),
        non_observations: count(non_observations.len()),
        non_observations_attempted: count(tried.into_iter().filter(broken).count()),
        vantages: 1,
        refused: answered > 0
            && view.rows.iter().filter(|row| row.status.is_some()).all(is_turned_away),
        note:
            "Counts of what was planned and what came, from one network. They are not a composite: \
               read each for itself."
                .to_owned(),
    }
}

fn answered_dns(evidence: &Evidence) -> bool {
    evidence.dns.iter().any(|reading| reading.answers.iter().any(|answer| answer.rcode.is_some()))
}

fn share(n: usize, of: usize) -> Share {
    Share::of(count(n), count(of))
}
