//! A sitemap as plain text: one URL per line.

use std::io::BufRead;

use super::entry::{Entry, EntryCounter};
use crate::files::report::{Report, quoted};

/// Longer than any valid URL; the rest of a line is ignored.
const MAX_LINE_BYTES: usize = 16_384;

pub(super) fn parse(
    report: &mut Report<'_>,
    mut source: impl BufRead,
    entries: &mut EntryCounter,
) -> Option<&'static str> {
    let mut line = Vec::new();
    let mut number = 0_usize;
    let mut foreign = 0_usize;
    loop {
        if !next_line(&mut source, &mut line) {
            break;
        }
        number += 1;
        let text = String::from_utf8_lossy(&line);
        let text = text.trim();
        if text.is_empty() {
            continue;
        }
        if text.contains("://") {
            let entry = Entry { loc: Some(text.to_owned()), lastmod: None };
            entries.check_entry(report, &entry, false);
        } else {
            foreign += 1;
            report.warn(
                "not_an_address",
                format!("line {number}"),
                format!("{} is not a URL. A text sitemap contains one full URL per line and nothing else.", quoted(text)),
                "Remove the line, or put https:// and the host before it.",
            );
        }
    }
    if entries.number == 0 && foreign > 0 {
        report.fatal(
            "not_a_sitemap",
            "",
            "The file is neither XML nor a list of URLs.",
            "Write an XML sitemap: <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><url><loc>https://your.site/</loc></url></urlset>",
        );
        return None;
    }
    Some("text")
}

/// Reads the next line, truncated to [`MAX_LINE_BYTES`]; false at the end.
fn next_line(source: &mut impl BufRead, line: &mut Vec<u8>) -> bool {
    line.clear();
    let mut begun = false;
    // A read error ends the loop; the caller reports it from `ReadState`.
    while let Ok(read) = source.fill_buf() {
        if read.is_empty() {
            return begun;
        }
        begun = true;
        let end = read.iter().position(|byte| *byte == b'\n');
        let piece = end.and_then(|end| read.get(..end)).unwrap_or(read);
        let room = MAX_LINE_BYTES.saturating_sub(line.len());
        line.extend_from_slice(piece.get(..room).unwrap_or(piece));
        let taken = piece.len() + usize::from(end.is_some());
        source.consume(taken);
        if end.is_some() {
            return true;
        }
    }
    begun
}
