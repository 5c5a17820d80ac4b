//! The items of a surface as a scan record lists them.

use contract::records::{McpHints, McpItemEntry, McpToolEntry};
use serde_json::Value;

use super::rules::RuleReport;
use super::safety::safety_class;
use super::surface::{Item, ListKind, Surface};
use super::untrusted::{display_name, untrusted_text};

/// The most required inputs that are listed of a tool.
const MAX_REQUIRED: usize = 64;

/// The tools in the order of the server.
#[must_use]
pub fn tool_entries(surface: &Surface, report: &RuleReport) -> Vec<McpToolEntry> {
    surface.list(ListKind::Tools).map(|tool| tool_entry(tool, report)).collect()
}

fn tool_entry(tool: &Item, report: &RuleReport) -> McpToolEntry {
    let digests = tool.digests.as_ref();
    let required = tool.members.get("inputSchema").and_then(|schema| schema.get("required"));
    McpToolEntry {
        name: display_name(&tool.name),
        untrusted_title: tool.text_member("title").map(untrusted_text),
        tool_sha256: digests.and_then(|digests| digests.tool.clone()),
        definition_sha256: digests.map(|digests| digests.definition.clone()),
        contract_sha256: digests.map(|digests| digests.contract.clone()),
        fields: digests.map(|digests| digests.fields.clone()).unwrap_or_default(),
        description_bytes: tool
            .text_member("description")
            .and_then(|text| u64::try_from(text.len()).ok())
            .unwrap_or_default(),
        annotations: hints(tool),
        safety_class: safety_class(tool),
        required_inputs: required
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .take(MAX_REQUIRED)
            .map(display_name)
            .collect(),
        findings: report.of_item(tool),
        untrusted_description: None,
        untrusted_input_schema: None,
        untrusted_output_schema: None,
        cut: None,
    }
}

fn hints(tool: &Item) -> Option<McpHints> {
    let hints = tool.members.get("annotations")?.as_object()?;
    let hint = |name: &str| hints.get(name).and_then(Value::as_bool);
    Some(McpHints {
        read_only: hint("readOnlyHint"),
        destructive: hint("destructiveHint"),
        idempotent: hint("idempotentHint"),
        open_world: hint("openWorldHint"),
    })
}

/// The prompts, resources or templates in the order of the server.
#[must_use]
pub fn item_entries(surface: &Surface, list: ListKind, report: &RuleReport) -> Vec<McpItemEntry> {
    surface
        .list(list)
        .map(|item| McpItemEntry {
            name: display_name(&item.name),
            definition_sha256: item.digests.as_ref().map(|digests| digests.definition.clone()),
            findings: report.of_item(item),
            untrusted_description: None,
            cut: None,
        })
        .collect()
}
