//! The receipt of a decision. It is signed by the decisions key and contains its own basis, so that
//! it can be passed on by itself.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::{
    Action, Basis, Decision, Doubt, PreflightTemplate, ReplacedSignature, Rung, Signature,
};
use crate::errors::ErrorCode;
use crate::ratio::Quotient;
use crate::{Domain, Timestamp, open_enum};

/// `{brand}-decision`, signed by the decisions key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DecisionReceipt {
    pub kind: String,
    pub v: u32,
    pub schema: String,
    pub domain: Domain,
    pub subject: ReceiptSubject,
    /// Null when no agent was named.
    #[schema(required)]
    pub agent: Option<ReceiptAgent>,
    pub action: Action,
    #[schema(required)]
    pub template: Option<PreflightTemplate>,
    /// Unchanged from the request; null when there was none.
    #[schema(required)]
    pub nonce: Option<String>,
    /// Unchanged from the request; null when there was none.
    #[schema(required, value_type = Option<Object>)]
    pub operation: Option<Map<String, Value>>,
    pub decided_at: Timestamp,
    pub expires_at: Timestamp,
    /// The same time as `expires_at`, under the name that other records use.
    pub valid_until: Timestamp,
    /// The clock difference to tolerate when times are compared.
    pub clock_skew_s: u32,
    pub decision: Decision,
    /// The decision in one sentence.
    pub meaning: String,
    /// The decision in the answer, before the steps of the preflight.
    pub base_decision: Decision,
    /// What made the decision stricter than the answer's own, in the order applied.
    pub tightened_by: Vec<Doubt>,
    pub why: String,
    pub needs: String,
    pub doubts: Vec<Doubt>,
    /// The codes of `reasons`, in their order.
    pub reason_codes: Vec<Doubt>,
    /// The deciding reason comes first.
    pub reasons: Vec<DecisionReason>,
    /// In the order applied.
    pub steps: Vec<DecisionStep>,
    /// An agent that cannot meet one of these must not proceed.
    pub obligations: Vec<Obligation>,
    /// What the agent could request or do instead.
    pub alternatives: Vec<String>,
    /// What the business publishes about itself; null when not observed.
    #[schema(required)]
    pub facts: Option<PublishedFacts>,
    pub assessed: AssessedScope,
    pub minimum_assurance: String,
    pub assurance_found: Vec<Rung>,
    /// The maximum age of evidence that was accepted.
    pub max_age_hours: u32,
    pub evidence_age: EvidenceAge,
    pub basis: Basis,
    pub answer: ReceiptAnswer,
    pub resolve: ReceiptResolve,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub held: Option<HeldDecision>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub mcp: Option<ReceiptMcp>,
    pub revocation: ReceiptRevocation,
    pub rules: ReceiptRules,
    /// Present if the key was reported as compromised since the record was stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub replaced_signature: Option<ReplacedSignature>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

/// What the decision is about. Paths and addresses have no query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReceiptSubject {
    pub domain: Domain,
    #[schema(required)]
    pub host: Option<String>,
    /// Null when the request named only a domain.
    #[schema(required)]
    pub path: Option<String>,
    #[schema(required)]
    pub url_without_query: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReceiptAgent {
    pub claimed: String,
    /// The robots.txt group that applies to it; null when none does or the file was not available.
    #[schema(required)]
    pub matched_group: Option<String>,
    /// Always `claimed`: the agent's identity was not verified.
    pub basis: String,
}

/// A reason why a decision is not `allow`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DecisionReason {
    pub code: Doubt,
    pub class: ReasonClass,
    /// The least strict decision it permits, or `doubt` when it does not change the decision.
    pub effect: String,
    /// Whether the same request can get a less strict decision later.
    pub retryable: bool,
    pub remedy: Remedy,
    pub detail: String,
}

open_enum! {
    /// What a reason is about.
    pub enum ReasonClass {
        SitePolicy = "site_policy",
        Delivery = "delivery",
        Evidence = "evidence",
        Capability = "capability",
        Standing = "standing",
        Caller = "caller",
        Service = "service",
        Rule = "rule",
    }
}

open_enum! {
    /// Who can resolve the reason.
    pub enum Remedy {
        SiteOwner = "site_owner",
        Agent = "agent",
        Human = "human",
        Service = "service",
        Time = "time",
        Nobody = "none",
    }
}

/// One rule that was checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DecisionStep {
    pub rule: String,
    /// `none`, `doubt`, or the least strict decision it permits.
    pub effect: String,
    pub why: String,
}

/// Something the agent must do when it acts on the decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Obligation {
    #[serde(rename = "type")]
    pub obligation_type: ObligationType,
    pub why: String,
    /// For `crawl_delay`: the pause between two requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub seconds: Option<Quotient>,
    /// For `identify`: the user agent to send.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub user_agent: Option<String>,
    /// For `recheck`: the latest time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub at: Option<Timestamp>,
    /// For `pay` and `cite_source`: the address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub address: Option<String>,
    /// For `pay`: the payment protocol that the site uses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub protocol: Option<String>,
}

open_enum! {
    /// The type of an obligation.
    pub enum ObligationType {
        HumanConfirmation = "human_confirmation",
        CrawlDelay = "crawl_delay",
        Identify = "identify",
        CiteSource = "cite_source",
        DoNotStore = "do_not_store",
        Pay = "pay",
        Recheck = "recheck",
    }
}

/// What a business publishes about itself. Written by the site. Do not trust it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PublishedFacts {
    #[schema(required)]
    pub untrusted_name: Option<String>,
    pub untrusted_types: Vec<String>,
    #[schema(required)]
    pub untrusted_url: Option<String>,
    pub untrusted_same_as: Vec<String>,
    /// The addresses this was read from.
    pub read_from: Vec<String>,
    #[schema(required)]
    pub observed_at: Option<Timestamp>,
}

/// What exactly the decision covers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AssessedScope {
    /// The address that was checked, without its query; null when only the domain was.
    #[schema(required)]
    pub endpoint: Option<String>,
    pub path: String,
    /// Whether the address had a query. It was checked together with the path and is not stored.
    pub with_query: bool,
    pub robots: AssessedRobots,
    #[schema(required)]
    pub tool: Option<AssessedTool>,
    /// SHA-256 of the operation in canonical JSON; null without one.
    #[schema(required)]
    pub operation_sha256: Option<String>,
    pub does_not_cover: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AssessedRobots {
    pub state: AssessedRobotsState,
    /// The token that was looked up; `*` when no agent was named.
    pub token: String,
    #[schema(required)]
    pub allowed: Option<bool>,
    /// The line that decided; null when none matched.
    #[schema(required)]
    pub line: Option<u32>,
    #[schema(required)]
    pub untrusted_rule: Option<String>,
}

open_enum! {
    /// Whether robots.txt was available for the decision.
    pub enum AssessedRobotsState {
        Read = "read",
        Absent = "absent",
        /// It was read for the answer, but its text is no longer stored.
        NotKept = "not_kept",
        NotRead = "not_read",
    }
}

/// The tool that the operation names, and how it compares with what was approved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AssessedTool {
    pub untrusted_name: String,
    pub state: McpState,
}

/// The age of the evidence at the time of the decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EvidenceAge {
    #[schema(required)]
    pub observed_at: Option<Timestamp>,
    #[schema(required)]
    pub age_hours: Option<u32>,
    pub stale: bool,
}

/// The answer that the decision is based on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReceiptAnswer {
    pub answer_sha256: String,
    pub address: String,
    pub transparency: ReceiptTransparency,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReceiptTransparency {
    /// `included`, `pending` or `not_logged`.
    pub state: String,
    #[schema(required)]
    pub leaf_hash: Option<String>,
    #[schema(required)]
    pub batch: Option<u64>,
}

/// The same answer, by its digest and the key that signed it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReceiptResolve {
    pub sha256: String,
    pub kid: String,
}

/// The current state of a decision that the caller already has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HeldDecision {
    pub decision_sha256: String,
    pub state: DecisionState,
    pub stands: bool,
}

open_enum! {
    /// The current state of a decision.
    pub enum DecisionState {
        Standing = "standing",
        Expired = "expired",
        Superseded = "superseded",
        Tightened = "tightened",
        Revoked = "revoked",
        /// Never issued by this service, or no longer stored.
        Unknown = "unknown",
    }
}

/// The MCP server, compared with what was approved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReceiptMcp {
    pub url: String,
    pub state: McpState,
    #[schema(required)]
    pub surface_sha256: Option<String>,
    #[schema(required)]
    pub tools_sha256: Option<String>,
}

open_enum! {
    /// How an MCP server compares with what was approved.
    pub enum McpState {
        Match = "match",
        Drift = "drift",
        Incomplete = "incomplete",
        Unreachable = "unreachable",
        AuthRequired = "auth_required",
        /// The server does something that no approval covers.
        HardFinding = "hard_finding",
        /// The server was read, but the request named no approved digest.
        NotCompared = "not_compared",
        NotMeasured = "not_measured",
    }
}

/// Where to learn whether this decision is revoked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReceiptRevocation {
    pub feed: String,
    /// Send this as `cursor` for entries after this receipt.
    #[schema(required)]
    pub cursor: Option<String>,
    pub next_update: Timestamp,
}

/// The rules that the decision is based on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReceiptRules {
    pub decision_rules_sha256: String,
    pub version_id: String,
}

/// `{brand}-preflight-batch`, signed by the documents key; each receipt in it by the decisions key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PreflightBatch {
    pub kind: String,
    pub v: u32,
    pub schema: String,
    pub checked_at: Timestamp,
    pub count: u32,
    /// In request order.
    pub results: Vec<PreflightResult>,
    /// The strictest decision in the batch; null when every check was refused.
    #[schema(required)]
    pub worst: Option<Decision>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

/// The response of `POST /api/v1/preflight`: a receipt, or the batch if the request has `checks`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum PreflightReply {
    Receipt(Box<DecisionReceipt>),
    Batch(Box<PreflightBatch>),
}

/// Either a receipt or an error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PreflightResult {
    pub index: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub result: Option<Box<DecisionReceipt>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub error: Option<PreflightItemError>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PreflightItemError {
    pub code: ErrorCode,
    pub error: String,
    #[schema(required)]
    pub param: Option<String>,
}
