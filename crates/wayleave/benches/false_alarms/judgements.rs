//! What the words of an expectation mean, as the tests read them.

#[path = "../../tests/it/judgements/expectations.rs"]
pub(crate) mod expectations;
