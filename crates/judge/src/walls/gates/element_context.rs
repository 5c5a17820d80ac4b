//! What an element says about the text inside it.

use super::tags::Attributes;

pub(super) type Bits = u8;

pub(super) const FORM: Bits = 1;
/// Menus, page headers and footers, side bars.
pub(super) const EDGE: Bits = 1 << 1;
/// Dialogs, pop-ups, cookie banners.
pub(super) const OVERLAY: Bits = 1 << 2;
pub(super) const HIDDEN: Bits = 1 << 3;
pub(super) const NOSCRIPT: Bits = 1 << 4;
/// Lists of values, such as all countries.
pub(super) const OPTIONS: Bits = 1 << 5;
/// Not part of what the page is about.
pub(super) const APART: Bits = EDGE | OVERLAY | HIDDEN;

const EDGE_CLASSES: [&str; 16] = [
    "nav",
    "navbar",
    "navigation",
    "menu",
    "sidebar",
    "widget",
    "footer",
    "site-footer",
    "site-header",
    "page-header",
    "masthead",
    "topbar",
    "breadcrumb",
    "breadcrumbs",
    "side-bar",
    "languages",
];
const OVERLAY_PARTS: [&str; 9] = [
    "modal",
    "popup",
    "pop-up",
    "overlay",
    "cookie",
    "consent",
    "offcanvas",
    "dropdown",
    "lightbox",
];

pub(super) fn bits_of(name: &str, attributes: Attributes<'_>) -> Bits {
    let lower = name.to_ascii_lowercase();
    let mut bits = match lower.as_str() {
        "form" => FORM,
        "nav" | "header" | "footer" | "aside" | "menu" => EDGE,
        "dialog" => OVERLAY,
        "noscript" => NOSCRIPT,
        "select" | "datalist" | "option" | "textarea" | "title" | "script" | "style" | "iframe"
        | "template" | "svg" => OPTIONS,
        // Their class names describe the state of the whole page.
        "html" | "body" | "main" | "article" => return 0,
        _ => 0,
    };
    for (name, value) in attributes.iter() {
        if name.eq_ignore_ascii_case("hidden") {
            bits |= HIDDEN;
        } else if name.eq_ignore_ascii_case("style") {
            let style: String =
                value.chars().filter(|c| !c.is_whitespace()).take(400).collect::<String>();
            let style = style.to_ascii_lowercase();
            if style.contains("display:none") || style.contains("visibility:hidden") {
                bits |= HIDDEN;
            }
        } else if name.eq_ignore_ascii_case("role") {
            bits |= match value.trim().to_ascii_lowercase().as_str() {
                "navigation" | "banner" | "contentinfo" | "complementary" | "menu" | "search" => {
                    EDGE
                }
                "dialog" | "alertdialog" => OVERLAY,
                _ => 0,
            };
        } else if name.eq_ignore_ascii_case("class") || name.eq_ignore_ascii_case("id") {
            for word in value.split_ascii_whitespace().take(20) {
                let word = word.to_ascii_lowercase();
                if EDGE_CLASSES.contains(&word.as_str()) {
                    bits |= EDGE;
                }
                if OVERLAY_PARTS.iter().any(|part| word.contains(part)) {
                    bits |= OVERLAY;
                }
            }
        }
    }
    bits
}

pub(super) fn is_inline(name: &str) -> bool {
    let inline = [
        "a", "abbr", "b", "br", "code", "em", "font", "i", "mark", "q", "s", "small", "span",
        "strong", "sub", "sup", "time", "u", "wbr",
    ];
    inline.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// `name` is in lower case.
pub(super) fn is_void(name: &str) -> bool {
    let void = [
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param",
        "source", "track", "wbr",
    ];
    void.contains(&name)
}
