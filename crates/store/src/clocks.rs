//! Content clocks: pages that are checked repeatedly for a limited time, and their versions.

use bytes::Bytes;
use contract::{Domain, Timestamp};

use crate::size::check_size;
use crate::{BoxFuture, Digest, StoreError};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredClock {
    /// The page's address. Each page has at most one clock.
    pub url: String,
    pub domain: Domain,
    pub state: String,
    pub why: Option<String>,
    pub started_at: Timestamp,
    pub checks: u32,
    pub last_checked_at: Option<Timestamp>,
    pub next_check_at: Timestamp,
    /// The clock is deleted after this time.
    pub expires_at: Timestamp,
    /// The dates that the page declares, as JSON.
    pub declared: Bytes,
}

/// One version of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClockVersion {
    /// From 1.
    pub n: u32,
    pub seen_from: Timestamp,
    pub seen_to: Timestamp,
    pub status: Option<u16>,
    pub bytes: Option<u64>,
    pub body_sha256: Option<Digest>,
    pub text_sha256: Option<Digest>,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    /// What changed since the previous version, as JSON.
    pub change: Bytes,
}

/// How many versions of a page are stored; older ones are deleted.
pub const MAX_CLOCK_VERSIONS: usize = 100;

/// A clock and its versions, newest first.
pub type ClockAndVersions = (StoredClock, Vec<ClockVersion>);

pub trait Clocks: Send + Sync {
    /// The clock of a page.
    fn clock<'a>(
        &'a self,
        url: &'a str,
    ) -> BoxFuture<'a, Result<Option<ClockAndVersions>, StoreError>>;

    /// Stores a clock, replacing the one for the same page, and a version, replacing the one with
    /// the same number; both or neither. Durable when this returns.
    fn put_clock(
        &self,
        clock: StoredClock,
        version: Option<ClockVersion>,
    ) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Clocks that have not expired and whose next check is due, the longest overdue first, at most
    /// `limit`.
    fn due_clocks(
        &self,
        now: Timestamp,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<StoredClock>, StoreError>>;

    /// The clocks of a domain's pages, ordered by address, at most `limit`.
    fn clocks_of<'a>(
        &'a self,
        domain: &'a Domain,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<StoredClock>, StoreError>>;

    /// How many clocks there are.
    fn count_clocks(&self) -> BoxFuture<'_, Result<u64, StoreError>>;

    /// Deletes expired clocks with all their versions, and returns how many clocks there were.
    fn delete_expired_clocks(&self, now: Timestamp) -> BoxFuture<'_, Result<u64, StoreError>>;

    /// All clocks after `after`, ordered by address, at most `limit`.
    fn export_clocks(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<StoredClock>, StoreError>>;
}

impl StoredClock {
    /// Refuses a value that is too large for any engine. Engines call this before they write.
    pub fn check_size(&self) -> Result<(), StoreError> {
        check_size("clock", &self.declared)
    }
}

impl ClockVersion {
    /// Refuses a value that is too large for any engine. Engines call this before they write.
    pub fn check_size(&self) -> Result<(), StoreError> {
        check_size("version of a page", &self.change)
    }
}
