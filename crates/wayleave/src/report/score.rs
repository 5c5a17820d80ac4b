//! The letter, where it comes from, and every rule with what it gave.

use contract::records::{Grade, LedgerState, ScanRecord, SectionScore};

use super::page::{Cell, Page};
use super::{count, plain};
use crate::output::Tone;

const BAR: usize = 20;

pub(super) fn head(page: &mut Page, record: &ScanRecord) {
    let domain = &record.domain;
    if record.unreachable == Some(true) {
        page.toned(0, Tone::Bad, &format!("{domain}: nothing answered"));
        return;
    }
    let scored = &record.confidence.sections_scored;
    let sections = format!("from {} of {} sections", scored.n, scored.of);
    let (tone, line) = match (&record.grade, record.overall) {
        (Some(grade), Some(points)) => (tone_of(grade), format!("{grade} ({points} of 100)")),
        (Some(grade), None) => (tone_of(grade), grade.to_string()),
        (None, _) => (Tone::Doubt, "no grade".to_owned()),
    };
    page.toned(0, tone, &format!("{domain}: {line}, {sections}"));
    let detail = &record.grade_detail;
    if detail.capped {
        let cap = detail.cap.map(|cap| format!(" at {cap}")).unwrap_or_default();
        let why = detail.cap_reason.as_deref().unwrap_or("no reason is given");
        page.toned(2, Tone::Doubt, &format!("Capped{cap}: {why}"));
    }
    if record.score_ledger.held_at_reach {
        page.toned(2, Tone::Doubt, "Held down because agents could not reach the site.");
    }
    if let Some(headroom) = record.headroom.as_ref().filter(|headroom| headroom.gain > 0) {
        page.prose(2, &format!("{} could still be won.", count(headroom.gain.into(), "point")));
    }
    let now =
        if record.cached == Some(true) { " (an earlier scan; nothing was read now)" } else { "" };
    page.faint(
        2,
        &format!(
            "Scanned {}{now} from `{}` by rules {}. {} reads of {} came whole.",
            record.scanned_at,
            record.provenance.vantage.name,
            record.score_version,
            record.confidence.fetches_kept.n,
            record.confidence.fetches_kept.of
        ),
    );
}

pub(super) fn sections(page: &mut Page, record: &ScanRecord) {
    page.heading("Sections");
    let rows: Vec<Vec<Cell>> = record.section_scores.iter().map(section).collect();
    page.table(2, &rows);
}

fn section(section: &SectionScore) -> Vec<Cell> {
    let Some(score) = section.score else {
        let why = section.why.as_deref().unwrap_or("no reason is given");
        let told = Cell::toned(Tone::Faint, format!("not scored: {why}"));
        return vec![Cell::new(&section.title), told];
    };
    let full = (score.min(100) as usize * BAR + 50) / 100;
    let bar = format!("{}{}", "█".repeat(full), "░".repeat(BAR.saturating_sub(full)));
    let tone = match score {
        80.. => Tone::Good,
        60.. => Tone::Doubt,
        _ => Tone::Bad,
    };
    let points = format!("{bar} {} of {}", section.points, section.of);
    vec![Cell::new(&section.title), Cell::toned(tone, points)]
}

pub(super) fn ledger(page: &mut Page, record: &ScanRecord) {
    let ledger = &record.score_ledger;
    page.heading("Ledger");
    page.faint(2, &ledger.method);
    let mut section = None;
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for row in &ledger.rows {
        if section.replace(&row.section) != Some(&row.section) {
            rows.push(vec![Cell::toned(Tone::Strong, plain(&row.section))]);
        }
        let points = row.points.map_or("-".to_owned(), |points| format!("{points} of {}", row.of));
        rows.push(vec![
            Cell::new(format!("  {}", row.rule)),
            Cell::toned(state_tone(&row.state), plain(row.state.as_str())),
            Cell::new(points),
            Cell::new(&row.why),
        ]);
    }
    page.table(2, &rows);
    if ledger.rows_withheld > 0 {
        page.faint(2, &format!("{} rows are not shown to this reader.", ledger.rows_withheld));
    }
    if !ledger.matches_record {
        page.toned(2, Tone::Bad, "The rows do not add up to the score of the record.");
    }
}

fn state_tone(state: &LedgerState) -> Tone {
    match state {
        LedgerState::Passed => Tone::Good,
        LedgerState::Partial => Tone::Doubt,
        LedgerState::Failed => Tone::Bad,
        _ => Tone::Faint,
    }
}

fn tone_of(grade: &Grade) -> Tone {
    match grade {
        Grade::A | Grade::B => Tone::Good,
        Grade::C | Grade::D => Tone::Doubt,
        _ => Tone::Bad,
    }
}
