//! The error type of HTTP message signatures.

/// Why a message cannot be signed, or why its signature is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HttpSignatureError {
    #[error("the message has no such signature")]
    NoSignature,
    #[error("{0} is malformed (RFC 9421)")]
    Malformed(&'static str),
    #[error("{0} is too large")]
    TooLarge(&'static str),
    #[error("unsupported component {0}")]
    UnknownComponent(String),
    #[error("the message has no {0}")]
    MissingComponent(String),
    #[error("{0} is covered twice")]
    CoveredTwice(String),
    #[error("the signature does not cover {0}")]
    NotCovered(String),
    #[error("the signature has no {0} parameter")]
    MissingParameter(&'static str),
    #[error("the key is not for HTTP signatures")]
    WrongKeyPurpose,
    #[error("unknown keyid")]
    UnknownKey,
    #[error("the algorithm is not ed25519")]
    Algorithm,
    #[error("the creation time of the signature is in the future")]
    NotYetValid,
    #[error("the signature has expired")]
    Expired,
    #[error("the signature does not match this key and message")]
    BadSignature,
    #[error("the crypto library failed to sign")]
    Crypto,
}
