//! The grade, the section scores, and the ledger of all rules.

use contract::records::{Grade, LedgerState, ScanRecord, SectionScore};
use contract::text::record_words::spaced;

use super::count_of;
use super::page::{Cell, Page};
use crate::output::Tone;

const BAR_WIDTH: usize = 20;

pub(super) fn write_grade(page: &mut Page, record: &ScanRecord) {
    let domain = &record.domain;
    if record.unreachable == Some(true) {
        page.toned(0, Tone::Bad, &format!("{domain}: the site did not answer"));
        return;
    }
    let scored = &record.confidence.sections_scored;
    let sections = format!("{} of {} sections scored", scored.n, scored.of);
    let (tone, line) = match (&record.grade, record.overall) {
        (Some(grade), Some(points)) => (grade_tone(grade), format!("{grade} ({points} of 100)")),
        (Some(grade), None) => (grade_tone(grade), grade.to_string()),
        (None, _) => (Tone::Warning, "no grade".to_owned()),
    };
    page.toned(0, tone, &format!("{domain}: {line}, {sections}"));
    let detail = &record.grade_detail;
    if detail.capped {
        let cap = detail.cap.map(|cap| format!(" at {cap}")).unwrap_or_default();
        let why = detail.cap_reason.as_deref().unwrap_or("no reason given");
        page.toned(2, Tone::Warning, &format!("Score capped{cap}: {why}"));
    }
    if record.score_ledger.held_at_reach {
        page.toned(2, Tone::Warning, "Score limited because agents could not reach the site.");
    }
    for (label, score, why) in [
        ("What agents can do:", record.treatment.usable, &record.treatment.usable_why),
        (
            "Does the site do what it says:",
            record.treatment.consistent,
            &record.treatment.consistent_why,
        ),
    ] {
        let score = score.map_or("not measured".to_owned(), |score| format!("{score} of 100"));
        page.labelled(2, label, &format!("{score}. {why}"));
    }
    page.labelled(2, "Do signed requests get more:", &record.signed_requests.means);
    if let Some(headroom) = record.headroom.as_ref().filter(|headroom| headroom.gain > 0) {
        page.prose(2, &format!("{} more can be gained.", count_of(headroom.gain.into(), "point")));
    }
    let note = if record.cached == Some(true) { " (stored result of an earlier scan)" } else { "" };
    page.faint(
        2,
        &format!(
            "Scanned {}{note} from `{}` with rules version {}. {} of {} requests completed.",
            record.scanned_at,
            record.provenance.vantage.name,
            record.score_version,
            record.confidence.fetches_kept.n,
            record.confidence.fetches_kept.of
        ),
    );
}

pub(super) fn write_sections(page: &mut Page, record: &ScanRecord) {
    page.heading("Sections");
    let rows: Vec<Vec<Cell>> = record.section_scores.iter().map(section_cells).collect();
    page.table(2, &rows);
}

fn section_cells(section: &SectionScore) -> Vec<Cell> {
    let Some(score) = section.score else {
        let why = section.why.as_deref().unwrap_or("no reason given");
        let reason = Cell::toned(Tone::Faint, format!("not scored: {why}"));
        return vec![Cell::new(&section.title), reason];
    };
    let full = (score.min(100) as usize * BAR_WIDTH + 50) / 100;
    let bar = format!("{}{}", "█".repeat(full), "░".repeat(BAR_WIDTH.saturating_sub(full)));
    let tone = match score {
        80.. => Tone::Good,
        60.. => Tone::Warning,
        _ => Tone::Bad,
    };
    let points = format!("{bar} {} of {}", section.points, section.of);
    vec![Cell::new(&section.title), Cell::toned(tone, points)]
}

pub(super) fn write_ledger(page: &mut Page, record: &ScanRecord) {
    let ledger = &record.score_ledger;
    page.heading("Ledger");
    page.faint(2, &ledger.method);
    let mut section = None;
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for row in &ledger.rows {
        if section.replace(&row.section) != Some(&row.section) {
            rows.push(vec![Cell::toned(Tone::Strong, spaced(&row.section))]);
        }
        let points = row.points.map_or("-".to_owned(), |points| format!("{points} of {}", row.of));
        rows.push(vec![
            Cell::new(format!("  {}", row.rule)),
            Cell::toned(state_tone(&row.state), spaced(row.state.as_str())),
            Cell::new(points),
            Cell::new(&row.why),
        ]);
    }
    page.table(2, &rows);
    if ledger.rows_withheld > 0 {
        page.faint(2, &format!("{} rows are not included in this record.", ledger.rows_withheld));
    }
    if !ledger.matches_record {
        page.toned(2, Tone::Bad, "The rows do not add up to the score in the record.");
    }
}

fn state_tone(state: &LedgerState) -> Tone {
    match state {
        LedgerState::Passed => Tone::Good,
        LedgerState::Partial => Tone::Warning,
        LedgerState::Failed => Tone::Bad,
        _ => Tone::Faint,
    }
}

fn grade_tone(grade: &Grade) -> Tone {
    match grade {
        Grade::A | Grade::B => Tone::Good,
        Grade::C | Grade::D => Tone::Warning,
        _ => Tone::Bad,
    }
}
