//! Claims of control over domains, and the events in their lives. What a claim says is the caller's: the
//! store keeps it as bytes, with what it is looked up by.

use bytes::Bytes;
use contract::{Domain, Timestamp};

use crate::fingerprint::Fingerprint;
use crate::size::check_size;
use crate::{BoxFuture, Digest, StoreError};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredClaim {
    /// Unique and never reused.
    pub id: String,
    pub domain: Domain,
    /// SHA-256 of the claimant's secret.
    pub secret_sha256: Digest,
    /// The claim is checked at this time; `None` if it is not checked any more.
    pub next_check_at: Option<Timestamp>,
    pub body: Bytes,
}

/// An event that is to be stored with its claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewControlEvent {
    pub at: Timestamp,
    pub body: Bytes,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredControlEvent {
    /// Its number in the order of storing. Numbers only grow and are never reused.
    pub seq: u64,
    pub domain: Domain,
    pub claim_id: String,
    pub at: Timestamp,
    pub body: Bytes,
}

/// Claims of one domain. A further one removes the oldest that is not checked any more; it is refused if
/// all of them are.
pub const MAX_CLAIMS_OF_DOMAIN: usize = 20;
/// Events of one domain. Further ones remove the oldest.
pub const MAX_CONTROL_EVENTS: usize = 500;

pub trait Control: Send + Sync {
    /// Stores a claim together with events; durable when this returns. `expected` is the fingerprint of
    /// the stored claim that the caller changed, `None` for a new one. Returns `false`, without any
    /// change, if another claim is stored by now. Refused with [`StoreError::LimitReached`] beyond
    /// [`MAX_CLAIMS_OF_DOMAIN`].
    fn put_claim(
        &self,
        claim: StoredClaim,
        expected: Option<Digest>,
        events: Vec<NewControlEvent>,
    ) -> BoxFuture<'_, Result<bool, StoreError>>;

    fn claim<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<StoredClaim>, StoreError>>;

    /// The claim whose secret has this digest.
    fn claim_by_secret(
        &self,
        secret_sha256: Digest,
    ) -> BoxFuture<'_, Result<Option<StoredClaim>, StoreError>>;

    /// The claims of a domain, oldest first: at most [`MAX_CLAIMS_OF_DOMAIN`].
    fn claims_of<'a>(
        &'a self,
        domain: &'a Domain,
    ) -> BoxFuture<'a, Result<Vec<StoredClaim>, StoreError>>;

    /// The claims with an id after `after`, ordered by id, at most `limit`.
    fn claims(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<StoredClaim>, StoreError>>;

    /// The claims whose check is due, the longest due first, at most `limit`.
    fn due_claims(
        &self,
        now: Timestamp,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<StoredClaim>, StoreError>>;

    /// The events of a domain with a number below `before`, newest first, at most `limit`.
    fn control_events_of<'a>(
        &'a self,
        domain: &'a Domain,
        before: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<StoredControlEvent>, StoreError>>;

    /// The events of all domains with a number above `after`, oldest first, at most `limit`.
    fn control_events_after(
        &self,
        after: u64,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<StoredControlEvent>, StoreError>>;

    /// The last number that was given to an event; 0 if there was none.
    fn last_control_event(&self) -> BoxFuture<'_, Result<u64, StoreError>>;

    /// Stores a claim of another store, or replaces the stored one.
    fn import_claim(&self, claim: StoredClaim) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Stores events of another store under the same numbers; those that are stored stay. New events get
    /// numbers above `last`.
    fn import_control_events(
        &self,
        events: Vec<StoredControlEvent>,
        last: u64,
    ) -> BoxFuture<'_, Result<(), StoreError>>;
}

impl StoredClaim {
    /// A digest over all members, which engines compare when they read.
    #[must_use]
    pub fn fingerprint(&self) -> Digest {
        Fingerprint::of("claim 1")
            .text(&self.id)
            .text(self.domain.as_str())
            .bytes(self.secret_sha256.as_bytes())
            .optional_time(self.next_check_at)
            .body(&self.body)
            .finish()
    }

    /// Refuses a claim that is too large for any engine. Engines call this before they write.
    pub fn check_size(&self) -> Result<(), StoreError> {
        check_size("claim", &self.body)
    }
}

impl StoredControlEvent {
    /// A digest over all members, which engines compare when they read.
    #[must_use]
    pub fn fingerprint(&self) -> Digest {
        Fingerprint::of("control event 1")
            .number(self.seq)
            .text(self.domain.as_str())
            .text(&self.claim_id)
            .time(self.at)
            .body(&self.body)
            .finish()
    }
}

impl NewControlEvent {
    /// Refuses an event that is too large for any engine. Engines call this before they write.
    pub fn check_size(&self) -> Result<(), StoreError> {
        check_size("control event", &self.body)
    }
}
