//! The history of a domain as a small chart.

use std::cmp::Ordering;

use contract::records::{ScanRecord, Visibility};
use service::ScanRow;

use crate::pages::{
    dates::{minute, short_day},
    status::score_tone,
};

pub(super) struct HistoryView {
    pub(super) points: Vec<HistoryPoint>,
    /// The line through all points.
    pub(super) line: String,
    pub(super) words: String,
    /// What changed since the scan before this one.
    pub(super) trend: String,
    /// Newest first.
    pub(super) rows: Vec<HistoryRow>,
}

pub(super) struct HistoryPoint {
    pub(super) x: u32,
    pub(super) y: u32,
    /// Where the label stands.
    pub(super) label_y: u32,
    pub(super) tone: &'static str,
    pub(super) label: String,
    pub(super) day: String,
}

pub(super) struct HistoryRow {
    pub(super) id: String,
    pub(super) when: String,
    pub(super) grade: String,
    pub(super) is_this: bool,
}

/// The chart's size: its width, and the heights of 100 and 0 points.
const WIDTH: u32 = 480;
const TOP: u32 = 22;
const BOTTOM: u32 = 102;

impl HistoryView {
    /// `None` if there is no public scan of the domain. `history` has public scans only, newest first.
    pub(super) fn new(record: &ScanRecord, history: &[ScanRow]) -> Option<Self> {
        if history.is_empty() {
            return None;
        }
        let scored: Vec<(&ScanRow, u32)> =
            history.iter().rev().filter_map(|row| Some((row, row.overall?.min(100)))).collect();
        let gaps = u32::try_from(scored.len().saturating_sub(1)).unwrap_or(1).max(1);
        let many = scored.len() > 6;
        let points: Vec<HistoryPoint> = scored
            .iter()
            .enumerate()
            .map(|(index, (row, score))| {
                let at = u32::try_from(index).unwrap_or_default();
                let y = BOTTOM - score * (BOTTOM - TOP) / 100;
                let is_end = index == 0 || index + 1 == scored.len();
                HistoryPoint {
                    x: 52 + at * (WIDTH - 90) / gaps,
                    y,
                    label_y: if *score < 50 { y - 9 } else { y.max(20) - 8 },
                    tone: score_tone(Some(*score)),
                    label: if many && !is_end { String::new() } else { label(row) },
                    day: if many && !is_end { String::new() } else { short_day(row.scanned_at) },
                }
            })
            .collect();
        let line: Vec<String> =
            points.iter().map(|point| format!("{} {}", point.x, point.y)).collect();
        let scores: Vec<String> = scored.iter().map(|(_, score)| score.to_string()).collect();
        Some(Self {
            line: format!("M{}", line.join(" ")),
            words: format!("Scores of the public scans, oldest first: {}.", scores.join(", ")),
            trend: trend(record, history),
            rows: history
                .iter()
                .map(|row| HistoryRow {
                    id: row.id.clone(),
                    when: minute(row.scanned_at),
                    grade: label(row),
                    is_this: is_this(record, row),
                })
                .collect(),
            points,
        })
    }
}

fn is_this(record: &ScanRecord, row: &ScanRow) -> bool {
    record.id.as_deref() == Some(row.id.as_str())
}

/// `F 30`.
fn label(row: &ScanRow) -> String {
    match (&row.grade, row.overall) {
        (Some(grade), Some(overall)) => format!("{grade} {overall}"),
        (None, Some(overall)) => overall.to_string(),
        _ => "no grade".to_owned(),
    }
}

/// How this report compares with the public scan before it. The list may not hold all public scans.
fn trend(record: &ScanRecord, history: &[ScanRow]) -> String {
    let Some(at) = history.iter().position(|row| is_this(record, row)) else {
        return match record.visibility {
            Visibility::Public => "This report is not among the latest public scans, which are \
                                   listed here."
                .to_owned(),
            _ => "This report is not public, so it is not in this list of public scans.".to_owned(),
        };
    };
    let (newer, rest) = history.split_at(at);
    let Some((this, older)) = rest.split_first() else { return String::new() };
    if history.len() == 1 {
        return match this.overall {
            Some(_) => "This is the first public scan of this domain.".to_owned(),
            None => "This is the first public scan of this domain. It has no score.".to_owned(),
        };
    }
    let Some(now) = this.overall else {
        return "This scan has no score, so it is not compared with others.".to_owned();
    };
    if older.is_empty() {
        return "This is the oldest public scan listed here.".to_owned();
    }
    let before = older.iter().find_map(|row| Some((row, row.overall?)));
    let Some((before, earlier)) = before else {
        return "No earlier scan listed here has a score to compare with.".to_owned();
    };
    let since = minute(before.scanned_at);
    if before.score_version != this.score_version {
        return format!(
            "The score was {earlier} on {since} and is {now} in this scan. The scoring rules changed in \
             between (version {} to {}), so the difference may come from the rules.",
            before.score_version, this.score_version
        );
    }
    match (newer.is_empty(), now.cmp(&earlier)) {
        (true, Ordering::Equal) => format!("The score has not changed since {since}."),
        (true, Ordering::Greater) => {
            format!("The score rose from {earlier} to {now} since {since}.")
        }
        (true, Ordering::Less) => format!("The score fell from {earlier} to {now} since {since}."),
        (false, Ordering::Equal) => {
            format!("There are newer scans. In this one the score was {now}, as on {since}.")
        }
        (false, _) => {
            format!(
                "There are newer scans. In this one the score was {now}, after {earlier} on {since}."
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::report::tests::record;

    /// A public scan; its number is its age in days.
    fn scan(age: u8, overall: Option<u32>, score_version: u32) -> ScanRow {
        ScanRow {
            id: format!("scan{age}"),
            domain: record().domain,
            scanned_at: format!("2026-11-{:02}T10:00:00Z", 28 - age).parse().unwrap(),
            visibility: service::Visibility::Public,
            score_version,
            grade: None,
            overall,
        }
    }

    fn trend_of(id: &str, visibility: Visibility, history: &[ScanRow]) -> String {
        let record = ScanRecord { id: Some(id.to_owned()), visibility, ..record() };
        HistoryView::new(&record, history).map_or_else(String::new, |view| view.trend)
    }

    #[test]
    fn the_trend_is_about_this_report() {
        let history = [scan(0, Some(50), 1), scan(1, Some(30), 1), scan(2, Some(30), 1)];
        for (id, expected) in [
            ("scan0", "The score rose from 30 to 50 since 27 Nov 2026, 10:00 UTC."),
            (
                "scan1",
                "There are newer scans. In this one the score was 30, as on 26 Nov 2026, 10:00 UTC.",
            ),
            ("scan2", "This is the oldest public scan listed here."),
            ("other", "This report is not among the latest public scans, which are listed here."),
        ] {
            assert_eq!(trend_of(id, Visibility::Public, &history), expected);
        }
        let fell = [scan(0, Some(30), 1), scan(1, None, 1), scan(2, Some(40), 1)];
        let trend = trend_of("scan0", Visibility::Public, &fell);
        assert_eq!(trend, "The score fell from 40 to 30 since 26 Nov 2026, 10:00 UTC.");
        let same = [scan(0, Some(30), 1), scan(1, Some(30), 1)];
        let trend = trend_of("scan0", Visibility::Public, &same);
        assert_eq!(trend, "The score has not changed since 27 Nov 2026, 10:00 UTC.");
        let later = [scan(0, Some(9), 1), scan(1, Some(30), 1), scan(2, Some(40), 1)];
        assert_eq!(
            trend_of("scan1", Visibility::Public, &later),
            "There are newer scans. In this one the score was 30, after 40 on 26 Nov 2026, 10:00 UTC."
        );
    }

    #[test]
    fn a_change_of_the_rules_is_no_rise() {
        let history = [scan(0, Some(50), 2), scan(1, Some(30), 1)];
        let trend = trend_of("scan0", Visibility::Public, &history);
        assert!(trend.contains("The scoring rules changed in between (version 1 to 2)"), "{trend}");
        assert!(!trend.contains("rose"), "{trend}");
    }

    #[test]
    fn the_first_scan_is_the_only_one_listed_and_public() {
        let only = [scan(0, Some(50), 1)];
        assert_eq!(
            trend_of("scan0", Visibility::Public, &only),
            "This is the first public scan of this domain."
        );
        for visibility in [Visibility::Unlisted, Visibility::Private] {
            assert_eq!(
                trend_of("other", visibility, &only),
                "This report is not public, so it is not in this list of public scans."
            );
        }
    }

    /// Public scans without a score are scans: they are listed, without a chart.
    #[test]
    fn scans_without_a_score_are_listed() {
        let history = [scan(0, None, 1), scan(1, None, 1)];
        let record = ScanRecord { id: Some("scan0".to_owned()), ..record() };
        let view = HistoryView::new(&record, &history).unwrap();
        assert!(view.points.is_empty());
        assert_eq!(view.rows.iter().filter(|row| row.is_this).count(), 1);
        assert_eq!(view.rows.len(), 2);
        assert_eq!(view.trend, "This scan has no score, so it is not compared with others.");
        let history = [scan(0, Some(50), 1), scan(1, None, 1)];
        let view = HistoryView::new(&record, &history).unwrap();
        assert_eq!(view.trend, "No earlier scan listed here has a score to compare with.");
        assert!(HistoryView::new(&record, &[]).is_none());
    }
}
