//! The description of the scoring method.

use judge::rulepack::{Rulepack, method_page};

/// The method as Markdown, generated from the current rules.
#[must_use]
pub fn scoring_method() -> String {
    method_page(&Rulepack::current())
}
