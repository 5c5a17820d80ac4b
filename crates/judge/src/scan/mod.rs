//! The judgement of one scan: Evidence in, [`ScanRecord`] out.
//!
//! `look` parses once what all rules look at; one file for each topic makes its reading of it
//! (`view`, `policy`, `checks`, `content`, `identity`, `caching`, `transport`); `sections` holds the
//! rules; `ledger` adds up; `audit` checks the whole against itself.

mod audit;
mod caching;
mod checks;
mod compare;
mod confidence;
mod conflicts;
mod content;
mod identity;
mod instructions;
mod ledger;
mod look;
mod policy;
mod provenance;
mod public;
mod repro;
mod robots_file;
mod sections;
pub(crate) mod served;
mod signals;
mod transport;
mod verdicts;
mod view;

use agents::Catalogue;
use contract::evidence::Evidence;
use contract::records::{
    Finding, FindingsSummary, Links, Rulepack as RulepackRef, ScanRecord, SelfAudit, Severity,
    Signature, Visibility,
};
use contract::{Brand, Timestamp};

use crate::Bodies;
use crate::rulepack::Rulepack;
use declared::shown;
use look::Look;
pub use public::public_report;
use sections::Readings;

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
    pub sealed: Sealed,
}

/// What is known only when a record is sealed and kept.
#[derive(Debug, Clone, Default)]
pub struct Sealed {
    pub stored_at: Option<Timestamp>,
    pub artifacts: Option<String>,
    pub manifest_signature: Option<Signature>,
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
    let look = Look::new(evidence, bodies, catalogue, rules);
    let mut view = view::view(&look);
    let instruction_like = instructions::instructions(&look, &mut view);
    let checks = checks::checks(&look);
    let policy = policy::policy(&look);
    let page = content::the_page(&look, &view);
    let content = content::content(&look, page, instruction_like);
    let (nap, lineage) = identity::identity(&look, page).unzip();
    let caching = caching::caching(&look, view.self_similarity.map(contract::Ratio::get));
    let transport = transport::transport(&look);
    let mut verdicts = sections::judge(&Readings {
        look: &look,
        view: &view,
        policy: &policy,
        checks: &checks,
        content: &content,
        lineage: lineage.as_ref(),
        caching: &caching,
        transport: &transport,
    });
    verdicts.findings.sort_by_key(|finding| rank(&finding.severity));
    let scores = ledger::score(&verdicts, rules);
    let findings = verdicts.findings;
    let non_observations = confidence::non_observations(evidence);
    let rulepack = RulepackRef { version: rules.score_version, sha256: rules.digest() };
    let id = reached.then(|| frame.id.to_owned());
    let address = |path: String| format!("{}{path}", frame.base_url);
    let mut record = ScanRecord {
        kind: frame.brand.kind("scan"),
        v: 1,
        schema: contract::schema::address("scan", frame.brand, frame.base_url),
        domain: evidence.domain.clone(),
        scanned_host: answering_host(evidence, &view),
        path: "/".to_owned(),
        scanned_at: evidence.started_at.whole_seconds(),
        visibility: frame.visibility.clone(),
        cached: None,
        unreachable: (!reached).then_some(true),
        score_version: rules.score_version,
        grade: scores.grade,
        overall: scores.overall,
        grade_detail: scores.detail,
        confidence: confidence::confidence(evidence, &view, &scores.sections, &non_observations),
        section_scores: scores.sections,
        provenance: provenance::provenance(
            evidence,
            catalogue,
            frame,
            rulepack.clone(),
            findings.len(),
            &scores.ledger.rows,
        ),
        bitemporal: provenance::bitemporal(evidence, lineage.as_ref()),
        score_ledger: scores.ledger,
        headroom: scores.headroom,
        findings_summary: summary(&findings),
        findings,
        rulepack,
        checks,
        agentview: view,
        policy,
        content,
        nap,
        fact_lineage: lineage,
        caching,
        transport,
        non_observations,
        self_audit: SelfAudit { checked: 0, findings: 0, worst: 0 },
        proof_overall: None,
        evidence_sha256: if reached { frame.evidence_sha256.clone() } else { None },
        links: Links {
            report: id.as_ref().map(|id| address(format!("/r/{id}"))),
            graph: id.as_ref().map(|id| address(format!("/api/graph/{id}"))),
            raw: id.as_ref().map(|id| address(format!("/r/{id}.raw.json"))),
            schema: Some(contract::schema::address("scan", frame.brand, frame.base_url)),
            docs: Some(address("/docs".to_owned())),
        },
        id,
        sha256: None,
        signature: None,
    };
    audit::audit(&mut record, evidence, rules);
    record
}

/// Where the browser's home page came from in the end.
fn answering_host(evidence: &Evidence, view: &contract::records::AgentView) -> String {
    let url = view
        .rows
        .iter()
        .filter(|row| served::is_served(row))
        .find_map(|row| row.final_url.as_deref());
    let authority =
        url.and_then(|url| url.split("://").nth(1)).and_then(|rest| rest.split('/').next());
    authority.and_then(|a| a.split(':').next()).unwrap_or(&evidence.host).to_owned()
}

fn rank(severity: &Severity) -> u8 {
    match severity {
        Severity::High => 0,
        Severity::Medium => 1,
        Severity::Low => 2,
        _ => 3,
    }
}

fn summary(findings: &[Finding]) -> FindingsSummary {
    let of = |severity: Severity| count(findings.iter().filter(|f| f.severity == severity).count());
    FindingsSummary {
        high: of(Severity::High),
        medium: of(Severity::Medium),
        low: of(Severity::Low),
        info: of(Severity::Info),
    }
}

pub(crate) fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// A sentence with the place it is about.
fn at(place: &str, sentence: &str) -> String {
    if place.is_empty() { sentence.to_owned() } else { format!("({place}) {sentence}") }
}

#[cfg(test)]
pub(crate) mod tests;
