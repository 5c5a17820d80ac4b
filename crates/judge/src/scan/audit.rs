//! Checks a finished record for consistency with itself and with its evidence.

use std::collections::HashSet;

use contract::evidence::Evidence;
use contract::records::{LedgerState, ScanRecord, SelfAudit};

use super::agent_rows::{is_ai, is_served};
use super::convert::saturating_u32;
use super::verdicts::summarise_findings;
use crate::rulepack::Rulepack;

/// Fills in `self_audit`, `proof_overall` and the ledger's `matches_record`.
pub(super) fn audit_record(record: &mut ScanRecord, evidence: &Evidence, rules: &Rulepack) {
    let readings: HashSet<&str> =
        evidence.reads.iter().map(|reading| reading.id.as_str()).collect();
    let exists = |id: &String| readings.contains(id.as_str());
    let mut checks: Vec<bool> = Vec::new();

    let rows = &record.agentview.rows;
    checks.extend(rows.iter().map(|row| row.reading.as_ref().is_none_or(exists)));
    checks.extend(record.checks.iter().map(|check| check.reading.as_ref().is_none_or(exists)));
    // Every finding needs evidence.
    checks.extend(
        record.findings.iter().map(|f| !f.evidence.is_empty() && f.evidence.iter().all(exists)),
    );
    // Every awarded point needs evidence, and every lost point needs a finding that explains it.
    let ledger = &record.score_ledger;
    for row in &ledger.rows {
        checks.push(
            row.points.is_none() || (!row.evidence.is_empty() && row.evidence.iter().all(exists)),
        );
        if matches!(row.state, LedgerState::Failed | LedgerState::Partial) {
            checks
                .push(record.findings.iter().any(|f| f.rule.as_deref() == Some(row.rule.as_str())));
        }
    }
    let sum: u32 = ledger.rows.iter().filter_map(|row| row.points).sum();
    let expected = record.overall.map(|_| sum.min(ledger.cap.unwrap_or(100)));
    let matches = expected == record.overall
        && ledger.score == record.overall
        && ledger.letter == record.grade
        && record.section_scores.iter().map(|section| section.points).sum::<u32>() == sum;
    let worst = match (expected, record.overall) {
        (Some(expected), Some(overall)) => expected.abs_diff(overall),
        _ => 0,
    };
    checks.push(matches);
    checks.push(
        record.overall.and_then(|score| rules.letter(score))
            == record.grade.as_ref().map(contract::records::Grade::as_str),
    );
    let in_order = ledger.rows.iter().zip(&rules.rules).all(|(row, rule)| row.rule == rule.id);
    checks.push(ledger.rows.len() == rules.rules.len() && in_order);
    for row in &ledger.rows {
        checks.push(match row.state {
            LedgerState::Passed => row.points == Some(row.of),
            LedgerState::Partial | LedgerState::Failed => row.points.is_some_and(|p| p < row.of),
            _ => row.points.is_none() && row.of == 0,
        });
    }
    checks.push(matches!(ledger.rows.iter().map(|row| row.of).sum::<u32>(), 0 | 100));
    let detail = &record.grade_detail;
    checks.push((detail.cap, detail.capped) == (ledger.cap, ledger.capped));
    checks.push(detail.cap.is_some() == detail.cap_reason.is_some());
    checks.push(!ledger.held_at_reach || ledger.capped);
    checks.push(
        record.headroom.as_ref().map(|room| room.gain) == record.overall.map(|o| 100 - o.min(100)),
    );
    checks.push(record.provenance.findings as usize == record.findings.len());
    checks.extend(record.agentview.conflicts.iter().map(|c| c.evidence.iter().all(exists)));
    checks.extend(record.policy.signals.iter().map(|s| s.evidence.iter().all(exists)));
    checks
        .extend(record.content.instruction_like.iter().map(|hit| hit.evidence.iter().all(exists)));
    checks.extend(record.pages.iter().map(|page| page.evidence.iter().all(exists)));
    let served = |row: &&contract::records::AgentRow| is_served(row);
    checks.push(
        record.agentview.all_refused != Some(true)
            || !rows.iter().filter(|row| is_ai(row)).any(|row| served(&row)),
    );
    checks.push(record.confidence.identities_answered.of as usize == rows.len());
    checks.push(record.confidence.sections_scored.of as usize == record.section_scores.len());
    checks.push(
        record.grade_detail.unscored.len()
            == record.section_scores.iter().filter(|section| section.score.is_none()).count(),
    );
    checks.push(record.confidence.non_observations as usize == record.non_observations.len());
    checks.push(record.id.is_some() != record.unreachable.unwrap_or(false));
    checks.push(record.findings_summary == summarise_findings(&record.findings));

    let wrong = checks.iter().filter(|passed| !**passed).count();
    let with_evidence = rows.iter().filter(|row| row.reading.is_some()).count()
        + record.checks.iter().filter(|check| check.reading.is_some()).count()
        + record.findings.iter().filter(|finding| !finding.evidence.is_empty()).count()
        + ledger.rows.iter().filter(|row| row.points.is_some() && !row.evidence.is_empty()).count();
    let statements = rows.len()
        + record.checks.len()
        + record.findings.len()
        + ledger.rows.iter().filter(|row| row.points.is_some()).count();
    record.self_audit = SelfAudit {
        checked: saturating_u32(checks.len()),
        findings: saturating_u32(wrong),
        worst: worst.max(u32::from(wrong > 0)),
    };
    record.proof_overall =
        (statements > 0).then(|| saturating_u32(with_evidence * 100 / statements));
    record.score_ledger.matches_record = matches;
}
