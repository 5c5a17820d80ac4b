//! Parses untrusted JSON: bounded in size and depth, with duplicate names reported.

use contract::json::{self, Bom, ErrorKind, Limits, OnDuplicate, Parsed, Pointer};
use contract::text::display_safe;
use serde_json::Value;

use super::http::MediaTypes;
use super::json_text::{pointer_token, type_name};
use super::report::Report;
use crate::sniff::looks_like_html;

/// Deeper nesting is rejected.
const MAX_DEPTH: usize = 64;

/// Larger bodies are not parsed; agents have limits as well.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// Many agents do not read larger files.
const ADVISED_BYTES: usize = 1024 * 1024;

const LIMITS: Limits = Limits {
    bytes: MAX_BYTES,
    depth: MAX_DEPTH,
    values: json::SITE_DOCUMENT_VALUES,
    max_integer: None,
    bom: Bom::Skip,
};

/// How many duplicate names are reported.
const MAX_DUPLICATES: usize = 20;

/// Parses the body as JSON. Problems become faults.
pub(super) fn parse_body(report: &mut Report<'_>, media: &MediaTypes) -> Option<Value> {
    let body = report.served.body;
    if looks_like_html(body) {
        report.fatal(
            "html_instead",
            "",
            "The server sent an HTML page instead of JSON. It probably answers every unknown path with the home page.",
            "Serve the JSON file, or answer 404 if you do not have one.",
        );
        return None;
    }
    report.check_media_type(media);
    if report.served.truncated {
        report.add_not_read_whole();
        return None;
    }
    if body.len() > MAX_BYTES {
        report.fatal(
            "too_large",
            "",
            "The file is larger than 4 MiB, so it was not parsed. Most agents stop reading much earlier.",
            "Keep it below 1 MiB: split it, or leave out what is available elsewhere.",
        );
        return None;
    }
    if body.len() > ADVISED_BYTES {
        report.warn(
            "large",
            "",
            "The file is larger than 1 MiB. Agents with a size limit will not read it.",
            "Keep it below 1 MiB.",
        );
    }
    let parsed =
        json::parse(body, &LIMITS, OnDuplicate::KeepLast { report_at_most: MAX_DUPLICATES });
    if body.starts_with(b"\xef\xbb\xbf") {
        report.warn(
            "byte_order_mark",
            "",
            "The file begins with a byte order mark. RFC 8259 forbids it, and some parsers reject the file.",
            "Save it as UTF-8 without a byte order mark.",
        );
    }
    let duplicates = match &parsed {
        Ok(parsed) => &parsed.duplicates,
        Err(error) => &error.duplicates,
    };
    for pointer in duplicates {
        report.warn(
            "doubled_name",
            display_pointer(pointer),
            "The same name appears twice in one object. Readers differ in which of the two values they use.",
            "Remove one of them.",
        );
    }
    match parsed {
        Ok(Parsed { value, .. }) => Some(value),
        Err(error) => {
            let reason = match error.kind {
                ErrorKind::TooDeep => "nested more than 64 levels deep",
                ErrorKind::TooManyValues => "more than 250,000 values",
                _ => error.reason,
            };
            report.fatal(
                if error.kind == ErrorKind::NotUtf8 { "not_utf8" } else { "not_json" },
                format!("line {}, column {}", error.line, error.column),
                format!("The file is not valid JSON: {}.", display_safe(reason, 120)),
                "Check the file with a JSON validator. Common causes are trailing commas, comments and unclosed quotes.",
            );
            None
        }
    }
}

/// As [`parse_body`], for files that must be an object.
pub(super) fn parse_object(report: &mut Report<'_>, media: &MediaTypes) -> Option<Value> {
    let value = parse_body(report, media)?;
    if value.is_object() {
        return Some(value);
    }
    let found = type_name(&value);
    report.fatal(
        "wrong_top_level",
        "",
        format!("The file contains {found}; a JSON object is required."),
        "Start the file with { and end it with }.",
    );
    None
}

/// Parses a body under the same bounds without reporting faults.
pub(crate) fn parse_unreported(body: &[u8]) -> Option<Value> {
    let parsed = json::parse(body, &LIMITS, OnDuplicate::KeepLast { report_at_most: 0 });
    parsed.ok().map(|parsed| parsed.value)
}

fn display_pointer(pointer: &Pointer) -> String {
    pointer.tokens().map(|token| format!("/{}", pointer_token(&token))).collect()
}
