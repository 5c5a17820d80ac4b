//! The scoring rules as data: the rules with their weights, the caps on the score, and the
//! thresholds for comparing pages.
//!
//! A scan record depends on its evidence and on this value only. Data files that the rules use are
//! included by digest, so the digest of a rulepack identifies the rules exactly. Any change here
//! needs a new `score_version`.

mod current;
mod method_page;
mod model;
mod rules;
#[cfg(test)]
mod tests;

pub use method_page::method_page;
pub use model::{Cap, Rule, Rulepack, Section, Thresholds};
