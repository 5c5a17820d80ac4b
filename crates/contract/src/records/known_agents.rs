//! The catalogue of known agents, and the specification of the visitor verdict.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Purpose, Signature, VerifiedBy, VisitorVerdict};
use crate::{Timestamp, open_enum};

/// `{brand}-agents`: the agents that visitors are compared with (`GET /api/v1/agents`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct KnownAgentsRecord {
    pub kind: String,
    pub v: u32,
    pub schema: String,
    pub made_at: Timestamp,
    pub count: u32,
    pub agents: Vec<KnownAgentEntry>,
    pub feeds: Vec<AgentFeedEntry>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct KnownAgentEntry {
    pub id: String,
    pub name: String,
    pub operator: String,
    pub purpose: Purpose,
    /// Whether a person's request triggers each fetch; null when the operator does not say.
    #[schema(required)]
    pub user_triggered: Option<bool>,
    /// Its names in robots.txt.
    pub robots_tokens: Vec<String>,
    /// Its names in user agents.
    pub user_agent_tokens: Vec<String>,
    /// What its operator publishes to verify it by; empty when nothing.
    pub verified_by: Vec<VerifiedBy>,
    /// The ids of its address lists.
    pub feeds: Vec<String>,
    /// The DNS names of its addresses are below these.
    pub reverse_dns_suffixes: Vec<String>,
    /// Where the keys of its signatures are published.
    pub key_directories: Vec<String>,
    /// The operator's documentation.
    #[schema(required)]
    pub docs: Option<String>,
    /// Where these facts are from.
    pub evidence: String,
    /// The day on which they were last checked.
    pub checked_on: String,
}

/// A list of addresses that an operator publishes, and how old our copy is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentFeedEntry {
    pub id: String,
    pub operator: String,
    pub address: String,
    pub format: String,
    /// `agent`, `operator` or `network`: what it proves that an address is in the list.
    pub proves: String,
    /// A copy that is older does not deny anybody.
    pub max_age_hours: u32,
    pub state: FeedState,
    pub prefixes: u32,
    /// When our copy was fetched or last confirmed.
    #[schema(required)]
    pub fetched_at: Option<Timestamp>,
    /// Why the last attempt failed; null when it did not.
    #[schema(required)]
    pub last_fault: Option<String>,
}

open_enum! {
    /// The state of our copy of a list.
    pub enum FeedState {
        Fresh = "fresh",
        Old = "old",
        NeverFetched = "never_fetched",
        NotFetchable = "not_fetchable",
    }
}

/// `{brand}-spec`: what a visitor verdict means, with cases to try (`GET /spec/visitor-resolve`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VisitorSpec {
    pub kind: String,
    /// `visitor-resolve`.
    pub id: String,
    pub version: String,
    pub verdicts: Vec<VerdictMeaning>,
    /// What is checked, in this order; the first step that decides ends the check.
    pub steps: Vec<String>,
    pub cases: Vec<VerdictCase>,
    pub feeds: Vec<SpecFeed>,
    pub test_vectors: Vec<VisitorTestVector>,
    pub privacy: String,
    pub changes: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VerdictMeaning {
    pub verdict: VisitorVerdict,
    pub when: String,
    pub means: String,
    pub does_not_mean: String,
}

/// A row of the table of verdicts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VerdictCase {
    pub claimed_agent: String,
    pub evidence: String,
    pub verdict: VisitorVerdict,
    pub why: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SpecFeed {
    pub operator: String,
    pub address: String,
    pub format: String,
    pub max_age_hours: u32,
}

/// A visitor and the verdict that this service must give. Those with an address of a list hold as long as
/// the list does not change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VisitorTestVector {
    #[schema(required)]
    pub ip: Option<String>,
    pub ua: String,
    pub expected: VisitorVerdict,
}
