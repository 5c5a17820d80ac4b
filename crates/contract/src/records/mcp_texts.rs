//! Texts of an MCP server that a record has on request, and how two of them differ.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::open_enum;

/// Which texts of the server a record has. They are bounded together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct McpTexts {
    /// `text`, `schemas` or both.
    pub included: Vec<String>,
    /// Of all these texts as they are written here.
    pub bytes: u64,
    pub limit_bytes: u64,
    /// Texts that are there, but not to their end.
    pub shortened: u32,
    /// Texts that are not there, because the limit was reached.
    pub left_out: u32,
}

/// How a text of the server differs from the locked one, in words. Do not trust it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct McpWordDiff {
    /// In the order of the text.
    pub parts: Vec<McpWordDiffPart>,
    /// Whether something is shortened or left out to keep the record small.
    pub cut: bool,
}

/// Words that follow each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct McpWordDiffPart {
    pub change: McpWordChange,
    /// Written by the server, with hidden characters spelled out.
    pub untrusted_text: String,
}

open_enum! {
    pub enum McpWordChange { Kept = "kept", Removed = "removed", Added = "added" }
}

/// Whether the changed texts could be compared, which were asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct McpTextComparison {
    /// `observed`, or `not_measured` when the locked texts are not stored.
    pub state: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub why: Option<String>,
    /// Changes of texts that have an `untrusted_diff`.
    pub compared: u32,
    /// Changes of texts that have none.
    pub left_out: u32,
}
