//! The public report: a stable, versioned subset of the fields of a scan record.

use contract::Issuer;
use contract::records::{
    HistoryEntry, Links, PublicGradeDetail, PublicReportV1, ReportProof, ScanRecord,
};

/// Builds the report of a signed record. `history` lists earlier public scans, newest first.
/// `anchored` is the anchoring state of the record's seal.
#[must_use]
pub fn build_public_report(
    record: &ScanRecord,
    history: Vec<HistoryEntry>,
    anchored: String,
    issuer: &Issuer,
) -> PublicReportV1 {
    let schema = issuer.schema_url("report");
    PublicReportV1 {
        schema: schema.clone(),
        version: PublicReportV1::VERSION.to_owned(),
        id: record.id.clone(),
        domain: record.domain.clone(),
        path: record.path.clone(),
        scanned_host: record.scanned_host.clone(),
        scanned_at: record.scanned_at,
        score_version: record.score_version,
        overall: record.overall,
        grade: record.grade.clone(),
        grade_detail: PublicGradeDetail {
            capped: record.grade_detail.capped,
            cap: record.grade_detail.cap,
            cap_reason: record.grade_detail.cap_reason.clone(),
        },
        sections: record.section_scores.clone(),
        findings: record.findings.clone(),
        // No findings are withheld.
        findings_withheld: None,
        score_ledger: record.score_ledger.clone(),
        findings_summary: Some(record.findings_summary.clone()),
        provenance: record.provenance.clone(),
        confidence: record.confidence.clone(),
        bitemporal: record.bitemporal.clone(),
        non_observations: record.non_observations.clone(),
        checks: record.checks.clone(),
        agentview: record.agentview.rows.clone(),
        nap: record.nap.clone(),
        fact_lineage: record.fact_lineage.clone(),
        headroom: record.headroom.clone(),
        history,
        proof: ReportProof {
            digest: record.sha256.clone(),
            algorithm: "SHA-256 over the canonical JSON (RFC 8785) of the scan record without sha256 and signature"
                .to_owned(),
            anchored,
            verify: match &record.id {
                Some(id) => issuer.url(&format!("/api/seal/lookup?id={id}")),
                None => issuer.url("/proof"),
            },
        },
        links: Links { schema: Some(schema), ..record.links.clone() },
    }
}
