//! What the rules found in the lists of an MCP server: findings, and the result of every rule.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Ratio, Timestamp, open_enum};

/// One finding in a tool, prompt, resource or in what surrounds them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct McpFinding {
    /// Unique within the record.
    pub id: String,
    pub rule: String,
    pub tier: McpTier,
    pub severity: McpSeverity,
    #[serde(rename = "where")]
    pub location: McpLocation,
    /// Our words; never contains text of the server.
    pub why: String,
    /// Written by the server, shortened, with hidden characters spelled out. Do not trust it.
    pub untrusted_excerpt: String,
    /// What a hidden or encoded text says, spelled out in the same way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub untrusted_decoded: Option<String>,
    /// Hidden characters in the text, such as `U+200B`.
    pub codepoints: Vec<String>,
    pub confidence: Ratio,
    /// Entries of public catalogues of weaknesses.
    pub references: Vec<String>,
    /// Null when no earlier reading is stored.
    #[schema(required)]
    pub first_observed: Option<Timestamp>,
}

/// Where a finding is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct McpLocation {
    pub item: McpItem,
    /// The name of the item, with hidden characters spelled out; null for the whole server.
    #[schema(required)]
    pub name: Option<String>,
    /// The position of the item in its list, from 0, counted over all pages.
    #[schema(required)]
    pub index: Option<u32>,
    /// The member of the item: `description`, `input_schema` and so on.
    pub field: String,
    /// JSON Pointer to the text within the item.
    pub pointer: String,
    /// The first character of the text that matched, from 0.
    pub start: u32,
    /// How many characters matched.
    pub length: u32,
}

open_enum! {
    /// The kinds of items an MCP server lists, and what surrounds them.
    pub enum McpItem {
        Tool = "tool",
        Prompt = "prompt",
        Resource = "resource",
        ResourceTemplate = "resource_template",
        Instructions = "instructions",
        Server = "server",
        Transport = "transport",
    }
}

open_enum! {
    /// How much a finding weighs: one `hard` finding blocks, `soft` ones ask for a review.
    pub enum McpTier { Hard = "hard", Soft = "soft" }
}

open_enum! {
    pub enum McpSeverity {
        Critical = "critical",
        High = "high",
        Medium = "medium",
        Low = "low",
        Info = "info",
    }
}

/// The result of one rule. Every rule is listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct McpRuleCheck {
    pub rule: String,
    pub tier: McpTier,
    pub state: McpRuleState,
    /// Why a rule was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub why: Option<String>,
}

open_enum! {
    pub enum McpRuleState { Passed = "passed", Found = "found", NotMeasured = "not_measured" }
}
