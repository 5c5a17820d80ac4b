//! What a caller asks of resolve, and the errors it can get.

use std::sync::Arc;
use std::time::Duration;

use contract::{Domain, NameRefusal};
use store::StoreError;

use crate::access::LiveReadPermit;
use crate::log::SealError;
use crate::scanner::ScannerError;

/// A question about one domain.
#[derive(Clone)]
#[allow(missing_debug_implementations, reason = "holds a callback")]
pub struct ResolveQuery {
    pub domain: Domain,
    pub live: LivePolicy,
    /// If the evidence is older than this, the site is read again, when that is permitted.
    pub max_age_hours: Option<u32>,
    /// Consulted when a live read is about to start.
    pub live_read_permit: Arc<dyn LiveReadPermit>,
}

/// Whether the site itself is read for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LivePolicy {
    /// When no fresh reading is stored.
    Auto,
    Never,
    /// Unless it was read within the last minutes.
    Always,
}

#[derive(Debug, Clone, thiserror::Error)]
pub enum ResolveError {
    #[error(transparent)]
    BadDomain(#[from] NameRefusal),
    #[error("no answer about this domain is stored, and a live read was not permitted")]
    NothingStored,
    #[error("the limit of live reads for this address is reached")]
    LiveLimit { wait: Duration },
    #[error("this site is read as often as this service may read it, over all callers")]
    TargetLimit { wait: Duration },
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Seal(#[from] SealError),
    #[error("the answer failed because of an internal error: {0}")]
    Internal(String),
}

impl From<ScannerError> for ResolveError {
    fn from(error: ScannerError) -> Self {
        match error {
            ScannerError::TargetLimit { retry_after } => Self::TargetLimit { wait: retry_after },
            other => Self::Internal(other.to_string()),
        }
    }
}
