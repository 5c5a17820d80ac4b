//! Content-Digest (RFC 9530).

use data_encoding::BASE64;

use crate::Digest;

/// The value of Content-Digest (RFC 9530) for content with this digest.
#[must_use]
pub fn content_digest(digest: &Digest) -> String {
    format!("sha-256=:{}:", BASE64.encode(digest.as_bytes()))
}
