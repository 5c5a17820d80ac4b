//! The record checked against its own evidence before it is given out.

use std::collections::HashSet;

use contract::evidence::Evidence;
use contract::records::{ScanRecord, SelfAudit};

/// Fills in `self_audit` and `proof_overall`.
pub(super) fn audit(record: &mut ScanRecord, evidence: &Evidence) {
    let readings: HashSet<&str> =
        evidence.reads.iter().map(|reading| reading.id.as_str()).collect();
    let known = |id: &String| readings.contains(id.as_str());
    let mut held = Vec::new();

    let rows = &record.agentview.rows;
    held.extend(rows.iter().map(|row| row.reading.as_ref().is_none_or(known)));
    held.extend(record.checks.iter().map(|check| check.reading.as_ref().is_none_or(known)));
    // A finding without evidence is an opinion.
    held.extend(
        record.findings.iter().map(|f| !f.evidence.is_empty() && f.evidence.iter().all(known)),
    );
    held.push(record.confidence.identities_answered.of as usize == rows.len());
    held.push(record.confidence.sections_scored.of as usize == record.section_scores.len());
    held.push(
        record.grade_detail.unscored.len()
            == record.section_scores.iter().filter(|section| section.score.is_none()).count(),
    );
    held.push(record.confidence.non_observations as usize == record.non_observations.len());
    held.push(record.id.is_some() != record.unreachable.unwrap_or(false));

    let wrong = held.iter().filter(|holds| !**holds).count();
    let shown = rows.iter().filter(|row| row.reading.is_some()).count()
        + record.checks.iter().filter(|check| check.reading.is_some()).count()
        + record.findings.iter().filter(|finding| !finding.evidence.is_empty()).count();
    let said = rows.len() + record.checks.len() + record.findings.len();
    record.self_audit = SelfAudit {
        checked: super::count(held.len()),
        findings: super::count(wrong),
        worst: u32::from(wrong > 0),
    };
    record.proof_overall = (said > 0).then(|| super::count(shown * 100 / said));
}
