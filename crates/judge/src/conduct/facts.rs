//! What is known about an agent, from the catalogue and the lists of addresses.

use agents::KnownAgent;
use agents::verdict::{Method, VisitorChecker, verification_methods};

use super::record::AgentFacts;

impl AgentFacts {
    /// For requests that were compared with lists of addresses only: no name was looked up and no signature
    /// was checked.
    #[must_use]
    pub fn by_addresses(checker: &VisitorChecker, agent: &KnownAgent) -> Self {
        Self::new(agent, why_unverifiable(checker, agent))
    }

    /// For requests of which names of addresses were looked up as well.
    #[must_use]
    pub fn by_addresses_and_names(checker: &VisitorChecker, agent: &KnownAgent) -> Self {
        let methods = verification_methods(checker.agents(), agent);
        if methods.contains(&Method::ReverseDns) {
            return Self::new(agent, None);
        }
        Self::by_addresses(checker, agent)
    }

    fn new(agent: &KnownAgent, why_unverifiable: Option<String>) -> Self {
        Self {
            agent: agent.name.clone(),
            operator: agent.operator.clone(),
            purpose: agent.purpose.clone(),
            user_triggered: agent.user_triggered == Some(true),
            why_unverifiable,
        }
    }
}

fn why_unverifiable(checker: &VisitorChecker, agent: &KnownAgent) -> Option<String> {
    let known = checker.agents();
    if !verification_methods(known, agent).contains(&Method::AddressList) {
        return Some(AgentFacts::no_addresses(&agent.name, &agent.operator));
    }
    let is_loaded =
        |id: &String| known.feed_index(id).is_some_and(|index| checker.fetched_at(index).is_some());
    (!agent.feeds.iter().any(is_loaded)).then(|| {
        format!("The address list of {} could not be fetched, so nothing was verified.", agent.name)
    })
}
