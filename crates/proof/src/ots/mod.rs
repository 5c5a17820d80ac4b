//! OpenTimestamps: proofs that a message existed before a block of a public ledger.
//!
//! A [`Stamp`] is a tree over a message that both sides know: each branch is an [`Op`] on the
//! message, each leaf an [`Attestation`] about what came out. Stamps come from calendars on the
//! network, so reading is bounded in every way. Nothing here asks anybody: what a stamp leads to is
//! told by [`Stamp::evaluate`], and whether a block says the same is the caller's to find out.

mod attestation;
mod bytes;
mod file;
mod op;
mod stamp;

pub use attestation::Attestation;
pub use file::{MEDIA_TYPE, OtsFile};
pub use op::Op;
pub use stamp::{Attested, Stamp};

/// The deepest tree that is read, and the longest message an operation works on: those of every
/// other reader.
pub const MAX_DEPTH: usize = 256;
pub const MAX_MESSAGE: usize = 4096;
/// The largest stamp, and the most operations and attestations in one.
pub const MAX_STAMP: usize = 64 * 1024;
pub const MAX_NODES: usize = 4096;
/// What a client reads of a calendar's answer.
pub const MAX_ANSWER: usize = 10_000;
/// What a client sends to calendars: the media type their answers are asked in.
pub const ACCEPT: &str = "application/vnd.opentimestamps.v1";

/// Why bytes are not a stamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OtsError {
    #[error("it ends in the middle")]
    Short,
    #[error("something follows its end")]
    Trailing,
    #[error("a number is too large")]
    Number,
    #[error("it is larger than is taken")]
    TooLarge,
    #[error("it is deeper than is taken")]
    TooDeep,
    #[error("a message is empty or longer than is taken")]
    Message,
    #[error("an operation is not known")]
    UnknownOp,
    #[error("a calendar's address is not of its form")]
    BadUri,
    #[error("an attestation is not of its form")]
    BadAttestation,
    #[error("it is not a timestamp file of a SHA-256 digest, version 1")]
    NotAFile,
}
