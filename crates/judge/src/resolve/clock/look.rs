//! What one check of a clock saw, and whether that is a change.

use std::collections::BTreeMap;

use contract::Timestamp;
use contract::evidence::Response;
use contract::records::{ChangeOf, ClockChange, DeclaredDate};
use declared::page::Page;
use serde_json::Value;

/// Declared dates kept of one check.
const MAX_DATES: usize = 20;
/// Members of structured data that are looked at.
const MAX_NODES: usize = 10_000;
/// Characters of what the site wrote.
const MAX_TEXT: usize = 160;

/// A page as one check saw it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    pub status: u16,
    pub bytes: u64,
    pub body_sha256: String,
    /// Of the words; nothing for what is no text.
    pub text_sha256: Option<String>,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    pub declared: Vec<DeclaredDate>,
}

/// What a version is known by when the next check compares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Before<'a> {
    pub status: Option<u16>,
    pub body_sha256: Option<&'a str>,
    pub text_sha256: Option<&'a str>,
    /// Its body with its media type, as long as it is kept.
    pub body: Option<(&'a [u8], Option<&'a str>)>,
}

/// Reads what a check was served.
#[must_use]
pub fn seen(response: &Response, body: &[u8], at: Timestamp) -> Seen {
    let field = |name: &str| response.header(name).map(|value| declared::shown(value, MAX_TEXT));
    let kind = response.header("content-type");
    let text = text(body, kind);
    let mut dates = Vec::new();
    let mut tell = |what: &str, value: String, carrier: &str| {
        if dates.len() < MAX_DATES {
            dates.push(DeclaredDate {
                what: what.to_owned(),
                untrusted_value: value,
                carrier: carrier.to_owned(),
                at,
            });
        }
    };
    let (etag, last_modified) = (field("etag"), field("last-modified"));
    if let Some(value) = &last_modified {
        tell("last_modified", value.clone(), "header");
    }
    if let Some(value) = &etag {
        tell("etag", value.clone(), "header");
    }
    if is_page(body, kind) {
        let page = Page::read(body, kind);
        for (name, content) in &page.meta {
            match name.as_str() {
                "article:modified_time" | "og:updated_time" => {
                    tell("date_modified", declared::shown(content, MAX_TEXT), "meta");
                }
                "article:published_time" => {
                    tell("date_published", declared::shown(content, MAX_TEXT), "meta");
                }
                _ => {}
            }
        }
        for (what, value) in in_json_ld(&page.json_ld) {
            tell(what, value, "json_ld");
        }
    }
    dates.sort();
    dates.dedup();
    Seen {
        status: response.status,
        bytes: response.body.bytes,
        body_sha256: response.body.sha256.clone(),
        text_sha256: text.map(|text| proof::sha256(text.as_bytes()).to_string()),
        etag,
        last_modified,
        declared: dates,
    }
}

/// What changed since the version before; nothing when nothing did.
#[must_use]
pub fn change(
    before: &Before<'_>,
    now: &Seen,
    body: &[u8],
    media_type: Option<&str>,
) -> Option<ClockChange> {
    let of = |kind: ChangeOf| ClockChange { kind, words_added: None, words_removed: None };
    if before.status != Some(now.status) {
        return Some(of(ChangeOf::Status));
    }
    if before.body_sha256 == Some(now.body_sha256.as_str()) {
        return None;
    }
    if before.text_sha256 == now.text_sha256.as_deref() {
        return Some(of(ChangeOf::MarkupOnly));
    }
    let counted = before.body.and_then(|(earlier, kind)| {
        Some(difference(&text(earlier, kind)?, &text(body, media_type)?))
    });
    let (added, removed) = counted.unzip();
    Some(ClockChange { kind: ChangeOf::Text, words_added: added, words_removed: removed })
}

/// How many words came and went, however they moved.
fn difference(before: &str, now: &str) -> (u32, u32) {
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
        || declared::shape::looks_like_html(body)
}

/// The words of a page, or of a text; nothing for anything else.
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

/// `datePublished` and `dateModified`, wherever they stand.
fn in_json_ld(scripts: &[String]) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    let mut looked_at = 0;
    for script in scripts {
        // The reader of JSON bounds the depth.
        let Ok(document) = serde_json::from_str::<Value>(script) else { continue };
        let mut left = vec![&document];
        while let Some(value) = left.pop() {
            looked_at += 1;
            if looked_at > MAX_NODES || found.len() >= MAX_DATES {
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
                            found.push((what, declared::shown(date, MAX_TEXT)));
                        }
                    }
                }
                _ => {}
            }
        }
    }
    found
}
