//! Reads untrusted text files: UTF-8, not a web page, bounded in size.

use std::borrow::Cow;

use super::http::MediaTypes;
use super::report::Report;
use crate::fault::Weight;
use crate::sniff::looks_like_html;

/// How many bytes of a text are examined; the rest is only counted.
pub(super) const MAX_BYTES: usize = 1024 * 1024;

/// Media types of plain text files.
pub(super) const PLAIN_TEXT: MediaTypes =
    MediaTypes { accepted: &["text/plain"], tolerated: &[], weight_otherwise: Weight::Warning };

/// Media types of files written in Markdown.
pub(super) const MARKDOWN: MediaTypes = MediaTypes {
    accepted: &["text/markdown", "text/plain"],
    tolerated: &[],
    weight_otherwise: Weight::Warning,
};

/// Reads the body as text. Problems become faults.
pub(super) fn read_text<'a>(report: &mut Report<'a>, media: &MediaTypes) -> Option<Cow<'a, str>> {
    let body = report.served.body;
    if body.starts_with(b"\xff\xfe") || body.starts_with(b"\xfe\xff") {
        report.fatal(
            "utf16",
            "line 1",
            "The file is UTF-16. Readers expect UTF-8 and cannot read it.",
            "Save it as UTF-8 without a byte order mark.",
        );
        return None;
    }
    let bare = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    if looks_like_html(body) || bare.trim_ascii_start().starts_with(b"<?xml") {
        report.fatal(
            "html_instead",
            "",
            "The server sent HTML or XML instead of plain text. It probably answers every unknown path with the home page.",
            "Serve the text file, or answer 404 if you do not have one.",
        );
        return None;
    }
    report.check_media_type(media);
    if bare.len() < body.len() {
        report.note(
            "byte_order_mark",
            "line 1",
            "The file begins with a byte order mark. Some readers treat it as part of the first line.",
            "Save it as UTF-8 without a byte order mark.",
        );
    }
    if bare.trim_ascii().is_empty() {
        report.fatal("empty", "", "The file is empty.", "Add content to it, or answer 404.");
        return None;
    }
    let read = bare.get(..MAX_BYTES).unwrap_or(bare);
    let whole = read.len() == bare.len() && !report.served.truncated;
    let text = String::from_utf8_lossy(read);
    // A character that our limit split is not a fault of the file.
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
            "The file is not valid UTF-8. Readers show wrong characters or reject it.",
            "Save it as UTF-8.",
        );
    }
    if read.contains(&0) {
        report.warn(
            "nul_byte",
            "",
            "The file contains zero bytes, which plain text must not contain.",
            "Save it as UTF-8 text.",
        );
    }
    Some(text)
}
