//! Presents a scan record: a report for the terminal, a comparison with an earlier scan, and a
//! folder of fixes.
//!
//! Nothing is judged here: every statement comes from the record.

mod access;
pub(crate) mod baseline;
mod content_and_transport;
mod declarations;
mod findings;
pub(crate) mod fixes;
mod page;
mod pages;
mod score;

use contract::records::ScanRecord;

use page::Page;

/// How a report is printed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReportStyle {
    /// Columns.
    pub(crate) width: usize,
    pub(crate) colours: bool,
    /// Also print every rule with its points.
    pub(crate) ledger: bool,
    /// Also print the commands that repeat each request, and the ids of readings.
    pub(crate) verbose: bool,
}

/// Renders the record as text.
pub(crate) fn render_text(record: &ScanRecord, style: ReportStyle) -> String {
    let mut page = Page::new(style.width, style.colours);
    score::write_grade(&mut page, record);
    if record.unreachable == Some(true) {
        findings::write_not_measured(&mut page, record);
        return page.into_text();
    }
    score::write_sections(&mut page, record);
    access::write_access(&mut page, record, style.verbose);
    access::write_contradictions(&mut page, record);
    declarations::write_policy(&mut page, record, style.verbose);
    declarations::write_machine_files(&mut page, record);
    content_and_transport::write_content(&mut page, record);
    pages::write_further_pages(&mut page, record);
    content_and_transport::write_transport(&mut page, record);
    if style.ledger || style.verbose {
        score::write_ledger(&mut page, record);
    }
    findings::write_findings(&mut page, record, style.verbose);
    findings::write_not_measured(&mut page, record);
    findings::write_footer(&mut page, record);
    page.into_text()
}

/// `1 word`, `2 words`.
fn count_of(n: u64, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use contract::records::{RowCause, TextVariation};

    use super::*;

    /// The example that the contract is tested with: it has every member.
    fn record() -> ScanRecord {
        let example = include_str!("../../../contract/tests/it/snapshots/it__schemas__scan.snap");
        let (_, example) = example.split_once("\n{").unwrap();
        serde_json::from_str(&format!("{{{example}")).unwrap()
    }

    /// The report on one line, so that a sentence is found wherever it is wrapped.
    fn rendered(record: &ScanRecord) -> String {
        let style = ReportStyle { width: 100, colours: false, ledger: false, verbose: false };
        render_text(record, style).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[track_caller]
    fn check(record: &ScanRecord, shown: &[&str]) {
        let text = rendered(record);
        for part in shown {
            assert!(text.contains(part), "{part:?} is not in:\n{text}");
        }
    }

    #[test]
    fn outcomes_are_named_and_explained() {
        let mut record = record();
        for (cause, blocker, shown) in [
            ("gated", Some("parked"), ["parked domain: The page is that of", "fix To show a site"]),
            ("gated", Some("consent"), ["cookie wall: The page only asks", "fix Send the content"]),
            ("empty", Some("empty"), ["empty page: The server reported", "fix Check why"]),
            ("stalled", None, ["kept waiting: There was no complete", "fix Look for a rule"]),
            (
                "refused",
                Some("block"),
                ["refused: block page, no vendor named", "refused: The server"],
            ),
        ] {
            for row in &mut record.agentview.rows {
                row.cause = RowCause::from_word(cause).unwrap();
                row.blocker = blocker.map(str::to_owned);
                (row.vendor, row.price, row.error) = (None, None, None);
            }
            check(&record, &shown);
        }
    }

    #[test]
    fn the_page_its_text_and_further_pages_are_described() {
        let mut record = record();
        record.content.page_kind = Some("pdf".to_owned());
        record.content.cut = true;
        record.agentview.variation = TextVariation::Varies;
        record.agentview.variation_why = String::new();
        if let Some(paywall) = &mut record.paywall {
            (paywall.declared, paywall.visible) = (false, true);
        }
        check(
            &record,
            &[
                "What agents can do:",
                "Does the site do what it says:",
                "Served as the page: a PDF document.",
                "The page is longer than what we read.",
                "Texts: varies for everyone. People get different texts too.",
                "Paywall: part of the text is for subscribers only.",
                "Further pages (each client requested each page once)",
            ],
        );
    }
}
