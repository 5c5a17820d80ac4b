//! The one error type of this crate.

use std::path::PathBuf;

/// Why something could not be written, read, signed or kept. Verification does not use this: a
/// document that does not hold is a [`crate::Verdict`], not an error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProofError {
    #[error("not strict JSON at byte {at}: {why}")]
    Parse { at: usize, why: &'static str },
    #[error("no canonical form: {0}")]
    NotCanonical(String),
    #[error("not a document that can be signed: {0}")]
    Document(String),
    #[error("not a decision that can be logged: {0}")]
    Content(String),
    #[error("not a SHA-256 digest in lower-case hex")]
    Digest,
    #[error("key refused: {0}")]
    Key(String),
    #[error("key directory refused: {0}")]
    Directory(String),
    #[error("key store, {}: {why}", path.display())]
    Store { path: PathBuf, why: String },
    #[error("seal refused: {0}")]
    Seal(String),
    /// Nothing was changed; it may be tried again when there is space.
    #[error("key store, {}: there is no space left", path.display())]
    NoSpace { path: PathBuf },
    #[error("tree head refused: {0}")]
    Head(String),
    #[error("not a {what}: {why}")]
    Form { what: &'static str, why: &'static str },
    #[error("the crypto library failed to {0}")]
    Crypto(&'static str),
}

impl serde::ser::Error for ProofError {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        Self::NotCanonical(message.to_string())
    }
}
