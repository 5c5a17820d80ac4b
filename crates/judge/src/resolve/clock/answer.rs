//! The answer of `/api/v1/content-clock`.

use contract::limits::{CLOCK_CHECK_INTERVAL_HOURS, CLOCK_VERSIONS_MAX};
use contract::records::{
    ClockAgreement, ClockCadence, ClockComparison, ClockPrecision, ClockSchedule, ClockState,
    ContentClockRecord, DeclaredDate, PageChangeKind, PageVersion,
};
use contract::{Issuer, Timestamp};

use super::declared_dates::parse_declared_date;
use super::section::ClockSummary;

const READING: &str = "We detect changes by our own digests; declared dates are claims. A change happened between two checks. \
     We do not see changes that were undone between two checks.";
const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;
/// Allows for declared dates without fractions of a second, and for clock differences.
const TOLERANCE_MS: i64 = 60_000;

/// A content clock as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageClock {
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
    /// The longest time between two checks; `None` before the second check.
    pub widest_gap_ms: Option<i64>,
    /// Newest first.
    pub versions: Vec<PageVersion>,
}

impl PageClock {
    /// The state for the section of a resolve answer.
    #[must_use]
    pub fn summary(&self) -> ClockSummary {
        ClockSummary {
            url: self.url.clone(),
            observed: !self.versions.is_empty(),
            started_at: self.started_at,
            checks: self.checks,
            last_checked_at: self.last_checked_at,
            last_changed_at: self.last_changed_at(),
            why: self.why.clone().filter(|_| self.state == ClockState::Refused),
        }
    }

    fn changes(&self) -> impl Iterator<Item = &PageVersion> {
        self.versions.iter().filter(|version| version.change.kind != PageChangeKind::None)
    }

    fn last_changed_at(&self) -> Option<Timestamp> {
        self.changes().next().map(|version| version.seen_from)
    }
}

/// Builds the answer for a page. `clock` is `None` when none was started; `why` then gives the reason.
#[must_use]
pub fn answer(
    url: &str,
    clock: Option<&PageClock>,
    why: Option<&str>,
    versions: usize,
    issuer: &Issuer,
) -> ContentClockRecord {
    ContentClockRecord {
        kind: issuer.kind("content-clock"),
        v: 1,
        schema: issuer.schema_url("content-clock"),
        url: url.to_owned(),
        observed: clock.is_some_and(|clock| !clock.versions.is_empty()),
        state: match (clock, why) {
            (Some(clock), _) => clock.state.clone(),
            (None, Some(_)) => ClockState::Refused,
            (None, None) => ClockState::NotMeasured,
        },
        why: match clock {
            Some(clock) => clock.why.clone(),
            None => Some(why.unwrap_or("No content clock runs for this page.").to_owned()),
        },
        clock: clock.map(|clock| ClockSchedule {
            started_at: clock.started_at,
            checks: clock.checks,
            next_check_at: clock.next_check_at,
            every_hours: CLOCK_CHECK_INTERVAL_HOURS,
            expires_at: clock.expires_at,
        }),
        first_observed: clock
            .and_then(|clock| clock.versions.iter().map(|version| version.seen_from).min()),
        last_checked_at: clock.and_then(|clock| clock.last_checked_at),
        last_changed_at: clock.and_then(PageClock::last_changed_at),
        versions: clock
            .map(|clock| {
                clock.versions.iter().take(versions.min(CLOCK_VERSIONS_MAX)).cloned().collect()
            })
            .unwrap_or_default(),
        declared: clock.map(|clock| clock.declared.clone()).unwrap_or_default(),
        compare: compare(clock),
        precision: ClockPrecision {
            rule: "A change happened between two checks.".to_owned(),
            widest_gap_hours: clock.and_then(|clock| clock.widest_gap_ms).map(hours_rounded_up),
        },
        cadence: cadence(clock),
        reading: READING.to_owned(),
        sha256: None,
        signature: None,
    }
}

/// Compares the newest date that the site declares with the last change that was seen.
fn compare(clock: Option<&PageClock>) -> ClockComparison {
    let compared =
        |state: ClockAgreement, detail: &str| ClockComparison { state, detail: detail.to_owned() };
    let incomparable = |detail: &str| compared(ClockAgreement::NotComparable, detail);
    let Some(clock) = clock else { return incomparable("No content clock runs for this page.") };
    let Some(first) = clock.versions.iter().map(|version| version.seen_from).min() else {
        return incomparable("The page has not been read yet.");
    };
    let date = clock
        .declared
        .iter()
        .filter(|date| {
            matches!(date.what.as_str(), "last_modified" | "date_modified" | "sitemap_lastmod")
        })
        .filter(|date| date.doubt.is_none())
        .filter_map(|date| parse_declared_date(&date.untrusted_value))
        .max();
    let Some(date) = date else {
        return incomparable("The site declares no readable modification date.");
    };
    let mut changed = clock.versions.iter();
    let last = changed.find(|version| version.change.kind != PageChangeKind::None);
    let Some(last) = last else {
        // No change since the first check: any earlier date is consistent.
        return if date <= first.plus_millis(TOLERANCE_MS) {
            compared(
                ClockAgreement::Consistent,
                "The declared time is before the first check, and we have seen no change since.",
            )
        } else {
            compared(
                ClockAgreement::DeclaredNewer,
                "The declared time is after the first check, but we have seen no change since then.",
            )
        };
    };
    // The last check that still found the version before.
    let before = changed.next().map_or(first, |version| version.seen_to);
    if date > last.seen_from.plus_millis(TOLERANCE_MS) {
        compared(
            ClockAgreement::DeclaredNewer,
            "The declared time is after the last change that we saw.",
        )
    } else if date < before.plus_millis(-TOLERANCE_MS) {
        compared(
            ClockAgreement::DeclaredOlder,
            "The declared time is before the last change that we saw.",
        )
    } else {
        compared(
            ClockAgreement::Consistent,
            "The declared time is between the two checks around the last change.",
        )
    }
}

fn cadence(clock: Option<&PageClock>) -> ClockCadence {
    let mut changes: Vec<Timestamp> =
        clock.into_iter().flat_map(PageClock::changes).map(|version| version.seen_from).collect();
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
        changes: crate::scan::saturating_u32(changes.len()),
        days: u32::try_from(watched.max(0) / DAY_MS).unwrap_or(u32::MAX),
        median_gap_hours: gaps.get(gaps.len() / 2).map(|gap| hours_rounded_up(*gap)),
        note: "Changes observed in the past; this is not a forecast.".to_owned(),
    }
}

fn hours_rounded_up(ms: i64) -> u32 {
    u32::try_from(ms.max(0).div_euclid(HOUR_MS) + i64::from(ms.rem_euclid(HOUR_MS) > 0))
        .unwrap_or(u32::MAX)
}
