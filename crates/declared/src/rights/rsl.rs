//! RSL 1.0: a licence in XML, referenced by a `License` line, a link or a header.
//!
//! Document types and entities are never expanded; depth and counts are bounded.

use std::borrow::Cow;

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use super::{
    Carrier, ContentUse, Effect, Mechanism, ParsedStatements, Statement, Weight, short_quote,
};
use crate::evidence_excerpt::evidence_excerpt;
use crate::robots::{path_of, pattern};

pub const NAMESPACE: &str = "https://rslstandard.org/rsl";
pub const MEDIA_TYPE: &str = "application/rsl+xml";

const MAX_DEPTH: usize = 32;
const MAX_EVENTS: usize = 200_000;
const MAX_CONTENTS: usize = 2_000;
const MAX_LICENSES: usize = 64;
const MAX_TEXT: usize = 4_000;

/// The uses that a licence can cover. RSL has no word for transactions.
const USES: [ContentUse; 4] =
    [ContentUse::Train, ContentUse::Ground, ContentUse::Summarize, ContentUse::Cite];
const EXAMPLE: &str = "<permits type=\"usage\">search ai-input</permits>";

#[derive(Default)]
struct Content {
    url: String,
    pattern: Vec<u8>,
    /// The licence server, if a licence must be obtained from one.
    server: Option<String>,
    licenses: Vec<License>,
    /// The byte range of the element in the file.
    start: usize,
    end: usize,
}

#[derive(Default)]
struct License {
    permits: Vec<ContentUse>,
    permits_listed: bool,
    prohibits: Vec<ContentUse>,
    /// Whether it applies only to some users or regions.
    limited: bool,
    payments: Vec<String>,
}

impl License {
    fn is_free(&self) -> bool {
        self.payments.iter().all(|payment| payment == "free")
    }
}

/// The element whose text is being collected.
struct UsageList {
    permits: bool,
    kind: String,
    text: String,
}

/// What a licence file states for one path: the `content` elements with the longest matching URL
/// decide.
#[must_use]
pub fn parse(body: &[u8], for_path: &str) -> ParsedStatements {
    let mut parsed = ParsedStatements::default();
    let text = String::from_utf8_lossy(body);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let contents = parse_contents(text, &mut parsed);
    let matching: Vec<&Content> = contents
        .iter()
        .filter(|content| pattern::matches(&content.pattern, for_path.as_bytes()))
        .collect();
    let longest = matching.iter().map(|content| content.pattern.len()).max();
    let winning: Vec<&Content> =
        matching.into_iter().filter(|content| Some(content.pattern.len()) == longest).collect();
    parsed.statements.extend(combine_licenses(&winning, text));
    parsed
}

fn combine_licenses(winning: &[&Content], text: &str) -> Option<Statement> {
    let first = winning.first()?;
    let raw = text.get(first.start..first.end).unwrap_or_default();
    let mut statement = Statement::new(Mechanism::Rsl, Carrier::File, raw);
    statement.path = Some(evidence_excerpt(&first.url)).filter(|url| !url.is_empty());
    let licenses: Vec<(&License, bool)> = winning
        .iter()
        .flat_map(|content| {
            content.licenses.iter().map(|license| (license, content.server.is_some()))
        })
        .collect();
    let listed = licenses.iter().any(|(license, _)| license.permits_listed);
    for what in USES {
        let free =
            |(license, server): &(&License, bool)| license.is_free() && !server && !license.limited;
        let mut offers = licenses
            .iter()
            .filter(|(license, server)| {
                if listed {
                    license.permits.contains(&what)
                } else {
                    // No uses are listed: a price or a server still sets terms for all of them.
                    !license.payments.is_empty() || *server
                }
            })
            .peekable();
        let effect = if licenses.iter().any(|(license, _)| license.prohibits.contains(&what)) {
            Effect::Disallow
        } else if offers.peek().is_some() {
            if offers.any(free) { Effect::Allow } else { Effect::Conditional }
        } else if listed {
            Effect::Disallow
        } else {
            continue;
        };
        statement.add_effect(what, effect);
    }
    if listed {
        statement.add_note("Only the uses that the licence lists are licensed.");
    }
    let mut payments: Vec<&str> = licenses
        .iter()
        .flat_map(|(license, _)| license.payments.iter().map(String::as_str))
        .collect();
    payments.sort_unstable();
    payments.dedup();
    if !payments.is_empty() {
        payments.truncate(8);
        statement.add_note(&format!("Payment: {}.", evidence_excerpt(&payments.join(", "))));
    }
    if let Some(server) = winning.iter().find_map(|content| content.server.as_deref()) {
        statement.add_note(&format!(
            "A licence must be obtained from the licence server {}, even if it is free.",
            short_quote(server)
        ));
    }
    (!statement.uses.is_empty()).then_some(statement)
}

fn parse_contents(text: &str, parsed: &mut ParsedStatements) -> Vec<Content> {
    let mut contents: Vec<Content> = Vec::new();
    let mut reader = Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    let mut open: Vec<String> = Vec::new();
    let mut listing: Option<UsageList> = None;
    let mut root_seen = false;
    for _ in 0..MAX_EVENTS {
        let before = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX);
        match reader.read_event() {
            Ok(Event::Start(element)) => {
                let name = element.local_name().as_ref().to_owned();
                if open.len() >= MAX_DEPTH {
                    parsed.add_fault(
                        "rsl_too_deep",
                        Weight::Error,
                        "",
                        format!(
                            "The elements are nested more than {MAX_DEPTH} levels deep. The rest was not read."
                        ),
                        "Use only rsl, content, license and their child elements.",
                    );
                    return contents;
                }
                if open.is_empty() {
                    root_seen = true;
                    check_root(parsed, &element, &name);
                }
                let inside = open.last().map_or("", String::as_str);
                match (inside, name.as_str()) {
                    (_, "content") if contents.len() < MAX_CONTENTS => {
                        contents.push(parse_content(&element, before));
                    }
                    (_, "content") => {
                        parsed.add_fault(
                            "rsl_too_many",
                            Weight::Warning,
                            "",
                            format!("Only the first {MAX_CONTENTS} content elements were read."),
                            "Combine URLs with `*`.",
                        );
                        return contents;
                    }
                    ("content", "license") => {
                        if let Some(content) = contents
                            .last_mut()
                            .filter(|content| content.licenses.len() < MAX_LICENSES)
                        {
                            content.licenses.push(License::default());
                        }
                    }
                    ("license", "permits" | "prohibits") => {
                        let kind = attribute(&element, "type").unwrap_or_default();
                        listing = Some(UsageList {
                            permits: name == "permits",
                            kind,
                            text: String::new(),
                        });
                    }
                    ("license", "payment") => {
                        let kind = attribute(&element, "type").unwrap_or_else(|| "free".to_owned());
                        if let Some(license) = last_license(&mut contents)
                            .filter(|license| license.payments.len() < MAX_LICENSES)
                        {
                            license.payments.push(kind.trim().to_ascii_lowercase());
                        }
                    }
                    _ => {}
                }
                open.push(name);
            }
            Ok(Event::End(_)) => {
                let closed = open.pop().unwrap_or_default();
                if let Some(list) =
                    listing.take_if(|_| matches!(closed.as_str(), "permits" | "prohibits"))
                {
                    finish_list(parsed, list, last_license(&mut contents));
                }
                if closed == "content"
                    && let Some(content) = contents.last_mut()
                {
                    content.end = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX);
                }
            }
            Ok(Event::Text(part)) => {
                append_text(&mut listing, part.xml_content(XmlVersion::Implicit1_0))
            }
            Ok(Event::CData(part)) => {
                append_text(&mut listing, part.xml_content(XmlVersion::Implicit1_0))
            }
            Ok(Event::DocType(_)) => {
                parsed.add_fault(
                    "rsl_doctype",
                    Weight::Error,
                    "",
                    "The file declares a document type. Careful readers refuse such files.",
                    "Remove the <!DOCTYPE …> line.",
                );
                return Vec::new();
            }
            Ok(Event::Eof) => {
                if !root_seen || !open.is_empty() {
                    add_ill_formed(parsed, text, before);
                    contents.retain(|content| content.end > 0);
                }
                return contents;
            }
            Ok(_) => {}
            Err(_) => {
                // Readers that require well-formed XML ignore the whole file, so we do too.
                add_ill_formed(parsed, text, before);
                return Vec::new();
            }
        }
    }
    parsed.add_fault(
        "rsl_too_long",
        Weight::Warning,
        "",
        "The file is too long; the rest was not read.",
        "Combine URLs with `*`.",
    );
    contents
}

fn add_ill_formed(parsed: &mut ParsedStatements, text: &str, at: usize) {
    let line = text.get(..at.min(text.len())).unwrap_or(text).matches('\n').count() + 1;
    parsed.add_fault(
        "rsl_ill_formed",
        Weight::Error,
        format!("line {line}"),
        "The file stops being well-formed XML here, so readers ignore all of it.",
        "Close every element and write & as &amp;.",
    );
}

fn check_root(parsed: &mut ParsedStatements, element: &BytesStart<'_>, name: &str) {
    if name != "rsl" {
        parsed.add_fault(
            "rsl_root",
            Weight::Error,
            "",
            format!("The first element is `{}`, not `rsl`.", short_quote(name)),
            format!("<rsl xmlns=\"{NAMESPACE}\">"),
        );
        return;
    }
    let named = element.attributes().with_checks(false).take(64).flatten().any(|attribute| {
        attribute.key.into_inner().starts_with("xmlns") && attribute.value == NAMESPACE
    });
    if !named {
        parsed.add_fault(
            "rsl_namespace",
            Weight::Error,
            "",
            "The `rsl` element is not in the RSL namespace. Strict readers do not recognise it.",
            format!("<rsl xmlns=\"{NAMESPACE}\">"),
        );
    }
}

fn parse_content(element: &BytesStart<'_>, start: usize) -> Content {
    let url = attribute(element, "url").unwrap_or_default().trim().to_owned();
    // Without a URL it covers the whole site.
    let path = if url.is_empty() { "/".to_owned() } else { path_of(&url) };
    let pattern = pattern::percent_encoded(path.as_bytes()).unwrap_or_else(|| path.into_bytes());
    let server = attribute(element, "server").filter(|server| !server.trim().is_empty());
    Content { url, pattern, server, start, ..Content::default() }
}

fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    // Checking for duplicate attributes is quadratic, and hostile files have many.
    let attribute = element
        .attributes()
        .with_checks(false)
        .take(64)
        .flatten()
        .find(|attribute| attribute.key.into_inner() == name)?;
    attribute.normalized_value(XmlVersion::Implicit1_0).ok().map(Cow::into_owned)
}

fn last_license(contents: &mut [Content]) -> Option<&mut License> {
    contents.last_mut()?.licenses.last_mut()
}

fn append_text(listing: &mut Option<UsageList>, text: impl AsRef<str>) {
    if let Some(list) = listing
        && list.text.len() < MAX_TEXT
    {
        list.text.extend(text.as_ref().chars().take(MAX_TEXT));
    }
}

fn finish_list(parsed: &mut ParsedStatements, list: UsageList, license: Option<&mut License>) {
    let Some(license) = license else { return };
    let element = if list.permits { "permits" } else { "prohibits" };
    match list.kind.trim().to_ascii_lowercase().as_str() {
        "usage" => {}
        "user" | "geo" => {
            license.limited = true;
            return;
        }
        other => {
            parsed.add_fault(
                "rsl_type",
                Weight::Error,
                element,
                format!("`{element}` has the type `{}`. The known types are usage, user and geo; the uses belong into the element's text.", short_quote(other)),
                EXAMPLE,
            );
            return;
        }
    }
    license.permits_listed |= list.permits;
    // Separated by white space in RSL 1.0, by commas in earlier drafts.
    for token in list.text.split(|c: char| c.is_whitespace() || c == ',').filter(|t| !t.is_empty())
    {
        let uses: &[ContentUse] = match token.to_ascii_lowercase().as_str() {
            "ai-train" => &[ContentUse::Train],
            "ai-input" => &[ContentUse::Ground, ContentUse::Summarize],
            "ai-index" => &[ContentUse::Ground],
            "search" => &[ContentUse::Cite],
            "ai-all" => &[ContentUse::Train, ContentUse::Ground, ContentUse::Summarize],
            "all" => &USES,
            _ => {
                parsed.add_fault(
                    "rsl_usage",
                    Weight::Warning,
                    element,
                    format!("`{}` is not a usage defined by RSL.", short_quote(token)),
                    "The usages are all, ai-all, ai-train, ai-input, ai-index and search.",
                );
                continue;
            }
        };
        let listed_uses = if list.permits { &mut license.permits } else { &mut license.prohibits };
        for what in uses {
            if !listed_uses.contains(what) {
                listed_uses.push(*what);
            }
        }
    }
}
