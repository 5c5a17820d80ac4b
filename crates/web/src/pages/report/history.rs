//! The history of a domain as a small chart.

use contract::records::ScanRecord;
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
    /// What changed since the scan before.
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
    /// `None` if there is no public scan of the domain.
    pub(super) fn new(record: &ScanRecord, history: &[ScanRow]) -> Option<Self> {
        let scored: Vec<(&ScanRow, u32)> =
            history.iter().rev().filter_map(|row| Some((row, row.overall?.min(100)))).collect();
        if scored.is_empty() {
            return None;
        }
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
            words: format!(
                "Scores of the last {} scans, oldest first: {}.",
                scores.len(),
                scores.join(", ")
            ),
            trend: trend(&scored),
            rows: history
                .iter()
                .map(|row| HistoryRow {
                    id: row.id.clone(),
                    when: minute(row.scanned_at),
                    grade: label(row),
                    is_this: record.id.as_deref() == Some(row.id.as_str()),
                })
                .collect(),
            points,
        })
    }
}

/// `F 30`.
fn label(row: &ScanRow) -> String {
    match (&row.grade, row.overall) {
        (Some(grade), Some(overall)) => format!("{grade} {overall}"),
        (None, Some(overall)) => overall.to_string(),
        _ => "no grade".to_owned(),
    }
}

fn trend(scored: &[(&ScanRow, u32)]) -> String {
    let [.., (before, earlier), (_, now)] = scored else {
        return "This is the first public scan of this domain.".to_owned();
    };
    let since = minute(before.scanned_at);
    match now.cmp(earlier) {
        std::cmp::Ordering::Equal => format!("The score has not changed since {since}."),
        std::cmp::Ordering::Greater => {
            format!("The score rose from {earlier} to {now} since {since}.")
        }
        std::cmp::Ordering::Less => {
            format!("The score fell from {earlier} to {now} since {since}.")
        }
    }
}
