//! A sitemap as a plain list: one address on each line.

use super::Source;
use super::entry::{Entries, Entry};
use crate::files::report::{Report, quoted};

pub(super) fn read(
    report: &mut Report<'_>,
    mut source: impl Source,
    entries: &mut Entries,
) -> Option<&'static str> {
    let mut line = Vec::new();
    let mut number = 0_usize;
    let mut foreign = 0_usize;
    loop {
        line.clear();
        match source.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
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
