//! Why something about control cannot be done.

use contract::records::{ClaimState, ControlReading};
use proof::ProofError;
use store::StoreError;

use crate::random_ids::RandomnessError;

#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the record could not be signed: {0}")]
    Signing(#[from] ProofError),
    #[error(transparent)]
    NoChance(#[from] RandomnessError),
    /// The id, the secret and the domain do not belong together.
    #[error("there is no such claim")]
    UnknownClaim,
    #[error("the token of this claim has expired")]
    TokenExpired,
    /// The claim was lost, and its token does not count any more.
    #[error("this claim is {0}")]
    ClaimEnded(ClaimState),
    /// The place of the proof was read, and the proof is not there; or it could not be read.
    #[error("the proof was not found")]
    ProofNotFound { is_readable: bool, readings: Vec<ControlReading>, attempts_left: u32 },
    #[error("the proof was looked for too often today")]
    TooManyChecks { retry_after_s: u64 },
    #[error("the owner reported this too often today")]
    TooManyReports { retry_after_s: u64 },
    #[error("as many proofs are being read as this service reads at a time")]
    Busy,
    /// The store has as many of these as one domain may have.
    #[error("there are already {limit} {what}")]
    LimitReached { what: &'static str, limit: usize },
    /// Nothing that can be acted on.
    #[error("there is no such incident, report or dispute")]
    NotFound,
    #[error("the time is in the future, or more than a year ago")]
    BadTime,
}

impl ControlError {
    /// Limits of the store become their own error.
    pub(super) fn from_put(error: StoreError) -> Self {
        match error {
            StoreError::LimitReached { what, limit } => Self::LimitReached { what, limit },
            other => Self::Store(other),
        }
    }
}
