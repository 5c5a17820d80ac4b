//! Requests for free keys: a link was sent to a mailbox, and whoever opens it gets a licence. Of the
//! mailbox and of the link's token only digests are stored.
//!
//! Not part of a copy, because all of this expires soon.

use contract::Timestamp;

use crate::{BoxFuture, Digest, Licence, StoreError, StoredKey};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRequest {
    /// SHA-256 of the token in the link. Unique.
    pub token_sha256: Digest,
    /// The mailbox, as a digest that the caller chose.
    pub mailbox: Digest,
    pub created_at: Timestamp,
    /// The link is invalid from this time on.
    pub expires_at: Timestamp,
}

/// What came of opening a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyRequestOutcome {
    /// Licence and key are stored, and all requests of the mailbox are gone.
    Taken,
    /// There is no such request, or it was taken.
    Unknown,
    Expired,
    /// The mailbox has a licence that is neither revoked nor expired.
    HasLicence,
}

/// Requests of one mailbox. A further one removes the oldest.
pub const MAX_REQUESTS_OF_MAILBOX: usize = 5;
/// Requests of all mailboxes together.
pub const MAX_REQUESTS: usize = 100_000;

pub trait KeyRequests: Send + Sync {
    /// Stores a request, and removes the oldest ones of the mailbox beyond [`MAX_REQUESTS_OF_MAILBOX`];
    /// durable when this returns. Refused with [`StoreError::LimitReached`] if there are [`MAX_REQUESTS`].
    fn put_key_request(&self, request: KeyRequest) -> BoxFuture<'_, Result<(), StoreError>>;

    /// The request with this token, even if it has expired: the caller decides.
    fn key_request(
        &self,
        token_sha256: Digest,
    ) -> BoxFuture<'_, Result<Option<KeyRequest>, StoreError>>;

    /// Stores a licence with its first key for the mailbox of a request, in one transaction that also
    /// removes the request. The mailbox of the licence is that of the request. Of concurrent calls with one
    /// mailbox only one gets `Taken`. Unless it is `Taken`, nothing is changed.
    fn take_key_request(
        &self,
        token_sha256: Digest,
        now: Timestamp,
        licence: Licence,
        first_key: StoredKey,
    ) -> BoxFuture<'_, Result<KeyRequestOutcome, StoreError>>;

    /// Removes the requests that have expired, and returns how many there were.
    fn delete_expired_key_requests(&self, now: Timestamp)
    -> BoxFuture<'_, Result<u64, StoreError>>;
}
