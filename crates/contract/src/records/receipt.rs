//! The receipt of a decision. It is signed by the decisions key and says what it rests on, so that it
//! can be passed on alone.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::{Action, Basis, Decision, Doubt, PreflightTemplate, Rung, Signature};
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
    /// As it came; null when none came.
    #[schema(required)]
    pub nonce: Option<String>,
    /// As it came; null when none came.
    #[schema(required, value_type = Option<Object>)]
    pub operation: Option<Map<String, Value>>,
    pub decided_at: Timestamp,
    pub expires_at: Timestamp,
    /// The same moment, by the name it has in other records.
    pub valid_until: Timestamp,
    /// How far clocks may be apart when times are compared.
    pub clock_skew_s: u32,
    pub decision: Decision,
    /// One sentence.
    pub meaning: String,
    /// The answer's own decision, before anything else was applied.
    pub base_decision: Decision,
    /// What made it stricter than the answer's own, in the order it was applied.
    pub tightened_by: Vec<Doubt>,
    pub why: String,
    pub needs: String,
    pub doubts: Vec<Doubt>,
    /// The codes of `reasons`, in their order.
    pub reason_codes: Vec<Doubt>,
    /// The one that decided first.
    pub reasons: Vec<DecisionReason>,
    /// In the order they were applied.
    pub steps: Vec<DecisionStep>,
    /// Whoever cannot meet one must not go on.
    pub obligations: Vec<Obligation>,
    /// What else could be asked or done.
    pub alternatives: Vec<String>,
    /// What the business publishes of itself; null when it was not observed.
    #[schema(required)]
    pub facts: Option<PublishedFacts>,
    pub assessed: Assessed,
    pub minimum_assurance: String,
    pub assurance_found: Vec<Rung>,
    /// The oldest evidence that was accepted.
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

/// What the decision is about. Paths and addresses are without their query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReceiptSubject {
    pub domain: Domain,
    #[schema(required)]
    pub host: Option<String>,
    /// Null when only a domain was asked about.
    #[schema(required)]
    pub path: Option<String>,
    #[schema(required)]
    pub url_without_query: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReceiptAgent {
    pub claimed: String,
    /// The robots.txt group that speaks to it; null when none does or the file was not at hand.
    #[schema(required)]
    pub matched_group: Option<String>,
    /// Always `claimed`: nothing of it was verified.
    pub basis: String,
}

/// Why a decision is not better.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DecisionReason {
    pub code: Doubt,
    pub class: ReasonClass,
    /// The best decision it leaves, or `doubt` when it leaves it as it is.
    pub effect: String,
    /// Whether the same question can be answered better later.
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
    /// Who can do something about it.
    pub enum Remedy {
        SiteOwner = "site_owner",
        Agent = "agent",
        Human = "human",
        Service = "service",
        Time = "time",
        Nobody = "none",
    }
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DecisionStep {
    pub rule: String,
    /// `none`, `doubt`, or the best decision it leaves.
    pub effect: String,
    pub why: String,
}

/// A duty that goes with the decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Obligation {
    #[serde(rename = "type")]
    pub what: ObligationType,
    pub why: String,
    /// Of `crawl_delay`: between two requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub seconds: Option<Quotient>,
    /// Of `identify`: as whom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub user_agent: Option<String>,
    /// Of `recheck`: when at the latest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub at: Option<Timestamp>,
    /// Of `pay` and `cite_source`: where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub address: Option<String>,
    /// Of `pay`: how the site asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub protocol: Option<String>,
}

open_enum! {
    /// The kinds of duties.
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

/// What a business publishes of itself. Written by the site: not to be trusted.
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

/// What exactly was covered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Assessed {
    /// The address that was judged, without its query; null when only the domain was.
    #[schema(required)]
    pub endpoint: Option<String>,
    pub path: String,
    /// Whether the address had a query. It was judged with the path and is not kept.
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
    /// The token that was looked up, `*` when no agent was named.
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
    /// Whether robots.txt was at hand.
    pub enum AssessedRobotsState {
        Read = "read",
        Absent = "absent",
        /// It was read for the answer, and its text is no longer kept.
        NotKept = "not_kept",
        NotRead = "not_read",
    }
}

/// The tool an operation names, as far as it was compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AssessedTool {
    pub untrusted_name: String,
    pub state: McpState,
}

/// How old the evidence was when it was decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EvidenceAge {
    #[schema(required)]
    pub observed_at: Option<Timestamp>,
    #[schema(required)]
    pub age_hours: Option<u32>,
    pub stale: bool,
}

/// The answer that was decided from.
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

/// What became of a decision the caller holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HeldDecision {
    pub decision_sha256: String,
    pub state: HeldState,
    pub stands: bool,
}

open_enum! {
    /// What became of a decision.
    pub enum HeldState {
        Standing = "standing",
        Expired = "expired",
        Superseded = "superseded",
        Tightened = "tightened",
        Revoked = "revoked",
        /// Never issued here, or past what is kept.
        Unknown = "unknown",
    }
}

/// The MCP server, held against what was approved.
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
        /// It does something that no approval covers.
        HardFinding = "hard_finding",
        /// It was read, and nothing approved was named to compare it with.
        NotCompared = "not_compared",
        NotMeasured = "not_measured",
    }
}

/// Where to listen for the end of this decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReceiptRevocation {
    pub feed: String,
    /// What to ask for next.
    #[schema(required)]
    pub cursor: Option<String>,
    pub next_update: Timestamp,
}

/// The rules that decided.
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
    /// In the order of the request.
    pub results: Vec<PreflightResult>,
    /// The strictest decision there is, or null when every check was refused. No score.
    #[schema(required)]
    pub worst: Option<Decision>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
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
    pub error: Option<PreflightFault>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PreflightFault {
    pub code: ErrorCode,
    pub error: String,
    #[schema(required)]
    pub param: Option<String>,
}
