//! What is worth mending, what was not measured, and where the rest is.

use std::collections::BTreeMap;

use contract::records::{Finding, ScanRecord, Severity};

use super::page::{Cell, Page};
use super::plain;
use crate::output::Tone;

/// Places named for each reason why something was not measured.
const PLACES_SHOWN: usize = 8;

pub(super) fn findings(page: &mut Page, record: &ScanRecord, verbose: bool) {
    if record.findings.is_empty() {
        page.heading("Findings: none");
        return;
    }
    let sum = &record.findings_summary;
    let counts = [(sum.high, "high"), (sum.medium, "medium"), (sum.low, "low"), (sum.info, "info")];
    let counts: Vec<String> =
        counts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
    page.heading(&format!("Findings: {}", counts.join(", ")));
    let mut findings: Vec<&Finding> = record.findings.iter().collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(rank(&finding.severity)));
    for (at, finding) in findings.into_iter().enumerate() {
        if at > 0 {
            page.blank();
        }
        one(page, finding, verbose);
    }
}

fn one(page: &mut Page, finding: &Finding, verbose: bool) {
    let tone = match finding.severity {
        Severity::High => Tone::Bad,
        Severity::Medium => Tone::Doubt,
        _ => Tone::Faint,
    };
    page.table(
        2,
        &[vec![
            Cell::toned(tone, format!("[{}]", finding.severity)),
            Cell::toned(Tone::Strong, &finding.title),
        ]],
    );
    page.labelled(4, "seen", &finding.seen);
    page.labelled(4, "why ", &finding.why);
    if let Some(fix) = &finding.fix {
        page.labelled(4, "fix ", fix);
    }
    if let Some(paste) = &finding.paste {
        page.faint(4, "to copy:");
        page.verbatim(8, paste);
    }
    if let Some(standard) = &finding.standard {
        page.labelled(4, "by  ", standard);
    }
    if verbose {
        let rule = finding.rule.as_ref().map(|rule| format!(", rule {rule}")).unwrap_or_default();
        let readings = finding.evidence.join(", ");
        page.faint(4, &format!("{}{rule}, readings {readings}", finding.id));
    }
}

/// Higher matters more. A severity this program does not know is not taken for a small one.
pub(super) fn rank(severity: &Severity) -> u8 {
    match severity {
        Severity::Info => 0,
        Severity::Low => 1,
        Severity::Medium => 2,
        Severity::High | Severity::Unrecognised(_) => 3,
    }
}

pub(super) fn not_measured(page: &mut Page, record: &ScanRecord) {
    if record.non_observations.is_empty() {
        return;
    }
    let mut by_reason: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for unseen in &record.non_observations {
        let place = format!("{} {} as {}", plain(&unseen.what), unseen.path, unseen.identity);
        by_reason.entry(&unseen.why).or_default().push(place);
    }
    page.heading("Not measured (which says nothing of absence)");
    for (why, places) in by_reason {
        let more = places.len().saturating_sub(PLACES_SHOWN);
        let shown: Vec<&str> = places.iter().take(PLACES_SHOWN).map(String::as_str).collect();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        page.labelled(2, &format!("{}:", plain(why)), &format!("{}{more}", shown.join(", ")));
    }
}

pub(super) fn footer(page: &mut Page, record: &ScanRecord) {
    page.heading("Record");
    if let Some(digest) = &record.evidence_sha256 {
        page.verbatim(2, &format!("evidence sha256 {digest}"));
    }
    match (&record.links.report, &record.id) {
        (Some(report), Some(id)) => {
            page.verbatim(2, &format!("report   {report}"));
            if let Some(raw) = &record.links.raw {
                page.verbatim(2, &format!("evidence {raw}"));
            }
            page.verbatim(2, &format!("judge it again, where it is kept: wayleave replay {id}"));
        }
        _ => page.faint(2, "Nothing of this scan is kept; --json gives the whole record."),
    }
}
