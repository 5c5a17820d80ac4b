//! Why an entry was not sealed, and why a log is not extended.

use proof::ProofError;
use proof::tlog::MAX_ENTRY_BYTES;
use store::StoreError;

/// Why something was not sealed. A caller that gets this error has no acknowledged entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    #[error("the entry is too large: a log entry has at most {MAX_ENTRY_BYTES} bytes")]
    TooLarge,
    #[error("too many entries are waiting to be sealed")]
    Busy,
    /// The caller may try again.
    #[error("the store failed: {0}")]
    NotStored(StoreError),
    /// Another answer about the domain was sealed first. The caller makes its answer again, from that
    /// one.
    #[error("another answer about the domain was sealed first")]
    Superseded,
    #[error("signing failed: {0}")]
    NotSigned(ProofError),
    /// Nothing is sealed until an operator has repaired the log.
    #[error("the log accepts no more entries: {0}")]
    Halted(String),
    #[error("the log is not open")]
    NotOpen,
}

/// Why the log is not extended. Each variant says what an operator has to repair.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LogFault {
    #[error("the log cannot be read: {0}")]
    Unreadable(StoreError),
    #[error("the chain is broken at batch {batch}: {why}")]
    Broken { batch: u64, why: String },
    #[error(
        "the store holds the log {found}, but the log of this brand is {wanted}: a changed brand \
         needs a store of its own"
    )]
    WrongLog { found: String, wanted: String },
    #[error(
        "the log ends at {found}, but {marked} was acknowledged: the store was restored from an old \
         copy, or the log was truncated. The server signs nothing, because new tree heads would \
         contradict those it signed before. Restore the newer copy"
    )]
    RolledBack { found: String, marked: String },
    #[error(
        "batch {batch} of the log is not the one that was acknowledged: the store holds a different \
         history. The server signs nothing. Restore the store that belongs to this key directory"
    )]
    Forked { batch: u64 },
    #[error(
        "the log has {batches} batches, but its mark is missing from the key directory. If this \
         store is the newest copy of the log, run `wayleave log mark --accept`"
    )]
    MarkMissing { batches: u64 },
    #[error(
        "this data directory is a copy, or was moved to another disk or machine: {change}. The server signs nothing, \
         because the original may have signed since. If the original is out of service for good and signed nothing \
         after this copy was made, run `wayleave log mark --accept`"
    )]
    Moved { change: String },
    #[error(
        "somebody has tree heads that our key signed and that are not in this log: {why}. The server signs nothing \
         until an operator decides. If this is the log to continue, run `wayleave log mark --accept`"
    )]
    Contradicted { why: String },
    #[error("the log's mark cannot be used: {0}")]
    MarkUnusable(ProofError),
    #[error("another process holds the log's lease until {0}")]
    LeasedByOther(contract::Timestamp),
    #[error("the log cannot be started: {why}")]
    CannotStart { why: String },
}

impl From<StoreError> for LogFault {
    fn from(error: StoreError) -> Self {
        Self::Unreadable(error)
    }
}
