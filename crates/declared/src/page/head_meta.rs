//! The meta elements in the head of a page, for statements that only whoever writes the page can make.
//!
//! The head ends where browsers end it: at its end tag, at text, and at any element that cannot be in
//! a head. So nothing counts that visitors could write into a page: comments, text, attributes, the
//! body. What browsers with scripts do not take as elements (`noscript`) does not count either, nor
//! what is only a pattern for scripts (`template`).

use std::cell::RefCell;
use std::ops::Range;

use lol_html::{HtmlRewriter, MemorySettings, Settings, element};

use super::element_role::{holds_raw_text, name};
use super::markup_pieces::{MarkupPiece, MarkupPieces};
use super::tag::{self, name_key};
use super::text;
use crate::charset;

/// Memory limit of the tokeniser.
const MAX_PARSER_MEMORY: usize = 8 << 20;
/// How many elements of one name are read.
const MAX_ELEMENTS: usize = 32;
/// Longer contents are left out.
const MAX_CONTENT_BYTES: usize = 512;

/// The contents of all `<meta name="wanted" content="…">` in the head, in their order. Names have no
/// case in HTML; contents keep theirs.
#[must_use]
pub fn head_meta_contents(body: &[u8], content_type: Option<&str>, wanted: &str) -> Vec<String> {
    let html = charset::decode(body, content_type);
    let head = RefCell::new(HeadReader::new(&html, wanted));
    let settings = Settings::new()
        .with_memory_settings(
            MemorySettings::new().with_max_allowed_memory_usage(MAX_PARSER_MEMORY),
        )
        .with_strict(false)
        .append_element_content_handler(element!("*", |el| {
            let mut head = head.borrow_mut();
            head.start_tag(el.source_location().bytes());
            // The rest of the page is not read.
            if head.has_ended { Err("the head has ended".into()) } else { Ok(()) }
        }));
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    if rewriter.write(html.as_bytes()).is_ok() {
        let _ = rewriter.end();
    } else {
        drop(rewriter);
    }
    head.into_inner().contents
}

struct HeadReader<'a> {
    html: &'a str,
    wanted: &'a str,
    /// The offset up to which the page was read.
    at: usize,
    /// The open element that contains raw text, in which only its own end tag is a tag.
    raw: Option<u64>,
    /// How many templates are open.
    templates: usize,
    has_ended: bool,
    contents: Vec<String>,
}

impl<'a> HeadReader<'a> {
    fn new(html: &'a str, wanted: &'a str) -> Self {
        Self {
            html,
            wanted,
            at: 0,
            raw: None,
            templates: 0,
            has_ended: false,
            contents: Vec::new(),
        }
    }

    fn start_tag(&mut self, place: Range<usize>) {
        if self.has_ended {
            return;
        }
        let html = self.html;
        let between = html.get(self.at..place.start).unwrap_or_default();
        self.read_between(between);
        self.at = self.at.max(place.end);
        let (tag_name, attributes) = tag::split_start(html.get(place).unwrap_or_default());
        let tag = name_key(tag_name.as_bytes());
        self.raw = holds_raw_text(tag).then_some(tag);
        if tag == name::TEMPLATE {
            self.templates += 1;
        } else if self.templates == 0 {
            self.has_ended |= !may_be_in_head(tag);
            if tag == name::META && !self.has_ended {
                self.read_meta(attributes);
            }
        }
    }

    /// Text, end tags and comments before a start tag.
    fn read_between(&mut self, between: &str) {
        for piece in MarkupPieces::new(between, self.raw.take()) {
            match piece {
                MarkupPiece::End(name::TEMPLATE) => {
                    self.templates = self.templates.saturating_sub(1);
                }
                MarkupPiece::End(name::HEAD | name::BODY | name::HTML | name::BR)
                    if self.templates == 0 =>
                {
                    self.has_ended = true;
                }
                MarkupPiece::Text(text) if self.templates == 0 => {
                    let is_space = |byte: u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0c);
                    self.has_ended |= !text.bytes().all(is_space);
                }
                _ => {}
            }
        }
    }

    fn read_meta(&mut self, attributes: &str) {
        let named = tag::attribute(attributes, "name").map(|raw| text::clean_text(raw, 256));
        if !named.is_some_and(|named| named.eq_ignore_ascii_case(self.wanted)) {
            return;
        }
        let Some(content) = tag::attribute(attributes, "content") else { return };
        if content.len() <= MAX_CONTENT_BYTES && self.contents.len() < MAX_ELEMENTS {
            self.contents.push(text::clean_text(content, MAX_CONTENT_BYTES));
        }
    }
}

/// Elements that do not end the head. Every other element begins the body, whatever tags are written.
fn may_be_in_head(tag: u64) -> bool {
    use name::*;
    matches!(
        tag,
        HTML | HEAD
            | BASE
            | BASEFONT
            | BGSOUND
            | LINK
            | META
            | NOFRAMES
            | NOSCRIPT
            | SCRIPT
            | STYLE
            | TEMPLATE
            | TITLE
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(html: &str) -> Vec<String> {
        head_meta_contents(html.as_bytes(), Some("text/html; charset=utf-8"), "svc-verification")
    }

    const TAG: &str = "<meta name=\"svc-verification\" content=\"t0k\">";

    #[test]
    fn elements_in_the_head_are_read_however_they_are_written() {
        for html in [
            format!("<!doctype html><html><head>{TAG}</head><body></body></html>"),
            format!("<!-- x --><html lang=en>\n<head>\n<title>a &lt; b</title>{TAG}</head>"),
            format!("<title>no head tag</title>{TAG}<p>text"),
            format!("<head><script>if (a < b) x('</head>')</script><style>a{{}}</style>{TAG}"),
            format!("<head><noscript><img src=x></noscript><link rel=x>{TAG}</head>"),
            format!("<head><template><p>x</p></template>{TAG}</head>"),
            "<head><META CONTENT='t0k' Name=' SVC-Verification '></head>".to_owned(),
            "<head><meta name=svc-verification content=t0k></head>".to_owned(),
            "<head><meta name=svc-verification content=' &#116;0k\n'/></head>".to_owned(),
            "<head><meta content=t0k content=other name=svc-verification name=x></head>".to_owned(),
        ] {
            assert_eq!(read(&html), ["t0k"], "{html}");
        }
        let two = format!("<head>{TAG}<meta name=svc-verification content=T0K></head>");
        assert_eq!(read(&two), ["t0k", "T0K"]);
    }

    #[test]
    fn nothing_outside_of_the_head_counts() {
        for html in [
            format!("<head><!-- {TAG} --></head>"),
            format!("<head></head><body>{TAG}</body>"),
            format!("<head></head>{TAG}<body>"),
            format!("<body><head>{TAG}</head></body>"),
            format!("<head>some text {TAG}</head>"),
            format!("<p>{TAG}"),
            format!("<head><div>{TAG}</div></head>"),
            format!("</br><head>{TAG}</head>"),
            format!("<head><script>document.write('{TAG}')</script></head>"),
            format!("<head><script><!--<script></script>{TAG}--></script></head>"),
            format!("<head><noscript>{TAG}</noscript></head>"),
            format!("<head><noframes>{TAG}</noframes></head>"),
            format!("<head><template>{TAG}</template></head>"),
            format!("<head><template><template></template>{TAG}</template></head>"),
            format!("<head><svg>{TAG}</svg></head>"),
            format!("<head><svg><title>{TAG}</title></svg></head>"),
            format!("<head><title>{TAG}</title></head>"),
            format!("<head><title>never closed {TAG}"),
            format!("<head><style>{TAG}</style></head>"),
            format!("<head><link title='{TAG}'></head>"),
            format!("<head><meta name=description content='{}'></head>", TAG.replace('"', "")),
            "<head><meta property=svc-verification content=t0k></head>".to_owned(),
            "<head><meta name=svc-verification></head>".to_owned(),
            "<head><meta name=svc-verification content=t0k".to_owned(),
            "{\"meta\": \"svc-verification\"}".to_owned(),
        ] {
            assert_eq!(read(&html), [""; 0], "{html}");
        }
    }

    #[test]
    fn contents_are_limited_in_number_and_length() {
        assert_eq!(read(&TAG.repeat(3 * MAX_ELEMENTS)).len(), MAX_ELEMENTS);
        let long = "a".repeat(MAX_CONTENT_BYTES + 1);
        assert_eq!(read(&format!("<meta name=svc-verification content={long}>{TAG}")), ["t0k"]);
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(body in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
            let _ = head_meta_contents(&body, None, "svc-verification");
        }

        #[test]
        fn nothing_is_read_after_the_body_began(
            html in "(<head>|</head>|<template>|</template>|<title>|</title>|<script>|</script>|<!--|-->|<svg>|</svg>|'|\"| )*",
        ) {
            proptest::prop_assert_eq!(read(&format!("x<p>{html}{TAG}")), Vec::<String>::new());
            let _ = read(&format!("{html}{TAG}"));
        }
    }
}
