//! Content clocks: pages that are looked at again and again for a while, and what they were.

use bytes::Bytes;
use contract::{Domain, Timestamp};

use crate::scans::check_size;
use crate::{BoxFuture, Digest, StoreError};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptClock {
    /// The page. There is one clock for each.
    pub url: String,
    pub domain: Domain,
    pub state: String,
    pub why: Option<String>,
    pub started_at: Timestamp,
    pub checks: u32,
    pub last_checked_at: Option<Timestamp>,
    pub next_check_at: Timestamp,
    /// Forgotten from then on.
    pub expires_at: Timestamp,
    /// What the page says of its own age, as JSON.
    pub declared: Bytes,
}

/// The page as it was for a time.
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
    /// What changed since the version before, as JSON.
    pub change: Bytes,
}

/// The versions that are kept of a page; the oldest are forgotten.
pub const CLOCK_VERSIONS: usize = 100;

/// A clock and its versions, the newest first.
pub type ClockAndVersions = (KeptClock, Vec<ClockVersion>);

pub trait Clocks: Send + Sync {
    /// A page's clock.
    fn clock<'a>(
        &'a self,
        url: &'a str,
    ) -> BoxFuture<'a, Result<Option<ClockAndVersions>, StoreError>>;

    /// Keeps a clock in place of what was kept for its page, and a version in place of the one of
    /// its number, both or neither; durable when this returns.
    fn put_clock(
        &self,
        clock: KeptClock,
        version: Option<ClockVersion>,
    ) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Clocks that have not expired and whose next check is due, the longest due first, at most
    /// `limit`.
    fn due_clocks(
        &self,
        now: Timestamp,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<KeptClock>, StoreError>>;

    /// The clocks of a domain's pages by address, at most `limit`.
    fn clocks_of<'a>(
        &'a self,
        domain: &'a Domain,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<KeptClock>, StoreError>>;

    /// How many clocks there are.
    fn clocks_kept(&self) -> BoxFuture<'_, Result<u64, StoreError>>;

    /// Forgets the clocks that have expired with all their versions, and says how many there were.
    fn forget_clocks(&self, now: Timestamp) -> BoxFuture<'_, Result<u64, StoreError>>;

    /// Every clock by address, at most `limit`, all after `after`.
    fn export_clocks(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<KeptClock>, StoreError>>;
}

impl KeptClock {
    /// Refuses what is too large for any engine; called by engines before they write.
    pub fn check_size(&self) -> Result<(), StoreError> {
        check_size("clock", &self.declared)
    }
}

impl ClockVersion {
    /// Refuses what is too large for any engine; called by engines before they write.
    pub fn check_size(&self) -> Result<(), StoreError> {
        check_size("version of a page", &self.change)
    }
}
