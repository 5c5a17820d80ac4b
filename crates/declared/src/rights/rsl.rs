//! RSL 1.0: a licence in XML, named by a `License` line, a link or a header.
//!
//! No document type and no entity is ever expanded; depth and counts are bounded.

use std::borrow::Cow;

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use super::{Carrier, Effect, Heard, Mechanism, Statement, Use, Weight, word};
use crate::robots::{path_of, pattern};

pub const NAMESPACE: &str = "https://rslstandard.org/rsl";
pub const MEDIA_TYPE: &str = "application/rsl+xml";

const MAX_DEPTH: usize = 32;
const MAX_EVENTS: usize = 200_000;
const MAX_CONTENTS: usize = 2_000;
const MAX_LICENSES: usize = 64;
const MAX_TEXT: usize = 4_000;

/// The uses a licence can speak of. None of its words is about transactions.
const USES: [Use; 4] = [Use::Train, Use::Ground, Use::Summarize, Use::Cite];
const EXAMPLE: &str = "<permits type=\"usage\">search ai-input</permits>";

#[derive(Default)]
struct Content {
    url: String,
    pattern: Vec<u8>,
    server: bool,
    licenses: Vec<License>,
    /// Where the element stands in the text.
    start: usize,
    end: usize,
}

#[derive(Default)]
struct License {
    permits: Vec<Use>,
    permits_listed: bool,
    prohibits: Vec<Use>,
    /// Only for some users or places.
    limited: bool,
    payments: Vec<String>,
}

impl License {
    fn free(&self) -> bool {
        self.payments.iter().all(|payment| payment == "free")
    }
}

/// The element whose text is being collected.
struct Listing {
    permits: bool,
    kind: String,
    text: String,
}

/// What a licence file says of one path: the contents with the longest matching address decide.
#[must_use]
pub fn read(body: &[u8], for_path: &str) -> Heard {
    let mut heard = Heard::default();
    let text = String::from_utf8_lossy(body);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let contents = contents(text, &mut heard);
    let matching: Vec<&Content> = contents
        .iter()
        .filter(|content| pattern::matches(&content.pattern, for_path.as_bytes()))
        .collect();
    let longest = matching.iter().map(|content| content.pattern.len()).max();
    let winning: Vec<&Content> =
        matching.into_iter().filter(|content| Some(content.pattern.len()) == longest).collect();
    heard.statements.extend(combined(&winning, text));
    heard
}

fn combined(winning: &[&Content], text: &str) -> Option<Statement> {
    let first = winning.first()?;
    let raw = text.get(first.start..first.end).unwrap_or_default();
    let mut statement = Statement::new(Mechanism::Rsl, Carrier::File, raw);
    statement.path = Some(super::quoted(&first.url)).filter(|url| !url.is_empty());
    let licenses: Vec<(&License, bool)> = winning
        .iter()
        .flat_map(|content| content.licenses.iter().map(|license| (license, content.server)))
        .collect();
    let listed = licenses.iter().any(|(license, _)| license.permits_listed);
    for what in USES {
        let free =
            |(license, server): &(&License, bool)| license.free() && !server && !license.limited;
        let mut offers = licenses
            .iter()
            .filter(|(license, server)| {
                if listed {
                    license.permits.contains(&what)
                } else {
                    // Nothing is listed: a price or a server still says under which terms.
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
        statement.says(what, effect);
    }
    if listed {
        statement.notes("Uses that the licence does not list are not licensed.");
    }
    let mut payments: Vec<&str> = licenses
        .iter()
        .flat_map(|(license, _)| license.payments.iter().map(String::as_str))
        .collect();
    payments.sort_unstable();
    payments.dedup();
    if !payments.is_empty() {
        payments.truncate(8);
        statement.notes(&format!("Payment: {}.", super::quoted(&payments.join(", "))));
    }
    if winning.iter().any(|content| content.server) {
        statement
            .notes("A licence must be obtained from the server it names, also when it is free.");
    }
    (!statement.uses.is_empty()).then_some(statement)
}

fn contents(text: &str, heard: &mut Heard) -> Vec<Content> {
    let mut contents: Vec<Content> = Vec::new();
    let mut reader = Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    let mut open: Vec<String> = Vec::new();
    let mut listing: Option<Listing> = None;
    let mut root_seen = false;
    for _ in 0..MAX_EVENTS {
        let before = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX);
        match reader.read_event() {
            Ok(Event::Start(element)) => {
                let name = element.local_name().as_ref().to_owned();
                if open.len() >= MAX_DEPTH {
                    heard.fault(
                        "rsl_too_deep",
                        Weight::Error,
                        "",
                        format!(
                            "The elements are nested deeper than {MAX_DEPTH}; the rest is not read."
                        ),
                        "Keep to rsl, content, license and their parts.",
                    );
                    return contents;
                }
                if open.is_empty() {
                    root_seen = true;
                    root(heard, &element, &name);
                }
                let inside = open.last().map_or("", String::as_str);
                match (inside, name.as_str()) {
                    (_, "content") if contents.len() < MAX_CONTENTS => {
                        contents.push(content(&element, before));
                    }
                    (_, "content") => {
                        heard.fault(
                            "rsl_too_many",
                            Weight::Warning,
                            "",
                            format!(
                                "Only the first {MAX_CONTENTS} content elements are read here."
                            ),
                            "Join addresses with `*`.",
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
                        listing =
                            Some(Listing { permits: name == "permits", kind, text: String::new() });
                    }
                    ("license", "payment") => {
                        let kind = attribute(&element, "type").unwrap_or_else(|| "free".to_owned());
                        if let Some(license) = license(&mut contents)
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
                    finish(heard, list, license(&mut contents));
                }
                if closed == "content"
                    && let Some(content) = contents.last_mut()
                {
                    content.end = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX);
                }
            }
            Ok(Event::Text(part)) => {
                collect(&mut listing, part.xml_content(XmlVersion::Implicit1_0))
            }
            Ok(Event::CData(part)) => {
                collect(&mut listing, part.xml_content(XmlVersion::Implicit1_0))
            }
            Ok(Event::DocType(_)) => {
                heard.fault(
                    "rsl_doctype",
                    Weight::Error,
                    "",
                    "The file has a document type, which careful readers refuse.",
                    "Remove the <!DOCTYPE …> line.",
                );
                return Vec::new();
            }
            Ok(Event::Eof) => {
                if !root_seen || !open.is_empty() {
                    ill_formed(heard, text, before);
                    contents.retain(|content| content.end > 0);
                }
                return contents;
            }
            Ok(_) => {}
            Err(_) => {
                // What was closed before the error was said in full; a reader that demands
                // well-formed XML takes nothing, so nothing is taken.
                ill_formed(heard, text, before);
                return Vec::new();
            }
        }
    }
    heard.fault(
        "rsl_too_long",
        Weight::Warning,
        "",
        "The file holds more than is read here; the rest is passed over.",
        "Join addresses with `*`.",
    );
    contents
}

fn ill_formed(heard: &mut Heard, text: &str, at: usize) {
    let line = text.get(..at.min(text.len())).unwrap_or(text).matches('\n').count() + 1;
    heard.fault(
        "rsl_ill_formed",
        Weight::Error,
        format!("line {line}"),
        "The file is not well-formed XML from here on, so readers take nothing from it.",
        "Close every element and write & as &amp;.",
    );
}

fn root(heard: &mut Heard, element: &BytesStart<'_>, name: &str) {
    if name != "rsl" {
        heard.fault(
            "rsl_root",
            Weight::Error,
            "",
            format!("The first element is `{}`, not `rsl`.", word(name)),
            format!("<rsl xmlns=\"{NAMESPACE}\">"),
        );
        return;
    }
    let named = element.attributes().with_checks(false).take(64).flatten().any(|attribute| {
        attribute.key.into_inner().starts_with("xmlns") && attribute.value == NAMESPACE
    });
    if !named {
        heard.fault(
            "rsl_namespace",
            Weight::Error,
            "",
            "The `rsl` element is not in the RSL namespace; strict readers do not know it.",
            format!("<rsl xmlns=\"{NAMESPACE}\">"),
        );
    }
}

fn content(element: &BytesStart<'_>, start: usize) -> Content {
    let url = attribute(element, "url").unwrap_or_default().trim().to_owned();
    // Without an address it speaks of everything.
    let path = if url.is_empty() { "/".to_owned() } else { path_of(&url) };
    let pattern = pattern::escaped(path.as_bytes()).unwrap_or_else(|| path.into_bytes());
    let server = attribute(element, "server").is_some_and(|server| !server.trim().is_empty());
    Content { url, pattern, server, start, ..Content::default() }
}

fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    // Checking for doubles would compare each with each: hostile files have many.
    let attribute = element
        .attributes()
        .with_checks(false)
        .take(64)
        .flatten()
        .find(|attribute| attribute.key.into_inner() == name)?;
    attribute.normalized_value(XmlVersion::Implicit1_0).ok().map(Cow::into_owned)
}

fn license(contents: &mut [Content]) -> Option<&mut License> {
    contents.last_mut()?.licenses.last_mut()
}

fn collect(listing: &mut Option<Listing>, text: impl AsRef<str>) {
    if let Some(list) = listing
        && list.text.len() < MAX_TEXT
    {
        list.text.extend(text.as_ref().chars().take(MAX_TEXT));
    }
}

fn finish(heard: &mut Heard, list: Listing, license: Option<&mut License>) {
    let Some(license) = license else { return };
    let element = if list.permits { "permits" } else { "prohibits" };
    match list.kind.trim().to_ascii_lowercase().as_str() {
        "usage" => {}
        "user" | "geo" => {
            license.limited = true;
            return;
        }
        other => {
            heard.fault(
                "rsl_type",
                Weight::Error,
                element,
                format!("`{element}` has the type `{}`; only usage, user and geo are known, and the uses stand in its text.", word(other)),
                EXAMPLE,
            );
            return;
        }
    }
    license.permits_listed |= list.permits;
    // White space by the final text, commas by earlier ones.
    for token in list.text.split(|c: char| c.is_whitespace() || c == ',').filter(|t| !t.is_empty())
    {
        let uses: &[Use] = match token.to_ascii_lowercase().as_str() {
            "ai-train" => &[Use::Train],
            "ai-input" => &[Use::Ground, Use::Summarize],
            "ai-index" => &[Use::Ground],
            "search" => &[Use::Cite],
            "ai-all" => &[Use::Train, Use::Ground, Use::Summarize],
            "all" => &USES,
            _ => {
                heard.fault(
                    "rsl_usage",
                    Weight::Warning,
                    element,
                    format!("`{}` is no usage that RSL knows.", word(token)),
                    "The usages are all, ai-all, ai-train, ai-input, ai-index and search.",
                );
                continue;
            }
        };
        let held = if list.permits { &mut license.permits } else { &mut license.prohibits };
        for what in uses {
            if !held.contains(what) {
                held.push(*what);
            }
        }
    }
}
