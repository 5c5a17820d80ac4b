//! What is known about one agent, and about one list of addresses.

use contract::Day;
use contract::records::Purpose;
use serde::{Deserialize, Serialize};

use crate::feed_format::FeedFormat;
use crate::feed_id::FeedScope;

/// An agent or crawler, with what its operator documents about recognising and verifying it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownAgent {
    pub id: String,
    pub name: String,
    pub operator: String,
    pub purpose: Purpose,
    /// Whether a person's request triggers each fetch. `None`: not known.
    #[serde(default)]
    pub user_triggered: Option<bool>,
    /// The names under which robots.txt addresses it.
    #[serde(default)]
    pub robots_tokens: Vec<String>,
    /// The words that name it in a user agent. Empty: no user agent names it.
    #[serde(default)]
    pub user_agent_tokens: Vec<String>,
    /// Set for a name that is meant for robots.txt only.
    #[serde(default)]
    pub token_only: Option<TokenOnly>,
    /// The ids of the lists that hold its addresses.
    #[serde(default)]
    pub feeds: Vec<String>,
    /// The domains, without a leading dot, in which its addresses have their names. Only what the
    /// operator documents.
    #[serde(default)]
    pub reverse_dns_suffixes: Vec<String>,
    /// Set if the names of its addresses are reported to have no addresses themselves. Then such a name
    /// neither confirms the agent nor denies it.
    #[serde(default)]
    pub names_without_addresses: bool,
    /// The origins whose key directories hold the keys that it signs requests with.
    #[serde(default)]
    pub key_directories: Vec<String>,
    /// The networks (`AS32934`) of its operator. They prove nothing about the agent.
    #[serde(default)]
    pub networks: Vec<String>,
    /// The operator's page about it.
    #[serde(default)]
    pub docs: Option<String>,
    pub evidence: AgentEvidence,
    pub checked_on: Day,
    #[serde(default)]
    pub status: AgentStatus,
    #[serde(default)]
    pub note: Option<String>,
    /// Examples of complete user agents.
    #[serde(default)]
    pub user_agents: Vec<String>,
}

/// Why a name that is meant for robots.txt cannot be the name of a visitor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenOnly {
    /// The operator documents that no request names it.
    NeverSent,
    /// The operator documents no requests that name it, and does not exclude them either.
    NotDocumented,
}

/// The source of what is known about an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentEvidence {
    OperatorPage,
    CopyOfOperatorPage,
    /// Lists maintained by third parties.
    PublicLists,
    /// No source that can be relied on.
    Unconfirmed,
}

impl AgentEvidence {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OperatorPage => "operator_page",
            Self::CopyOfOperatorPage => "copy_of_operator_page",
            Self::PublicLists => "public_lists",
            Self::Unconfirmed => "unconfirmed",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentStatus {
    #[default]
    Active,
    /// Replaced or no longer documented.
    Legacy,
}

/// A list of addresses that an operator publishes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feed {
    pub id: String,
    pub operator: String,
    pub url: String,
    /// Addresses at which the operator published it before.
    #[serde(default)]
    pub earlier_urls: Vec<String>,
    pub format: FeedFormat,
    pub proves: FeedScope,
    /// For how long a fetched copy counts as current.
    #[serde(default = "one_week")]
    pub max_age_hours: u32,
    #[serde(default)]
    pub note: Option<String>,
}

fn one_week() -> u32 {
    7 * 24
}
