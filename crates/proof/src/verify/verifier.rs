//! Verifies many documents under the same keys.

use contract::Brand;

use super::checks::Checks;
use super::key_policy::KeyPolicy;
use super::known_heads::KnownHeads;
use super::verdict::Verdict;
use super::{document_checks, log_checks};
use crate::json_view::{ParsedDocument, View};

/// How many heads of the log are remembered. Answers come in about the order in which they were logged.
const KNOWN_HEADS: usize = 32;

/// Verifies documents, one after the other, under the same keys and brand. Each verdict is that of
/// [`super::verify_document`]: only the work that answers of one batch have in common is done once.
#[derive(Debug)]
pub struct Verifier<'a> {
    policy: &'a KeyPolicy,
    brand: &'a Brand,
    heads: KnownHeads,
}

impl<'a> Verifier<'a> {
    #[must_use]
    pub fn new(policy: &'a KeyPolicy, brand: &'a Brand) -> Self {
        Self { policy, brand, heads: KnownHeads::new(KNOWN_HEADS) }
    }

    /// For one document: nothing is remembered.
    pub(super) fn of_one(policy: &'a KeyPolicy, brand: &'a Brand) -> Self {
        Self { policy, brand, heads: KnownHeads::new(0) }
    }

    /// Checks a signed document.
    #[must_use]
    pub fn verify(&mut self, bytes: &[u8]) -> Verdict {
        let mut checks = Checks::default();
        let parsed = ParsedDocument::parse(bytes);
        checks.push_result(
            "parse",
            parsed.as_ref().map(|_| "strict JSON").map_err(ToString::to_string),
        );
        let members = parsed.as_ref().ok().and_then(ParsedDocument::members);
        match members {
            Some(members) => {
                document_checks::check_document(members, self.policy, self.brand, &mut checks);
                log_checks::check_log_membership(
                    members,
                    self.policy,
                    self.brand,
                    &mut self.heads,
                    &mut checks,
                );
            }
            None => checks.failed("document", "the document is not a JSON object"),
        }
        let text = |name: &str| members.and_then(|members| members.text(name)).map(str::to_owned);
        let signature = members.and_then(|members| members.get("signature"));
        let kid = signature.and_then(View::as_object).and_then(|block| block.text("kid"));
        Verdict {
            kind: text("kind"),
            sha256: text("sha256"),
            kid: kid.map(str::to_owned),
            checks: checks.list,
        }
    }
}

#[cfg(test)]
#[path = "verifier_tests.rs"]
mod tests;
