//! Offline verification of anything we sign: every check by name, with what it found.
//!
//! Nothing a document says of itself is believed: the digest, the message and the leaf are made
//! again from its members, and the key must stand in a published directory. A key that a document
//! brings along proves only that somebody has it.
//!
//! One thing no signature covers: the members of the signature block itself. `message`, the key
//! and the rest are compared with what they must be, but `signed_at` is the signer's word.

pub mod against_log;
mod log;
mod policy;
mod seal;

use std::fmt;

use contract::Brand;
use serde::{Serialize, Serializer};
use serde_json::Value;

pub use policy::KeyPolicy;

use crate::canonical;

/// What verification found. [`Verdict::conclusion`] sums it up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verdict {
    pub kind: Option<String>,
    /// As the document states it.
    pub sha256: Option<String>,
    pub kid: Option<String>,
    pub checks: Vec<Check>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    pub name: String,
    pub ok: Outcome,
    pub detail: String,
}

/// On the wire `true`, `false` or `"not checked"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Passed,
    Failed,
    NotChecked,
}

/// Only `Accepted` is a reason to rely on a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Conclusion {
    /// Every check passed.
    Accepted,
    /// Nothing speaks against it, but something could not be checked.
    Incomplete,
    /// At least one check failed.
    Refused,
}

/// Checks a signed document. `policy` says which keys are published; without a directory
/// ([`KeyPolicy::without_directory`]) no document is accepted, but one can still be refused.
#[must_use]
pub fn verify_document(bytes: &[u8], policy: &KeyPolicy, brand: &Brand) -> Verdict {
    let mut checks = Checks::default();
    let parsed = canonical::parse_strict(bytes);
    checks.note(
        "parse",
        parsed.as_ref().map(|_| "read without ambiguity").map_err(ToString::to_string),
    );
    let document = parsed.unwrap_or_default();
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    match document.as_object() {
        Some(members) => {
            seal::check(members, policy, brand, &mut checks);
            log::check(members, policy, brand, &mut checks);
        }
        None => checks.failed("document", "it is not a JSON object"),
    }
    Verdict {
        kind: text(document.get("kind")),
        sha256: text(document.get("sha256")),
        kid: text(document.get("signature").and_then(|signature| signature.get("kid"))),
        checks: checks.list,
    }
}

impl Verdict {
    #[must_use]
    pub fn conclusion(&self) -> Conclusion {
        let any = |outcome| self.checks.iter().any(|check| check.ok == outcome);
        if any(Outcome::Failed) {
            Conclusion::Refused
        } else if any(Outcome::NotChecked) {
            Conclusion::Incomplete
        } else {
            Conclusion::Accepted
        }
    }

    #[must_use]
    pub fn accepted(&self) -> bool {
        self.conclusion() == Conclusion::Accepted
    }

    /// The check of this name, if it was made.
    #[must_use]
    pub fn check(&self, name: &str) -> Option<&Check> {
        self.checks.iter().find(|check| check.name == name)
    }
}

impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Passed => serializer.serialize_bool(true),
            Self::Failed => serializer.serialize_bool(false),
            Self::NotChecked => serializer.serialize_str("not checked"),
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Passed => "ok",
            Self::Failed => "failed",
            Self::NotChecked => "not checked",
        })
    }
}

/// The list being made; `of` names the part of the document the next checks speak of.
#[derive(Default)]
struct Checks {
    list: Vec<Check>,
    of: &'static str,
}

impl Checks {
    fn push(&mut self, name: &str, ok: Outcome, detail: impl Into<String>) {
        let name = format!("{}{name}", self.of);
        self.list.push(Check { name, ok, detail: detail.into() });
    }

    fn failed(&mut self, name: &str, detail: impl Into<String>) {
        self.push(name, Outcome::Failed, detail);
    }

    fn not_checked(&mut self, name: &str, detail: impl Into<String>) {
        self.push(name, Outcome::NotChecked, detail);
    }

    fn note(&mut self, name: &str, result: Result<impl Into<String>, impl Into<String>>) {
        match result {
            Ok(detail) => self.push(name, Outcome::Passed, detail),
            Err(detail) => self.push(name, Outcome::Failed, detail),
        }
    }
}
