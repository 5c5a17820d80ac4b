//! Text files from strangers: UTF-8, not a web page, bounded.

use std::borrow::Cow;

use super::http::Media;
use super::report::Report;
use crate::fault::Weight;
use crate::shape::looks_like_html;

/// What is looked at of a text; the rest is only counted.
pub(super) const MAX_BYTES: usize = 1024 * 1024;

/// Media types of files that are plain text and nothing else.
pub(super) const PLAIN: Media =
    Media { right: &["text/plain"], tolerated: &[], otherwise: Weight::Warning };

/// Media types of files written in Markdown.
pub(super) const MARKDOWN: Media =
    Media { right: &["text/markdown", "text/plain"], tolerated: &[], otherwise: Weight::Warning };

/// Reads the body as text; what stands in the way becomes a fault.
pub(super) fn open<'a>(report: &mut Report<'a>, media: &Media) -> Option<Cow<'a, str>> {
    let body = report.served.body;
    if body.starts_with(b"\xff\xfe") || body.starts_with(b"\xfe\xff") {
        report.spoil(
            "utf16",
            "line 1",
            "The file is UTF-16; readers expect UTF-8 and see only rubbish.",
            "Save it as UTF-8 without a byte order mark.",
        );
        return None;
    }
    let bare = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    if looks_like_html(body) || bare.trim_ascii_start().starts_with(b"<?xml") {
        report.spoil(
            "html_instead",
            "",
            "A page of mark-up came where plain text is expected; servers do this when they answer every unknown path with the home page.",
            "Serve the text file itself, or answer 404 for a file you do not have.",
        );
        return None;
    }
    report.media(media);
    if bare.len() < body.len() {
        report.note(
            "byte_order_mark",
            "line 1",
            "The file begins with a byte order mark; some readers take it as part of the first line.",
            "Save it as UTF-8 without a byte order mark.",
        );
    }
    if bare.trim_ascii().is_empty() {
        report.spoil("empty", "", "The file is empty.", "Fill it, or answer 404.");
        return None;
    }
    let read = bare.get(..MAX_BYTES).unwrap_or(bare);
    let whole = read.len() == bare.len() && !report.served.cut;
    let text = String::from_utf8_lossy(read);
    // A cut through the middle of a character is ours, not the file's.
    let broken = match std::str::from_utf8(read) {
        Ok(_) => None,
        Err(error) if !whole && error.error_len().is_none() => None,
        Err(error) => Some(error.valid_up_to()),
    };
    if let Some(valid) = broken {
        let line = read.iter().take(valid).filter(|byte| **byte == b'\n').count() + 1;
        report.warn(
            "not_utf8",
            format!("line {line}"),
            "The file is not valid UTF-8; readers show wrong characters or refuse it.",
            "Save it as UTF-8.",
        );
    }
    if read.contains(&0) {
        report.warn(
            "nul_byte",
            "",
            "The file holds zero bytes, which plain text never does.",
            "Save it as UTF-8 text.",
        );
    }
    Some(text)
}
