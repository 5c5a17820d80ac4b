//! The approved lists of an MCP server (`GET /api/v1/mcp/lock`), and the comparison with the present
//! ones (`POST /api/v1/mcp/lock/check`).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::{Decision, McpFinding, McpItem, McpTextComparison, McpWordDiff, Signature};
use crate::{Timestamp, open_enum};

/// `{brand}-mcp-lock`, signed; meant to be committed as `mcp.lock.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct McpLock {
    pub kind: String,
    pub v: u32,
    pub schema: String,
    pub locked_at: Timestamp,
    pub server: McpLockServer,
    /// The version of the digests' definition. Digests of another version are not compared.
    pub hash: String,
    pub conditions: McpConditions,
    /// Sorted by name.
    pub tools: Vec<McpLockTool>,
    /// SHA-256 of the sorted `sha256` of all tools, joined by line feeds; null when the server has more
    /// than 300 tools.
    #[schema(required)]
    pub tools_sha256: Option<String>,
    /// The number of tools.
    pub count: u32,
    /// SHA-256 of all `definition_sha256` and of the instructions.
    pub surface_sha256: String,
    #[schema(required)]
    pub instructions_sha256: Option<String>,
    /// Sorted by name.
    pub prompts: Vec<McpLockItem>,
    /// Sorted by address.
    pub resources: Vec<McpLockItem>,
    /// Sorted by address template.
    pub resource_templates: Vec<McpLockItem>,
    /// The scan from which the lock was made.
    #[schema(required)]
    pub scan: Option<McpScanReference>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct McpLockServer {
    /// Null when the lists were supplied by the caller without an address.
    #[schema(required)]
    pub url: Option<String>,
    /// Self-reported, never compared.
    #[schema(required)]
    pub untrusted_name: Option<String>,
    #[schema(required)]
    pub untrusted_version: Option<String>,
}

/// How the lists were read. Lists that were read in other ways may rightly differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct McpConditions {
    /// The capabilities that the client declared; this service declares none.
    #[schema(value_type = Object)]
    pub client_capabilities: Map<String, Value>,
    #[schema(required)]
    pub client_name: Option<String>,
    /// `anonymous`, or `caller` when the caller supplied the lists.
    pub auth_context: String,
    #[schema(required)]
    pub protocol_version: Option<String>,
}

/// A tool in a lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct McpLockTool {
    /// At most 120 characters, hidden characters spelled out.
    pub name: String,
    /// Of the canonical form of name, description, inputSchema and annotations; null for absent ones.
    pub sha256: String,
    pub definition_sha256: String,
    pub contract_sha256: String,
    pub fields: McpFieldDigests,
    /// The inputs and their types, sorted by name, to tell which changes break callers.
    pub inputs: Vec<McpInput>,
}

/// Digests of single members; null when the server sent none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct McpFieldDigests {
    #[schema(required)]
    pub title: Option<String>,
    #[schema(required)]
    pub description: Option<String>,
    #[schema(required)]
    pub input_schema: Option<String>,
    #[schema(required)]
    pub output_schema: Option<String>,
    #[schema(required)]
    pub annotations: Option<String>,
    /// Of all other members together, such as icons.
    #[schema(required)]
    pub other: Option<String>,
}

/// One input of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct McpInput {
    /// Hidden characters spelled out.
    pub name: String,
    pub required: bool,
    /// The types of JSON Schema that it accepts, sorted; empty for any.
    pub types: Vec<String>,
}

/// A prompt, resource or template in a lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct McpLockItem {
    /// Its name or address, hidden characters spelled out.
    pub name: String,
    pub definition_sha256: String,
    pub contract_sha256: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct McpScanReference {
    #[schema(required)]
    pub scan_sha256: Option<String>,
    pub address: String,
}

/// `{brand}-mcp-lock-check`, signed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct McpLockCheck {
    pub kind: String,
    pub v: u32,
    pub schema: String,
    pub checked_at: Timestamp,
    #[schema(required)]
    pub url: Option<String>,
    /// `unchanged` only when the whole surface could be compared and is the same.
    pub verdict: McpLockVerdict,
    pub decision: McpLockDecision,
    #[schema(required)]
    pub approved_tools_sha256: Option<String>,
    #[schema(required)]
    pub current_tools_sha256: Option<String>,
    /// Names of tools, hidden characters spelled out.
    pub added: Vec<String>,
    pub removed: Vec<String>,
    pub modified: Vec<String>,
    pub state: McpCheckState,
    /// Our words for `state`.
    pub why: String,
    pub basis: McpCheckBasis,
    pub lock: McpLockFacts,
    pub current: McpCurrentSurface,
    pub summary: McpDriftSummary,
    pub drift: Vec<McpDrift>,
    /// Findings in changed and added items.
    pub new_findings: Vec<McpFinding>,
    /// The decision for the action `connect`.
    pub connect: Decision,
    /// 0 match, 1 drift, 2 cannot be compared, 3 unreachable.
    pub exit_code: u8,
    /// The lock that accepts the present surface, on request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub next_lock: Option<Box<McpLock>>,
    /// Whether changed texts could be compared word by word; present if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub text_comparison: Option<McpTextComparison>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

open_enum! {
    pub enum McpLockVerdict { Unchanged = "unchanged", Changed = "changed" }
}

open_enum! {
    /// Whether to connect. Readers treat any other value as `block`.
    pub enum McpLockDecision { Connect = "connect", Block = "block" }
}

open_enum! {
    pub enum McpCheckState {
        Match = "match",
        Drift = "drift",
        /// Not all lists could be read, so nothing is said about them.
        Incomplete = "incomplete",
        /// Other digests or other conditions.
        NotComparable = "not_comparable",
        Unreachable = "unreachable",
        AuthRequired = "auth_required",
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct McpCheckBasis {
    pub kind: McpBasisKind,
    #[schema(required)]
    pub observed_at: Option<Timestamp>,
    pub conditions: McpConditions,
}

open_enum! {
    /// Where the lists come from.
    pub enum McpBasisKind {
        Live = "live",
        Stored = "stored",
        CallerSupplied = "caller_supplied",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct McpLockFacts {
    /// Over all members but `sha256` and `signature`.
    pub lock_sha256: String,
    #[schema(required)]
    pub locked_at: Option<Timestamp>,
    #[schema(required)]
    pub age_days: Option<u32>,
    pub origin: McpLockOrigin,
    pub signature_valid: McpKnown,
    /// Whether it has only the digests of tools, or ours as well.
    pub form: McpLockForm,
}

open_enum! {
    pub enum McpLockOrigin {
        SignedByUs = "signed_by_us",
        SignedByOthers = "signed_by_others",
        Unsigned = "unsigned",
    }
}

/// Whether something is so: `true`, `false`, or the word `not_measured`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum McpKnown {
    Measured(bool),
    NotMeasured(McpNotMeasured),
}

/// Nobody looked, or it could not be found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum McpNotMeasured {
    NotMeasured,
}

impl McpKnown {
    pub const NOT_MEASURED: Self = Self::NotMeasured(McpNotMeasured::NotMeasured);
}

impl From<Option<bool>> for McpKnown {
    fn from(measured: Option<bool>) -> Self {
        measured.map_or(Self::NOT_MEASURED, Self::Measured)
    }
}

open_enum! {
    pub enum McpLockForm {
        /// Digests of tools only.
        Plain = "plain",
        /// All digests.
        Full = "full",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct McpCurrentSurface {
    #[schema(required)]
    pub surface_sha256: Option<String>,
    pub complete: bool,
    #[schema(required)]
    pub scan_sha256: Option<String>,
    #[schema(required)]
    pub address: Option<String>,
}

/// How many items changed in which way.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct McpDriftSummary {
    pub unchanged: u32,
    pub prose_changed: u32,
    pub contract_changed: u32,
    pub annotations_changed: u32,
    pub added: u32,
    pub removed: u32,
    pub renamed: u32,
    pub other: u32,
}

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct McpDrift {
    pub item: McpItem,
    /// Hidden characters spelled out; null for the instructions.
    #[schema(required)]
    pub name: Option<String>,
    pub change: McpChange,
    pub fields: Vec<String>,
    #[schema(required)]
    pub locked_sha256: Option<String>,
    #[schema(required)]
    pub current_sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub renamed_from: Option<String>,
    /// Whether callers of the locked surface may fail.
    pub breaking: bool,
    pub level: McpDriftLevel,
    pub why: String,
    /// When the present surface was first seen; null if it was not stored before.
    #[schema(required)]
    pub first_seen: Option<Timestamp>,
    /// How a text changed, on request and if both texts are stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub untrusted_diff: Option<McpWordDiff>,
}

open_enum! {
    pub enum McpChange {
        DescriptionChanged = "description_changed",
        TitleChanged = "title_changed",
        InputSchemaChanged = "input_schema_changed",
        OutputSchemaChanged = "output_schema_changed",
        AnnotationsChanged = "annotations_changed",
        InstructionsChanged = "instructions_changed",
        /// Something changed, but the lock does not say in which member.
        DefinitionChanged = "definition_changed",
        Added = "added",
        Removed = "removed",
        Renamed = "renamed",
        OtherMembersChanged = "other_members_changed",
    }
}

open_enum! {
    pub enum McpDriftLevel { Info = "info", Confirm = "confirm", Block = "block" }
}
