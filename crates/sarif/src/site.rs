//! The findings of a scan of a site.

use std::collections::BTreeSet;

use contract::records::{Finding, ScanRecord, Severity};
use contract::text::record_words::spaced;
use serde_json::json;

use crate::fingerprint::{fingerprint_members, fingerprints_of};
use crate::log::{
    AutomationDetails, Configuration, Help, Invocation, Location, MAX_NOTIFICATIONS, Message,
    Notification, ResultEntry, Rule, Run, SarifLog, Tool, rule_index, shortened,
};
use crate::repository_file::RepositoryFile;

/// URLs listed per finding.
const MAX_URLS: usize = 10;

/// The findings of a record as SARIF. With the fingerprints of an earlier scan, each result says whether
/// it is new.
#[must_use]
pub fn site_log(
    record: &ScanRecord,
    known: Option<&BTreeSet<String>>,
    file: &RepositoryFile,
) -> SarifLog {
    let mut rules: Vec<Rule> = Vec::new();
    let mut results = Vec::new();
    for (finding, print) in record.findings.iter().zip(fingerprints_of(record)) {
        let at = rule_index(&mut rules, &finding.id, || rule(finding));
        results.push(result(record, finding, at, print, known, file));
    }
    SarifLog::of(Run {
        tool: Tool::with_rules(rules),
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
    })
}

/// Lists what was not measured, so that a run without results is not mistaken for a clean one. For a site
/// that did not answer at all, no log is written.
fn invocation(record: &ScanRecord) -> Invocation {
    let unseen = record.non_observations.iter().take(MAX_NOTIFICATIONS).map(|unseen| {
        let what = spaced(&unseen.what);
        Notification::note(format!(
            "Not measured: {what} {} as {} ({}).",
            unseen.path, unseen.identity, unseen.why
        ))
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
    known: Option<&BTreeSet<String>>,
    file: &RepositoryFile,
) -> ResultEntry {
    let state = known.map(|known| if known.contains(&print) { "unchanged" } else { "new" });
    let fix = finding.fix.as_ref().map(|fix| format!(" {fix}")).unwrap_or_default();
    ResultEntry {
        rule_id: finding.id.clone(),
        rule_index,
        level: level(&finding.severity),
        message: Message { text: format!("{}: {}{fix}", finding.title, finding.seen) },
        locations: vec![Location::at(file.to_uri(), Vec::new())],
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
    fn a_fence_does_not_occur_in_its_text() {
        assert_eq!(fenced("a"), "\n\n```\na\n```");
        assert_eq!(fenced("```\nb\n````"), "\n\n`````\n```\nb\n````\n`````");
    }
}
