//! Offline verification of signed documents: a list of named checks, each with its outcome.
//!
//! Nothing a document states about itself is trusted: the digest, the message and the leaf are
//! recomputed from its members, and the key must be in a published directory. An embedded key
//! proves only that somebody has it.
//!
//! The signature does not cover the members of the signature block itself. Unknown ones are refused,
//! and each of the others must have its expected value. Only `signed_at` is free within bounds: not
//! in the future ([`KeyPolicy::at`]) and near the time that the document states.

mod checks;
mod document_checks;
mod key_policy;
mod known_heads;
mod log_checks;
pub mod log_copy;
mod unsigned_members;
mod verdict;
mod verifier;

use contract::Brand;

pub use key_policy::KeyPolicy;
pub use verdict::{Check, CheckOutcome, Conclusion, Verdict};
pub use verifier::Verifier;

/// Checks a signed document. `policy` says which keys are published; without a directory
/// ([`KeyPolicy::without_directory`]) no document is accepted, but one can still be refused. Whoever
/// checks many documents uses a [`Verifier`].
#[must_use]
pub fn verify_document(bytes: &[u8], policy: &KeyPolicy, brand: &Brand) -> Verdict {
    Verifier::of_one(policy, brand).verify(bytes)
}
