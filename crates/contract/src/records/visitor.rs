//! 2.7: whether a visitor is the agent it claims to be. Nothing about the visitor is stored.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Signature;
use crate::{Timestamp, open_enum};

/// `{brand}-visitor`, for one visitor.
// The members are in canonical order, so that writing them needs no sorting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VisitorAnswer {
    pub checked_at: Timestamp,
    #[schema(required)]
    pub claimed: Option<String>,
    /// The addresses of the range feeds that were checked.
    pub feeds: Vec<String>,
    pub kind: String,
    #[schema(required)]
    pub operator: Option<String>,
    #[schema(required)]
    pub purpose: Option<Purpose>,
    /// When the oldest address ranges in use were fetched. Null when none could be fetched yet.
    #[schema(required)]
    pub ranges_as_of: Option<Timestamp>,
    /// How to interpret the verdicts.
    pub reading: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
    /// The address of the specification.
    pub spec: String,
    pub v: u32,
    pub verdict: VisitorVerdict,
    /// By what it was verified; absent if it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub verified_by: Option<VerifiedBy>,
    pub why: String,
}

/// Verdicts for several visitors, in request order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VisitorBatchAnswer {
    pub kind: String,
    pub v: u32,
    pub checked_at: Timestamp,
    #[schema(required)]
    pub ranges_as_of: Option<Timestamp>,
    pub spec: String,
    pub count: u32,
    pub results: Vec<VisitorResult>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

/// The verdict for one visitor. `claimed`, `operator` and `purpose` are null when the user agent
/// names no known agent.
// The members are in canonical order, so that writing many needs no sorting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VisitorResult {
    #[schema(required)]
    pub claimed: Option<String>,
    pub feeds: Vec<String>,
    #[schema(required)]
    pub operator: Option<String>,
    #[schema(required)]
    pub purpose: Option<Purpose>,
    pub verdict: VisitorVerdict,
    /// By what it was verified; absent if it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub verified_by: Option<VerifiedBy>,
    pub why: String,
}

open_enum! {
    /// Whether a visitor is the agent it claims to be.
    pub enum VisitorVerdict {
        Verified = "verified",
        Spoofed = "spoofed",
        Unverifiable = "unverifiable",
        NotAKnownAgent = "not_a_known_agent",
    }
}

open_enum! {
    /// What verified a visitor.
    pub enum VerifiedBy {
        /// A list of addresses that the operator publishes.
        AddressList = "address_list",
        /// The DNS name of the address, confirmed in both directions.
        ReverseDns = "reverse_dns",
        /// A signature by a key of the operator.
        Signature = "signature",
    }
}

open_enum! {
    /// What an agent fetches pages for.
    pub enum Purpose {
        Training = "training",
        Search = "search",
        /// On behalf of a person who requested it.
        UserFetch = "user_fetch",
        Agent = "agent",
        Preview = "preview",
        Ads = "ads",
        /// Only a robots.txt token: no crawler sends requests under this name.
        TrainingControl = "training_control",
        Other = "other",
    }
}
