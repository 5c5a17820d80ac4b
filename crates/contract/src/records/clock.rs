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
    /// Null when no clock was started.
    #[schema(required)]
    pub clock: Option<ClockSchedule>,
    #[schema(required)]
    pub first_observed: Option<Timestamp>,
    #[schema(required)]
    pub last_checked_at: Option<Timestamp>,
    /// Null until a change was seen.
    #[schema(required)]
    pub last_changed_at: Option<Timestamp>,
    /// Newest first.
    pub versions: Vec<ClockReading>,
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
    /// How a clock stands.
    pub enum ClockState {
        /// By this request.
        Started = "started",
        Running = "running",
        /// The last check failed; it is tried again at the next one.
        Paused = "paused",
        /// The site asks us to stay away, or a limit was met.
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
    /// 90 days after the last reader.
    pub expires_at: Timestamp,
}

/// The page as it stayed from one check to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClockReading {
    pub n: u32,
    pub seen_from: Timestamp,
    pub seen_to: Timestamp,
    #[schema(required)]
    pub status: Option<u16>,
    #[schema(required)]
    pub bytes: Option<u64>,
    #[schema(required)]
    pub body_sha256: Option<String>,
    /// Of the visible words; null when the answer is no page.
    #[schema(required)]
    pub text_sha256: Option<String>,
    #[schema(required)]
    pub etag: Option<String>,
    #[schema(required)]
    pub last_modified: Option<String>,
    pub change: ClockChange,
}

/// What differs from the version before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClockChange {
    pub kind: ChangeOf,
    /// Null when the words were not compared.
    #[schema(required)]
    pub words_added: Option<u32>,
    #[schema(required)]
    pub words_removed: Option<u32>,
}

open_enum! {
    /// What of a page changed.
    pub enum ChangeOf {
        /// The words that are read.
        Text = "text",
        /// The body, and none of its words.
        MarkupOnly = "markup_only",
        Status = "status",
        /// The first version.
        None = "none",
    }
}

/// A date or a validator that the site gives. A claim, not a clock.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
pub struct DeclaredDate {
    /// `last_modified`, `sitemap_lastmod`, `date_published`, `date_modified`, `etag`.
    pub what: String,
    /// A moment, or what else the site wrote. Written by the site: not to be trusted.
    pub untrusted_value: String,
    /// `header`, `json_ld`, `meta`, `sitemap`.
    pub carrier: String,
    pub at: Timestamp,
}

/// Declared dates beside what was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClockComparison {
    pub state: ClockAgreement,
    pub detail: String,
}

open_enum! {
    /// Whether a declared date fits what was seen.
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

/// How often the page changed while it was watched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClockCadence {
    pub changes: u32,
    pub days: u32,
    /// Null with fewer than two changes.
    #[schema(required)]
    pub median_gap_hours: Option<u32>,
    pub note: String,
}
