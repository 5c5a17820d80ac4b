//! Idempotent requests: a request with an idempotency key runs once. Its reply is stored for a
//! limited time and returned to repeated requests with the same key.
//!
//! Not part of a copy, because all of this expires within a day.

use bytes::Bytes;
use contract::Timestamp;

use crate::size::check_size;
use crate::{BoxFuture, Digest, StoreError};

/// The state of an idempotency key when a request begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IdempotencyStart {
    /// The key is new. The caller runs the request and must finish or abandon it.
    New,
    /// The first request with this key is still running.
    InFlight,
    /// The key was used for a different request.
    Reused,
    /// The reply to the first request.
    Done(StoredReply),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredReply {
    pub status: u16,
    pub content_type: String,
    pub bytes: Bytes,
}

pub trait Idempotency: Send + Sync {
    /// Returns the state of `key`. A new key is marked as in use by `request` until `until`;
    /// durable when this returns. Of two concurrent requests only one gets `New`. If the process
    /// dies before the request ends, the key can be used again after `until`.
    fn begin_idempotent(
        &self,
        key: Digest,
        request: Digest,
        now: Timestamp,
        until: Timestamp,
    ) -> BoxFuture<'_, Result<IdempotencyStart, StoreError>>;

    /// Stores the reply until `until`. Does nothing when the key is not in use.
    fn finish_idempotent(
        &self,
        key: Digest,
        reply: StoredReply,
        until: Timestamp,
    ) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Releases the key of a request whose reply is not to be stored. A reply that is already
    /// stored stays.
    fn abandon_idempotent(&self, key: Digest) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Deletes expired keys and replies, and returns how many there were.
    fn delete_expired_replies(&self, now: Timestamp) -> BoxFuture<'_, Result<u64, StoreError>>;
}

impl StoredReply {
    /// Refuses a reply that is too large for any engine. Engines call this before they write.
    pub fn check_size(&self) -> Result<(), StoreError> {
        check_size("reply", &self.bytes)
    }
}
