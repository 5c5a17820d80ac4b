//! Why a store operation failed.

use crate::Digest;

/// One error type for all engines. Cloneable, because a failed commit fails every write in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Nothing was changed.
    #[error("a {what} with the id {id} is already stored")]
    Duplicate { what: &'static str, id: String },
    /// Nothing was stored.
    #[error("the bytes have the SHA-256 {found}, expected {named}")]
    WrongDigest { named: Digest, found: Digest },
    /// Nothing was stored.
    #[error("the {what} has {bytes} bytes; a store accepts at most {limit}")]
    TooLarge { what: &'static str, bytes: usize, limit: usize },
    /// Nothing was stored.
    #[error("there are {limit} {what} already, and no more are stored")]
    LimitReached { what: &'static str, limit: usize },
    /// The stored bytes differ from those that were written. They are never served.
    #[error("{what} is damaged: {why}")]
    Damaged { what: String, why: String },
    /// Another writer extended the log or took over its lease. Nothing was changed.
    #[error("another writer holds or extended the log: {why}")]
    LogConflict { why: String },
    /// Nothing was changed. The answer can be made again, from the latest answer.
    #[error("another answer about {domain} was stored first")]
    AnswerSuperseded { domain: contract::Domain },
    /// The write was rolled back; it can be retried when there is space.
    #[error("the store has no space left")]
    Full,
    /// A write to disk failed and must not be retried: the state of the disk is unknown until the
    /// store is opened again. It is also unknown whether this write was stored.
    #[error("the store accepts no more writes: {why}")]
    Unavailable { why: String },
    #[error("{place} is in use by another process")]
    InUse { place: String },
    #[error("{place} cannot be opened: {why}")]
    CannotOpen { place: String, why: String },
    #[error(
        "the database has schema version {found}, but this program supports versions up to {known}; \
         use a newer program"
    )]
    NewerSchema { found: u32, known: u32 },
    #[error(
        "migration {number} of the database differs from this program's; \
         the database was created by a different build"
    )]
    ChangedMigration { number: u32 },
    /// The engine failed in any other way; nothing was changed.
    #[error("{doing} failed: {why}")]
    Failed { doing: &'static str, why: String },
}
