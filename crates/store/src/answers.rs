//! Kept answers: signed resolve answers, found by their digest and by their domain.
//!
//! They are put by [`crate::Log::append`] alone, in one step with the batch they rest on: an answer
//! that is kept is in the log.

use bytes::Bytes;
use contract::{Domain, Timestamp};

use crate::{BoxFuture, Digest, StoreError};

/// An answer as the very bytes that were signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptAnswer {
    /// Its own `sha256`.
    pub sha256: Digest,
    pub domain: Domain,
    pub answered_at: Timestamp,
    /// The place of its decision in the log.
    pub log_index: u64,
    pub bytes: Bytes,
}

/// A place in the order of answers: by time, then by digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct AnswerCursor {
    pub answered_at: Timestamp,
    pub sha256: Digest,
}

pub trait Answers: Send + Sync {
    fn answer(&self, sha256: Digest) -> BoxFuture<'_, Result<Option<KeptAnswer>, StoreError>>;

    /// The last answer about a domain.
    fn latest_answer<'a>(
        &'a self,
        domain: &'a Domain,
    ) -> BoxFuture<'a, Result<Option<KeptAnswer>, StoreError>>;

    /// The places of all answers, the oldest first, at most `limit`, all after `after`: for moving
    /// to another store. One that is damaged is listed too, and is an error when it is read.
    fn list_answers(
        &self,
        after: Option<AnswerCursor>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<AnswerCursor>, StoreError>>;

    /// Every answer, the oldest first, at most `limit`, all after `after`.
    fn export_answers(
        &self,
        after: Option<AnswerCursor>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<KeptAnswer>, StoreError>>;
}

impl KeptAnswer {
    #[must_use]
    pub fn cursor(&self) -> AnswerCursor {
        AnswerCursor { answered_at: self.answered_at, sha256: self.sha256 }
    }

    /// A digest over everything in here, compared by engines when they read.
    #[must_use]
    pub fn fingerprint(&self) -> Digest {
        let head = format!(
            "answer 1\n{} {} {} {} {}\n",
            self.sha256,
            self.domain,
            self.answered_at.as_millis(),
            self.log_index,
            self.bytes.len()
        );
        let mut hasher = proof::Hasher::new();
        hasher.update(head.as_bytes());
        hasher.update(&self.bytes);
        hasher.finish()
    }
}
