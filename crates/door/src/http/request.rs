//! The method and the body of one request.

use bytes::Bytes;
use http::Method;

/// What is sent besides the headers.
#[derive(Debug, Clone)]
pub(crate) struct Outgoing {
    pub(crate) method: Method,
    pub(crate) body: Bytes,
}

impl Outgoing {
    pub(crate) fn get() -> Self {
        Self { method: Method::GET, body: Bytes::new() }
    }

    /// Whether sending it twice has the same effect as sending it once (RFC 9110, section 9.2.2).
    pub(crate) fn is_repeatable(&self) -> bool {
        self.method.is_idempotent()
    }
}
