//! Where SVG and MathML start and end. In them, no element has raw text, and there are sections of
//! character data.

use super::tag_syntax::{Tag, TextKind, text_inside};
use crate::page::element_role::name;
use crate::page::tag::name_key;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Namespace {
    Html,
    Svg,
    MathMl,
}

/// The namespaces that are open inside the page's own, innermost last.
#[derive(Debug, Default)]
pub(super) struct ForeignContent {
    open: Vec<Namespace>,
}

const MATH: u64 = name_key(b"math");

impl ForeignContent {
    fn current(&self) -> Namespace {
        self.open.last().copied().unwrap_or(Namespace::Html)
    }

    pub(super) fn is_inside(&self) -> bool {
        self.current() != Namespace::Html
    }

    /// Notes a start tag, and returns what the text behind it is.
    pub(super) fn open(&mut self, tag: &Tag<'_>) -> TextKind {
        match (tag.key, self.current()) {
            (name::SVG, _) => self.open.push(Namespace::Svg),
            (MATH, _) => self.open.push(Namespace::MathMl),
            (key, Namespace::Html) => return text_inside(key),
            (key, _) if ends_foreign_content(key) || is_styled_font(tag) => {
                self.open.pop();
            }
            (key, around) => {
                let has_html = holds_html(key, around) || is_html_annotation(tag, around);
                if has_html && !tag.is_self_closing {
                    self.open.push(Namespace::Html);
                }
            }
        }
        TextKind::Markup
    }

    /// Notes an end tag.
    pub(super) fn close(&mut self, tag: &Tag<'_>) {
        // Most pages have no foreign content, and most of a page is not inside of it.
        let Some(current) = self.open.last().copied() else { return };
        let leaves = match current {
            Namespace::Svg => matches!(tag.key, name::SVG | name::P | name::BR),
            Namespace::MathMl => matches!(tag.key, MATH | name::P | name::BR),
            Namespace::Html => {
                let outer = self.open.iter().rev().nth(1).copied().unwrap_or(Namespace::Html);
                holds_html(tag.key, outer) || outer == Namespace::MathMl && is_annotation_name(tag)
            }
        };
        if leaves {
            self.open.pop();
        }
    }
}

/// Elements of SVG and MathML that contain HTML.
fn holds_html(key: u64, around: Namespace) -> bool {
    const MI: u64 = name_key(b"mi");
    const MO: u64 = name_key(b"mo");
    const MN: u64 = name_key(b"mn");
    const MS: u64 = name_key(b"ms");
    const MTEXT: u64 = name_key(b"mtext");
    match around {
        Namespace::Html => false,
        Namespace::Svg => matches!(key, name::DESC | name::TITLE | name::FOREIGN_OBJECT),
        Namespace::MathMl => matches!(key, MI | MO | MN | MS | MTEXT),
    }
}

fn is_annotation_name(tag: &Tag<'_>) -> bool {
    tag.name.eq_ignore_ascii_case(b"annotation-xml")
}

/// A MathML annotation that says that it is HTML.
fn is_html_annotation(tag: &Tag<'_>, around: Namespace) -> bool {
    around == Namespace::MathMl
        && is_annotation_name(tag)
        && tag.has_attribute(|name, value| {
            name.eq_ignore_ascii_case("encoding")
                && (value.eq_ignore_ascii_case("text/html")
                    || value.eq_ignore_ascii_case("application/xhtml+xml"))
        })
}

/// A `font` element of HTML, which is told by its attributes.
fn is_styled_font(tag: &Tag<'_>) -> bool {
    tag.key == name::FONT
        && tag.has_attribute(|name, _| {
            ["color", "size", "face"].iter().any(|known| name.eq_ignore_ascii_case(known))
        })
}

/// Elements of HTML that end foreign content wherever they start.
fn ends_foreign_content(key: u64) -> bool {
    const NAMES: [u64; 44] = {
        let names: [&str; 44] = [
            "b",
            "big",
            "blockquote",
            "body",
            "br",
            "center",
            "code",
            "dd",
            "div",
            "dl",
            "dt",
            "em",
            "embed",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "head",
            "hr",
            "i",
            "img",
            "li",
            "listing",
            "menu",
            "meta",
            "nobr",
            "ol",
            "p",
            "pre",
            "ruby",
            "s",
            "small",
            "span",
            "strong",
            "strike",
            "sub",
            "sup",
            "table",
            "tt",
            "u",
            "ul",
            "var",
        ];
        let mut keys = [0; 44];
        let (mut rest, mut out): (&[&str], &mut [u64]) = (&names, &mut keys);
        while let ([name, names @ ..], [key, keys @ ..]) = (rest, out) {
            *key = name_key(name.as_bytes());
            (rest, out) = (names, keys);
        }
        keys
    };
    NAMES.contains(&key)
}
