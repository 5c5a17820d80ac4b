//! Answers that are bytes with a digest: an unchanged one is not sent twice.

use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, StatusCode,
    header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH},
};

pub(crate) const JSON: &str = "application/json";
pub(crate) const HTML: &str = "text/html; charset=utf-8";
pub(crate) const MARKDOWN: &str = "text/markdown; charset=utf-8";
pub(crate) const TEXT: &str = "text/plain; charset=utf-8";
pub(crate) const JSON_LINES: &str = "application/jsonl";
pub(crate) const BYTES: &str = "application/octet-stream";

/// How long a copy is good: for documents that a new release may change, …
pub(crate) const FOR_AN_HOUR: &str = "public, max-age=3600";
/// … that an operator may change at any time, …
pub(crate) const FOR_MINUTES: &str = "public, max-age=300";
/// … that may be replaced at any time, but not often, …
pub(crate) const FOR_A_MINUTE: &str = "public, max-age=60";
/// … and are asked for by many at once, …
pub(crate) const FOR_A_MINUTE_AND_ONE: &str = "public, max-age=60, stale-while-revalidate=60";
/// … that grow while they are read, …
pub(crate) const FOR_HALF_A_MINUTE: &str = "public, max-age=30";
pub(crate) const FOR_SECONDS: &str = "public, max-age=5";
/// … that are finished, and may still be taken back, …
pub(crate) const FOR_A_DAY_UNCHANGED: &str = "public, max-age=86400, immutable";
/// … that nothing will change, …
pub(crate) const FOR_EVER: &str = "public, max-age=31536000, immutable";
/// … and never.
pub(crate) const NOT_AT_ALL: &str = "no-store";

#[derive(Debug, Clone)]
pub(crate) struct Document {
    bytes: Bytes,
    media_type: &'static str,
    cache: &'static str,
    /// A quoted SHA-256: of the bytes, or of what is signed in them.
    etag: HeaderValue,
    /// Of the bytes (RFC 9530).
    content_digest: HeaderValue,
}

pub(crate) const CONTENT_DIGEST: HeaderName = HeaderName::from_static("content-digest");

/// Of content with this digest (RFC 9530).
pub(crate) fn content_digest(digest: &proof::Digest) -> HeaderValue {
    good_header(&proof::httpsig::content_digest(digest))
}

/// Quotes, colons and digits: always good headers.
fn good_header(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).unwrap_or(HeaderValue::from_static("\"\""))
}

impl Document {
    pub(crate) fn new(
        bytes: impl Into<Bytes>,
        media_type: &'static str,
        cache: &'static str,
    ) -> Self {
        let bytes = bytes.into();
        let digest = proof::sha256(&bytes);
        Self::digested(bytes, &digest, &digest, media_type, cache)
    }

    /// A document that keeps its name although its bytes are made anew for each reader.
    pub(crate) fn named(
        bytes: impl Into<Bytes>,
        name: &proof::Digest,
        media_type: &'static str,
        cache: &'static str,
    ) -> Self {
        let bytes = bytes.into();
        let digest = proof::sha256(&bytes);
        Self::digested(bytes, &digest, name, media_type, cache)
    }

    /// The same where the digest of the bytes is known.
    pub(crate) fn known(
        bytes: Bytes,
        digest: &proof::Digest,
        name: &proof::Digest,
        media_type: &'static str,
        cache: &'static str,
    ) -> Self {
        Self::digested(bytes, digest, name, media_type, cache)
    }

    fn digested(
        bytes: Bytes,
        digest: &proof::Digest,
        name: &proof::Digest,
        media_type: &'static str,
        cache: &'static str,
    ) -> Self {
        let etag = good_header(&format!("\"{}\"", name.to_hex()));
        Self { bytes, media_type, cache, etag, content_digest: content_digest(digest) }
    }

    /// 200 with the bytes, or 304 when the caller has them.
    pub(crate) fn reply(&self, request: &HeaderMap) -> Response {
        let known = names(request, &self.etag);
        let mut response = if known {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            let mut response = Response::new(Body::from(self.bytes.clone()));
            self.describe_content(response.headers_mut());
            response
        };
        self.describe(response.headers_mut());
        response
    }

    /// 200 with the bytes, for whoever has no copy.
    pub(crate) fn whole(&self) -> Response<Bytes> {
        let mut response = Response::new(self.bytes.clone());
        let headers = response.headers_mut();
        // The edge adds about as many again.
        headers.reserve(12);
        self.describe_content(headers);
        self.describe(headers);
        response
    }

    fn describe_content(&self, headers: &mut HeaderMap) {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.media_type));
        headers.insert(CONTENT_DIGEST, self.content_digest.clone());
    }

    fn describe(&self, headers: &mut HeaderMap) {
        headers.insert(ETAG, self.etag.clone());
        headers.insert(CACHE_CONTROL, HeaderValue::from_static(self.cache));
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
        let whole = document.reply(&HeaderMap::new());
        assert_eq!(whole.headers()[ETAG], tag);
        // The digest of "abc" that every text on SHA-256 gives.
        assert_eq!(
            whole.headers()[CONTENT_DIGEST],
            "sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:"
        );
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
            assert_eq!(reply.headers().contains_key(CONTENT_DIGEST), status == 200);
        }
    }
}
