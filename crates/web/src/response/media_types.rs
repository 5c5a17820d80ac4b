//! The media types of responses.

pub(crate) const JSON: &str = "application/json";
pub(crate) const HTML: &str = "text/html; charset=utf-8";
pub(crate) const MARKDOWN: &str = "text/markdown; charset=utf-8";
pub(crate) const TEXT: &str = "text/plain; charset=utf-8";
pub(crate) const JSON_LINES: &str = "application/jsonl";
pub(crate) const CSV: &str = "text/csv; charset=utf-8";
pub(crate) const ZIP: &str = "application/zip";
pub(crate) const OCTET_STREAM: &str = "application/octet-stream";
