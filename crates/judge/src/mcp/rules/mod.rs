//! The rules: what they look at, and the report of all of them.

mod catalogue;
#[cfg(test)]
mod corpus_tests;
mod encoded;
mod folded_text;
mod hidden_text;
mod markup;
mod phrases;
mod report;
mod structure;
#[cfg(test)]
mod tests;
mod wording;

pub use report::{RuleContext, RuleReport, apply_rules, rulepack};

/// A rule that matched in a text. Positions are characters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct TextMatch {
    rule: &'static str,
    start: usize,
    length: usize,
    decoded: Option<String>,
    codepoints: Vec<String>,
    /// The text only reports the phrase: the finding counts little.
    reported: bool,
}
