//! Requests that are done once, however often they are sent: under a key of their sender's choice
//! the first one's reply is kept for a while and given to those that follow.
//!
//! Not part of a copy: what is kept here is forgotten within a day.

use bytes::Bytes;
use contract::Timestamp;

use crate::scans::check_size;
use crate::{BoxFuture, Digest, StoreError};

/// What stands under a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Begun {
    /// Nothing did: the caller is the first, and tells how it ended.
    New,
    /// The first one is still under way.
    InFlight,
    /// The key was used for another request.
    Reused,
    /// The first one's reply.
    Done(KeptReply),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptReply {
    pub status: u16,
    pub content_type: String,
    pub bytes: Bytes,
}

pub trait Once: Send + Sync {
    /// Says what stands under `key`, and if nothing does, that `request` is under way until
    /// `until`; durable when this returns. Of two at once only one is the first. Should the process
    /// die before the end, the key is free again at `until`.
    fn begin_once(
        &self,
        key: Digest,
        request: Digest,
        now: Timestamp,
        until: Timestamp,
    ) -> BoxFuture<'_, Result<Begun, StoreError>>;

    /// Keeps the reply of what was begun until `until`. Nothing when the key is not held.
    fn end_once(
        &self,
        key: Digest,
        reply: KeptReply,
        until: Timestamp,
    ) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Frees the key of what was begun and did not come to a reply worth keeping. A reply that is
    /// kept stays.
    fn abandon_once(&self, key: Digest) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Forgets what has had its time, and says how much there was.
    fn forget_replies(&self, now: Timestamp) -> BoxFuture<'_, Result<u64, StoreError>>;
}

impl KeptReply {
    /// Refuses what is too large for any engine; called by engines before they write.
    pub fn check_size(&self) -> Result<(), StoreError> {
        check_size("reply", &self.bytes)
    }
}
