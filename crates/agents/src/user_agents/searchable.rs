//! The catalogue together with its prepared search.

use std::ops::Deref;

use super::matcher::{NamedAgents, UserAgentMatcher};
use crate::KnownAgents;

/// The known agents, prepared to be found in user agents.
#[derive(Debug)]
pub struct SearchableAgents {
    known: KnownAgents,
    matcher: UserAgentMatcher,
}

impl SearchableAgents {
    #[must_use]
    pub fn new(known: KnownAgents) -> Self {
        let matcher = UserAgentMatcher::new(&known);
        Self { known, matcher }
    }

    /// The agents that a user agent names, the most specific first.
    #[must_use]
    pub fn find(&self, user_agent: &[u8]) -> NamedAgents {
        self.matcher.find(user_agent)
    }
}

impl Deref for SearchableAgents {
    type Target = KnownAgents;

    fn deref(&self) -> &KnownAgents {
        &self.known
    }
}
