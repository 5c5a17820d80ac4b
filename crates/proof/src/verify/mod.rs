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
mod log_checks;
pub mod log_copy;
mod unsigned_members;
mod verdict;

use contract::Brand;
use serde_json::Value;

pub use key_policy::KeyPolicy;
pub use verdict::{Check, CheckOutcome, Conclusion, Verdict};

use self::checks::Checks;
use crate::canonical;

/// Checks a signed document. `policy` says which keys are published; without a directory
/// ([`KeyPolicy::without_directory`]) no document is accepted, but one can still be refused.
#[must_use]
pub fn verify_document(bytes: &[u8], policy: &KeyPolicy, brand: &Brand) -> Verdict {
    let mut checks = Checks::default();
    let parsed = canonical::parse_strict(bytes);
    checks
        .push_result("parse", parsed.as_ref().map(|_| "strict JSON").map_err(ToString::to_string));
    let document = parsed.unwrap_or_default();
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    match document.as_object() {
        Some(members) => {
            document_checks::check_document(members, policy, brand, &mut checks);
            log_checks::check_log_membership(members, policy, brand, &mut checks);
        }
        None => checks.failed("document", "the document is not a JSON object"),
    }
    Verdict {
        kind: text(document.get("kind")),
        sha256: text(document.get("sha256")),
        kid: text(document.get("signature").and_then(|signature| signature.get("kid"))),
        checks: checks.list,
    }
}
