//! What the checks of a verdict prove, and what they do not, as sentences for people. The offline
//! verifier (`crawlcheck-verify.mjs`) prints the same.

use proof::verify::{CheckOutcome, Verdict};
use serde::Serialize;

#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Explanation {
    pub(super) proven: Vec<&'static str>,
    pub(super) unproven: Vec<&'static str>,
}

/// What the verifier has besides the document: published keys, and a copy of the log.
#[derive(Debug, Clone, Copy)]
pub(super) struct VerifierInputs {
    pub(super) keys: bool,
    pub(super) log: bool,
}

impl Explanation {
    pub(super) fn of(verdict: &Verdict, inputs: VerifierInputs) -> Self {
        let outcome = |name: &str| {
            verdict.checks.iter().find(|check| check.name == name).map(|check| check.ok)
        };
        let all =
            |names: &[&str]| names.iter().all(|name| outcome(name) == Some(CheckOutcome::Passed));
        let head_time = |words: &str| {
            let mut checks = verdict.checks.iter();
            checks.any(|check| check.name == "head time" && check.detail.contains(words))
        };
        let mut explanation = Self::default();
        explanation.add(
            all(&[
                "parse",
                "digest",
                "signature form",
                "signature members",
                "signing time",
                "thumbprint",
                "message",
                "signature",
            ]),
            "the document has not been changed since it was signed with the key it names",
            "that the document has not been changed since it was signed",
        );
        explanation.add(
            all(&["key published", "key purpose", "key window"]),
            "that key is published for documents of this kind and was in use at signed_at",
            if inputs.keys {
                "that the key may sign this document"
            } else {
                "whose key that is (use --keys to check it against the published keys)"
            },
        );
        if ["leaf", "log", "head"].iter().any(|name| outcome(name).is_some()) {
            let placed = all(&[
                "leaf",
                "place",
                "inclusion",
                "head: digest",
                "head: signature",
                "head: sums",
            ]);
            let known = all(&["head: key published", "head: key purpose", "head: key window"]);
            explanation.add(
                placed && (known || !inputs.keys),
                if known {
                    "the decision is in the batch of the log whose signed head the document contains"
                } else {
                    "the decision is in the batch whose head the document contains (who signed that head is unknown)"
                },
                "that the decision is in the log",
            );
        }
        if inputs.log {
            explanation.add(
                all(&["log head", "chain", "consistency"]),
                "the log has the same head and has only grown since",
                "that the log has the same head and has only grown since",
            );
        } else if outcome("inclusion").is_some() {
            explanation
                .unproven
                .push("that everybody sees the same log (use --log to check against a copy)");
        }
        if head_time("more than a day before the answer") {
            explanation.unproven.push("that the decision was logged when the answer was made: its head is older (see head time)");
        }
        if head_time("more than a day after the answer") {
            explanation.unproven.push(
                "when the answer was made: the log dates it more than a day later (see head time)",
            );
        }
        explanation
            .unproven
            .push("that its statements are true: a signature only proves who made them");
        explanation
    }

    fn add(&mut self, holds: bool, proven: &'static str, unproven: &'static str) {
        if holds {
            self.proven.push(proven);
        } else {
            self.unproven.push(unproven);
        }
    }
}
