//! The verdict about a visitor.

use contract::Timestamp;
use contract::records::VisitorVerdict;

use super::reason::{Reason, Remarks};
use crate::{AgentIndex, FeedIndex, FeedScope, KnownAgent, KnownAgents};

/// The verdict about one visitor, with the step that decided it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    pub verdict: VisitorVerdict,
    /// The agent that the visitor claims to be.
    pub claimed: Option<AgentIndex>,
    pub method: Option<Method>,
    pub reason: Reason,
    pub remarks: Remarks,
    /// When the oldest feed that was used was fetched.
    pub ranges_as_of: Option<Timestamp>,
}

/// By what a visitor was verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    AddressList,
    ReverseDns,
    Signature,
}

impl Method {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AddressList => "address_list",
            Self::ReverseDns => "reverse_dns",
            Self::Signature => "signature",
        }
    }
}

/// How an agent can be verified, by what its operator documents.
#[must_use]
pub fn verification_methods(known: &KnownAgents, agent: &KnownAgent) -> Vec<Method> {
    let is_list = |id: &String| {
        let feed = known.feed_index(id).and_then(|index| known.feed(index));
        feed.is_some_and(|feed| feed.proves != FeedScope::Network)
    };
    let documented = [
        (agent.feeds.iter().any(is_list), Method::AddressList),
        (!agent.reverse_dns_suffixes.is_empty(), Method::ReverseDns),
        (!agent.key_directories.is_empty(), Method::Signature),
    ];
    documented.into_iter().filter(|(is_documented, _)| *is_documented).map(|(_, m)| m).collect()
}

impl Verdict {
    pub(super) fn new(
        verdict: VisitorVerdict,
        claimed: Option<AgentIndex>,
        reason: Reason,
    ) -> Self {
        Self {
            verdict,
            claimed,
            method: None,
            reason,
            remarks: Remarks::default(),
            ranges_as_of: None,
        }
    }

    /// The feed that the deciding step used.
    #[must_use]
    pub fn feed(&self) -> Option<FeedIndex> {
        self.reason.feed()
    }
}
