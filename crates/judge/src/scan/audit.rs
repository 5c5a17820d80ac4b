//! The record checked against its own evidence before it is given out.

use std::collections::HashSet;

use contract::evidence::Evidence;
use contract::records::{LedgerState, ScanRecord, SelfAudit};

use crate::rulepack::Rulepack;

/// Fills in `self_audit`, `proof_overall` and the ledger's `matches_record`.
pub(super) fn audit(record: &mut ScanRecord, evidence: &Evidence, rules: &Rulepack) {
    let readings: HashSet<&str> =
        evidence.reads.iter().map(|reading| reading.id.as_str()).collect();
    let known = |id: &String| readings.contains(id.as_str());
    let mut held: Vec<bool> = Vec::new();

    let rows = &record.agentview.rows;
    held.extend(rows.iter().map(|row| row.reading.as_ref().is_none_or(known)));
    held.extend(record.checks.iter().map(|check| check.reading.as_ref().is_none_or(known)));
    // A finding without evidence is an opinion.
    held.extend(
        record.findings.iter().map(|f| !f.evidence.is_empty() && f.evidence.iter().all(known)),
    );
    // A point without evidence is a gift, and a lost one that nobody explains is a riddle.
    let ledger = &record.score_ledger;
    for row in &ledger.rows {
        held.push(
            row.points.is_none() || (!row.evidence.is_empty() && row.evidence.iter().all(known)),
        );
        if matches!(row.state, LedgerState::Failed | LedgerState::Partial) {
            held.push(record.findings.iter().any(|f| f.rule.as_deref() == Some(row.rule.as_str())));
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
    held.push(matches);
    held.push(
        record.overall.and_then(|score| rules.letter(score))
            == record.grade.as_ref().map(contract::records::Grade::as_str),
    );
    let in_order = ledger.rows.iter().zip(&rules.rules).all(|(row, rule)| row.rule == rule.id);
    held.push(ledger.rows.len() == rules.rules.len() && in_order);
    for row in &ledger.rows {
        held.push(match row.state {
            LedgerState::Passed => row.points == Some(row.of),
            LedgerState::Partial | LedgerState::Failed => row.points.is_some_and(|p| p < row.of),
            _ => row.points.is_none() && row.of == 0,
        });
    }
    held.push(matches!(ledger.rows.iter().map(|row| row.of).sum::<u32>(), 0 | 100));
    let detail = &record.grade_detail;
    held.push((detail.cap, detail.capped) == (ledger.cap, ledger.capped));
    held.push(detail.cap.is_some() == detail.cap_reason.is_some());
    held.push(!ledger.held_at_reach || ledger.capped);
    held.push(
        record.headroom.as_ref().map(|room| room.gain) == record.overall.map(|o| 100 - o.min(100)),
    );
    held.push(record.provenance.findings as usize == record.findings.len());
    held.extend(record.agentview.conflicts.iter().map(|c| c.evidence.iter().all(known)));
    held.extend(record.policy.signals.iter().map(|s| s.evidence.iter().all(known)));
    held.extend(record.content.instruction_like.iter().map(|hit| hit.evidence.iter().all(known)));
    let served = |row: &&contract::records::AgentRow| super::served::is_served(row);
    held.push(
        record.agentview.all_refused != Some(true)
            || !rows.iter().filter(|row| super::served::is_ai(row)).any(|row| served(&row)),
    );
    held.push(record.confidence.identities_answered.of as usize == rows.len());
    held.push(record.confidence.sections_scored.of as usize == record.section_scores.len());
    held.push(
        record.grade_detail.unscored.len()
            == record.section_scores.iter().filter(|section| section.score.is_none()).count(),
    );
    held.push(record.confidence.non_observations as usize == record.non_observations.len());
    held.push(record.id.is_some() != record.unreachable.unwrap_or(false));
    let summary = &record.findings_summary;
    held.push(*summary == super::summary(&record.findings));

    let wrong = held.iter().filter(|holds| !**holds).count();
    let shown = rows.iter().filter(|row| row.reading.is_some()).count()
        + record.checks.iter().filter(|check| check.reading.is_some()).count()
        + record.findings.iter().filter(|finding| !finding.evidence.is_empty()).count()
        + ledger.rows.iter().filter(|row| row.points.is_some() && !row.evidence.is_empty()).count();
    let said = rows.len()
        + record.checks.len()
        + record.findings.len()
        + ledger.rows.iter().filter(|row| row.points.is_some()).count();
    record.self_audit = SelfAudit {
        checked: super::count(held.len()),
        findings: super::count(wrong),
        worst: worst.max(u32::from(wrong > 0)),
    };
    record.proof_overall = (said > 0).then(|| super::count(shown * 100 / said));
    record.score_ledger.matches_record = matches;
}
