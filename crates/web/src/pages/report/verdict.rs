//! The first screen of a report: the grade, the sentence, the points and the cap.

use contract::records::{AgentRow, LedgerState, Role, RowCause, ScanRecord};

use crate::pages::{
    board::{count_served, is_measured},
    status::score_tone,
};

pub(super) struct VerdictView {
    pub(super) tone: &'static str,
    /// The letter, or a dash.
    pub(super) letter: String,
    /// `30 of 100`.
    pub(super) score: String,
    pub(super) sentence: String,
    /// `50 points, capped at 30`.
    pub(super) points: String,
    /// Why, and what that means.
    pub(super) reason: String,
    pub(super) scale: Option<Scale>,
}

/// Positions on a scale of 400 units.
pub(super) struct Scale {
    pub(super) overall: u32,
    pub(super) earned: u32,
    pub(super) cap: Option<u32>,
    pub(super) lost_width: u32,
    /// Where the labels stand, so that they stay inside the picture and apart from each other.
    pub(super) overall_label: u32,
    pub(super) earned_label: u32,
    pub(super) words: String,
}

impl VerdictView {
    pub(super) fn new(record: &ScanRecord) -> Self {
        let earned = earned_points(record);
        let detail = &record.grade_detail;
        let (points, reason) = match (record.overall, detail.cap, &detail.cap_reason) {
            (Some(_), Some(cap), Some(why)) if detail.capped => {
                (format!("{earned} points, capped at {cap}."), why.clone())
            }
            (Some(overall), Some(cap), Some(why)) => {
                (format!("{overall} points; at most {cap} are possible."), why.clone())
            }
            (Some(overall), _, _) => (format!("{overall} points, no cap."), String::new()),
            (None, _, _) => ("No score.".to_owned(), record.confidence.note.clone()),
        };
        Self {
            tone: score_tone(record.overall),
            letter: record.grade.as_ref().map_or_else(|| "–".to_owned(), ToString::to_string),
            score: record
                .overall
                .map_or_else(|| "no grade".to_owned(), |score| format!("{score} of 100")),
            sentence: sentence(&record.agentview.rows),
            points,
            reason,
            scale: record
                .overall
                .map(|overall| scale(overall, earned, detail.cap.filter(|_| detail.capped))),
        }
    }
}

/// The points of all rules, before a cap.
fn earned_points(record: &ScanRecord) -> u32 {
    record.score_ledger.rows.iter().filter_map(|row| row.points).sum()
}

fn scale(overall: u32, earned: u32, cap: Option<u32>) -> Scale {
    let at = |points: u32| points.min(100) * 4;
    let earned = earned.max(overall);
    let overall_label = at(overall).clamp(30, 370);
    let earned_label = at(earned).clamp(overall_label.saturating_add(90).min(366), 366);
    Scale {
        overall: at(overall),
        earned: at(earned),
        cap: cap.map(at),
        lost_width: at(earned).saturating_sub(at(overall)),
        overall_label,
        earned_label,
        words: match cap {
            Some(cap) => format!(
                "Scale from 0 to 100. The site earned {earned} points. The cap is at {cap}."
            ),
            None => format!("Scale from 0 to 100. The site has {overall} points."),
        },
    }
}

/// Who got the page: only what our requests showed, because the real agents come from other networks.
fn sentence(rows: &[AgentRow]) -> String {
    let ai: Vec<&RowCause> = rows
        .iter()
        .filter(|row| matches!(row.role, Role::Train | Role::Search | Role::User))
        .map(|row| &row.cause)
        .collect();
    let (served, asked) = count_served(ai.iter().copied());
    if asked == 0 {
        return "No AI agent could be measured.".to_owned();
    }
    let measured = if asked < ai.len() { "measured " } else { "" };
    let browser = rows.iter().find(|row| row.role == Role::Browser).map(|row| &row.cause);
    let browser = match browser.filter(|cause| is_measured(cause)) {
        Some(RowCause::Served) => "",
        Some(_) => " The browser did not get it.",
        None => " The browser was not measured.",
    };
    format!("{served} of {asked} {measured}AI agents got the page.{browser}")
}

/// `22 rules: 12 passed, 7 failed, 3 not assessed.`
pub(super) fn rules_summary(record: &ScanRecord) -> String {
    let rows = &record.score_ledger.rows;
    let counts = [
        (LedgerState::Passed, "passed"),
        (LedgerState::Partial, "partly"),
        (LedgerState::Failed, "failed"),
        (LedgerState::NotApplicable, "not applicable"),
        (LedgerState::NotAssessed, "not assessed"),
    ];
    let counts = counts.into_iter().filter_map(|(state, word)| {
        let count = rows.iter().filter(|row| row.state == state).count();
        (count > 0).then(|| format!("{count} {word}"))
    });
    format!("{} rules: {}.", rows.len(), counts.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of a scan; the first one is the browser's.
    fn rows(causes: &[RowCause]) -> Vec<AgentRow> {
        let row = |(index, cause): (usize, &RowCause)| AgentRow {
            cause: cause.clone(),
            role: if index == 0 { Role::Browser } else { Role::Search },
            ..crate::pages::report::tests::record().agentview.rows.remove(0)
        };
        causes.iter().enumerate().map(row).collect()
    }

    #[test]
    fn the_sentence_says_who_got_the_page_and_no_more() {
        use RowCause::{Busy, NotRead, Refused, Served, Unreachable};
        for (causes, expected) in [
            (vec![Served, Refused, Refused], "0 of 2 AI agents got the page."),
            (vec![Served, Served, Served], "2 of 2 AI agents got the page."),
            (vec![Served, Served, Refused], "1 of 2 AI agents got the page."),
            (vec![Served, Served, Busy], "1 of 1 measured AI agents got the page."),
            (
                vec![Refused, Refused, Refused],
                "0 of 2 AI agents got the page. The browser did not get it.",
            ),
            (
                vec![Unreachable, Refused, Refused],
                "0 of 2 AI agents got the page. The browser was not measured.",
            ),
            (
                vec![Busy, Served, Refused],
                "1 of 2 AI agents got the page. The browser was not measured.",
            ),
            (vec![Served, NotRead, NotRead], "No AI agent could be measured."),
            (vec![], "No AI agent could be measured."),
        ] {
            assert_eq!(sentence(&rows(&causes)), expected, "{causes:?}");
        }
        let without_browser = rows(&[Served, Refused]).split_off(1);
        assert_eq!(
            sentence(&without_browser),
            "0 of 1 AI agents got the page. The browser was not measured."
        );
    }

    #[test]
    fn labels_of_the_scale_stay_apart_and_inside() {
        for (overall, earned) in
            [(0, 0), (0, 100), (30, 50), (99, 99), (100, 100), (50, 51), (3, 9)]
        {
            let scale = scale(overall, earned, Some(overall));
            assert!(scale.overall_label >= 30 && scale.earned_label <= 370, "{overall} {earned}");
            if scale.lost_width > 0 && scale.overall_label <= 270 {
                assert!(scale.earned_label >= scale.overall_label + 90, "{overall} {earned}");
            }
        }
    }
}
