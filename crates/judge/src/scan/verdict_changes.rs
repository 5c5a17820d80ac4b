//! How the verdict of one scan differs from that of another: grade, and high and medium findings. Points vary
//! with every reading, so they are no verdict.

use std::collections::BTreeMap;

use contract::records::{Finding, Grade, ScanRecord, Severity};

/// Differences that are named one by one; further ones are counted.
const MAX_NAMED: usize = 5;

/// What a later scan judges otherwise, in sentences; empty if the verdict is the same.
#[must_use]
pub fn verdict_changes(before: &ScanRecord, after: &ScanRecord) -> Vec<String> {
    let mut changes = Vec::new();
    if before.grade != after.grade {
        let word = |grade: &Option<Grade>| {
            grade.as_ref().map_or("not given".to_owned(), |grade| grade.as_str().to_owned())
        };
        changes.push(format!(
            "The grade was {} and is {}.",
            word(&before.grade),
            word(&after.grade)
        ));
    }
    let (earlier, later) = (judged_findings(before), judged_findings(after));
    let missing = |from: &BTreeMap<&str, &str>, of: &BTreeMap<&str, &str>| -> Vec<String> {
        let only = from.iter().filter(|(id, _)| !of.contains_key(*id));
        only.map(|(_, title)| format!("\"{title}\"")).collect()
    };
    let gone = missing(&earlier, &later);
    if !gone.is_empty() {
        changes.push(format!("No longer found: {}.", list(&gone)));
    }
    let new = missing(&later, &earlier);
    if !new.is_empty() {
        changes.push(format!("Found now: {}.", list(&new)));
    }
    changes
}

/// Findings that weigh, by id.
fn judged_findings(record: &ScanRecord) -> BTreeMap<&str, &str> {
    let weighs = |finding: &&Finding| matches!(finding.severity, Severity::High | Severity::Medium);
    let findings = record.findings.iter().filter(weighs);
    findings.map(|finding| (finding.id.as_str(), finding.title.as_str())).collect()
}

fn list(titles: &[String]) -> String {
    let named: Vec<&str> = titles.iter().take(MAX_NAMED).map(String::as_str).collect();
    match titles.len().saturating_sub(MAX_NAMED) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}
