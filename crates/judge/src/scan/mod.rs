//! The judgement of one scan: Evidence in, [`ScanRecord`] out.

mod audit;
mod checks;
mod findings;
mod pages;
mod repro;
mod score;
mod view;

use agents::Catalogue;
use contract::evidence::{Evidence, FailureKind, Outcome};
use contract::records::{
    Confidence, Links, NonObservation, Rulepack as RulepackRef, ScanRecord, Share, Visibility,
};
use contract::{Brand, Timestamp};

use crate::Bodies;
use crate::rulepack::Rulepack;
use pages::Pages;

/// What a record says of itself besides what the evidence shows.
#[derive(Debug, Clone)]
pub struct Frame<'a> {
    pub brand: &'a Brand,
    pub base_url: &'a str,
    /// The id the record will have if it is kept.
    pub id: &'a str,
    pub visibility: Visibility,
    /// The digest of the evidence document, when it is kept.
    pub evidence_sha256: Option<String>,
}

/// Whether anything at all answered.
#[must_use]
pub fn answered(evidence: &Evidence) -> bool {
    evidence.reads.iter().any(|reading| reading.exchange.response().is_some())
}

/// Judges a scan. The record is not signed yet.
#[must_use]
pub fn judge(
    evidence: &Evidence,
    bodies: &dyn Bodies,
    catalogue: &Catalogue,
    rules: &Rulepack,
    frame: &Frame<'_>,
) -> ScanRecord {
    let reached = answered(evidence);
    let pages = Pages::read(evidence, bodies);
    let checks = checks::checks(evidence, bodies, rules);
    let view = view::view(evidence, &pages, catalogue, bodies, rules);
    let scores = score::score(&view, rules);
    let findings = findings::findings(evidence, &view, &checks);
    let non_observations = non_observations(evidence);
    let id = reached.then(|| frame.id.to_owned());
    let address = |path: String| format!("{}{path}", frame.base_url);
    let mut record = ScanRecord {
        kind: frame.brand.kind("scan"),
        v: 1,
        schema: address(format!("/api/v1/schema/{}", frame.brand.kind("scan"))),
        domain: evidence.domain.clone(),
        scanned_host: answering_host(evidence, &view),
        scanned_at: scanned_at(evidence),
        visibility: frame.visibility.clone(),
        cached: None,
        unreachable: (!reached).then_some(true),
        score_version: rules.score_version,
        rulepack: RulepackRef { version: rules.score_version, sha256: rules.digest() },
        grade: scores.grade,
        overall: scores.overall,
        grade_detail: scores.detail,
        confidence: confidence(evidence, &view, &scores.sections, &non_observations),
        section_scores: scores.sections,
        score_ledger: None,
        findings,
        checks,
        agentview: view,
        non_observations,
        self_audit: contract::records::SelfAudit { checked: 0, findings: 0, worst: 0 },
        proof_overall: None,
        evidence_sha256: if reached { frame.evidence_sha256.clone() } else { None },
        links: Links {
            report: id.as_ref().map(|id| address(format!("/r/{id}"))),
            graph: None,
            raw: id.as_ref().map(|id| address(format!("/r/{id}.raw.json"))),
            schema: Some(address(format!("/api/v1/schema/{}", frame.brand.kind("scan")))),
            docs: Some(address("/docs".to_owned())),
        },
        id,
        sha256: None,
        signature: None,
    };
    audit::audit(&mut record, evidence);
    record
}

/// Where the browser's home page came from in the end.
fn answering_host(evidence: &Evidence, view: &contract::records::AgentView) -> String {
    let url = view.rows.iter().find_map(|row| row.final_url.as_deref());
    let authority =
        url.and_then(|url| url.split("://").nth(1)).and_then(|rest| rest.split('/').next());
    authority.and_then(|a| a.split(':').next()).unwrap_or(&evidence.host).to_owned()
}

fn scanned_at(evidence: &Evidence) -> Timestamp {
    evidence.started_at.whole_seconds()
}

/// Everything that was planned and not seen: never begun, or begun without an answer.
fn non_observations(evidence: &Evidence) -> Vec<NonObservation> {
    let unread = evidence.not_read.iter().map(|unread| NonObservation {
        what: unread.target.to_string(),
        path: unread.path.clone(),
        identity: unread.identity.clone(),
        why: unread.why.to_string(),
    });
    let failed = evidence.reads.iter().filter_map(|reading| match &reading.exchange.outcome {
        Outcome::Failed(failure) => Some(NonObservation {
            what: reading.target.to_string(),
            path: reading.path.clone(),
            identity: reading.identity.clone(),
            why: format!("{}: {}", failure.kind, failure.reason),
        }),
        Outcome::Response(response) => response.body.cut.as_ref().map(|cut| NonObservation {
            what: format!("{}, to its end", reading.target),
            path: reading.path.clone(),
            identity: reading.identity.clone(),
            why: format!("{}: {}", cut.kind, cut.reason),
        }),
    });
    failed.chain(unread).collect()
}

fn confidence(
    evidence: &Evidence,
    view: &contract::records::AgentView,
    sections: &[contract::records::SectionScore],
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
    let broken = |r: &&contract::evidence::Reading| {
        r.exchange.response().is_none_or(|response| response.body.cut.is_some())
    };
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
        refused: answered > 0 && view.rows.iter().all(|row| !view::is_served(row)),
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

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
