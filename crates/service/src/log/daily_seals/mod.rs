//! Daily seals: one for each past day, anchored at timestamp calendars, and served for lookup.
//!
//! `day_sealing` seals a day over the record digests that `sealed_records` finds. `anchoring` submits
//! each seal to the calendars (`calendar`) and compares the finished timestamp with a block header
//! (`block_explorer`). `lookup` and `published_files` serve the seals; `descriptions` has their
//! texts. The rules are in `docs/seals.md`.

mod anchoring;
mod calendar;
mod conduct_day;
mod day;
mod explorer;
mod files;
mod lookup;
mod outcome_day;
mod streams;
mod unsealed_scans;
mod words;

use std::sync::Arc;
use std::time::Duration;

use contract::{Clock, Issuer};
use proof::ProofError;
use store::{Store, StoreError};

use crate::random_ids::{Ids, RandomnessError};
use crate::signing_keys::SigningKeys;

pub(crate) use conduct_day::{DayCounts, conduct_day_record};
pub use files::{DaySealFile, SealIndexPage};
pub use lookup::{SealLookupAnswer, SealQuery};
pub(crate) use outcome_day::outcome_day_digest;
pub(crate) use unsealed_scans::UnsealedScans;

/// A day is sealed this long after its end: a scan that began in its last second is stored by then.
pub const SEALING_DELAY: Duration = Duration::from_secs(300);

/// The public calendars that are used when an operator configures none.
pub const PUBLIC_CALENDARS: [&str; 4] = [
    "https://a.pool.opentimestamps.org",
    "https://b.pool.opentimestamps.org",
    "https://a.pool.eternitywall.com",
    "https://ots.btc.catallaxy.com",
];

/// Where seals are anchored, as configured by the operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnchoringSettings {
    /// URLs of timestamp calendars; empty for no anchoring.
    pub calendars: Vec<String>,
    /// URLs of block explorers (Esplora API) that block headers are read from; without one, no
    /// timestamp is ever reported as confirmed.
    pub explorers: Vec<String>,
    /// How long to wait between two requests to a calendar for the finished timestamp.
    pub upgrade_interval: Duration,
    /// The pause after the first failure. It doubles with each further one, up to a day.
    pub first_retry_pause: Duration,
    /// Timeout of one request.
    pub request_timeout: Duration,
}

impl Default for AnchoringSettings {
    fn default() -> Self {
        Self {
            calendars: PUBLIC_CALENDARS.map(str::to_owned).to_vec(),
            explorers: Vec::new(),
            upgrade_interval: Duration::from_secs(3600),
            first_retry_pause: Duration::from_secs(60),
            request_timeout: Duration::from_secs(20),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DaySealError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Signing(#[from] ProofError),
    #[error(transparent)]
    Randomness(#[from] RandomnessError),
    #[error("stored seal data cannot be used: {0}")]
    Unreadable(String),
}

/// Seals past days and anchors the seals. Seals and their timestamps are in the store; only the digests that
/// wait for a seal are kept here.
pub struct DailySeals {
    pub(crate) settings: AnchoringSettings,
    pub(crate) issuer: Issuer,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) keys: Arc<SigningKeys>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn Ids>,
    pub(crate) unsealed: UnsealedScans,
}
