//! HTTP message signatures (RFC 9421) with Ed25519, and the digest they lean on (RFC 9530).
//!
//! A signature covers a list of components: derived ones such as `@status`, and fields. What is
//! signed begins with a quotation mark, so it is never a message of a signed document.
//!
//! What is not known here (`sf`, `bs`, `tr`, `@query-param`, `@request-target`) is refused by name:
//! nothing is ever skipped.

mod accept;
mod component;
mod directory;
mod message;
mod params;
mod sign;
mod verify;

use data_encoding::BASE64;

pub use accept::{Asked, read_accept_signature};
pub use component::Component;
pub use directory::{DIRECTORY_TAG, prove_directory};
pub use message::{Fields, Message, Request, Response};
pub use params::Params;
pub use sign::{SignatureFields, sign};
pub use verify::{Expected, Verified, verify};

use crate::Digest;

/// The name the registry of RFC 9421 gives our one algorithm.
pub const ALG: &str = "ed25519";
/// No signature covers more.
pub const MOST_COMPONENTS: usize = 32;
/// No more signatures of one message are looked at. A key directory has one for each key.
pub const MOST_SIGNATURES: usize = 16;
/// The longest value of a field that is read or covered, all its lines together.
pub const LONGEST_FIELD: usize = 16 * 1024;
/// The longest signature base.
pub const LONGEST_BASE: usize = 64 * 1024;

/// Why a message cannot be signed, or why its signature does not hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HttpSigError {
    #[error("there is no such signature")]
    NoSignature,
    #[error("{0} is not written as RFC 9421 has it")]
    Malformed(&'static str),
    #[error("{0} is larger than is read")]
    TooLarge(&'static str),
    #[error("{0} is not a component that is known here")]
    UnknownComponent(String),
    #[error("the message has no {0}")]
    Missing(String),
    #[error("{0} is covered twice")]
    Twice(String),
    #[error("the signature does not cover {0}")]
    NotCovered(String),
    #[error("the signature says nothing of {0}")]
    NotSaid(&'static str),
    #[error("the key is not one for HTTP signatures")]
    Purpose,
    #[error("no key is known under the keyid")]
    UnknownKey,
    #[error("the algorithm is not ed25519")]
    Algorithm,
    #[error("the signature was made in the future")]
    NotYet,
    #[error("the signature has expired")]
    Expired,
    #[error("the signature is not that of the key over this message")]
    Wrong,
    #[error("the crypto library failed to sign")]
    Crypto,
}

/// The value of Content-Digest for content of this digest (RFC 9530).
#[must_use]
pub fn content_digest(digest: &Digest) -> String {
    format!("sha-256=:{}:", BASE64.encode(digest.as_bytes()))
}

#[cfg(test)]
mod tests;
