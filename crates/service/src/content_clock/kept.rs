//! A clock as the store keeps it, and as it is judged and told.

use bytes::Bytes;
use contract::records::{ChangeOf, ClockChange, ClockReading, ClockState, DeclaredDate};
use judge::resolve::clock::Clock;
use serde::{Deserialize, Serialize};
use store::{ClockVersion, KeptClock};

/// What is kept beside a clock's own fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Beside {
    pub(super) declared: Vec<DeclaredDate>,
    pub(super) widest_gap_ms: Option<i64>,
    /// Of the newest version's body, so that it can be read again for comparing.
    pub(super) media_type: Option<String>,
}

impl Beside {
    /// What cannot be read any more is left out: nothing rests on it alone.
    pub(super) fn of(clock: &KeptClock) -> Self {
        serde_json::from_slice(&clock.declared).unwrap_or_default()
    }

    pub(super) fn bytes(&self) -> Bytes {
        // Strings and numbers: this cannot fail.
        serde_json::to_vec(self).unwrap_or_default().into()
    }
}

pub(super) fn nothing_declared() -> Bytes {
    Beside::default().bytes()
}

pub(super) fn clock(clock: &KeptClock, versions: &[ClockVersion]) -> Clock {
    let beside = Beside::of(clock);
    Clock {
        url: clock.url.clone(),
        state: ClockState::known(&clock.state).unwrap_or(ClockState::NotMeasured),
        why: clock.why.clone(),
        started_at: clock.started_at,
        checks: clock.checks,
        last_checked_at: clock.last_checked_at,
        next_check_at: clock.next_check_at,
        expires_at: clock.expires_at,
        declared: beside.declared,
        widest_gap_ms: beside.widest_gap_ms,
        versions: versions.iter().map(version).collect(),
    }
}

fn version(version: &ClockVersion) -> ClockReading {
    ClockReading {
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
    ClockChange { kind: ChangeOf::None, words_added: None, words_removed: None }
}
