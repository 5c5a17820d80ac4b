//! The form of a SARIF document, as far as we write it.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// Code hosts refuse longer descriptions.
const MAX_TEXT_CHARS: usize = 1024;
/// Notifications about things that were not measured.
pub(crate) const MAX_NOTIFICATIONS: usize = 100;

/// The whole SARIF document.
#[derive(Debug, Serialize)]
pub struct SarifLog {
    #[serde(rename = "$schema")]
    pub(crate) schema: &'static str,
    pub(crate) version: &'static str,
    pub(crate) runs: Vec<Run>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Run {
    pub(crate) tool: Tool,
    /// Identifies the domain, so that runs for different domains are kept apart.
    pub(crate) automation_details: AutomationDetails,
    pub(crate) invocations: Vec<Invocation>,
    pub(crate) results: Vec<ResultEntry>,
    pub(crate) properties: Value,
}

#[derive(Debug, Serialize)]
pub(crate) struct Tool {
    pub(crate) driver: Driver,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Driver {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    pub(crate) semantic_version: &'static str,
    pub(crate) rules: Vec<Rule>,
}

#[derive(Debug, Serialize)]
pub(crate) struct AutomationDetails {
    pub(crate) id: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Invocation {
    pub(crate) execution_successful: bool,
    pub(crate) start_time_utc: String,
    pub(crate) tool_execution_notifications: Vec<Notification>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Notification {
    pub(crate) level: &'static str,
    pub(crate) message: Message,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Rule {
    pub(crate) id: String,
    pub(crate) short_description: Message,
    pub(crate) full_description: Message,
    pub(crate) help: Help,
    pub(crate) default_configuration: Configuration,
    pub(crate) properties: Value,
}

#[derive(Debug, Serialize)]
pub(crate) struct Configuration {
    pub(crate) level: &'static str,
}

#[derive(Debug, Serialize)]
pub(crate) struct Message {
    pub(crate) text: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct Help {
    pub(crate) text: String,
    pub(crate) markdown: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResultEntry {
    pub(crate) rule_id: String,
    pub(crate) rule_index: usize,
    pub(crate) level: &'static str,
    pub(crate) message: Message,
    pub(crate) locations: Vec<Location>,
    pub(crate) partial_fingerprints: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) baseline_state: Option<&'static str>,
    pub(crate) properties: Value,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Location {
    pub(crate) physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) logical_locations: Vec<LogicalLocation>,
}

/// A place that is not a line of a file.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LogicalLocation {
    pub(crate) fully_qualified_name: String,
    pub(crate) kind: &'static str,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PhysicalLocation {
    pub(crate) artifact_location: ArtifactLocation,
    pub(crate) region: Region,
}

/// Code hosts show a result only at a line.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Region {
    pub(crate) start_line: u32,
    pub(crate) start_column: u32,
    pub(crate) end_line: u32,
    pub(crate) end_column: u32,
}

#[derive(Debug, Serialize)]
pub(crate) struct ArtifactLocation {
    pub(crate) uri: String,
}

impl SarifLog {
    /// One log with the runs of several. Without any, a log that has no run.
    #[must_use]
    pub fn joined(logs: impl IntoIterator<Item = Self>) -> Self {
        let runs = logs.into_iter().flat_map(|log| log.runs).collect();
        Self { schema: SCHEMA, version: "2.1.0", runs }
    }

    pub(crate) fn of(run: Run) -> Self {
        Self { schema: SCHEMA, version: "2.1.0", runs: vec![run] }
    }
}

impl Tool {
    pub(crate) fn with_rules(rules: Vec<Rule>) -> Self {
        let version = env!("CARGO_PKG_VERSION");
        Self { driver: Driver { name: "wayleave", version, semantic_version: version, rules } }
    }
}

impl Location {
    /// The start of a file or of what is at an address.
    pub(crate) fn at(uri: String, logical_locations: Vec<LogicalLocation>) -> Self {
        let region = Region { start_line: 1, start_column: 1, end_line: 1, end_column: 2 };
        let artifact_location = ArtifactLocation { uri };
        let physical_location = PhysicalLocation { artifact_location, region };
        Self { physical_location, logical_locations }
    }
}

impl Notification {
    pub(crate) fn note(text: String) -> Self {
        Self { level: "note", message: Message { text } }
    }
}

/// The position of the rule with this id, which is added if it is new.
pub(crate) fn rule_index(rules: &mut Vec<Rule>, id: &str, make: impl FnOnce() -> Rule) -> usize {
    rules.iter().position(|rule| rule.id == id).unwrap_or_else(|| {
        rules.push(make());
        rules.len() - 1
    })
}

pub(crate) fn shortened(text: &str) -> String {
    text.chars().take(MAX_TEXT_CHARS).collect()
}
