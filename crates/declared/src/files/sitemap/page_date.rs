//! The date that a sitemap states for one page.

use std::io::{BufRead, BufReader};

use flate2::read::MultiGzDecoder;
use quick_xml::Reader;
use quick_xml::events::Event;
use url::Url;

use super::bounded_reader::{BoundedReader, MAX_BYTES, unpacked_bound};
use super::entry::MAX_ENTRIES;
use crate::files::timestamps;

/// Longer than any valid URL or date.
const MAX_VALUE_BYTES: usize = 4_096;
/// From so many dates on, equal ones are no accident.
const MIN_EQUAL_DATES: usize = 3;
/// As far as dates are compared: to the minute.
const MINUTE_CHARS: usize = 16;

/// What a sitemap says about when a page last changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageLastmod {
    /// As written, trimmed.
    pub lastmod: String,
    /// Whether it is a W3C datetime with at least a day.
    pub has_day: bool,
    /// How many entries have a date.
    pub dated_entries: usize,
    /// Whether all of them have the same date, as sitemaps have that write the time of their own making.
    pub is_same_for_all: bool,
}

/// The `lastmod` of a page in a sitemap, plain or compressed; none if the sitemap does not list the page or
/// gives no date for it. Unreadable parts are skipped. An index lists sitemaps, not pages.
#[must_use]
pub fn page_lastmod(body: &[u8], page_url: &str) -> Option<PageLastmod> {
    let page = Url::parse(page_url).ok()?;
    if body.starts_with(b"\x1f\x8b") {
        let packed = u64::try_from(body.len()).unwrap_or(u64::MAX);
        let bound = unpacked_bound(packed);
        return read(BufReader::new(BoundedReader::new(MultiGzDecoder::new(body), bound)), &page);
    }
    read(BufReader::new(BoundedReader::new(body, MAX_BYTES)), &page)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    Address,
    Date,
}

fn read(source: impl BufRead, page: &Url) -> Option<PageLastmod> {
    let mut reader = Reader::from_reader(source);
    reader.config_mut().expand_empty_elements = true;
    let mut buffer = Vec::new();
    let (mut field, mut value) = (None, String::new());
    let (mut loc, mut date) = (None::<String>, None::<String>);
    let mut dates = DateCount::default();
    let mut found = None;
    let mut entries = 0;
    loop {
        buffer.clear();
        // What comes before broken XML still counts.
        let Ok(event) = reader.read_event_into(&mut buffer) else { break };
        match event {
            Event::Eof => break,
            Event::Start(start) => {
                let (local, prefix) = start.name().decompose();
                // Extensions such as image:loc have the same local names.
                let is_plain = prefix.is_none_or(|prefix| prefix.as_ref().is_empty());
                field = match local.as_ref() {
                    "loc" if is_plain => Some(Field::Address),
                    "lastmod" if is_plain => Some(Field::Date),
                    _ => None,
                };
                value.clear();
            }
            Event::Text(text) if field.is_some() => push(&mut value, &text),
            Event::CData(text) if field.is_some() => push(&mut value, &text),
            Event::GeneralRef(reference) if field.is_some() => match &*reference {
                "amp" => value.push('&'),
                _ => value.extend(reference.resolve_char_ref().ok().flatten()),
            },
            Event::End(end) => {
                match field.take() {
                    Some(Field::Address) => loc = Some(std::mem::take(&mut value)),
                    Some(Field::Date) => date = Some(std::mem::take(&mut value)),
                    None => {}
                }
                if end.name().local_name().as_ref() == "url" {
                    let date = date.take().map(|date| date.trim().to_owned());
                    let date = date.filter(|date| !date.is_empty());
                    if let Some(date) = &date {
                        dates.add(date);
                    }
                    let is_page = loc.take().is_some_and(|loc| is_same_page(loc.trim(), page));
                    if is_page && found.is_none() {
                        found = date;
                    }
                    entries += 1;
                    if entries >= MAX_ENTRIES {
                        break;
                    }
                }
            }
            _ => {}
        }
    }
    found.map(|lastmod| PageLastmod {
        has_day: timestamps::is_w3c_datetime(&lastmod) && timestamps::day_start(&lastmod).is_some(),
        dated_entries: dates.count,
        is_same_for_all: dates.count >= MIN_EQUAL_DATES && !dates.differ,
        lastmod,
    })
}

fn push(value: &mut String, text: &str) {
    if value.len() + text.len() <= MAX_VALUE_BYTES {
        value.push_str(text);
    }
}

/// Whether the dates of a sitemap differ by more than the seconds.
#[derive(Default)]
struct DateCount {
    first: Option<String>,
    count: usize,
    differ: bool,
}

impl DateCount {
    fn add(&mut self, date: &str) {
        let minute: String = date.chars().take(MINUTE_CHARS).collect();
        self.count += 1;
        match &self.first {
            Some(first) => self.differ |= *first != minute,
            None => self.first = Some(minute),
        }
    }
}

/// Whether a sitemap means this page, whatever its scheme.
fn is_same_page(loc: &str, page: &Url) -> bool {
    Url::parse(loc).is_ok_and(|url| {
        url.host_str() == page.host_str()
            && url.port() == page.port()
            && url.path() == page.path()
            && url.query() == page.query()
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn sitemap(entries: &[(&str, &str)]) -> String {
        let entries: String = entries
            .iter()
            .map(|(loc, date)| format!("<url><loc>{loc}</loc><lastmod>{date}</lastmod></url>"))
            .collect();
        format!(
            "<?xml version=\"1.0\"?><urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{entries}</urlset>"
        )
    }

    #[test]
    fn the_date_of_the_page_is_found() {
        let body = sitemap(&[
            ("https://tin.example/", "2026-11-01"),
            ("https://tin.example/a?x=1&amp;y=2", " 2026-11-02T08:15+01:00 "),
            ("https://tin.example/b", "2026"),
            ("https://tin.example/c", ""),
        ]);
        for (url, lastmod, has_day) in [
            ("https://tin.example/", Some("2026-11-01"), true),
            ("http://tin.example", Some("2026-11-01"), true),
            ("https://tin.example/a?x=1&y=2", Some("2026-11-02T08:15+01:00"), true),
            ("https://tin.example/b", Some("2026"), false),
            ("https://tin.example/c", None, false),
            ("https://tin.example/d", None, false),
            ("https://other.example/", None, false),
        ] {
            let found = page_lastmod(body.as_bytes(), url);
            assert_eq!(found.as_ref().map(|found| found.lastmod.as_str()), lastmod, "{url}");
            assert_eq!(found.is_some_and(|found| found.has_day), has_day, "{url}");
        }
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(body.as_bytes()).unwrap();
        let packed = packed.finish().unwrap();
        assert!(page_lastmod(&packed, "https://tin.example/").is_some());
    }

    #[test]
    fn one_date_for_all_pages_is_noted() {
        let built = |n: usize| {
            let urls: Vec<String> = (0..n).map(|n| format!("https://tin.example/{n}")).collect();
            let entries: Vec<(&str, String)> = urls
                .iter()
                .zip(0..)
                .map(|(url, n)| (url.as_str(), format!("2026-11-01T10:15:{n:02}Z")))
                .collect();
            let entries: Vec<(&str, &str)> =
                entries.iter().map(|(url, date)| (*url, date.as_str())).collect();
            page_lastmod(sitemap(&entries).as_bytes(), "https://tin.example/0").unwrap()
        };
        assert!(built(3).is_same_for_all && !built(2).is_same_for_all);
        assert_eq!(built(3).dated_entries, 3);
    }

    #[test]
    fn other_files_have_no_dates_of_pages() {
        for body in [
            "",
            "<html>",
            "<sitemapindex><sitemap><loc>https://tin.example/</loc><lastmod>2026-11-01</lastmod></sitemap></sitemapindex>",
            "https://tin.example/\n",
        ] {
            assert_eq!(page_lastmod(body.as_bytes(), "https://tin.example/"), None, "{body}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read(body in proptest::collection::vec(proptest::num::u8::ANY, 0..200), xml in "(<url>|</url>|<loc>|</loc>|<lastmod>|</lastmod>|https://a.example/|2026-11-01|&amp;|&#0;|<!\\[CDATA\\[|\\]\\]>){0,20}") {
            let _ = page_lastmod(&body, "https://a.example/");
            let _ = page_lastmod(xml.as_bytes(), "https://a.example/");
        }
    }
}
