//! Converts a stored clock into the form that is judged and served.

use bytes::Bytes;
use contract::records::{ClockChange, ClockState, DeclaredDate, PageChangeKind, PageVersion};
use judge::resolve::clock::PageClock;
use serde::{Deserialize, Serialize};
use store::{ClockVersion, StoredClock};

/// Further facts about a clock, stored as JSON in its `declared` column.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct ClockDetails {
    pub(super) declared: Vec<DeclaredDate>,
    pub(super) widest_gap_ms: Option<i64>,
    /// The media type of the newest version, needed to parse its body again for comparison.
    pub(super) media_type: Option<String>,
}

impl ClockDetails {
    /// Defaults to empty if the stored JSON cannot be parsed.
    pub(super) fn from_stored(clock: &StoredClock) -> Self {
        serde_json::from_slice(&clock.declared).unwrap_or_default()
    }

    pub(super) fn to_bytes(&self) -> Bytes {
        // Cannot fail: only strings and numbers are serialised.
        serde_json::to_vec(self).unwrap_or_default().into()
    }
}

pub(super) fn empty_details() -> Bytes {
    ClockDetails::default().to_bytes()
}

pub(super) fn to_page_clock(clock: &StoredClock, versions: &[ClockVersion]) -> PageClock {
    let details = ClockDetails::from_stored(clock);
    PageClock {
        url: clock.url.clone(),
        state: ClockState::from_word(&clock.state).unwrap_or(ClockState::NotMeasured),
        why: clock.why.clone(),
        started_at: clock.started_at,
        checks: clock.checks,
        last_checked_at: clock.last_checked_at,
        next_check_at: clock.next_check_at,
        expires_at: clock.expires_at,
        declared: details.declared,
        widest_gap_ms: details.widest_gap_ms,
        versions: versions.iter().map(to_page_version).collect(),
    }
}

fn to_page_version(version: &ClockVersion) -> PageVersion {
    PageVersion {
        n: version.n,
        seen_from: version.seen_from,
        seen_to: version.seen_to,
        status: version.status,
        bytes: version.bytes,
        body_sha256: version.body_sha256.map(|digest| digest.to_hex()),
        text_sha256: version.text_sha256.map(|digest| digest.to_hex()),
        etag: version.etag.clone(),
        last_modified: version.last_modified.clone(),
        change: serde_json::from_slice(&version.change).unwrap_or_else(|_| no_change()),
    }
}

pub(super) fn no_change() -> ClockChange {
    ClockChange { kind: PageChangeKind::None, words_added: None, words_removed: None }
}
