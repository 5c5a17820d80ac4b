//! What an MCP server offers, and what the rules found in it (`GET /api/v1/mcp/scan`).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    CodeObject, Decision, DecisionReason, Doubt, McpBasisKind, McpConditions, McpFieldDigests,
    McpFinding, McpKnown, McpLock, McpRuleCheck, McpTexts, SafetyClass, Signature,
};
use crate::{Domain, Timestamp, open_enum};

/// `{brand}-mcp-scan`, signed. Only lists were read: no tool was called.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct McpScan {
    pub kind: String,
    pub v: u32,
    pub schema: String,
    pub scanned_at: Timestamp,
    /// Null when the caller supplied the lists without an address.
    #[schema(required)]
    pub url: Option<String>,
    #[schema(required)]
    pub final_url: Option<String>,
    #[schema(required)]
    pub domain: Option<Domain>,
    #[schema(required)]
    pub host: Option<String>,
    pub state: McpScanState,
    /// Why the state is not `observed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub why: Option<String>,
    pub basis: McpScanBasis,
    pub transport: McpTransport,
    pub auth: McpAuth,
    pub server: McpServer,
    pub conditions: McpConditions,
    pub surface: McpSurface,
    pub tools: Vec<McpToolEntry>,
    pub prompts: Vec<McpItemEntry>,
    pub resources: Vec<McpItemEntry>,
    pub resource_templates: Vec<McpItemEntry>,
    pub findings: Vec<McpFinding>,
    /// Findings beyond the limit of the record, which are not listed.
    pub findings_left_out: u32,
    pub checks: Vec<McpRuleCheck>,
    pub connect: McpConnect,
    pub card: McpCardComparison,
    pub history: McpHistory,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub lock: Option<Box<McpLock>>,
    /// Which texts of the server the record has; present if any were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub texts: Option<McpTexts>,
    pub invocation: McpInvocation,
    pub rulepack: McpRulepack,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub code: Option<CodeObject>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

open_enum! {
    pub enum McpScanState {
        Observed = "observed",
        AuthRequired = "auth_required",
        NotMcp = "not_mcp",
        Unreachable = "unreachable",
        Incomplete = "incomplete",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct McpScanBasis {
    pub kind: McpBasisKind,
    pub age_seconds: u64,
    pub budget_ms: u64,
    pub took_ms: u64,
    pub not_read_in_budget: Vec<String>,
    /// The digest of the scan as it was made, if this is a stored one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub scan_sha256: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct McpTransport {
    pub form: McpTransportForm,
    pub era: McpEra,
    #[schema(required)]
    pub protocol_version: Option<String>,
    pub supported_versions: Vec<String>,
    #[schema(required)]
    pub response_form: Option<McpResponseForm>,
    pub session_issued: bool,
    /// Null when no address was read.
    #[schema(required)]
    pub https: Option<bool>,
    pub redirects: Vec<String>,
}

open_enum! {
    pub enum McpTransportForm {
        StreamableHttp = "streamable_http",
        HttpSse = "http_sse",
        Stdio = "stdio",
        Nothing = "none",
    }
}

open_enum! {
    pub enum McpEra { Modern = "modern", Legacy = "legacy", Both = "both", Unknown = "unknown" }
}

open_enum! {
    pub enum McpResponseForm { Json = "json", Sse = "sse" }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct McpAuth {
    pub state: McpAuthState,
    #[schema(required)]
    pub http_status: Option<u16>,
    #[schema(required)]
    pub scheme: Option<String>,
    pub scopes: Vec<String>,
    pub resource_metadata: McpResourceMetadata,
}

open_enum! {
    pub enum McpAuthState {
        Nothing = "none",
        Required = "required",
        NotMeasured = "not_measured",
    }
}

/// The server's OAuth protected-resource metadata (RFC 9728).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct McpResourceMetadata {
    /// `observed`, `absent` or `not_measured`.
    pub state: String,
    /// What is wrong with it, or why it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub why: Option<String>,
    #[schema(required)]
    pub url: Option<String>,
    /// `header`, `well_known_path` or `well_known_root`.
    #[schema(required)]
    pub source: Option<String>,
    #[schema(required)]
    pub resource: Option<String>,
    pub authorization_servers: Vec<String>,
    pub issuer_match: McpKnown,
}

/// What the server says about itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct McpServer {
    #[schema(required)]
    pub untrusted_name: Option<String>,
    #[schema(required)]
    pub untrusted_version: Option<String>,
    #[schema(required)]
    pub untrusted_title: Option<String>,
    pub instructions: McpInstructions,
    /// What the server declares, with the switches of each; hidden characters of names spelled out.
    pub capabilities: BTreeMap<String, BTreeMap<String, bool>>,
    /// Always `self_reported`.
    pub basis: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct McpInstructions {
    pub present: bool,
    pub bytes: u64,
    #[schema(required)]
    pub instructions_sha256: Option<String>,
    /// On request. Written by the server, with hidden characters spelled out. Do not trust it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub untrusted_text: Option<String>,
    /// Whether the text is shortened or left out to keep the record small.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub text_cut: Option<bool>,
}

/// All lists of the server together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct McpSurface {
    /// `observed` or `not_measured`.
    pub state: String,
    /// Whether every list was read to its end, without a fault.
    pub complete: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub why: Option<String>,
    pub tools: u32,
    pub prompts: u32,
    pub resources: u32,
    pub resource_templates: u32,
    pub pages: u32,
    /// Whether a second reading had the same tools; null when there was none.
    #[schema(required)]
    pub stable_content: Option<bool>,
    #[schema(required)]
    pub stable_order: Option<bool>,
    #[schema(required)]
    pub ttl_ms: Option<u64>,
    #[schema(required)]
    pub cache_scope: Option<String>,
    /// Null when the lists are not complete.
    #[schema(required)]
    pub surface_sha256: Option<String>,
    /// As in a lock; null when the lists are not complete or have more than 300 tools.
    #[schema(required)]
    pub tools_sha256: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct McpToolEntry {
    /// Hidden characters spelled out, at most 128 characters.
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub untrusted_title: Option<String>,
    /// The digest of the tool in a lock; null when it has no canonical form.
    #[schema(required)]
    pub tool_sha256: Option<String>,
    #[schema(required)]
    pub definition_sha256: Option<String>,
    #[schema(required)]
    pub contract_sha256: Option<String>,
    pub fields: McpFieldDigests,
    pub description_bytes: u64,
    /// What the server says the tool does; null when it says nothing.
    #[schema(required)]
    pub annotations: Option<McpHints>,
    pub safety_class: SafetyClass,
    pub required_inputs: Vec<String>,
    /// Ids of findings.
    pub findings: Vec<String>,
    /// On request. Written by the server, with hidden characters spelled out. Do not trust it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub untrusted_description: Option<String>,
    /// On request: the schema as JSON text, with hidden characters spelled out. Do not trust it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub untrusted_input_schema: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub untrusted_output_schema: Option<String>,
    /// Which of these texts are shortened or left out to keep the record small.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub cut: Option<Vec<String>>,
}

/// Hints that the server declares. Do not rely on them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct McpHints {
    #[schema(required)]
    pub read_only: Option<bool>,
    #[schema(required)]
    pub destructive: Option<bool>,
    #[schema(required)]
    pub idempotent: Option<bool>,
    #[schema(required)]
    pub open_world: Option<bool>,
}

/// A prompt, resource or template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct McpItemEntry {
    /// Its name or address, hidden characters spelled out.
    pub name: String,
    #[schema(required)]
    pub definition_sha256: Option<String>,
    pub findings: Vec<String>,
    /// On request. Written by the server, with hidden characters spelled out. Do not trust it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub untrusted_description: Option<String>,
    /// As for tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub cut: Option<Vec<String>>,
}

/// Whether an agent may connect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct McpConnect {
    pub decision: Decision,
    pub why: String,
    pub doubts: Vec<Doubt>,
    pub reasons: Vec<DecisionReason>,
}

/// The server card, compared with the live server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct McpCardComparison {
    /// `observed` or `not_measured`.
    pub state: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub why: Option<String>,
    #[schema(required)]
    pub source: Option<String>,
    pub matches_live: McpKnown,
    pub differences: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct McpHistory {
    #[schema(required)]
    pub first_observed: Option<Timestamp>,
    #[schema(required)]
    pub last_changed_at: Option<Timestamp>,
    pub changes: u32,
    #[schema(required)]
    pub address: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct McpInvocation {
    /// Always 0.
    pub tools_called: u32,
    pub rule: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct McpRulepack {
    pub id: String,
    pub rulepack_sha256: String,
}
