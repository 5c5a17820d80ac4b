//! The findings, what was not measured, and where the full record is.

use std::collections::BTreeMap;

use contract::records::{Finding, ScanRecord, Severity};

use super::page::{Cell, Page};
use super::spaced;
use crate::output::Tone;

/// How many failed reads are listed for each reason.
const MAX_READS_SHOWN: usize = 8;

pub(super) fn write_findings(page: &mut Page, record: &ScanRecord, verbose: bool) {
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
    findings.sort_by_key(|finding| std::cmp::Reverse(severity_rank(&finding.severity)));
    for (at, finding) in findings.into_iter().enumerate() {
        if at > 0 {
            page.blank();
        }
        write_finding(page, finding, verbose);
    }
}

fn write_finding(page: &mut Page, finding: &Finding, verbose: bool) {
    let tone = match finding.severity {
        Severity::High => Tone::Bad,
        Severity::Medium => Tone::Warning,
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
        page.faint(4, "text to copy:");
        page.verbatim(8, paste);
    }
    if let Some(standard) = &finding.standard {
        page.labelled(4, "spec", standard);
    }
    if verbose {
        let rule = finding.rule.as_ref().map(|rule| format!(", rule {rule}")).unwrap_or_default();
        let readings = finding.evidence.join(", ");
        page.faint(4, &format!("{}{rule}, readings {readings}", finding.id));
    }
}

/// Higher is more severe. An unknown severity counts as the highest.
pub(super) fn severity_rank(severity: &Severity) -> u8 {
    match severity {
        Severity::Info => 0,
        Severity::Low => 1,
        Severity::Medium => 2,
        Severity::High | Severity::Unrecognised(_) => 3,
    }
}

pub(super) fn write_not_measured(page: &mut Page, record: &ScanRecord) {
    if record.non_observations.is_empty() {
        return;
    }
    let mut by_reason: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for unseen in &record.non_observations {
        let read = format!("{} {} as {}", spaced(&unseen.what), unseen.path, unseen.identity);
        by_reason.entry(&unseen.why).or_default().push(read);
    }
    page.heading("Not measured (these things may or may not exist)");
    for (why, reads) in by_reason {
        let more = reads.len().saturating_sub(MAX_READS_SHOWN);
        let shown: Vec<&str> = reads.iter().take(MAX_READS_SHOWN).map(String::as_str).collect();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        page.labelled(2, &format!("{}:", spaced(why)), &format!("{}{more}", shown.join(", ")));
    }
}

pub(super) fn write_footer(page: &mut Page, record: &ScanRecord) {
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
            page.verbatim(2, &format!("to recompute it on the server: wayleave replay {id}"));
        }
        _ => page.faint(2, "This scan was not stored; use --json to get the whole record."),
    }
}
