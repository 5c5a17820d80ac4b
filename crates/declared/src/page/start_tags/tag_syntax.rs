//! A tag, and what the text behind it is.

use crate::page::element_role::name;
use crate::page::tag::Attributes;

/// The most attributes of one tag.
pub(super) const MAX_ATTRIBUTES: usize = 1 << 17;

/// What the text from here on is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TextKind {
    Markup,
    /// Ends with its own end tag.
    Raw,
    Script,
    /// Never ends.
    Plain,
}

/// A tag whose end was found.
pub(super) struct Tag<'a> {
    /// As a number ([`name_key`]).
    pub(super) key: u64,
    pub(super) name: &'a [u8],
    /// What follows the name, with the closing bracket.
    pub(super) attributes: &'a str,
    pub(super) is_self_closing: bool,
    pub(super) end: usize,
}

impl Tag<'_> {
    pub(super) fn has_too_many_attributes(&self) -> bool {
        // Each takes two bytes at least.
        self.attributes.len() / 2 > MAX_ATTRIBUTES
            && Attributes(self.attributes).count() > MAX_ATTRIBUTES
    }

    /// Whether any attribute has this name and value.
    pub(super) fn has_attribute(&self, is_wanted: impl Fn(&str, &str) -> bool) -> bool {
        Attributes(self.attributes).any(|(name, value)| is_wanted(name, value))
    }
}

/// What the text in an HTML element of this name is.
pub(super) fn text_inside(key: u64) -> TextKind {
    use name::*;
    match key {
        TEXTAREA | TITLE | STYLE | IFRAME | XMP | NOEMBED | NOFRAMES | NOSCRIPT => TextKind::Raw,
        SCRIPT => TextKind::Script,
        PLAINTEXT => TextKind::Plain,
        _ => TextKind::Markup,
    }
}

/// Whether a text starts with this name of a tag, whatever the case, and the name ends there.
pub(super) fn is_end_tag_name(text: &[u8], wanted: &[u8]) -> bool {
    text.split_at_checked(wanted.len()).is_some_and(|(name, after)| {
        name.eq_ignore_ascii_case(wanted)
            && after.first().is_some_and(|byte| is_space(*byte) || is_end(*byte))
    })
}

/// Whether a byte ends a name without being white space.
pub(super) fn is_end(byte: u8) -> bool {
    matches!(byte, b'/' | b'>')
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | 0x0c)
}
