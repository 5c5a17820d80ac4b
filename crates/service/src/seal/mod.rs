//! Daily seals: made of past days, anchored at timestamp calendars, looked up by anybody.
//!
//! `day` seals what `streams` bring; `anchoring` takes each seal to the calendars and on to a
//! block, through `calendar` and `explorer`; `lookup` and `files` answer. The rule is told in
//! `docs/seals.md`.

mod anchoring;
mod calendar;
mod day;
mod explorer;
mod files;
mod lookup;
mod streams;
mod words;

use std::time::Duration;

use proof::ProofError;
use store::StoreError;

use crate::NoChance;

pub use files::{DayFile, ProofPage};
pub use lookup::{SealAnswer, SealAsk};

/// A day is sealed this long after its end: a scan that began in its last second is kept by then.
pub const SEALED_AFTER: Duration = Duration::from_secs(300);

/// The public calendars that are asked when an operator names none.
pub const PUBLIC_CALENDARS: [&str; 4] = [
    "https://a.pool.opentimestamps.org",
    "https://b.pool.opentimestamps.org",
    "https://a.pool.eternitywall.com",
    "https://ots.btc.catallaxy.com",
];

/// Where seals are anchored, as the operator decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProofSettings {
    /// Addresses of timestamp calendars; none for no anchoring at all.
    pub calendars: Vec<String>,
    /// Addresses of block explorers (Esplora's form) that headers are read from; with none, no
    /// timestamp is ever called confirmed.
    pub explorers: Vec<String>,
    /// How long a promise is left alone before the calendar is asked for the finished timestamp.
    pub upgrade_every: Duration,
    /// The pause after a first failure. It doubles with each further one, up to a day.
    pub retry_first: Duration,
    /// For one call.
    pub patience: Duration,
}

impl Default for ProofSettings {
    fn default() -> Self {
        Self {
            calendars: PUBLIC_CALENDARS.map(str::to_owned).to_vec(),
            explorers: Vec::new(),
            upgrade_every: Duration::from_secs(3600),
            retry_first: Duration::from_secs(60),
            patience: Duration::from_secs(20),
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
    Chance(#[from] NoChance),
    #[error("what is kept cannot be used: {0}")]
    Unreadable(String),
}
