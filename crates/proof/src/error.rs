//! The one error type of this crate.

use std::path::PathBuf;

/// Why something could not be written, parsed, signed or stored. Verification does not use this: a
/// document that fails a check gives a [`crate::Verdict`], not an error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProofError {
    #[error("not strict JSON at byte {at}: {why}")]
    Parse { at: usize, why: &'static str },
    #[error("no canonical form: {0}")]
    NotCanonical(String),
    #[error("invalid document: {0}")]
    Document(String),
    #[error("decision cannot be logged: {0}")]
    Content(String),
    #[error("not a SHA-256 digest in lower-case hex")]
    Digest,
    #[error("key refused: {0}")]
    Key(String),
    #[error("key directory refused: {0}")]
    KeyDirectory(String),
    #[error("key store {}: {why}", path.display())]
    KeyStore { path: PathBuf, why: String },
    /// Nothing was changed: new keys would not fit what the old ones signed.
    #[error("key store {}: there is no key for {purposes}", path.display())]
    KeysMissing { path: PathBuf, purposes: String },
    #[error("seal refused: {0}")]
    Seal(String),
    /// Nothing was changed. The caller may try again when there is space.
    #[error("key store {}: no space left on the disk", path.display())]
    NoSpace { path: PathBuf },
    #[error("tree head refused: {0}")]
    Head(String),
    #[error("invalid {what}: {why}")]
    Malformed { what: &'static str, why: &'static str },
    #[error("the crypto library failed to {0}")]
    Crypto(&'static str),
}

impl serde::ser::Error for ProofError {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        Self::NotCanonical(message.to_string())
    }
}
