//! Finds the start tags of a page.
//!
//! The states are those of the tokeniser of the HTML standard that decide where a tag starts and ends.
//! What is inside a tag is read elsewhere, and what is between two tags too (`markup_pieces`), so that
//! nothing is copied or kept here. A test compares the tags with those that `lol_html` finds.

mod foreign_content;
mod open_elements;
mod script_text;
mod tag_syntax;

use std::ops::Range;

use foreign_content::ForeignContent;
use open_elements::OpenElements;
use script_text::script_end_tag;
use tag_syntax::{Tag, TextKind, is_end, is_end_tag_name, is_space};

use super::tag::name_key;

/// An iterator over the start tags of a page, as byte ranges. A tag that never ends is none.
pub(super) struct StartTags<'a> {
    html: &'a str,
    at: usize,
    text: TextKind,
    /// The name of the last start tag: the end tag of raw text has the same.
    last_name: &'a [u8],
    foreign: ForeignContent,
    open: OpenElements,
    has_overlong_tag: bool,
}

impl<'a> StartTags<'a> {
    pub(super) fn new(html: &'a str) -> Self {
        Self {
            html,
            at: 0,
            text: TextKind::Markup,
            last_name: b"",
            foreign: ForeignContent::default(),
            open: OpenElements::default(),
            has_overlong_tag: false,
        }
    }

    /// Whether the tags behind the last one were not looked for: too many elements are open, or a tag has
    /// too many attributes.
    pub(super) fn gave_up(&self) -> bool {
        self.has_overlong_tag || self.open.are_too_many()
    }

    fn rest(&self) -> &'a [u8] {
        self.html.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// The next start tag in markup. None at the end of the page, and where the text becomes raw.
    fn next_in_markup(&mut self) -> Option<Range<usize>> {
        loop {
            self.at += memchr::memchr(b'<', self.rest())?;
            let start = self.at;
            match self.rest() {
                [_, letter, ..] if letter.is_ascii_alphabetic() => {
                    let tag = self.read_tag(start + 1)?;
                    self.at = tag.end;
                    self.last_name = tag.name;
                    self.text = self.foreign.open(&tag);
                    self.open.open(&tag, self.foreign.is_inside());
                    self.has_overlong_tag = tag.has_too_many_attributes();
                    return Some(start..tag.end).filter(|_| !self.gave_up());
                }
                [_, b'/', letter, ..] if letter.is_ascii_alphabetic() => {
                    let tag = self.read_tag(start + 2)?;
                    self.at = tag.end;
                    self.close(&tag);
                }
                [_, b'/', b'>', ..] => self.at += 3,
                [_, b'/', _, ..] | [_, b'?', ..] => self.skip_behind(2, b">")?,
                [_, b'!', b'-', b'-', comment @ ..] => {
                    self.at += 4 + comment_length(comment)?;
                }
                [_, b'!', declaration @ ..] => {
                    let is_data = declaration.starts_with(b"[CDATA[") && self.foreign.is_inside();
                    let end: &[u8] = if is_data { b"]]>" } else { b">" };
                    self.skip_behind(if is_data { 9 } else { 2 }, end)?;
                }
                [_, _, ..] => self.at += 1,
                _ => return None,
            }
        }
    }

    /// Moves behind the next such mark, which is at least so far away.
    fn skip_behind(&mut self, least: usize, mark: &[u8]) -> Option<()> {
        let rest = self.rest().get(least..)?;
        self.at += least + memchr::memmem::find(rest, mark)? + mark.len();
        Some(())
    }

    /// Moves behind the end tag of raw text. None if there is no such tag.
    fn skip_raw_text(&mut self) -> Option<()> {
        let name_at = match self.text {
            TextKind::Markup => return Some(()),
            TextKind::Plain => return None,
            TextKind::Raw => raw_end_tag(self.rest(), self.last_name)?,
            TextKind::Script => script_end_tag(self.rest(), self.last_name)?,
        };
        let tag = self.read_tag(self.at + name_at)?;
        self.at = tag.end;
        self.text = TextKind::Markup;
        self.close(&tag);
        Some(())
    }

    fn close(&mut self, tag: &Tag<'_>) {
        self.foreign.close(tag);
        self.open.close(tag);
    }

    /// Reads a tag from its name on. None if it does not end.
    fn read_tag(&self, name_at: usize) -> Option<Tag<'a>> {
        let bytes = self.html.as_bytes();
        let from_name = bytes.get(name_at..)?;
        let length = from_name.iter().position(|byte| is_space(*byte) || is_end(*byte))?;
        let name = from_name.get(..length)?;
        let (tail, is_self_closing) = tag_tail(from_name.get(length..)?)?;
        let attributes_at = name_at + length;
        // The key ignores zeros at the end of a name, which make it another one.
        let key = if name.last() == Some(&0) { 0 } else { name_key(name) };
        Some(Tag {
            key,
            name,
            attributes: self.html.get(attributes_at..attributes_at + tail).unwrap_or_default(),
            is_self_closing,
            end: attributes_at + tail,
        })
    }
}

impl Iterator for StartTags<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let found = self.skip_raw_text().and_then(|()| self.next_in_markup());
        if found.is_none() {
            self.at = self.html.len();
            self.text = TextKind::Plain;
        }
        found
    }
}

/// How long a tag is from behind its name to behind its bracket, and whether it closes itself.
fn tag_tail(bytes: &[u8]) -> Option<(usize, bool)> {
    let mut rest = bytes;
    let behind = |rest: &[u8]| bytes.len() - rest.len();
    loop {
        match rest {
            [b'>', after @ ..] => return Some((behind(after), false)),
            [b'/', b'>', after @ ..] => return Some((behind(after), true)),
            [b'/' | b' ' | b'\n' | b'\r' | b'\t' | 0x0c, after @ ..] => rest = after,
            // A name may start with any other character, also with an equals sign.
            [_, after @ ..] => {
                let ends = |byte: &u8| is_space(*byte) || is_end(*byte) || *byte == b'=';
                rest = after.get(after.iter().position(ends)?..)?;
                rest = after_value(rest)?;
            }
            [] => return None,
        }
    }
}

/// What follows the value of an attribute whose name was read, or the name if it has no value.
fn after_value(after_name: &[u8]) -> Option<&[u8]> {
    let [b'=', value @ ..] = skip_space(after_name) else { return Some(after_name) };
    match skip_space(value) {
        [quote @ (b'"' | b'\''), inside @ ..] => inside.get(memchr::memchr(*quote, inside)? + 1..),
        value => value.get(value.iter().position(|byte| is_space(*byte) || *byte == b'>')?..),
    }
}

/// A text without the white space before it. HTML has less of it than ASCII.
fn skip_space(text: &[u8]) -> &[u8] {
    let length = text.iter().take_while(|byte| is_space(**byte)).count();
    text.get(length..).unwrap_or_default()
}

/// How long a comment is from behind its opening mark to behind its closing one.
fn comment_length(comment: &[u8]) -> Option<usize> {
    if comment.starts_with(b">") {
        return Some(1);
    }
    if comment.starts_with(b"->") {
        return Some(2);
    }
    memchr::memchr_iter(b'>', comment)
        .find(|at| {
            let before = comment.get(..*at).unwrap_or_default();
            before.ends_with(b"--") || before.ends_with(b"--!")
        })
        .map(|at| at + 1)
}

/// Where the name of the end tag of raw text starts.
fn raw_end_tag(text: &[u8], wanted: &[u8]) -> Option<usize> {
    memchr::memmem::find_iter(text, b"</")
        .map(|at| at + 2)
        .find(|at| is_end_tag_name(text.get(*at..).unwrap_or_default(), wanted))
}

#[cfg(test)]
mod tests;
