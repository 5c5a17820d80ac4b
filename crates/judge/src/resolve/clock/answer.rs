//! The whole answer of `/api/v1/content-clock`.

use contract::Timestamp;
use contract::limits::{CLOCK_EVERY_HOURS, CLOCK_VERSIONS_MAX};
use contract::records::{
    ChangeOf, ClockAgreement, ClockCadence, ClockComparison, ClockPrecision, ClockReading,
    ClockSchedule, ClockState, ContentClockRecord, DeclaredDate,
};

use super::ClockFacts;
use super::dates::moment;
use crate::resolve::Letterhead;

const READING: &str = "Our digests are the clock; declared dates are claims. A change lies between two checks, and nothing is \
     known of what came and went between them.";
const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;
/// Declared dates are given to the second, and clocks differ.
const TOLERANCE_MS: i64 = 60_000;

/// A clock as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clock {
    pub url: String,
    pub state: ClockState,
    pub why: Option<String>,
    pub started_at: Timestamp,
    pub checks: u32,
    pub last_checked_at: Option<Timestamp>,
    pub next_check_at: Timestamp,
    pub expires_at: Timestamp,
    /// From the last check.
    pub declared: Vec<DeclaredDate>,
    /// The longest time between two checks; nothing before there were two.
    pub widest_gap_ms: Option<i64>,
    /// Newest first.
    pub versions: Vec<ClockReading>,
}

impl Clock {
    /// What the block of a resolve answer tells.
    #[must_use]
    pub fn facts(&self) -> ClockFacts {
        ClockFacts {
            url: self.url.clone(),
            observed: !self.versions.is_empty(),
            started_at: self.started_at,
            checks: self.checks,
            last_checked_at: self.last_checked_at,
            last_changed_at: self.last_changed_at(),
            why: self.why.clone().filter(|_| self.state == ClockState::Refused),
        }
    }

    fn changes(&self) -> impl Iterator<Item = &ClockReading> {
        self.versions.iter().filter(|version| version.change.kind != ChangeOf::None)
    }

    fn last_changed_at(&self) -> Option<Timestamp> {
        self.changes().next().map(|version| version.seen_from)
    }
}

/// The answer for a page; `clock` is nothing when none was started. `why` says why not.
#[must_use]
pub fn answer(
    url: &str,
    clock: Option<&Clock>,
    why: Option<&str>,
    versions: usize,
    head: &Letterhead<'_>,
) -> ContentClockRecord {
    ContentClockRecord {
        kind: head.kind("content-clock"),
        v: 1,
        schema: head.schema("content-clock"),
        url: url.to_owned(),
        observed: clock.is_some_and(|clock| !clock.versions.is_empty()),
        state: match (clock, why) {
            (Some(clock), _) => clock.state.clone(),
            (None, Some(_)) => ClockState::Refused,
            (None, None) => ClockState::NotMeasured,
        },
        why: match clock {
            Some(clock) => clock.why.clone(),
            None => Some(why.unwrap_or("No clock runs for this page.").to_owned()),
        },
        clock: clock.map(|clock| ClockSchedule {
            started_at: clock.started_at,
            checks: clock.checks,
            next_check_at: clock.next_check_at,
            every_hours: CLOCK_EVERY_HOURS,
            expires_at: clock.expires_at,
        }),
        first_observed: clock
            .and_then(|clock| clock.versions.iter().map(|version| version.seen_from).min()),
        last_checked_at: clock.and_then(|clock| clock.last_checked_at),
        last_changed_at: clock.and_then(Clock::last_changed_at),
        versions: clock
            .map(|clock| {
                clock.versions.iter().take(versions.min(CLOCK_VERSIONS_MAX)).cloned().collect()
            })
            .unwrap_or_default(),
        declared: clock.map(|clock| clock.declared.clone()).unwrap_or_default(),
        compare: compare(clock),
        precision: ClockPrecision {
            rule: "A change lies between two checks.".to_owned(),
            widest_gap_hours: clock.and_then(|clock| clock.widest_gap_ms).map(hours_up),
        },
        cadence: cadence(clock),
        reading: READING.to_owned(),
        sha256: None,
        signature: None,
    }
}

/// The newest date that the site declares, beside the last change that was seen.
fn compare(clock: Option<&Clock>) -> ClockComparison {
    let told =
        |state: ClockAgreement, detail: &str| ClockComparison { state, detail: detail.to_owned() };
    let incomparable = |detail: &str| told(ClockAgreement::NotComparable, detail);
    let Some(clock) = clock else { return incomparable("No clock runs for this page.") };
    let Some(first) = clock.versions.iter().map(|version| version.seen_from).min() else {
        return incomparable("The page was not read yet.");
    };
    let date = clock
        .declared
        .iter()
        .filter(|date| matches!(date.what.as_str(), "last_modified" | "date_modified"))
        .filter_map(|date| moment(&date.untrusted_value))
        .max();
    let Some(date) = date else {
        return incomparable("The site declares no date of change that could be read.");
    };
    let mut changed = clock.versions.iter();
    let last = changed.find(|version| version.change.kind != ChangeOf::None);
    let Some(last) = last else {
        // Watched since, and nothing changed: any date before that fits.
        return if date <= first.plus_millis(TOLERANCE_MS) {
            told(
                ClockAgreement::Consistent,
                "The declared time lies before the first check, and no change was seen since.",
            )
        } else {
            told(
                ClockAgreement::DeclaredNewer,
                "The declared time lies after the first check, and no change was seen since.",
            )
        };
    };
    // The version before it was still there at its last check.
    let before = changed.next().map_or(first, |version| version.seen_to);
    if date > last.seen_from.plus_millis(TOLERANCE_MS) {
        told(
            ClockAgreement::DeclaredNewer,
            "The declared time lies after the last change that was seen.",
        )
    } else if date < before.plus_millis(-TOLERANCE_MS) {
        told(
            ClockAgreement::DeclaredOlder,
            "The declared time lies before the last change that was seen.",
        )
    } else {
        told(
            ClockAgreement::Consistent,
            "The declared time lies between the two checks around the last change.",
        )
    }
}

fn cadence(clock: Option<&Clock>) -> ClockCadence {
    let mut changes: Vec<Timestamp> =
        clock.into_iter().flat_map(Clock::changes).map(|version| version.seen_from).collect();
    changes.sort_unstable();
    let mut gaps: Vec<i64> = changes
        .iter()
        .zip(changes.iter().skip(1))
        .map(|(one, next)| next.millis_since(*one))
        .collect();
    gaps.sort_unstable();
    let watched = clock
        .and_then(|clock| Some(clock.last_checked_at?.millis_since(clock.started_at)))
        .unwrap_or(0);
    ClockCadence {
        changes: crate::scan::count(changes.len()),
        days: u32::try_from(watched.max(0) / DAY_MS).unwrap_or(u32::MAX),
        median_gap_hours: gaps.get(gaps.len() / 2).map(|gap| hours_up(*gap)),
        note: "What was seen, not a forecast.".to_owned(),
    }
}

fn hours_up(ms: i64) -> u32 {
    u32::try_from(ms.max(0).div_euclid(HOUR_MS) + i64::from(ms.rem_euclid(HOUR_MS) > 0))
        .unwrap_or(u32::MAX)
}
