//! When a page changes (`/api/v1/content-clock`).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Signature;
use crate::{Timestamp, open_enum};

/// `{brand}-content-clock`, signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ContentClockRecord {
    pub kind: String,
    pub v: u32,
    pub schema: String,
    pub url: String,
    /// Whether the page was read at least once.
    pub observed: bool,
    pub state: ClockState,
    /// Why the clock does not run; null when it does.
    #[schema(required)]
    pub why: Option<String>,
    /// Null when no clock has been started.
    #[schema(required)]
    pub clock: Option<ClockSchedule>,
    #[schema(required)]
    pub first_observed: Option<Timestamp>,
    #[schema(required)]
    pub last_checked_at: Option<Timestamp>,
    /// Null until a change was observed.
    #[schema(required)]
    pub last_changed_at: Option<Timestamp>,
    /// Newest first.
    pub versions: Vec<PageVersion>,
    pub declared: Vec<DeclaredDate>,
    pub compare: ClockComparison,
    pub precision: ClockPrecision,
    pub cadence: ClockCadence,
    pub reading: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

open_enum! {
    /// The state of a content clock.
    pub enum ClockState {
        /// Started by this request.
        Started = "started",
        Running = "running",
        /// The last check failed; the next scheduled check tries again.
        Paused = "paused",
        /// The site's robots.txt disallows it, or a limit was reached.
        Refused = "refused",
        NotMeasured = "not_measured",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClockSchedule {
    pub started_at: Timestamp,
    pub checks: u32,
    pub next_check_at: Timestamp,
    pub every_hours: u32,
    /// 90 days after this record was last requested.
    pub expires_at: Timestamp,
}

/// A version of the page, and the checks between which it stayed the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PageVersion {
    pub n: u32,
    pub seen_from: Timestamp,
    pub seen_to: Timestamp,
    #[schema(required)]
    pub status: Option<u16>,
    #[schema(required)]
    pub bytes: Option<u64>,
    #[schema(required)]
    pub body_sha256: Option<String>,
    /// SHA-256 of the visible words; null when the response is not a page.
    #[schema(required)]
    pub text_sha256: Option<String>,
    #[schema(required)]
    pub etag: Option<String>,
    #[schema(required)]
    pub last_modified: Option<String>,
    pub change: ClockChange,
}

/// What differs from the previous version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClockChange {
    pub kind: PageChangeKind,
    /// Null when the words were not compared.
    #[schema(required)]
    pub words_added: Option<u32>,
    #[schema(required)]
    pub words_removed: Option<u32>,
}

open_enum! {
    /// Which part of a page changed.
    pub enum PageChangeKind {
        /// The visible words.
        Text = "text",
        /// The body, but none of its visible words.
        MarkupOnly = "markup_only",
        Status = "status",
        /// There is no earlier version.
        None = "none",
    }
}

/// A date or validator that the site states. It may be wrong.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
pub struct DeclaredDate {
    /// `last_modified`, `sitemap_lastmod`, `date_published`, `date_modified`, `etag`.
    pub what: String,
    /// A time, or whatever the site wrote instead. Written by the site. Do not trust it.
    pub untrusted_value: String,
    /// `header`, `json_ld`, `meta`, `sitemap`.
    pub carrier: String,
    pub at: Timestamp,
    /// Why the date says little; absent if there is no reason known. Such a date is not compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub doubt: Option<String>,
}

/// Declared dates compared with observed changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClockComparison {
    pub state: ClockAgreement,
    pub detail: String,
}

open_enum! {
    /// Whether a declared date agrees with the observed changes.
    pub enum ClockAgreement {
        Consistent = "consistent",
        DeclaredNewer = "declared_newer",
        DeclaredOlder = "declared_older",
        NotComparable = "not_comparable",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClockPrecision {
    pub rule: String,
    /// Null until there were two checks.
    #[schema(required)]
    pub widest_gap_hours: Option<u32>,
}

/// How often the page changed while the clock was running.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClockCadence {
    pub changes: u32,
    pub days: u32,
    /// Null with fewer than two changes.
    #[schema(required)]
    pub median_gap_hours: Option<u32>,
    pub note: String,
}
