//! The census: a run scans each domain of a ranked list once; its records can be queried.

mod csv;
mod documents;
mod export;
mod list;
mod run;

use std::sync::Arc;

use contract::{Clock, Issuer};
use store::Store;

pub use documents::{CensusCursor, CensusDocument, CensusError, CensusPageQuery};
pub use export::{CensusFile, CensusFileFormat};
pub use list::CensusList;
pub use run::{CensusProgress, CensusRunError, CensusRunSummary};

use super::Scanning;
use crate::answers::Answers;
use crate::log::builds::Builds;
use crate::signing_keys::SigningKeys;

/// Runs and serves censuses. Holds no mutable state: runs and their rows are in the store.
pub struct Census {
    pub(crate) issuer: Issuer,
    /// Domains scanned concurrently.
    pub(crate) scans_at_once: usize,
    pub(crate) scanning: Arc<Scanning>,
    pub(crate) answers: Arc<Answers>,
    pub(crate) builds: Arc<Builds>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) keys: Arc<SigningKeys>,
    pub(crate) clock: Arc<dyn Clock>,
}
