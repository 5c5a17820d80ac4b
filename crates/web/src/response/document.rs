//! Responses with an ETag, a Content-Digest and a cache lifetime. If-None-Match gets 304.

use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, StatusCode,
    header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH},
};
use serde::Serialize;

use super::{api_error::ApiError, compressed::CompressedForms, media_types::JSON};

/// A response body with its validators and cache lifetime.
#[derive(Debug, Clone)]
pub(crate) struct HttpDocument {
    bytes: Bytes,
    media_type: &'static str,
    cache_control: &'static str,
    /// A quoted SHA-256: of the bytes, or of the signed content in them.
    etag: HeaderValue,
    /// The digest of the bytes (RFC 9530).
    content_digest: HeaderValue,
    /// Set if the document is the same for the life of the process.
    compressed: Option<CompressedForms>,
}

pub(crate) const CONTENT_DIGEST: HeaderName = HeaderName::from_static("content-digest");

/// The `Content-Digest` value for this digest (RFC 9530).
pub(crate) fn content_digest_header(digest: &proof::Digest) -> HeaderValue {
    header_value(&proof::http_signatures::content_digest(digest))
}

/// A header value made of quotes, colons, digits and base64: always valid.
fn header_value(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).unwrap_or(HeaderValue::from_static("\"\""))
}

impl HttpDocument {
    pub(crate) fn new(
        bytes: impl Into<Bytes>,
        media_type: &'static str,
        cache: &'static str,
    ) -> Self {
        let bytes = bytes.into();
        let digest = proof::sha256(&bytes);
        Self::from_parts(bytes, &digest, &digest, media_type, cache)
    }

    /// A document that is the same for the life of the process, so that it is compressed only once.
    pub(crate) fn constant(
        bytes: impl Into<Bytes>,
        media_type: &'static str,
        cache: &'static str,
    ) -> Self {
        let compressed = Some(CompressedForms::default());
        Self { compressed, ..Self::new(bytes, media_type, cache) }
    }

    /// A value that is not signed, as JSON.
    pub(crate) fn json(value: &impl Serialize, cache: &'static str) -> Result<Self, ApiError> {
        let bytes = serde_json::to_vec(value).map_err(|e| ApiError::internal(e.to_string()))?;
        Ok(Self::new(bytes, JSON, cache))
    }

    /// A document that is signed anew for each reader: `name`, the digest of the signed content, is its
    /// ETag.
    pub(crate) fn with_etag(
        bytes: impl Into<Bytes>,
        name: &proof::Digest,
        media_type: &'static str,
        cache: &'static str,
    ) -> Self {
        let bytes = bytes.into();
        let digest = proof::sha256(&bytes);
        Self::from_parts(bytes, &digest, name, media_type, cache)
    }

    /// The same, if the digest of the bytes is already known.
    pub(crate) fn with_etag_and_digest(
        bytes: Bytes,
        digest: &proof::Digest,
        name: &proof::Digest,
        media_type: &'static str,
        cache: &'static str,
    ) -> Self {
        Self::from_parts(bytes, digest, name, media_type, cache)
    }

    fn from_parts(
        bytes: Bytes,
        digest: &proof::Digest,
        name: &proof::Digest,
        media_type: &'static str,
        cache: &'static str,
    ) -> Self {
        let etag = header_value(&format!("\"{}\"", name.to_hex()));
        Self {
            bytes,
            media_type,
            cache_control: cache,
            etag,
            content_digest: content_digest_header(digest),
            compressed: None,
        }
    }

    /// 200 with the bytes, or 304 if If-None-Match says that the caller has them.
    pub(crate) fn reply(&self, request: &HeaderMap) -> Response {
        let known = if_none_match_has(request, &self.etag);
        let mut response = if known {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            let mut response = Response::new(Body::from(self.bytes.clone()));
            self.insert_content_headers(response.headers_mut());
            if let Some(compressed) = &self.compressed {
                response.extensions_mut().insert(compressed.clone());
            }
            response
        };
        self.insert_cache_headers(response.headers_mut());
        response
    }

    /// 200 with the bytes.
    pub(crate) fn full_response(&self) -> Response<Bytes> {
        let mut response = Response::new(self.bytes.clone());
        let headers = response.headers_mut();
        // The middleware adds about as many again.
        headers.reserve(12);
        self.insert_content_headers(headers);
        self.insert_cache_headers(headers);
        response
    }

    fn insert_content_headers(&self, headers: &mut HeaderMap) {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.media_type));
        headers.insert(CONTENT_DIGEST, self.content_digest.clone());
    }

    fn insert_cache_headers(&self, headers: &mut HeaderMap) {
        headers.insert(ETAG, self.etag.clone());
        headers.insert(CACHE_CONTROL, HeaderValue::from_static(self.cache_control));
    }
}

/// Whether If-None-Match lists this tag, by weak comparison (RFC 9110, 13.1.2).
fn if_none_match_has(request: &HeaderMap, etag: &HeaderValue) -> bool {
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
    use super::{super::cache_control::CACHE_ONE_HOUR, *};

    #[test]
    fn an_unchanged_document_is_not_sent_again() {
        let document = HttpDocument::new("abc", JSON, CACHE_ONE_HOUR);
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
