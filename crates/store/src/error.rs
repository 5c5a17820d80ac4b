//! Why the store could not do what it was asked.

use crate::Digest;

/// One error type for all engines. Cloneable, because a failed commit fails every write in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Nothing was changed.
    #[error("a {what} with the id {id} is kept already")]
    Duplicate { what: &'static str, id: String },
    /// Nothing was kept.
    #[error("the bytes have the SHA-256 {found}, not {named}")]
    WrongDigest { named: Digest, found: Digest },
    /// Nothing was kept.
    #[error("a {what} of {bytes} bytes is larger than the {limit} bytes a store takes")]
    TooLarge { what: &'static str, bytes: usize, limit: usize },
    /// What was kept is not what was put: it is never served.
    #[error("{what} is damaged: {why}")]
    Damaged { what: String, why: String },
    /// Somebody else extended the log, or took the right to. Nothing was changed.
    #[error("the log has moved: {why}")]
    Moved { why: String },
    /// The write was undone; it may be tried again when there is space.
    #[error("the store has no space left")]
    Full,
    /// A write to disk failed in a way that must not be tried again: what the disk holds is not
    /// known until the store is opened anew. Whether this very write was kept is not known either.
    #[error("the store takes no more writes: {why}")]
    Unavailable { why: String },
    #[error("{place} is in use by another process")]
    InUse { place: String },
    #[error("{place} cannot be opened: {why}")]
    CannotOpen { place: String, why: String },
    #[error(
        "the database has schema version {found}, this program knows versions up to {known}: \
         use the newer program"
    )]
    NewerSchema { found: u32, known: u32 },
    #[error(
        "migration {number} of the database is not the one this program holds; \
         the database was made by another build"
    )]
    ChangedMigration { number: u32 },
    /// The engine failed in any other way; nothing was changed.
    #[error("{doing} failed: {why}")]
    Failed { doing: &'static str, why: String },
}
