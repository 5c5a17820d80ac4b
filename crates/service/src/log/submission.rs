//! What callers hand to the sequencer, and what they get back.

use std::sync::Arc;

use contract::records::Signature;
use proof::ProofError;
use proof::canonical::MemberPlaces;
use serde_json::Value;
use store::{AppendExtras, LogEntry, Predecessor, StoredAnswer};
use tokio::sync::oneshot;

use super::errors::SealError;
use super::sealed_leaf::SealedLeaf;
use super::snapshot::LogSnapshot;

/// Builds the answer to store once its position in the log is known.
pub(super) type FinishAnswer =
    Box<dyn FnOnce(&SealedLeaf) -> Result<(SealedAnswer, AppendExtras), ProofError> + Send>;

/// An answer as it is stored, and what sealing added to it besides its digest.
#[derive(Debug)]
pub(crate) struct SealedAnswer {
    pub(crate) stored: StoredAnswer,
    pub(crate) transparency: Value,
    pub(crate) signature: Signature,
    /// Where the members are in the stored bytes.
    pub(crate) places: MemberPlaces,
}

/// An entry that waits for its batch.
pub(super) struct Submission {
    pub(super) entry: LogEntry,
    pub(super) finish: Option<FinishAnswer>,
    /// The answer that this one must follow, if it names one.
    pub(super) predecessor: Option<Predecessor>,
    pub(super) reply: oneshot::Sender<Result<SealedSubmission, SealError>>,
}

/// A submission that is in the log.
#[derive(Debug)]
pub(super) struct SealedSubmission {
    pub(super) sealed: SealedLeaf,
    pub(super) answer: Option<SealedAnswer>,
    /// Stored in the same transaction as the answer.
    pub(super) extras: AppendExtras,
}

/// A caller, and the result to send once the batch is acknowledged.
pub(super) type PendingReply =
    (oneshot::Sender<Result<SealedSubmission, SealError>>, Result<SealedSubmission, SealError>);

/// A batch that is stored and not acknowledged yet.
pub(super) struct CommittedBatch {
    /// The log after it; `None` if the batch had no new leaf.
    pub(super) snapshot: Option<Arc<LogSnapshot>>,
    pub(super) replies: Vec<PendingReply>,
}
