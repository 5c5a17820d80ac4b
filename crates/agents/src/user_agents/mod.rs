//! Which known agents a user agent names.

mod matcher;
mod searchable;
#[cfg(test)]
mod tests;

pub use matcher::{NamedAgents, UserAgentMatcher};
pub use searchable::SearchableAgents;
