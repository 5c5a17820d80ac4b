//! Feeds: the address ranges that operators of agents publish. The last good content of each is
//! stored, so that visitors can be verified after a restart and while the operator's server is down.

use bytes::Bytes;
use contract::Timestamp;

use crate::fingerprint::Fingerprint;
use crate::size::check_size;
use crate::{BoxFuture, Digest, StoreError};

/// A feed with its last good content and the state of its attempts. It says nothing about visitors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFeed {
    /// The feed's id in the catalogue of agents.
    pub id: String,
    /// The address it was fetched from, or would have been.
    pub url: String,
    /// When the content was fetched, or last confirmed with 304; `None` if it never was.
    pub fetched_at: Option<Timestamp>,
    /// When the content last changed.
    pub changed_at: Option<Timestamp>,
    /// The validators that came with the content, for conditional requests.
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    /// The last good content, one prefix a line; empty if it was never fetched.
    pub prefixes: Bytes,
    pub prefix_count: u32,
    /// When the last attempt was made, successful or not.
    pub attempted_at: Timestamp,
    /// Consecutive failures.
    pub failures: u32,
    /// Why the last attempt failed; `None` if it succeeded.
    pub last_fault: Option<String>,
    /// The next attempt is not made before this time.
    pub next_attempt_at: Timestamp,
}

/// How many feeds a store accepts. The catalogue has about thirty; the rest is for an operator's own.
pub const MAX_FEEDS: usize = 256;

pub trait Feeds: Send + Sync {
    /// Stores a feed, replacing the one with the same id, also a damaged one; durable when this
    /// returns. A new feed beyond [`MAX_FEEDS`] is refused, and nothing is changed.
    fn put_feed(&self, feed: StoredFeed) -> BoxFuture<'_, Result<(), StoreError>>;

    fn feed<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<StoredFeed>, StoreError>>;

    /// All feeds, ordered by id: at most [`MAX_FEEDS`]. An error if one of them is damaged; then
    /// [`Feeds::feed_ids`] and [`Feeds::feed`] give the others.
    fn feeds(&self) -> BoxFuture<'_, Result<Vec<StoredFeed>, StoreError>>;

    /// The ids of all feeds, in order: at most [`MAX_FEEDS`]. Damaged feeds are listed too.
    fn feed_ids(&self) -> BoxFuture<'_, Result<Vec<String>, StoreError>>;

    /// Deletes a feed, also a damaged one, and returns whether there was one; durable when this
    /// returns.
    fn delete_feed<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<bool, StoreError>>;
}

impl StoredFeed {
    /// A digest over all members, which engines compare when they read.
    #[must_use]
    pub fn fingerprint(&self) -> Digest {
        Fingerprint::of("feed 1")
            .text(&self.id)
            .text(&self.url)
            .optional_time(self.fetched_at)
            .optional_time(self.changed_at)
            .optional(self.etag.as_deref())
            .optional(self.last_modified.as_deref())
            .body(&self.prefixes)
            .number(u64::from(self.prefix_count))
            .time(self.attempted_at)
            .number(u64::from(self.failures))
            .optional(self.last_fault.as_deref())
            .time(self.next_attempt_at)
            .finish()
    }

    /// Refuses a feed that is too large for any engine. Engines call this before they write.
    pub fn check_size(&self) -> Result<(), StoreError> {
        check_size("feed", &self.prefixes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_moves_the_fingerprint() {
        let before = StoredFeed {
            id: "a".into(),
            url: "https://a.example/bot.json".into(),
            fetched_at: Some(Timestamp::from_millis(0)),
            changed_at: None,
            etag: Some(String::new()),
            last_modified: None,
            prefixes: Bytes::from_static(b"192.0.2.0/24\n"),
            prefix_count: 1,
            attempted_at: Timestamp::from_millis(3),
            failures: 0,
            last_fault: None,
            next_attempt_at: Timestamp::from_millis(4),
        };
        let changes: [fn(&mut StoredFeed); 12] = [
            |f| f.id = "b".into(),
            |f| f.url = "https://a.example/bot".into(),
            |f| f.fetched_at = None,
            |f| f.changed_at = Some(Timestamp::from_millis(0)),
            |f| f.etag = None,
            |f| f.last_modified = Some(String::new()),
            |f| f.prefixes = Bytes::new(),
            |f| f.prefix_count = 2,
            |f| f.attempted_at = Timestamp::from_millis(5),
            |f| f.failures = 1,
            |f| f.last_fault = Some(String::new()),
            |f| f.next_attempt_at = Timestamp::from_millis(5),
        ];
        for change in changes {
            let mut after = before.clone();
            change(&mut after);
            assert_ne!(after.fingerprint(), before.fingerprint(), "{after:?}");
        }
    }
}
