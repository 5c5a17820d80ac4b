//! Request bodies about MCP servers. Lists and locks are any JSON: they are compared by what they contain.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::McpDriftLevel;
use super::request_bounds::{RequestList, optional_digest, optional_text};
use super::request_words::{optional_word, word_or_null_schema};

/// Lists as an MCP server sent them, for servers that only the caller can read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct McpLists {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<serde_json::Value>>, max_items = 500)]
    pub tools: Option<RequestList<Value, 0, 500, false>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<serde_json::Value>>, max_items = 500)]
    pub prompts: Option<RequestList<Value, 0, 500, false>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<serde_json::Value>>, max_items = 500)]
    pub resources: Option<RequestList<Value, 0, 500, false>>,
    #[serde(default, alias = "resourceTemplates", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<serde_json::Value>>, max_items = 500)]
    pub resource_templates: Option<RequestList<Value, 0, 500, false>>,
    #[serde(
        default,
        deserialize_with = "optional_text::<_, 0, 1048576>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schema(max_length = 1048576)]
    pub instructions: Option<String>,
}

/// The body of `POST /api/v1/mcp/lock/check`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct McpLockCheckRequest {
    /// A lock of this service, or of another one that has the name and digest of each tool.
    #[schema(value_type = Object)]
    pub lock: Map<String, Value>,
    /// The server; without it, the one that the lock names.
    #[serde(
        default,
        deserialize_with = "optional_text::<_, 1, 2048>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schema(min_length = 1, max_length = 2048, format = "uri")]
    pub url: Option<String>,
    /// Whether the server is read now (the default), or a scan of the last 15 minutes is enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<bool>,
    /// Lists that the caller read. Then the server is not read, and nothing is stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed: Option<McpLists>,
    /// A stored scan of this service that is compared with the lock. Then nothing is read; not together with
    /// `live` or `observed`.
    #[serde(
        default,
        deserialize_with = "optional_digest",
        skip_serializing_if = "Option::is_none"
    )]
    #[schema(max_length = 64, pattern = "^[0-9a-f]{64}$")]
    pub scan_sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<McpDriftPolicy>,
    /// What the answer shall have besides, each once: the lock that accepts the present lists, and how
    /// changed texts differ, word by word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<BTreeSet<McpCheckPart>>, max_items = 2)]
    pub include: Option<RequestList<McpCheckPart, 0, 2>>,
}

/// How much each kind of change weighs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct McpDriftPolicy {
    /// Changed texts: `confirm` by default.
    #[serde(default, deserialize_with = "optional_word", skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = word_or_null_schema::<McpDriftLevel>)]
    pub prose: Option<McpDriftLevel>,
    /// `confirm` by default.
    #[serde(default, deserialize_with = "optional_word", skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = word_or_null_schema::<McpDriftLevel>)]
    pub added: Option<McpDriftLevel>,
    /// `info` by default.
    #[serde(default, deserialize_with = "optional_word", skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = word_or_null_schema::<McpDriftLevel>)]
    pub removed: Option<McpDriftLevel>,
    /// Changed schemas and annotations: `block` by default.
    #[serde(default, deserialize_with = "optional_word", skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = word_or_null_schema::<McpDriftLevel>)]
    pub contract: Option<McpDriftLevel>,
}

closed_enum! {
    /// A part of a lock check that is present on request.
    pub enum McpCheckPart {
        NextLock = "next_lock",
        Text = "text",
    }
}

request_words!(McpDriftLevel);
objects_only!(McpLists, McpLockCheckRequest, McpDriftPolicy);
