//! The versioned report: a stable allowlist of the record, made from the same judgement.

use contract::Brand;
use contract::records::{
    HistoryEntry, Links, PublicGradeDetail, PublicReportV1, ReportProof, ScanRecord,
};

/// The report of a record that has been signed. `history` holds earlier public scans, newest first;
/// `anchored` says how far the record's seal has come.
#[must_use]
pub fn public_report(
    record: &ScanRecord,
    history: Vec<HistoryEntry>,
    anchored: String,
    brand: &Brand,
    base_url: &str,
) -> PublicReportV1 {
    let schema = contract::schema::address("report", brand, base_url);
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
        // Nothing is kept back.
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
                Some(id) => format!("{base_url}/api/seal/lookup?id={id}"),
                None => format!("{base_url}/proof"),
            },
        },
        links: Links { schema: Some(schema), ..record.links.clone() },
    }
}
