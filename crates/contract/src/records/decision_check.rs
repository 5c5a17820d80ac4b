//! Whether something that was decided still stands (`GET /api/v1/decisions/{sha256}`).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{Decision, DecisionReceipt, HeldState, RevocationReason, Signature};
use crate::{Domain, Timestamp};

/// `{brand}-decision-check`, signed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DecisionCheck {
    pub kind: String,
    pub v: u32,
    pub schema: String,
    pub checked_at: Timestamp,
    /// Whether a site may let a request in on this receipt: it was issued here, names the host that
    /// was asked for, still stands, and says `allow` or `warn`.
    pub accept: bool,
    /// Why so, in one sentence.
    pub reason: String,
    /// The receipt as it was given out; null where the digest is that of an answer.
    #[schema(required, value_type = Option<DecisionReceipt>)]
    pub receipt: Option<Value>,
    pub decision_sha256: String,
    /// `{brand}-decision` or `{brand}-resolve`.
    pub of_kind: String,
    pub domain: Domain,
    pub issued_at: Timestamp,
    /// The strictest of `actions`.
    pub state: HeldState,
    /// Whether it may still be relied on.
    pub stands: bool,
    pub means: String,
    /// By action; one for a receipt.
    pub actions: BTreeMap<String, ActionCheck>,
    /// Its end as it was given out; null where nothing was ever observed.
    #[schema(required)]
    pub valid_until: Option<Timestamp>,
    /// The newest answer about the domain, where it is another.
    #[schema(required)]
    pub superseded_by: Option<SupersededBy>,
    #[schema(required)]
    pub revoked: Option<RevokedBy>,
    /// What changed about the domain since the answer it rests on.
    pub changed_sections: Vec<String>,
    pub log: DecisionLog,
    pub this_update: Timestamp,
    /// Ask again by then.
    pub next_update: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

/// What became of the decision about one action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ActionCheck {
    pub then: Decision,
    /// By the newest answer.
    pub now: Decision,
    pub state: HeldState,
    pub stands: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SupersededBy {
    pub answer_sha256: String,
    pub at: Timestamp,
    pub address: String,
}

/// The entry that took it back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RevokedBy {
    pub at: Timestamp,
    pub effective_from: Timestamp,
    pub reason: RevocationReason,
    pub entry_seq: u64,
    pub why: String,
}

/// Where the answer stands in the log. A receipt is bound to it by its digest and is not in the log
/// itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DecisionLog {
    /// `included` or `not_logged`.
    pub state: String,
    #[schema(required)]
    pub batch: Option<u64>,
    #[schema(required)]
    pub index: Option<u64>,
    #[schema(required)]
    pub leaf_hash: Option<String>,
    /// The address of the signed head.
    #[schema(required)]
    pub sth: Option<String>,
}
