//! Findings as SARIF 2.1.0, which code hosts and editors read.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use contract::records::{Finding, ScanRecord, Severity};
use serde::Serialize;
use serde_json::{Value, json};

use super::baseline::{BaselineComparison, FINGERPRINT, fingerprints_of};
use contract::text::record_words::spaced;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// The only fingerprint that GitHub's code scanning uses.
const GITHUB_FINGERPRINT: &str = "primaryLocationLineHash";
/// URLs listed per finding.
const MAX_URLS: usize = 10;
/// Code hosts refuse longer descriptions.
const MAX_TEXT_CHARS: usize = 1024;
/// Notifications about things that were not measured.
const MAX_NOTIFICATIONS: usize = 100;

/// The whole SARIF document.
#[derive(Debug, Serialize)]
pub(crate) struct SarifLog {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: Vec<Run>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Tool,
    /// Identifies the domain, so that runs for different domains are kept apart.
    automation_details: AutomationDetails,
    invocations: Vec<Invocation>,
    results: Vec<ResultEntry>,
    properties: Value,
}

#[derive(Debug, Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    version: &'static str,
    semantic_version: &'static str,
    rules: Vec<Rule>,
}

#[derive(Debug, Serialize)]
struct AutomationDetails {
    id: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    start_time_utc: String,
    tool_execution_notifications: Vec<Notification>,
}

#[derive(Debug, Serialize)]
struct Notification {
    level: &'static str,
    message: Message,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: String,
    short_description: Message,
    full_description: Message,
    help: Help,
    default_configuration: Configuration,
    properties: Value,
}

#[derive(Debug, Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Debug, Serialize)]
struct Message {
    text: String,
}

#[derive(Debug, Serialize)]
struct Help {
    text: String,
    markdown: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ResultEntry {
    rule_id: String,
    rule_index: usize,
    level: &'static str,
    message: Message,
    locations: Vec<Location>,
    partial_fingerprints: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline_state: Option<&'static str>,
    properties: Value,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: PhysicalLocation,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    region: Region,
}

/// Code hosts show a result only at a line.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    start_column: u32,
    end_line: u32,
    end_column: u32,
}

#[derive(Debug, Serialize)]
struct ArtifactLocation {
    uri: String,
}

/// A file of the user's repository, to which code hosts attach the results. They take only relative
/// paths, not the URLs that were read.
#[derive(Debug, Clone)]
pub(crate) struct RepositoryFile(String);

impl RepositoryFile {
    /// Where the files of a site usually are.
    const USUAL: [&str; 8] = [
        "robots.txt",
        "public/robots.txt",
        "static/robots.txt",
        "src/robots.txt",
        "index.html",
        "public/index.html",
        "static/index.html",
        "src/index.html",
    ];

    /// A path from the root of the repository, with slashes.
    pub(crate) fn parse(path: &str) -> Result<Self, String> {
        let mut parts = path.split('/');
        let plain = parts.all(|part| !matches!(part, "" | "." | ".."))
            && !path.contains([':', '\\'])
            && !path.chars().any(char::is_control);
        if !plain {
            return Err(
                "expected a path from the root of the repository, such as public/robots.txt"
                    .to_owned(),
            );
        }
        Ok(Self(path.to_owned()))
    }

    /// The first usual file that exists here, or robots.txt.
    pub(crate) fn usual_in(folder: &Path) -> Self {
        let found = Self::USUAL.iter().find(|file| folder.join(file).is_file());
        Self((*found.unwrap_or(&Self::USUAL[0])).to_owned())
    }

    /// As a relative URI reference (RFC 3986).
    fn to_uri(&self) -> String {
        let mut uri = String::new();
        for byte in self.0.bytes() {
            if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
                uri.push(char::from(byte));
            } else {
                uri.push_str(&format!("%{byte:02X}"));
            }
        }
        uri
    }
}

/// The findings of a record as SARIF. With a comparison, each result says whether it is new.
pub(crate) fn to_sarif(
    record: &ScanRecord,
    change: Option<&BaselineComparison<'_>>,
    file: &RepositoryFile,
) -> SarifLog {
    let mut rules: Vec<Rule> = Vec::new();
    let mut results = Vec::new();
    for (finding, print) in record.findings.iter().zip(fingerprints_of(record)) {
        let at = rules.iter().position(|rule| rule.id == finding.id).unwrap_or_else(|| {
            rules.push(rule(finding));
            rules.len() - 1
        });
        results.push(result(record, finding, at, print, change, file));
    }
    let version = env!("CARGO_PKG_VERSION");
    let driver = Driver { name: "wayleave", version, semantic_version: version, rules };
    let run = Run {
        tool: Tool { driver },
        automation_details: AutomationDetails { id: format!("wayleave/{}/", record.domain) },
        invocations: vec![invocation(record)],
        results,
        properties: json!({
            "domain": record.domain,
            "grade": record.grade,
            "overall": record.overall,
            "score_version": record.score_version,
            "rulepack_sha256": record.rulepack.sha256,
            "evidence_sha256": record.evidence_sha256,
            "report": record.links.report,
        }),
    };
    SarifLog { schema: SCHEMA, version: "2.1.0", runs: vec![run] }
}

/// Lists what was not measured, so that a run without results is not mistaken for a clean one. For a site
/// that did not answer at all, no log is written.
fn invocation(record: &ScanRecord) -> Invocation {
    let unseen = record.non_observations.iter().take(MAX_NOTIFICATIONS).map(|unseen| {
        let what = spaced(&unseen.what);
        let text = format!(
            "Not measured: {what} {} as {} ({}).",
            unseen.path, unseen.identity, unseen.why
        );
        Notification { level: "note", message: Message { text } }
    });
    let notifications = unseen.collect();
    Invocation {
        execution_successful: record.unreachable != Some(true),
        start_time_utc: record.scanned_at.to_string(),
        tool_execution_notifications: notifications,
    }
}

fn rule(finding: &Finding) -> Rule {
    let fix = finding.fix.as_deref().unwrap_or("No fix needed; this is for information.");
    let standard = finding.standard.as_deref();
    let see = standard.map(|standard| format!("\n\nStandard: {standard}")).unwrap_or_default();
    let paste = finding.paste.as_deref();
    Rule {
        id: finding.id.clone(),
        short_description: Message { text: shortened(&finding.title) },
        full_description: Message { text: shortened(&finding.why) },
        help: Help {
            text: format!(
                "{}\n\n{fix}{}{see}",
                finding.why,
                paste.map(|paste| format!("\n\n{paste}")).unwrap_or_default()
            ),
            markdown: format!(
                "{}\n\n**Fix:** {fix}{}{see}",
                finding.why,
                paste.map(fenced).unwrap_or_default()
            ),
        },
        default_configuration: Configuration { level: level(&finding.severity) },
        properties: json!({
            "tags": [finding.section],
            "ledger_rule": finding.rule,
            "standard": standard,
            "matters_to": finding.matters_to,
        }),
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(MAX_TEXT_CHARS).collect()
}

/// A fenced code block whose fence does not occur in the text.
fn fenced(text: &str) -> String {
    let mut fence = "```".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    format!("\n\n{fence}\n{text}\n{fence}")
}

fn result(
    record: &ScanRecord,
    finding: &Finding,
    rule_index: usize,
    print: String,
    change: Option<&BaselineComparison<'_>>,
    file: &RepositoryFile,
) -> ResultEntry {
    let state =
        change.map(|change| if change.known.contains(&print) { "unchanged" } else { "new" });
    let fix = finding.fix.as_ref().map(|fix| format!(" {fix}")).unwrap_or_default();
    ResultEntry {
        rule_id: finding.id.clone(),
        rule_index,
        level: level(&finding.severity),
        message: Message { text: format!("{}: {}{fix}", finding.title, finding.seen) },
        locations: vec![location(file)],
        partial_fingerprints: fingerprint_members(print),
        baseline_state: state,
        properties: json!({
            "title": finding.title,
            "severity": finding.severity,
            "section": finding.section,
            "urls": urls(record, finding),
            "evidence": finding.evidence,
            "paste": finding.paste,
        }),
    }
}

/// The fingerprint under our name and under the one by which GitHub recognises an alert. GitHub computes
/// its own from the line if there is none, and all results are at the same line.
fn fingerprint_members(print: String) -> BTreeMap<&'static str, String> {
    BTreeMap::from([(GITHUB_FINGERPRINT, print.clone()), (FINGERPRINT, print)])
}

fn level(severity: &Severity) -> &'static str {
    match severity {
        Severity::High | Severity::Unrecognised(_) => "error",
        Severity::Medium => "warning",
        Severity::Low | Severity::Info => "note",
    }
}

/// The URLs of the readings a finding is based on; the scanned page if there are none.
fn urls(record: &ScanRecord, finding: &Finding) -> Vec<String> {
    let scheme = if record.transport.https == Some(false) { "http" } else { "https" };
    let address = |path: &str| format!("{scheme}://{}{path}", record.scanned_host);
    let mut uris = BTreeSet::new();
    for reading in &finding.evidence {
        let is_it = |other: &Option<String>| other.as_ref() == Some(reading);
        let rows = record.agentview.rows.iter().filter(|row| is_it(&row.reading));
        uris.extend(rows.map(|_| address(&record.path)));
        let checks = record.checks.iter().filter(|check| is_it(&check.reading));
        uris.extend(checks.filter(|check| check.path.starts_with('/')).map(|c| address(&c.path)));
    }
    if uris.is_empty() {
        uris.insert(address(&record.path));
    }
    uris.into_iter().take(MAX_URLS).collect()
}

fn location(file: &RepositoryFile) -> Location {
    let region = Region { start_line: 1, start_column: 1, end_line: 1, end_column: 2 };
    let artifact_location = ArtifactLocation { uri: file.to_uri() };
    Location { physical_location: PhysicalLocation { artifact_location, region } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn severities_become_levels() {
        let words = Severity::WORDS.iter().map(|word| Severity::from_word(word).unwrap());
        let levels: Vec<_> = words.map(|severity| level(&severity)).collect();
        assert_eq!(Severity::WORDS, ["info", "low", "medium", "high"]);
        assert_eq!(levels, ["note", "note", "warning", "error"]);
        let later: Severity = serde_json::from_str("\"critical\"").unwrap();
        assert_eq!(level(&later), "error", "an unknown severity counts as high");
    }

    #[test]
    fn a_finding_has_one_fingerprint_under_both_names() {
        let members = serde_json::to_value(fingerprint_members("ab".to_owned())).unwrap();
        let expected = json!({ "wayleaveFinding/v1": "ab", "primaryLocationLineHash": "ab" });
        assert_eq!(members, expected);
    }

    #[test]
    fn a_repository_file_is_a_relative_path() {
        for good in ["robots.txt", "public/robots.txt", "a b/ü.html"] {
            assert!(RepositoryFile::parse(good).is_ok(), "{good}");
        }
        for bad in ["", "/robots.txt", "../robots.txt", "a//b", "./a", "https://x/y", "a\\b", "a\n"]
        {
            assert!(RepositoryFile::parse(bad).is_err(), "{bad:?}");
        }
        assert_eq!(RepositoryFile::parse("a b/ü").unwrap().to_uri(), "a%20b/%C3%BC");
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(RepositoryFile::usual_in(folder.path()).0, "robots.txt");
        std::fs::create_dir(folder.path().join("public")).unwrap();
        std::fs::write(folder.path().join("public/index.html"), "x").unwrap();
        assert_eq!(RepositoryFile::usual_in(folder.path()).0, "public/index.html");
    }

    #[test]
    fn a_fence_does_not_occur_in_its_text() {
        assert_eq!(fenced("a"), "\n\n```\na\n```");
        assert_eq!(fenced("```\nb\n````"), "\n\n`````\n```\nb\n````\n`````");
    }
}
