//! How scans are scored, in words.

use judge::rulepack::{Rulepack, method_page};

/// The method as Markdown, written from the rules that judge.
#[must_use]
pub fn scoring_method() -> String {
    method_page(&Rulepack::current())
}
