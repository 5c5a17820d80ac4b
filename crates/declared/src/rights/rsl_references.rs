//! Where licences are found outside robots.txt: in RSS and Atom feeds, and behind links to licence files.

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use super::ParsedStatements;
use super::rsl::{self, MEDIA_TYPE, NAMESPACE};
use crate::link;

const MAX_EVENTS: usize = 200_000;
/// How many licences of one feed are read, and how long they may be together.
const MAX_ELEMENTS: usize = 200;
const MAX_BYTES: usize = 512 * 1024;
const MAX_LINKS: usize = 10;

/// What the licences in a feed state for one path. A feed without any states nothing.
#[must_use]
pub fn parse_feed(body: &[u8], for_path: &str) -> ParsedStatements {
    let text = String::from_utf8_lossy(body);
    let Some((prefix, elements)) = collect_elements(&text) else {
        return ParsedStatements::default();
    };
    let mut document = format!("<rsl xmlns=\"{NAMESPACE}\" xmlns:{prefix}=\"{NAMESPACE}\">");
    for element in elements {
        document.push_str(&element);
    }
    document.push_str("</rsl>");
    rsl::parse(document.as_bytes(), for_path)
}

/// The prefix of the RSL namespace in a feed, and its `content` elements. A `license` outside of a
/// `content` element is for the whole site.
fn collect_elements(text: &str) -> Option<(String, Vec<String>)> {
    let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}').trim_start());
    let source = text.trim_start_matches('\u{feff}').trim_start();
    reader.config_mut().expand_empty_elements = true;
    let mut prefix: Option<String> = None;
    let mut elements = Vec::new();
    // The start of the element that is being collected, its name, and how many of that name are open.
    let mut open: Option<(usize, String, usize)> = None;
    let mut bytes = 0;
    for _ in 0..MAX_EVENTS {
        let before = usize::try_from(reader.buffer_position()).ok()?;
        match reader.read_event() {
            Ok(Event::Start(element)) => {
                let name = element.name().into_inner().to_owned();
                prefix = prefix.or_else(|| rsl_prefix(&element));
                let Some(prefix) = &prefix else { continue };
                match &mut open {
                    Some((_, collected, depth)) if *collected == name => *depth += 1,
                    Some(_) => {}
                    None => {
                        let local =
                            name.strip_prefix(prefix.as_str()).and_then(|n| n.strip_prefix(':'));
                        if matches!(local, Some("content" | "license")) {
                            open = Some((before, name, 1));
                        }
                    }
                }
            }
            Ok(Event::End(element)) => {
                let Some((start, name, depth)) = &mut open else { continue };
                if element.name().into_inner() != name.as_str() {
                    continue;
                }
                *depth -= 1;
                if *depth > 0 {
                    continue;
                }
                let end = usize::try_from(reader.buffer_position()).ok()?;
                let raw = source.get(*start..end).unwrap_or_default();
                bytes += raw.len();
                if bytes > MAX_BYTES || elements.len() >= MAX_ELEMENTS {
                    break;
                }
                elements.push(if name.ends_with(":license") {
                    format!("<content url=\"/\">{raw}</content>")
                } else {
                    raw.to_owned()
                });
                open = None;
            }
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => {}
        }
    }
    (!elements.is_empty()).then_some(())?;
    Some((prefix?, elements))
}

/// The prefix that an element binds to the RSL namespace, if it is a plain name.
fn rsl_prefix(element: &BytesStart<'_>) -> Option<String> {
    element.attributes().with_checks(false).take(64).flatten().find_map(|attribute| {
        let prefix = attribute.key.into_inner().strip_prefix("xmlns:")?;
        let is_plain = !prefix.is_empty()
            && prefix.len() <= 40
            && prefix
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
        (attribute.value == NAMESPACE && is_plain).then(|| prefix.to_owned())
    })
}

/// The licence files that a feed links to, as written: `<link rel="license" type="application/rsl+xml"
/// href="…">` (RFC 4946), with any prefix, since RSS borrows the element from Atom.
#[must_use]
pub fn feed_links(body: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(body);
    let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}').trim_start());
    let mut found: Vec<String> = Vec::new();
    for _ in 0..MAX_EVENTS {
        let element = match reader.read_event() {
            Ok(Event::Start(element) | Event::Empty(element)) => element,
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => continue,
        };
        if element.local_name().into_inner() != "link" {
            continue;
        }
        let attribute = |name: &str| {
            let mut attributes = element.attributes();
            let mut all = attributes.with_checks(false).take(64).flatten();
            let found = all.find(|attribute| attribute.key.into_inner() == name)?;
            found
                .normalized_value(XmlVersion::Implicit1_0)
                .ok()
                .map(|value| value.trim().to_owned())
        };
        let is_licence = attribute("rel").is_some_and(|rel| {
            rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("license"))
        }) && attribute("type").is_some_and(|media| is_rsl(&media));
        if is_licence
            && let Some(href) = attribute("href")
            && !found.contains(&href)
        {
            found.push(href);
        }
        if found.len() >= MAX_LINKS {
            break;
        }
    }
    found
}

/// Whether a media type is that of licence files.
#[must_use]
pub fn is_rsl(media_type: &str) -> bool {
    media_type.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(MEDIA_TYPE)
}

/// The licence files that `Link` header fields refer to (`rel="license"`, `type="application/rsl+xml"`), as
/// written. A licence server sends them with the page or with its refusal.
#[must_use]
pub fn license_links<'a>(link_fields: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for link in link::parse(link_fields) {
        if link.media_type.as_deref().is_some_and(is_rsl)
            && link.has_rel("license")
            && !found.contains(&link.target)
        {
            found.push(link.target);
        }
        if found.len() >= MAX_LINKS {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::{ContentUse, Effect};
    use super::*;

    const FEED: &str = r#"<?xml version="1.0"?>
        <rss version="2.0" xmlns:rsl="https://rslstandard.org/rsl" xmlns:media="http://search.yahoo.com/mrss/">
        <channel><title>Ferry</title><rsl:content url="/"><rsl:license><rsl:prohibits type="usage">ai-train</rsl:prohibits></rsl:license></rsl:content>
        <item><title>a &amp; b</title><content>not this</content><media:content url="/x"/></item></channel></rss>"#;

    fn effects(feed: &str) -> Vec<(ContentUse, Effect)> {
        let parsed = parse_feed(feed.as_bytes(), "/");
        parsed.statements.iter().flat_map(|s| s.uses.iter().map(|(u, e)| (*u, *e))).collect()
    }

    #[test]
    fn licences_in_feeds_are_read() {
        assert_eq!(effects(FEED), [(ContentUse::Train, Effect::Disallow)]);
        assert_eq!(
            effects(&FEED.replace("rsl:", "r1:").replace("xmlns:rsl=", "xmlns:r1=")),
            [(ContentUse::Train, Effect::Disallow)]
        );
        let bare = FEED.replace("<rsl:content url=\"/\">", "").replace("</rsl:content>", "");
        assert_eq!(effects(&bare), [(ContentUse::Train, Effect::Disallow)]);
        assert_eq!(effects(&FEED.replace("rslstandard.org", "other.example")), []);
        assert_eq!(effects("<rss><channel/></rss>"), []);
        let atom = r#"<feed xmlns="http://www.w3.org/2005/Atom" xmlns:rsl="https://rslstandard.org/rsl"><entry>
            <content>text</content><rsl:content url="/"><rsl:license><rsl:permits type="usage">search</rsl:permits></rsl:license></rsl:content></entry></feed>"#;
        assert!(effects(atom).contains(&(ContentUse::Cite, Effect::Allow)));
    }

    #[test]
    fn feeds_link_to_licences() {
        let feed = r#"<rss xmlns:atom="http://www.w3.org/2005/Atom"><channel><link>https://a.example/</link>
            <atom:link rel="license" type="application/rsl+xml" href="/l.xml?a=1&amp;b=2"/>
            <atom:link rel="license" href="/cc.html"/><atom:link rel="self" type="application/rsl+xml" href="/x"/>
            <atom:link rel="self License" type="Application/RSL+xml; charset=utf-8" href="/m.xml"></atom:link></channel></rss>"#;
        assert_eq!(feed_links(feed.as_bytes()), ["/l.xml?a=1&b=2", "/m.xml"]);
        assert_eq!(feed_links(b"<html><link rel=license"), [""; 0]);
    }

    #[test]
    fn licence_links_are_found() {
        let fields = [
            "<https://a.example/l.xml>; rel=\"license\"; type=\"application/rsl+xml\", </cc>; rel=license",
            "</l2.xml>; rel=license; type=application/rsl+xml",
        ];
        assert_eq!(license_links(fields), ["https://a.example/l.xml", "/l2.xml"]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_a_feed(text in "(<rsl:content |<rss |xmlns:rsl=\"https://rslstandard.org/rsl\"|>|</rsl:content>|<rsl:license>|</rss>|x|&|/>){0,20}") {
            let _ = parse_feed(text.as_bytes(), "/");
            let _ = feed_links(text.as_bytes());
        }
    }
}
