//! Finds the style sheets of a page before it is read: a sheet applies to the whole page, wherever it
//! stands.

use crate::page::element_role;
use crate::page::element_role::name;
use crate::page::markup_pieces::{MarkupPiece, MarkupPieces};
use crate::page::tag::{self, name_key, split_start};

/// Style elements and linked sheets that are looked at.
const MAX_SOURCES: usize = 200;

/// Where rules come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::page) enum StyleSource<'h> {
    Embedded { css: &'h str, media: &'h str },
    Linked { href: &'h str, media: &'h str },
}

/// The style sheets of a page in their order.
pub(in crate::page) fn find_sources(html: &str) -> Vec<StyleSource<'_>> {
    let mut sources = Vec::new();
    if !mentions_styles(html) {
        return sources;
    }
    let mut rest = html;
    // Each step moves behind one start tag.
    while let Some(start) = next_start_tag(rest) {
        let inner = rest.get(start..).unwrap_or_default();
        let (tag_name, after_name) = split_start(inner);
        let key = name_key(tag_name.as_bytes());
        let after = tag::after_tag(after_name);
        let attributes =
            after_name.get(..after_name.len().saturating_sub(after.len())).unwrap_or_default();
        let mut behind = after;
        if element_role::holds_raw_text(key) {
            let mut pieces = MarkupPieces::new(after, Some(key));
            let Some(MarkupPiece::Raw(_, raw)) = pieces.next() else { break };
            behind = after.get(raw.len()..).unwrap_or_default();
            if key == name::STYLE && is_css(attributes) {
                let media = tag::attribute(attributes, "media").unwrap_or_default();
                sources.extend(imports(raw).map(|href| StyleSource::Linked { href, media }));
                sources.push(StyleSource::Embedded { css: raw, media });
            }
        } else if key == name::TEMPLATE {
            // Sheets of a template apply only where a script inserts it.
            behind = behind_template(after);
        } else if key == name::LINK
            && let Some(href) = tag::attribute(attributes, "href")
            && is_style_sheet(attributes)
        {
            // `media="print" onload="this.media='all'"` loads a sheet for the screen later.
            let swapped = tag::attribute(attributes, "onload").is_some_and(|s| s.contains("media"));
            let media = tag::attribute(attributes, "media").filter(|_| !swapped);
            sources.push(StyleSource::Linked { href, media: media.unwrap_or_default() });
        }
        if sources.len() >= MAX_SOURCES {
            break;
        }
        rest = behind;
    }
    sources
}

/// The sheets that an embedded sheet imports. They stand before everything else.
fn imports(css: &str) -> impl Iterator<Item = &str> {
    const MAX_IMPORTS: usize = 8;
    let mut rest = css;
    let next = move || {
        rest = rest.trim_start();
        while let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/")?.1.trim_start();
        }
        let keyword = rest.get(..7).filter(|word| word.eq_ignore_ascii_case("@import"))?;
        let (statement, after) = rest.get(keyword.len()..)?.split_once(';')?;
        rest = after;
        let statement = statement.trim();
        let inner = match statement.get(..4) {
            Some(url) if url.eq_ignore_ascii_case("url(") => {
                statement.get(4..)?.split_once(')')?.0.trim()
            }
            _ => statement,
        };
        let mark = inner.chars().next().filter(|mark| matches!(mark, '"' | '\''));
        match mark {
            Some(mark) => inner.get(1..)?.split(mark).next(),
            None => inner.split_ascii_whitespace().next(),
        }
    };
    std::iter::from_fn(next).take(MAX_IMPORTS)
}

/// A cheap test that spares most of the work for pages without styles.
fn mentions_styles(html: &str) -> bool {
    memchr::memchr_iter(b'<', html.as_bytes()).any(|at| {
        let name = html.as_bytes().get(at + 1..at + 6).unwrap_or_default();
        name.eq_ignore_ascii_case(b"style")
            || name.get(..4).is_some_and(|link| link.eq_ignore_ascii_case(b"link"))
    })
}

/// The offset of the next start tag. Comments are skipped.
fn next_start_tag(html: &str) -> Option<usize> {
    let mut pieces = MarkupPieces::new(html, None);
    // The pieces end at a start tag, or with the text.
    while pieces.next().is_some() {}
    let rest = pieces.rest();
    let starts = rest.as_bytes().first() == Some(&b'<')
        && rest.as_bytes().get(1).is_some_and(u8::is_ascii_alphabetic);
    starts.then(|| html.len() - rest.len())
}

/// What follows the end tag of a template. A nested template ends the outer one too early, which only
/// means that a sheet of the outer one counts.
fn behind_template(html: &str) -> &str {
    let mut from = 0;
    while let Some(at) = html.get(from..).and_then(|rest| rest.find("</")) {
        let start = from + at + 2;
        let inner = html.get(start..).unwrap_or_default();
        if inner.get(..8).is_some_and(|name| name.eq_ignore_ascii_case("template")) {
            return inner;
        }
        from = start;
    }
    ""
}

fn is_css(attributes: &str) -> bool {
    tag::attribute(attributes, "type").is_none_or(|kind| {
        let kind = kind.trim();
        kind.is_empty() || kind.eq_ignore_ascii_case("text/css")
    })
}

fn is_style_sheet(attributes: &str) -> bool {
    let rel = tag::attribute(attributes, "rel").unwrap_or_default();
    let has = |word: &str| rel.split_ascii_whitespace().any(|part| part.eq_ignore_ascii_case(word));
    has("stylesheet")
        && !has("alternate")
        && tag::attribute(attributes, "disabled").is_none()
        && is_css(attributes)
}
