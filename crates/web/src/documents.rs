//! Answers that are bytes with a digest: an unchanged one is not sent twice.

use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use http::{
    HeaderMap, HeaderValue, StatusCode,
    header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH},
};

pub(crate) const JSON: &str = "application/json";
pub(crate) const HTML: &str = "text/html; charset=utf-8";

/// How long a copy is good: for documents that a new release may change, …
pub(crate) const FOR_AN_HOUR: &str = "public, max-age=3600";
/// … that an operator may change at any time, …
pub(crate) const FOR_MINUTES: &str = "public, max-age=300";
/// … and never.
pub(crate) const NOT_AT_ALL: &str = "no-store";

#[derive(Debug, Clone)]
pub(crate) struct Document {
    bytes: Bytes,
    media_type: &'static str,
    cache: &'static str,
    /// The quoted SHA-256 of the bytes.
    etag: HeaderValue,
}

impl Document {
    pub(crate) fn new(
        bytes: impl Into<Bytes>,
        media_type: &'static str,
        cache: &'static str,
    ) -> Self {
        let bytes = bytes.into();
        let etag = format!("\"{}\"", proof::sha256(&bytes).to_hex());
        // Quotes and hex digits: always a good header.
        let etag = HeaderValue::from_str(&etag).unwrap_or(HeaderValue::from_static("\"\""));
        Self { bytes, media_type, cache, etag }
    }

    /// 200 with the bytes, or 304 when the caller has them.
    pub(crate) fn reply(&self, request: &HeaderMap) -> Response {
        let known = names(request, &self.etag);
        let mut response = if known {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            let mut response = Response::new(Body::from(self.bytes.clone()));
            let media_type = HeaderValue::from_static(self.media_type);
            response.headers_mut().insert(CONTENT_TYPE, media_type);
            response
        };
        let headers = response.headers_mut();
        headers.insert(ETAG, self.etag.clone());
        headers.insert(CACHE_CONTROL, HeaderValue::from_static(self.cache));
        response
    }
}

/// Whether If-None-Match names this tag, by the weak comparison (RFC 9110, 13.1.2).
fn names(request: &HeaderMap, etag: &HeaderValue) -> bool {
    request.get_all(IF_NONE_MATCH).iter().any(|line| {
        line.as_bytes().split(|byte| *byte == b',').any(|tag| {
            let tag = tag.trim_ascii();
            let tag = tag.strip_prefix(b"W/").unwrap_or(tag);
            tag == b"*" || tag == etag.as_bytes()
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unchanged_document_is_not_sent_again() {
        let document = Document::new("abc", JSON, FOR_AN_HOUR);
        let tag = "\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"";
        let ask = |given: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(IF_NONE_MATCH, given.parse().unwrap());
            document.reply(&headers)
        };
        assert_eq!(document.reply(&HeaderMap::new()).headers()[ETAG], tag);
        for (given, status) in [
            (tag.to_owned(), 304),
            (format!("W/{tag}"), 304),
            (format!("\"x\" , {tag}"), 304),
            ("*".to_owned(), 304),
            ("\"x\"".to_owned(), 200),
            (tag.trim_matches('"').to_owned(), 200),
            (String::new(), 200),
        ] {
            let reply = ask(&given);
            assert_eq!(reply.status(), status, "{given}");
            assert_eq!(reply.headers()[ETAG], tag);
            assert_eq!(reply.headers().contains_key(CONTENT_TYPE), status == 200);
        }
    }
}
