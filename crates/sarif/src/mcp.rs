//! The findings in an MCP server, and what differs from its lock.

use std::collections::BTreeMap;

use contract::records::{
    McpCheckState, McpDrift, McpDriftLevel, McpFinding, McpItem, McpLocation, McpLockCheck,
    McpRuleState, McpScan, McpScanState, McpSeverity, McpTier,
};
use contract::text::record_words::spaced;
use serde_json::json;

use crate::fingerprint::fingerprint_members;
use crate::log::{
    AutomationDetails, Configuration, Help, Invocation, Location, LogicalLocation,
    MAX_NOTIFICATIONS, Message, Notification, ResultEntry, Rule, Run, SarifLog, Tool, rule_index,
    shortened,
};
use crate::repository_file::{RepositoryFile, percent_encoded};

/// The findings of a scan of an MCP server, one result each. They are shown at the file, or without one
/// at the address of the server.
#[must_use]
pub fn mcp_log(record: &McpScan, file: Option<&RepositoryFile>) -> SarifLog {
    let server = server_uri(record.url.as_deref(), record.server.untrusted_name.as_deref());
    let mut results = Results::new(&server, file);
    for finding in &record.findings {
        results.add_finding(finding);
    }
    let mut notifications: Vec<Notification> = Vec::new();
    if let Some(why) = &record.why {
        notifications.push(Notification::note(format!("Not read completely: {why}")));
    }
    if record.findings_left_out > 0 {
        let text = format!("{} more findings are not listed.", record.findings_left_out);
        notifications.push(Notification::note(text));
    }
    let unmeasured = record.checks.iter().filter(|c| c.state == McpRuleState::NotMeasured);
    notifications.extend(unmeasured.map(|check| {
        let why = check.why.as_deref().unwrap_or("no reason is recorded");
        Notification::note(format!("Not measured: {} ({why}).", spaced(&check.rule)))
    }));
    notifications.truncate(MAX_NOTIFICATIONS);
    let invocation = Invocation {
        execution_successful: record.state == McpScanState::Observed,
        start_time_utc: record.scanned_at.to_string(),
        tool_execution_notifications: notifications,
    };
    let properties = json!({
        "url": record.url,
        "state": record.state,
        "connect": record.connect.decision,
        "record_sha256": record.sha256,
        "rulepack_sha256": record.rulepack.rulepack_sha256,
        "surface_sha256": record.surface.surface_sha256,
    });
    results.into_log("scan", invocation, properties)
}

/// What differs from a lock, one result each, and the findings in changed items.
#[must_use]
pub fn mcp_check_log(check: &McpLockCheck, file: Option<&RepositoryFile>) -> SarifLog {
    let server = server_uri(check.url.as_deref(), None);
    let mut results = Results::new(&server, file);
    for drift in &check.drift {
        results.add_drift(drift);
    }
    for finding in &check.new_findings {
        results.add_finding(finding);
    }
    let compared = matches!(check.state, McpCheckState::Match | McpCheckState::Drift);
    let notes = (!compared).then(|| Notification::note(format!("Not compared: {}", check.why)));
    let invocation = Invocation {
        execution_successful: compared,
        start_time_utc: check.checked_at.to_string(),
        tool_execution_notifications: notes.into_iter().collect(),
    };
    let properties = json!({
        "url": check.url,
        "state": check.state,
        "connect": check.connect,
        "record_sha256": check.sha256,
        "lock_sha256": check.lock.lock_sha256,
        "surface_sha256": check.current.surface_sha256,
    });
    results.into_log("check", invocation, properties)
}

/// The address, or for a server that was started by a command what it calls itself.
fn server_uri(url: Option<&str>, name: Option<&str>) -> String {
    match url {
        Some(url) => url.to_owned(),
        None => format!("stdio:{}", percent_encoded(name.unwrap_or("server"), b"-._~")),
    }
}

struct Results<'a> {
    server: &'a str,
    file: Option<&'a RepositoryFile>,
    rules: Vec<Rule>,
    results: Vec<ResultEntry>,
    /// How often each place had the same rule so far.
    seen: BTreeMap<String, u32>,
}

impl<'a> Results<'a> {
    fn new(server: &'a str, file: Option<&'a RepositoryFile>) -> Self {
        let seen = BTreeMap::new();
        Self { server, file, rules: Vec::new(), results: Vec::new(), seen }
    }

    /// Text of the server stands only in names of places and under `untrusted_…`: a message may contain
    /// links, and those must be ours.
    fn add_finding(&mut self, finding: &McpFinding) {
        let level = finding_level(finding);
        let at = rule_index(&mut self.rules, &finding.rule, || Rule {
            id: finding.rule.clone(),
            short_description: Message { text: shortened(&spaced(&finding.rule)) },
            full_description: Message { text: shortened(&finding.why) },
            help: Help { text: finding.why.clone(), markdown: finding.why.clone() },
            default_configuration: Configuration { level },
            properties: json!({
                "tags": finding.references,
                "tier": finding.tier,
                "severity": finding.severity,
            }),
        });
        let place = place_of(&finding.location);
        let print = self.fingerprint(&finding.rule, &place);
        let location = self.location(place);
        self.results.push(ResultEntry {
            rule_id: finding.rule.clone(),
            rule_index: at,
            level,
            message: Message { text: finding.why.clone() },
            locations: vec![location],
            partial_fingerprints: fingerprint_members(print),
            baseline_state: None,
            properties: json!({
                "id": finding.id,
                "tier": finding.tier,
                "severity": finding.severity,
                "confidence": finding.confidence,
                "where": finding.location,
                "untrusted_excerpt": finding.untrusted_excerpt,
                "untrusted_decoded": finding.untrusted_decoded,
                "codepoints": finding.codepoints,
            }),
        });
    }

    fn add_drift(&mut self, drift: &McpDrift) {
        let level = match drift.level {
            McpDriftLevel::Info => "note",
            McpDriftLevel::Confirm => "warning",
            McpDriftLevel::Block | McpDriftLevel::Unrecognised(_) => "error",
        };
        let id = format!("mcp_lock_{}", drift.change.as_str());
        let title = format!("Differs from the lock: {}", spaced(drift.change.as_str()));
        let at = rule_index(&mut self.rules, &id, || Rule {
            id: id.clone(),
            short_description: Message { text: shortened(&title) },
            full_description: Message { text: shortened(&title) },
            help: Help { text: REVIEW.to_owned(), markdown: REVIEW.to_owned() },
            default_configuration: Configuration { level },
            properties: json!({ "tags": ["mcp_lock"] }),
        });
        let mut place = item_place(&drift.item, drift.name.as_deref());
        if let [field] = drift.fields.as_slice() {
            place.push_str(&format!(", {field}"));
        }
        let print = self.fingerprint(&id, &place);
        let location = self.location(place);
        self.results.push(ResultEntry {
            rule_id: id,
            rule_index: at,
            level,
            message: Message { text: drift.why.clone() },
            locations: vec![location],
            partial_fingerprints: fingerprint_members(print),
            baseline_state: None,
            properties: json!({
                "level": drift.level,
                "fields": drift.fields,
                "breaking": drift.breaking,
                "locked_sha256": drift.locked_sha256,
                "current_sha256": drift.current_sha256,
            }),
        });
    }

    /// The same in every run that reports the same thing at the same place. Positions in a text are not
    /// part of it, because they move with every edit before them.
    fn fingerprint(&mut self, rule: &str, place: &str) -> String {
        let key = format!("{}\n{rule}\n{place}", self.server);
        let number = self.seen.entry(key.clone()).or_default();
        *number += 1;
        proof::sha256(format!("{key}\n{number}").as_bytes()).to_string()
    }

    fn location(&self, place: String) -> Location {
        let uri = self.file.map_or_else(|| self.server.to_owned(), RepositoryFile::to_uri);
        let place = LogicalLocation { fully_qualified_name: place, kind: "member" };
        Location::at(uri, vec![place])
    }

    fn into_log(
        self,
        what: &str,
        invocation: Invocation,
        properties: serde_json::Value,
    ) -> SarifLog {
        SarifLog::of(Run {
            tool: Tool::with_rules(self.rules),
            automation_details: AutomationDetails {
                id: format!("wayleave/mcp-{what}/{}/", self.server),
            },
            invocations: vec![invocation],
            results: self.results,
            properties,
        })
    }
}

const REVIEW: &str = "Compare the server with the lock that you approved. If the change is intended, \
                      make a new lock and commit it; if not, do not connect.";

/// A hard finding blocks; of soft ones, small ones are notes.
fn finding_level(finding: &McpFinding) -> &'static str {
    match (&finding.tier, &finding.severity) {
        (McpTier::Soft, McpSeverity::Low | McpSeverity::Info) => "note",
        (McpTier::Soft, _) => "warning",
        (McpTier::Hard | McpTier::Unrecognised(_), _) => "error",
    }
}

/// `tool search, description, /description`.
fn place_of(location: &McpLocation) -> String {
    let mut place = item_place(&location.item, location.name.as_deref());
    for part in [&location.field, &location.pointer] {
        if !part.is_empty() {
            place.push_str(", ");
            place.push_str(part);
        }
    }
    place
}

fn item_place(item: &McpItem, name: Option<&str>) -> String {
    let item = spaced(item.as_str());
    name.map_or_else(|| item.clone(), |name| format!("{item} {name}"))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    /// The examples that the contract is tested with: they have every member.
    fn example<T: serde::de::DeserializeOwned>(snapshot: &str) -> T {
        let (_, example) = snapshot.split_once("\n{").unwrap();
        serde_json::from_str(&format!("{{{example}")).unwrap()
    }

    fn scan() -> McpScan {
        example(include_str!("../../contract/tests/it/snapshots/it__schemas__mcp-scan.snap"))
    }

    fn check() -> McpLockCheck {
        example(include_str!("../../contract/tests/it/snapshots/it__schemas__mcp-lock-check.snap"))
    }

    fn value(log: &SarifLog) -> Value {
        serde_json::to_value(log).unwrap()
    }

    #[test]
    fn every_finding_is_a_result_at_its_place() {
        let mut record = scan();
        let log = value(&mcp_log(&record, None));
        let results = log["runs"][0]["results"].as_array().unwrap();
        assert_eq!(results.len(), record.findings.len());
        let first = &record.findings[0];
        assert_eq!(results[0]["ruleId"], first.rule.as_str());
        assert_eq!(results[0]["message"]["text"], first.why.as_str());
        let at = &results[0]["locations"][0];
        let uri = &at["physicalLocation"]["artifactLocation"]["uri"];
        assert_eq!(uri.as_str(), record.url.as_deref());
        let place = at["logicalLocations"][0]["fullyQualifiedName"].as_str().unwrap();
        assert!(place.contains(&first.location.pointer), "{place}");
        assert_eq!(
            log["runs"][0]["properties"]["record_sha256"].as_str(),
            record.sha256.as_deref()
        );
        record.url = None;
        record.server.untrusted_name = Some("my server/ü".to_owned());
        let file = RepositoryFile::parse("mcp.lock.json").unwrap();
        let of = |log: &SarifLog| {
            value(log)["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
                ["artifactLocation"]["uri"]
                .clone()
        };
        assert_eq!(of(&mcp_log(&record, None)), "stdio:my%20server%2F%C3%BC");
        assert_eq!(of(&mcp_log(&record, Some(&file))), "mcp.lock.json");
    }

    #[test]
    fn fingerprints_are_stable_and_tell_findings_apart() {
        let mut record = scan();
        record.findings = vec![record.findings[0].clone(), record.findings[0].clone()];
        let prints = |record: &McpScan| -> Vec<Value> {
            let log = value(&mcp_log(record, None));
            let results = log["runs"][0]["results"].as_array().unwrap().clone();
            results.iter().map(|r| r["partialFingerprints"]["wayleaveFinding/v1"].clone()).collect()
        };
        let before = prints(&record);
        assert_ne!(before[0], before[1]);
        record.findings[0].location.start += 9;
        record.findings[0].id = "other".to_owned();
        assert_eq!(prints(&record), before);
        record.findings[0].location.pointer = "/elsewhere".to_owned();
        assert_ne!(prints(&record)[0], before[0]);
    }

    #[test]
    fn levels_follow_tier_and_severity() {
        let mut finding = scan().findings[0].clone();
        for (tier, severity, level) in [
            (McpTier::Hard, McpSeverity::Info, "error"),
            (McpTier::Soft, McpSeverity::Critical, "warning"),
            (McpTier::Soft, McpSeverity::Low, "note"),
        ] {
            (finding.tier, finding.severity) = (tier, severity);
            assert_eq!(finding_level(&finding), level);
        }
        finding.tier = serde_json::from_str("\"harder\"").unwrap();
        assert_eq!(finding_level(&finding), "error", "an unknown tier counts as hard");
    }

    #[test]
    fn every_difference_from_a_lock_is_a_result() {
        let mut check = check();
        let log = value(&mcp_check_log(&check, None));
        let results = log["runs"][0]["results"].as_array().unwrap();
        assert_eq!(results.len(), check.drift.len() + check.new_findings.len());
        assert!(!check.drift.is_empty());
        let expected = format!("mcp_lock_{}", check.drift[0].change.as_str());
        assert_eq!(results[0]["ruleId"], expected.as_str());
        check.state = McpCheckState::Unreachable;
        let log = value(&mcp_check_log(&check, None));
        assert_eq!(log["runs"][0]["invocations"][0]["executionSuccessful"], false);
    }
}
