//! Disputes: an owner objects to a reading, the site is read again, and both readings are kept.

use contract::{Domain, Timestamp};

use crate::fingerprint::Fingerprint;
use crate::{BoxFuture, Digest, StoreError};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dispute {
    /// Unique and never reused.
    pub id: String,
    pub domain: Domain,
    /// The claim of the owner who objects.
    pub claim_id: String,
    /// The report that is objected to. It is not pruned.
    pub scan_id: String,
    /// In the owner's words.
    pub reason: String,
    pub filed_at: Timestamp,
    /// The reading that was made because of it; `None` while there is none. It is not pruned.
    pub fresh_scan_id: Option<String>,
    pub closed_at: Option<Timestamp>,
    /// Whether the fresh reading led to another verdict.
    pub changed: Option<bool>,
    /// What the comparison came to.
    pub outcome: Option<String>,
}

/// How many disputes there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DisputeCounts {
    pub filed: u64,
    /// Those with a fresh reading.
    pub read_again: u64,
    /// Those whose fresh reading led to another verdict.
    pub changed: u64,
}

/// Disputes of one domain. A further one is refused.
pub const MAX_DISPUTES_OF_DOMAIN: usize = 200;

pub trait Disputes: Send + Sync {
    /// Stores a dispute; durable when this returns. Refused with [`StoreError::LimitReached`] if the domain
    /// has an open one, or [`MAX_DISPUTES_OF_DOMAIN`].
    fn put_dispute(&self, dispute: Dispute) -> BoxFuture<'_, Result<(), StoreError>>;

    fn dispute<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Dispute>, StoreError>>;

    /// The disputes of a domain, newest first, at most `limit`.
    fn disputes_of<'a>(
        &'a self,
        domain: &'a Domain,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Dispute>, StoreError>>;

    /// The disputes that are not closed, oldest first, at most `limit`.
    fn open_disputes(&self, limit: usize) -> BoxFuture<'_, Result<Vec<Dispute>, StoreError>>;

    /// Stores how a dispute ended: its fresh reading, `closed_at`, `changed` and `outcome`. Returns `false`
    /// if it is gone or closed.
    fn close_dispute(&self, dispute: Dispute) -> BoxFuture<'_, Result<bool, StoreError>>;

    fn dispute_counts(&self) -> BoxFuture<'_, Result<DisputeCounts, StoreError>>;

    /// The disputes with an id after `after`, ordered by id, at most `limit`.
    fn disputes(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<Dispute>, StoreError>>;

    /// Stores a dispute of another store, or replaces the stored one.
    fn import_dispute(&self, dispute: Dispute) -> BoxFuture<'_, Result<(), StoreError>>;
}

impl Dispute {
    /// A digest over all members, which engines compare when they read.
    #[must_use]
    pub fn fingerprint(&self) -> Digest {
        let changed = self.changed.map(|changed| if changed { "yes" } else { "no" });
        Fingerprint::of("dispute 1")
            .text(&self.id)
            .text(self.domain.as_str())
            .text(&self.claim_id)
            .text(&self.scan_id)
            .text(&self.reason)
            .time(self.filed_at)
            .optional(self.fresh_scan_id.as_deref())
            .optional_time(self.closed_at)
            .optional(changed)
            .optional(self.outcome.as_deref())
            .finish()
    }
}
