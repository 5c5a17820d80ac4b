//! What a business publishes about itself, and whether what others say about it is the same.

mod accuracy;
mod field_check;
mod published;
#[cfg(test)]
mod tests;

pub use accuracy::{judge_statement, wrong_fields};
pub use field_check::{FieldCheckResult, check_field, not_measured};
pub use published::{ComparedFact, PublishedFacts, best_match};
