//! The rules: what they look at, and the report of all of them.

mod catalogue;
#[cfg(test)]
mod corpus;
#[cfg(test)]
mod corpus_tests;
mod encoded;
mod folded_text;
mod hidden_text;
mod item_match;
mod markup;
mod mcp_headers;
#[cfg(test)]
mod notes;
mod phrases;
mod promises;
mod report;
#[cfg(test)]
mod rules_doc;
mod structure;
#[cfg(test)]
mod tests;
mod text_match;
mod text_rules;
mod wording;

pub use report::{RuleContext, RuleReport, apply_rules, rulepack};
