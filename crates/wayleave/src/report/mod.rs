//! Presents a scan record: a report for the terminal, SARIF for code hosts and editors, a comparison
//! with an earlier scan, and a folder of fixes.
//!
//! Nothing is judged here: every statement comes from the record.

mod access;
pub(crate) mod baseline;
mod content_and_transport;
mod declarations;
mod findings;
pub(crate) mod fixes;
mod page;
pub(crate) mod sarif;
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
    content_and_transport::write_transport(&mut page, record);
    if style.ledger || style.verbose {
        score::write_ledger(&mut page, record);
    }
    findings::write_findings(&mut page, record, style.verbose);
    findings::write_not_measured(&mut page, record);
    findings::write_footer(&mut page, record);
    page.into_text()
}

/// A wire code with spaces instead of underscores: `rate_limited` becomes `rate limited`.
fn spaced(word: &str) -> String {
    word.replace('_', " ")
}

/// `1 word`, `2 words`.
fn count_of(n: u64, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}
