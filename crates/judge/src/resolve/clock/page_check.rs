//! One check of a page by its content clock: what was served, and whether it changed.

use std::collections::BTreeMap;

use contract::Timestamp;
use contract::evidence::Response;
use contract::records::{ClockChange, DeclaredDate, PageChangeKind};
use declared::page::Page;
use serde_json::Value;

/// The most declared dates of one check.
const MAX_DATES: usize = 20;
/// The most nodes of structured data that are visited.
const MAX_NODES: usize = 10_000;
/// The most characters of a text that the site wrote.
const MAX_TEXT: usize = 160;

/// A page as one check received it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageSnapshot {
    pub status: u16,
    pub bytes: u64,
    pub body_sha256: String,
    /// The digest of the words; `None` for content that is not text.
    pub text_sha256: Option<String>,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    pub declared: Vec<DeclaredDate>,
}

/// The previous version of the page, for comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviousVersion<'a> {
    pub status: Option<u16>,
    pub body_sha256: Option<&'a str>,
    pub text_sha256: Option<&'a str>,
    /// Its body and media type, as long as the body is stored.
    pub body: Option<(&'a [u8], Option<&'a str>)>,
}

/// Reads the response that a check received.
#[must_use]
pub fn read_snapshot(response: &Response, body: &[u8], at: Timestamp) -> PageSnapshot {
    let field = |name: &str| {
        response.header(name).map(|value| contract::text::display_safe(value, MAX_TEXT))
    };
    let kind = response.header("content-type");
    let text = text(body, kind);
    let mut dates = Vec::new();
    let mut add_date = |what: &str, value: String, carrier: &str| {
        if dates.len() < MAX_DATES {
            dates.push(DeclaredDate {
                what: what.to_owned(),
                untrusted_value: value,
                carrier: carrier.to_owned(),
                at,
                doubt: None,
            });
        }
    };
    let (etag, last_modified) = (field("etag"), field("last-modified"));
    if let Some(value) = &last_modified {
        add_date("last_modified", value.clone(), "header");
    }
    if let Some(value) = &etag {
        add_date("etag", value.clone(), "header");
    }
    if is_page(body, kind) {
        let page = Page::read(body, kind);
        for (name, content) in &page.meta {
            match name.as_str() {
                "article:modified_time" | "og:updated_time" => {
                    add_date(
                        "date_modified",
                        contract::text::display_safe(content, MAX_TEXT),
                        "meta",
                    );
                }
                "article:published_time" => {
                    add_date(
                        "date_published",
                        contract::text::display_safe(content, MAX_TEXT),
                        "meta",
                    );
                }
                _ => {}
            }
        }
        for (what, value) in json_ld_dates(&page.json_ld) {
            add_date(what, value, "json_ld");
        }
    }
    dates.sort();
    dates.dedup();
    PageSnapshot {
        status: response.status,
        bytes: response.body.bytes,
        body_sha256: response.body.sha256.clone(),
        text_sha256: text.map(|text| proof::sha256(text.as_bytes()).to_string()),
        etag,
        last_modified,
        declared: dates,
    }
}

/// What changed since the previous version; `None` if nothing did.
#[must_use]
pub fn detect_change(
    before: &PreviousVersion<'_>,
    now: &PageSnapshot,
    body: &[u8],
    media_type: Option<&str>,
) -> Option<ClockChange> {
    let of = |kind: PageChangeKind| ClockChange { kind, words_added: None, words_removed: None };
    if before.status != Some(now.status) {
        return Some(of(PageChangeKind::Status));
    }
    if before.body_sha256 == Some(now.body_sha256.as_str()) {
        return None;
    }
    if before.text_sha256 == now.text_sha256.as_deref() {
        return Some(of(PageChangeKind::MarkupOnly));
    }
    let counted = before.body.and_then(|(earlier, kind)| {
        Some(count_changed_words(&text(earlier, kind)?, &text(body, media_type)?))
    });
    let (added, removed) = counted.unzip();
    Some(ClockChange { kind: PageChangeKind::Text, words_added: added, words_removed: removed })
}

/// How many words were added and removed. Their order does not count.
fn count_changed_words(before: &str, now: &str) -> (u32, u32) {
    let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
    for word in now.split_whitespace() {
        *counts.entry(word).or_default() += 1;
    }
    for word in before.split_whitespace() {
        *counts.entry(word).or_default() -= 1;
    }
    let sum = |counted: i64| u32::try_from(counted).unwrap_or(u32::MAX);
    let added = counts.values().filter(|count| **count > 0).sum();
    let removed: i64 = counts.values().filter(|count| **count < 0).sum();
    (sum(added), sum(-removed))
}

fn is_page(body: &[u8], kind: Option<&str>) -> bool {
    kind.is_some_and(|kind| kind.to_ascii_lowercase().contains("html"))
        || declared::sniff::looks_like_html(body)
}

/// The words of a page or of a text file; `None` for anything else.
fn text(body: &[u8], kind: Option<&str>) -> Option<String> {
    if is_page(body, kind) {
        return Some(Page::read(body, kind).text);
    }
    let lower = kind.unwrap_or("text/plain").to_ascii_lowercase();
    let textual = lower.starts_with("text/") || lower.contains("json") || lower.contains("xml");
    textual.then(|| {
        let words = String::from_utf8_lossy(body);
        words.split_whitespace().collect::<Vec<_>>().join(" ")
    })
}

/// `datePublished` and `dateModified`, at any depth.
fn json_ld_dates(scripts: &[String]) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    let mut visited = 0;
    for script in scripts {
        let Ok(document) = contract::json::parse_value(script.as_bytes()) else { continue };
        let mut left = vec![&document];
        while let Some(value) = left.pop() {
            visited += 1;
            if visited > MAX_NODES || found.len() >= MAX_DATES {
                return found;
            }
            match value {
                Value::Array(items) => left.extend(items),
                Value::Object(members) => {
                    for (name, member) in members {
                        let what = match name.as_str() {
                            "dateModified" => "date_modified",
                            "datePublished" => "date_published",
                            _ => {
                                left.push(member);
                                continue;
                            }
                        };
                        if let Some(date) = member.as_str() {
                            found.push((what, contract::text::display_safe(date, MAX_TEXT)));
                        }
                    }
                }
                _ => {}
            }
        }
    }
    found
}
