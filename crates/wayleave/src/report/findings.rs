//! The findings, what was not measured, and where the full record is.

use std::collections::BTreeMap;

use contract::records::{Finding, ScanRecord, Severity, SideBySide};
use contract::text::record_words::spaced;
use contract::text::{TextPiece, display_safe, mark_differences};

use super::page::{Cell, Page};
use crate::output::Tone;

/// How many failed reads are listed for each reason.
const MAX_READS_SHOWN: usize = 8;
/// The most characters shown of each of two texts.
const MAX_TEXT_CHARS: usize = 1_000;

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
    if let Some(texts) = &finding.side_by_side {
        write_side_by_side(page, texts, &finding.id);
    }
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

/// Both texts, one block each, with marks around what differs.
fn write_side_by_side(page: &mut Page, texts: &SideBySide, finding_id: &str) {
    let left = display_safe(&texts.untrusted_left, MAX_TEXT_CHARS);
    let right = display_safe(&texts.untrusted_right, MAX_TEXT_CHARS);
    let (left_pieces, right_pieces) = mark_differences(&left, &right);
    for (who, pieces, marks) in
        [(&texts.left, left_pieces, ("[-", "-]")), (&texts.right, right_pieces, ("{+", "+}"))]
    {
        page.toned(4, Tone::Strong, &format!("{who} got:"));
        match pieces.is_empty() {
            true => page.faint(6, "nothing that the other text does not have"),
            false => page.quoted(6, &mark_pieces(&pieces, marks)),
        }
    }
    page.faint(
        4,
        match finding_id {
            "other_text" => {
                "The excerpts begin where the texts differ. Only one text has what is marked [-…-] or {+…+}."
            }
            _ => "Only what differs is listed, in a uniform spelling.",
        },
    );
}

fn mark_pieces(pieces: &[TextPiece], (open, close): (&str, &str)) -> String {
    let mark = |piece: &TextPiece| match piece.differs {
        true => format!("{open}{}{close}", piece.text),
        false => piece.text.clone(),
    };
    pieces.iter().map(mark).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn written(left: &str, right: &str) -> String {
        let mut page = Page::new(60, false);
        write_side_by_side(
            &mut page,
            &SideBySide {
                left: "Browser".to_owned(),
                untrusted_left: left.to_owned(),
                right: "GPTBot".to_owned(),
                untrusted_right: right.to_owned(),
            },
            "other_text",
        );
        page.into_text()
    }

    #[test]
    fn both_texts_are_shown_in_labelled_blocks() {
        let text =
            written("Call 555 0100 today for a room with a view of the sea", "Call 555 0199 today");
        assert_eq!(
            text,
            "    Browser got:\n      │ Call 555 [-0100-] today [-for a room with a view of\n      │ the sea-]\n    \
             GPTBot got:\n      │ Call 555 {+0199+} today\n    The excerpts begin where the texts differ. Only one text\n    \
             has what is marked [-…-] or {+…+}.\n"
        );
        assert!(written("", "new").contains("nothing that the other text does not have"));
    }

    #[test]
    fn hostile_texts_stay_in_their_block() {
        let text = written("a\u{1b}[2J\u{202e}\nb می\u{200c}خواهم", &"x ".repeat(9_000));
        assert!(!text.contains(['\u{1b}', '\u{202e}']) && text.len() < 6_000, "{text}");
        assert!(text.contains("می\u{200c}خواهم"), "{text}");
    }
}
