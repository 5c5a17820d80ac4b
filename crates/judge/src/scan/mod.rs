//! Turns the evidence of one scan into a [`ScanRecord`].
//!
//! `parsed_evidence` parses the evidence once for all rules. One file for each topic builds its part
//! of the record (`agent_view`, `policy`, `file_checks`, `content`, `owner_facts`, `caching`,
//! `transport`). `sections` applies the scoring rules, `ledger` computes the score, and `audit`
//! checks the record for consistency.

pub(crate) mod agent_rows;
mod agent_view;
mod audit;
mod caching;
mod confidence;
mod content;
mod convert;
mod declared_access;
mod file_checks;
pub(crate) mod further_pages;
mod instructions;
mod ledger;
mod linked_files;
mod metadata;
mod missing_paths;
mod owner_facts;
mod page_similarity;
mod parsed_evidence;
mod paywall;
mod policy;
mod provenance;
mod public_report;
mod rights_signals;
mod robots_conflicts;
mod robots_file;
mod sections;
mod signed_requests;
mod sitemap_children;
mod stalls;
mod text_comparison;
mod transport;
mod treatment;
mod verdict_changes;
mod verdicts;

use agents::Catalogue;
use contract::evidence::Evidence;
use contract::records::{Links, Rulepack as RulepackRef, ScanRecord, SelfAudit};

use crate::bodies::Bodies;
use crate::parallel::run_both;
use crate::rulepack::Rulepack;
pub(crate) use convert::saturating_u32;
pub use metadata::{RecordMetadata, StorageMetadata};
use parsed_evidence::{ParsedEvidence, has_any_response};
pub use public_report::build_public_report;
use sections::SectionInputs;
pub use verdict_changes::verdict_changes;
use verdicts::{severity_rank, summarise_findings};

/// Builds the record of a scan from its evidence. The record is not signed yet.
#[must_use]
pub fn judge(
    evidence: &Evidence,
    bodies: &dyn Bodies,
    catalogue: &Catalogue,
    rules: &Rulepack,
    metadata: &RecordMetadata<'_>,
) -> ScanRecord {
    let reached = has_any_response(evidence);
    let parsed = ParsedEvidence::new(evidence, bodies, catalogue, rules);
    let comparison = text_comparison::TextComparison::new(&parsed);
    let mut view = agent_view::build_agent_view(&parsed, &comparison);
    let page = content::representative_page(&parsed, &view);
    // The look for instructions takes as long as the rest of these together.
    let (instructions, ((nap, lineage), paywall, pages, checks, policy, caching)) = run_both(
        parsed.is_worth_threads(),
        || instructions::find_instructions(&parsed, &comparison, &view),
        || {
            (
                owner_facts::build_owner_facts(&parsed, page).unzip(),
                paywall::build_paywall_reading(&parsed, page),
                further_pages::build_page_readings(&parsed),
                file_checks::check_machine_files(&parsed),
                policy::build_policy_reading(&parsed),
                caching::build_caching_reading(&parsed, &comparison),
            )
        },
    );
    let instruction_like = instructions.note_on(&mut view);
    let content = content::build_content_reading(&parsed, &view, page, instruction_like);
    let transport = transport::build_transport_reading(&parsed);
    let treatment = treatment::treatment_scores(&parsed, &view, &comparison, &content);
    let mut verdicts = sections::judge_sections(&SectionInputs {
        parsed: &parsed,
        view: &view,
        comparison: &comparison,
        policy: &policy,
        checks: &checks,
        content: &content,
        pages: &pages,
        paywall: paywall.as_ref(),
        lineage: lineage.as_ref(),
        nap: nap.as_ref(),
        caching: &caching,
        transport: &transport,
    });
    verdicts.findings.sort_by_key(|finding| severity_rank(&finding.severity));
    let scores = ledger::compute_scores(&verdicts, rules);
    let findings = verdicts.findings;
    let non_observations = confidence::list_non_observations(evidence);
    let rulepack = RulepackRef { version: rules.score_version, sha256: rules.digest() };
    let id = reached.then(|| metadata.id.to_owned());
    let address = |path: String| format!("{}{path}", metadata.issuer.base_url);
    let mut record = ScanRecord {
        kind: metadata.issuer.brand.kind("scan"),
        v: 1,
        schema: metadata.issuer.schema_url("scan"),
        domain: evidence.domain.clone(),
        scanned_host: host_of_home_page(evidence, &view),
        path: "/".to_owned(),
        scanned_at: evidence.started_at.whole_seconds(),
        visibility: metadata.visibility.clone(),
        cached: None,
        unreachable: (!reached).then_some(true),
        score_version: rules.score_version,
        grade: scores.grade,
        overall: scores.overall,
        grade_detail: scores.detail,
        treatment,
        signed_requests: signed_requests::compare_signed_requests(&parsed),
        confidence: confidence::build_confidence(
            evidence,
            &view,
            &scores.sections,
            &non_observations,
        ),
        section_scores: scores.sections,
        provenance: provenance::build_provenance(
            evidence,
            catalogue,
            metadata,
            rulepack.clone(),
            findings.len(),
            &scores.ledger.rows,
        ),
        bitemporal: provenance::build_bitemporal(evidence, lineage.as_ref()),
        score_ledger: scores.ledger,
        headroom: scores.headroom,
        findings_summary: summarise_findings(&findings),
        findings,
        rulepack,
        checks,
        agentview: view,
        policy,
        content,
        pages,
        paywall,
        nap,
        fact_lineage: lineage,
        caching,
        transport,
        non_observations,
        self_audit: SelfAudit { checked: 0, findings: 0, worst: 0 },
        proof_overall: None,
        evidence_sha256: if reached { metadata.evidence_sha256.clone() } else { None },
        links: Links {
            report: id.as_ref().map(|id| address(format!("/r/{id}"))),
            graph: id.as_ref().map(|id| address(format!("/api/graph/{id}"))),
            raw: id.as_ref().map(|id| address(format!("/r/{id}.raw.json"))),
            schema: Some(metadata.issuer.schema_url("scan")),
            docs: Some(address("/docs".to_owned())),
        },
        id,
        replaced_signature: None,
        sha256: None,
        signature: None,
    };
    audit::audit_record(&mut record, evidence, rules);
    record
}

/// The host that served the home page, after redirects.
fn host_of_home_page(evidence: &Evidence, view: &contract::records::AgentView) -> String {
    let url = view
        .rows
        .iter()
        .filter(|row| agent_rows::is_served(row))
        .find_map(|row| row.final_url.as_deref());
    let authority =
        url.and_then(|url| url.split("://").nth(1)).and_then(|rest| rest.split('/').next());
    authority.and_then(|a| a.split(':').next()).unwrap_or(&evidence.host).to_owned()
}

#[cfg(test)]
mod content_tests;
#[cfg(test)]
mod gate_tests;
#[cfg(test)]
pub(crate) mod tests;
