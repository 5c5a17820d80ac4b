//! A sitemap as a plain list: one address on each line.

use super::Source;
use super::entry::{Entries, Entry};
use crate::files::report::{Report, quoted};

/// Longer than any address that counts; the rest of a line is passed over.
const MAX_LINE_BYTES: usize = 16_384;

pub(super) fn read(
    report: &mut Report<'_>,
    mut source: impl Source,
    entries: &mut Entries,
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
            entries.take(report, &entry, false);
        } else {
            foreign += 1;
            report.warn(
                "not_an_address",
                format!("line {number}"),
                format!("{} is not an address; a list holds one full address on each line and nothing else.", quoted(text)),
                "Take the line out, or write https:// and the host before it.",
            );
        }
    }
    if entries.number == 0 && foreign > 0 {
        report.spoil(
            "not_a_sitemap",
            "",
            "The file is neither XML nor a list of addresses.",
            "Write an XML sitemap: <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><url><loc>https://your.site/</loc></url></urlset>",
        );
        return None;
    }
    Some("text")
}

/// The next line, cut where no address is that long; false at the end.
fn next_line(source: &mut impl Source, line: &mut Vec<u8>) -> bool {
    line.clear();
    let mut begun = false;
    // What cannot be read is told by whoever holds the source.
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
