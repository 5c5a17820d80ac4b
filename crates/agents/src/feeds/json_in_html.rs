//! A JSON list inside a web page, as code or in a script.

use super::content::FeedContent;
use super::fault::FeedFault;
use super::page_text::{TextPieces, page_text};
use super::prefix_json;

pub(super) fn parse(html: &str) -> Result<FeedContent, FeedFault> {
    let text = page_text(html, TextPieces::Joined)?;
    let mut fault = FeedFault::NoJsonInPage;
    let mut rest = text.as_str();
    while let Some(start) = rest.find('{') {
        let (_, from_brace) = rest.split_at_checked(start).unwrap_or_default();
        match object_end(from_brace) {
            ObjectEnd::At(end) => {
                let (object, after) = from_brace.split_at_checked(end).unwrap_or_default();
                match prefix_json::parse(object) {
                    // Some other object.
                    Err(FeedFault::NotAPrefixList) => {}
                    Err(invalid @ FeedFault::InvalidJson { .. }) => {
                        if names_prefixes(object) {
                            fault = invalid;
                        }
                    }
                    found => return found,
                }
                rest = after;
            }
            ObjectEnd::NotJson(at) => {
                (_, rest) = from_brace.split_at_checked(at).unwrap_or_default();
            }
            ObjectEnd::Missing => {
                // The page ends inside an object: if it is the list, it is incomplete.
                if names_prefixes(from_brace) {
                    fault = FeedFault::Truncated;
                }
                break;
            }
        }
    }
    Err(fault)
}

/// Whether an object that is no valid JSON was meant to be the list.
fn names_prefixes(text: &str) -> bool {
    text.contains("\"prefixes\"")
}

/// Where the object at the start of a text ends.
enum ObjectEnd {
    /// After this many bytes.
    At(usize),
    /// It is no JSON object: JSON has no such byte at this position.
    NotJson(usize),
    /// The text ends first.
    Missing,
}

/// Finds the end of an object without reading its values, so that the whole page is read only once.
/// Stops at what cannot be JSON, because prose and scripts have braces too.
fn object_end(text: &str) -> ObjectEnd {
    let mut depth = 0_usize;
    let mut in_string = false;
    // After an opening brace come only a name or the closing brace.
    let mut after_brace = false;
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        if in_string {
            match byte {
                b'"' => in_string = false,
                b'\\' => drop(bytes.next()),
                0..0x20 => return ObjectEnd::NotJson(at),
                _ => {}
            }
            continue;
        }
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => continue,
            b'"' => in_string = true,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return ObjectEnd::At(at + 1);
                }
            }
            _ if after_brace => return ObjectEnd::NotJson(at),
            b'{' | b'[' => depth += 1,
            // Between values, and the characters of numbers, true, false and null.
            b',' | b':' | b'0'..=b'9' | b'.' | b'+' | b'-' | b'E' => {}
            b'a' | b'e' | b'f' | b'l' | b'n' | b'r' | b's' | b't' | b'u' => {}
            _ => return ObjectEnd::NotJson(at),
        }
        after_brace = byte == b'{';
    }
    ObjectEnd::Missing
}
