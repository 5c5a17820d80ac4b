//! The first screen of a report: the grade, the sentence, the points and the cap.

use contract::records::{LedgerState, Role, RowCause, ScanRecord};

use crate::pages::status::score_tone;

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
            sentence: sentence(record),
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

/// Who gets the page, in one sentence.
fn sentence(record: &ScanRecord) -> String {
    let rows = &record.agentview.rows;
    let is_ai = |role: &Role| matches!(role, Role::Train | Role::Search | Role::User);
    let measured = |cause: &RowCause| {
        !matches!(
            cause,
            RowCause::NotRead | RowCause::Unreachable | RowCause::Busy | RowCause::Incomplete
        )
    };
    let asked = rows.iter().filter(|row| is_ai(&row.role) && measured(&row.cause)).count();
    let served =
        rows.iter().filter(|row| is_ai(&row.role) && row.cause == RowCause::Served).count();
    let browser = rows.iter().find(|row| row.role == Role::Browser);
    if asked == 0 {
        return "No AI agent could be measured.".to_owned();
    }
    if !browser.is_some_and(|row| row.cause == RowCause::Served) {
        return match served {
            0 => "Nobody gets the page, not even the browser.".to_owned(),
            _ => "The browser does not get the page.".to_owned(),
        };
    }
    match served {
        0 => "AI agents cannot read this site.".to_owned(),
        all if all == asked => "AI agents can read this site.".to_owned(),
        some => format!("{some} of {asked} AI agents can read this site."),
    }
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
