//! What a scan record says, for people and for the tools they use: a report on the terminal, SARIF
//! for what shows findings beside code, a comparison with an earlier scan, and a folder of fixes.
//!
//! Nothing is judged here: every statement stands in the record.

mod access;
pub(crate) mod baseline;
mod declared;
mod findings;
pub(crate) mod fixes;
mod page;
mod reading;
pub(crate) mod sarif;
mod score;

use contract::records::ScanRecord;

use page::Page;

/// How a report is to look.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    /// Columns.
    pub(crate) width: usize,
    pub(crate) colours: bool,
    /// Every rule with what it gave.
    pub(crate) ledger: bool,
    /// Also the commands that repeat each read, and ids of readings.
    pub(crate) verbose: bool,
}

/// The record as text.
pub(crate) fn text(record: &ScanRecord, look: Look) -> String {
    let mut page = Page::new(look.width, look.colours);
    score::head(&mut page, record);
    if record.unreachable == Some(true) {
        findings::not_measured(&mut page, record);
        return page.into_text();
    }
    score::sections(&mut page, record);
    access::who_got_what(&mut page, record, look.verbose);
    access::contradictions(&mut page, record);
    declared::policy(&mut page, record, look.verbose);
    declared::machine_files(&mut page, record);
    reading::content(&mut page, record);
    reading::transport(&mut page, record);
    if look.ledger || look.verbose {
        score::ledger(&mut page, record);
    }
    findings::findings(&mut page, record, look.verbose);
    findings::not_measured(&mut page, record);
    findings::footer(&mut page, record);
    page.into_text()
}

/// A word of the wire as people read it: `rate_limited` is `rate limited`.
fn plain(word: &str) -> String {
    word.replace('_', " ")
}

/// `1 word`, `2 words`.
fn count(n: u64, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}
