//! What AI engines say about businesses whose owners have proven control of their domains.
//!
//! `due` finds what is to be measured today and does it as leased jobs, `measure` asks one engine about one
//! business and stores the signed record, `budget` bounds what a day may cost, `record` serves what was stored.

mod budget;
mod changes;
mod due;
mod local;
mod measure;
mod record;

use std::sync::{Arc, Mutex};

use contract::{Clock, Issuer};
use store::{Store, StoreError};

pub(crate) use changes::SECTION;
pub(crate) use due::QueuedToday;
pub use measure::MeasureError;
pub use record::AccuracyQuery;

use crate::answers::Answers;
use crate::settings::AccuracySettings;
use crate::signing_keys::SigningKeys;

/// Shared by all requests and by the job. What was measured is in the store.
#[allow(missing_debug_implementations, reason = "holds the store")]
pub struct Accuracy {
    pub(crate) settings: AccuracySettings,
    pub(crate) issuer: Issuer,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) keys: Arc<SigningKeys>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) answers: Arc<Answers>,
    /// What was queued today, so that the store is not asked about each domain again and again.
    pub(crate) queued: Mutex<QueuedToday>,
}

#[derive(Debug, thiserror::Error)]
pub enum AccuracyError {
    #[error("no AI engine has been asked about this domain")]
    NotMeasured,
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Signing(#[from] proof::ProofError),
}

impl Accuracy {
    /// The names of the configured engines.
    pub fn engine_names(&self) -> impl Iterator<Item = &str> {
        self.settings.engines.iter().map(|engine| engine.name.as_str())
    }
}
