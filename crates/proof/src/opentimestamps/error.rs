//! The error type for parsing stamps.

/// Why bytes are not a valid stamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OtsError {
    #[error("unexpected end of the data")]
    UnexpectedEnd,
    #[error("unexpected data after the end")]
    TrailingBytes,
    #[error("a number is too large")]
    NumberTooLarge,
    #[error("the stamp is too large")]
    TooLarge,
    #[error("the stamp is nested too deeply")]
    TooDeep,
    #[error("a message is empty or too long")]
    BadMessageLength,
    #[error("unknown operation")]
    UnknownOp,
    #[error("malformed calendar address")]
    BadUri,
    #[error("malformed attestation")]
    BadAttestation,
    #[error("not a version 1 timestamp file for a SHA-256 digest")]
    NotAFile,
}
