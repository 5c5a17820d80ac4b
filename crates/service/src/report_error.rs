//! Why a signed document about stored readings could not be produced.

use proof::ProofError;
use store::StoreError;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReportError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Signing(#[from] ProofError),
    #[error("a stored record cannot be parsed: {0}")]
    Unreadable(String),
}

impl ReportError {
    /// The stored data differs from what was stored: no repetition helps.
    #[must_use]
    pub fn is_damaged(&self) -> bool {
        matches!(self, Self::Store(StoreError::Damaged { .. }))
    }
}
