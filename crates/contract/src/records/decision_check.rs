//! Whether a decision is still valid (`GET /api/v1/decisions/{sha256}`).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{Decision, DecisionReceipt, DecisionState, RevocationReason, Signature};
use crate::{Domain, Timestamp};

/// `{brand}-decision-check`, signed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DecisionCheck {
    pub kind: String,
    pub v: u32,
    pub schema: String,
    pub checked_at: Timestamp,
    /// Whether a site may accept a request that presents this receipt: the receipt was issued by
    /// this service, is for the host in the request, is still valid, and says `allow` or `warn`.
    pub accept: bool,
    /// The reason for `accept`, in one sentence.
    pub reason: String,
    /// The receipt as issued; null when the digest is that of an answer.
    #[schema(required, value_type = Option<DecisionReceipt>)]
    pub receipt: Option<Value>,
    pub decision_sha256: String,
    /// `{brand}-decision`, `{brand}-resolve`, `{brand}-mcp-scan` or `{brand}-mcp-lock`.
    pub of_kind: String,
    pub domain: Domain,
    pub issued_at: Timestamp,
    /// The strictest state in `actions`.
    pub state: DecisionState,
    /// Whether the decision is still valid.
    pub stands: bool,
    pub means: String,
    /// By action. A receipt has one.
    pub actions: BTreeMap<String, ActionCheck>,
    /// The expiry time as issued; null when nothing was ever observed.
    #[schema(required)]
    pub valid_until: Option<Timestamp>,
    /// The newest answer about the domain, when it is a different one.
    #[schema(required)]
    pub superseded_by: Option<SupersedingAnswer>,
    #[schema(required)]
    pub revoked: Option<RevokingEntry>,
    /// The sections that changed since the answer behind this decision.
    pub changed_sections: Vec<String>,
    pub log: DecisionLogPosition,
    pub this_update: Timestamp,
    /// Check again by this time.
    pub next_update: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

/// The current state of the decision about one action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ActionCheck {
    /// The decision as issued.
    pub then: Decision,
    /// The decision in the newest answer.
    pub now: Decision,
    pub state: DecisionState,
    pub stands: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SupersedingAnswer {
    pub answer_sha256: String,
    pub at: Timestamp,
    pub address: String,
}

/// The revocation entry that applies to the decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RevokingEntry {
    pub at: Timestamp,
    pub effective_from: Timestamp,
    pub reason: RevocationReason,
    pub entry_seq: u64,
    pub why: String,
}

/// The position of the answer in the log. A receipt itself is not in the log; it names the answer
/// by digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DecisionLogPosition {
    /// `included` or `not_logged`.
    pub state: String,
    #[schema(required)]
    pub batch: Option<u64>,
    #[schema(required)]
    pub index: Option<u64>,
    #[schema(required)]
    pub leaf_hash: Option<String>,
    /// The address of the signed tree head.
    #[schema(required)]
    pub sth: Option<String>,
}
