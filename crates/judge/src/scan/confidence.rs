//! How much evidence a record is based on, and what could not be observed. Separate counts, no
//! combined score.

use contract::evidence::{Evidence, ExchangeOutcome, FailureKind, Reading};
use contract::records::{AgentView, Confidence, NonObservation, RowCause, SectionScore, Share};

use super::convert::{display_path, saturating_u32};

/// Every planned request without a complete response: not sent, failed, or cut off.
pub(super) fn list_non_observations(evidence: &Evidence) -> Vec<NonObservation> {
    let unread = evidence.not_read.iter().map(|unread| NonObservation {
        what: unread.target.to_string(),
        path: display_path(&unread.path),
        identity: unread.identity.clone(),
        why: unread.why.to_string(),
    });
    let failed = evidence.reads.iter().filter_map(|reading| match &reading.exchange.outcome {
        ExchangeOutcome::Failed(failure) => Some(NonObservation {
            what: reading.target.to_string(),
            path: display_path(&reading.path),
            identity: reading.identity.clone(),
            why: format!("{}: {}", failure.kind, failure.reason),
        }),
        ExchangeOutcome::Response(response) => {
            response.body.cut.as_ref().map(|cut| NonObservation {
                what: format!("{} (complete body)", reading.target),
                path: display_path(&reading.path),
                identity: reading.identity.clone(),
                why: format!("{}: {}", cut.kind, cut.reason),
            })
        }
    });
    failed.chain(unread).collect()
}

pub(super) fn build_confidence(
    evidence: &Evidence,
    view: &AgentView,
    sections: &[SectionScore],
    non_observations: &[NonObservation],
) -> Confidence {
    let planned = evidence.reads.len() + evidence.not_read.len();
    let complete = evidence
        .reads
        .iter()
        .filter(|r| r.exchange.response().is_some_and(|response| response.body.cut.is_none()))
        .count();
    let refused_by_us = |outcome: &ExchangeOutcome| matches!(outcome, ExchangeOutcome::Failed(failure) if failure.kind == FailureKind::RefusedByPolicy);
    let (refused_reads, attempted): (Vec<_>, Vec<_>) =
        evidence.reads.iter().partition(|r| refused_by_us(&r.exchange.outcome));
    let incomplete =
        |r: &&Reading| r.exchange.response().is_none_or(|response| response.body.cut.is_some());
    let answered = view.rows.iter().filter(|row| row.status.is_some()).count();
    let scored = sections.iter().filter(|section| section.score.is_some()).count();
    Confidence {
        v: 1,
        sections_scored: share(scored, sections.len()),
        identities_answered: share(answered, view.rows.len()),
        fetches_kept: share(complete, planned),
        stage_failures: u32::from(!has_dns_answer(evidence)) + u32::from(!refused_reads.is_empty()),
        non_observations: saturating_u32(non_observations.len()),
        non_observations_attempted: saturating_u32(attempted.into_iter().filter(incomplete).count()),
        vantages: 1,
        refused: answered > 0
            && view.rows.iter().filter(|row| row.status.is_some()).all(|row| {
                matches!(
                    row.cause,
                    RowCause::Refused | RowCause::Challenge | RowCause::PaymentRequired
                )
            }),
        note:
            "These counts show how many of the planned requests were completed, all from one network. They are \
             not part of the score."
                .to_owned(),
    }
}

fn has_dns_answer(evidence: &Evidence) -> bool {
    evidence.dns.iter().any(|reading| reading.answers.iter().any(|answer| answer.rcode.is_some()))
}

fn share(n: usize, of: usize) -> Share {
    Share::of(saturating_u32(n), saturating_u32(of))
}
