//! Scans of MCP servers, the surfaces that a server had, and the locks that were issued for them.
//!
//! Anyone can have a server scanned, so everything here has a bound, and a new value replaces the oldest
//! one. What was removed is simply not found.

use bytes::Bytes;
use contract::{Domain, Timestamp};

use crate::fingerprint::Fingerprint;
use crate::size::{check_length, check_size};
use crate::{BoxFuture, Digest, NewChange, NewRevocation, StoreError};

/// The longest URL of a server that is stored.
pub const MAX_MCP_URL_BYTES: usize = 2_048;
/// How much of the lists of one scan is stored, as the engine stores them (compressed).
pub const MAX_MCP_LISTS_BYTES: usize = 1024 * 1024;
/// What [`StoreError::TooLarge`] names if the lists of a scan are refused: the caller can store the scan
/// without them.
pub const MCP_LISTS: &str = "lists of an MCP server";
/// Scans that are kept of one URL. The latest one with a surface is always among them.
pub const MCP_SCANS_PER_URL: usize = 4;
/// Scans, and bytes of documents and lists as the engine stores them, that are kept of all URLs together.
/// Beyond that, the scans of other URLs that were stored first are removed.
pub const MAX_MCP_SCANS: usize = 20_000;
pub const MAX_MCP_SCAN_BYTES: u64 = 512 * 1024 * 1024;
/// Surfaces that are kept of one URL, and of all together. Beyond that, those that were not seen for the
/// longest time are removed.
pub const MCP_SURFACES_PER_URL: usize = 256;
pub const MAX_MCP_SURFACES: u64 = 100_000;
/// Issued locks that are kept. Beyond that, those that were issued first are removed.
pub const MAX_MCP_LOCKS: u64 = 200_000;

const MAX_STATE_BYTES: usize = 64;

/// One scan of an MCP server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredMcpScan {
    /// The endpoint, normalised by the caller.
    pub url: String,
    /// Its host.
    pub domain: Domain,
    /// The digest of the signed record.
    pub scan_sha256: Digest,
    pub observed_at: Timestamp,
    /// `observed`, `auth_required`, `not_mcp`, `unreachable` or `incomplete`.
    pub state: String,
    /// The digest of everything the server lists; only if all of it was read.
    pub surface_sha256: Option<Digest>,
    /// The signed record, as served.
    pub document: Bytes,
    /// The lists as they were read, for locks and comparisons. Can be empty.
    pub lists: Bytes,
}

/// A scan as listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpScanSummary {
    pub url: String,
    pub scan_sha256: Digest,
    pub observed_at: Timestamp,
    pub state: String,
    pub surface_sha256: Option<Digest>,
}

/// A surface that a server had, as consecutive scans saw it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct McpSurface {
    pub surface_sha256: Digest,
    pub first_seen: Timestamp,
    pub last_seen: Timestamp,
}

/// A lock that was issued: enough to answer whether it still holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssuedMcpLock {
    pub lock_sha256: Digest,
    pub url: String,
    pub domain: Domain,
    pub surface_sha256: Digest,
    /// The scan it was made from; `None` if the caller supplied the lists.
    pub scan_sha256: Option<Digest>,
    pub issued_at: Timestamp,
}

/// What is written in the same transaction as a scan, so that no scan is visible without it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct McpScanExtras {
    pub changes: Vec<NewChange>,
    /// They get their position in the chain in the same transaction.
    pub revocations: Vec<NewRevocation>,
}

/// The digest of a stored scan or lock, and its place in the order of storing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct McpPosition {
    pub position: u64,
    pub sha256: Digest,
}

pub trait McpScans: Send + Sync {
    /// Stores a scan, extends or starts the server's surface, and appends changes and revocations, all in
    /// one transaction; durable when this returns. Storing the same scan again has no effect, so a caller
    /// can repeat a call whose result it did not get; a different one under the same digest is refused.
    ///
    /// A scan without a surface neither extends nor ends the current one: what was not read did not
    /// change. A surface that comes back after another one is a new entry.
    ///
    /// Refused with [`StoreError::TooLarge`] that names [`MCP_LISTS`], without any change, when the lists
    /// take more than [`MAX_MCP_LISTS_BYTES`].
    fn put_mcp_scan(
        &self,
        scan: StoredMcpScan,
        extras: McpScanExtras,
    ) -> BoxFuture<'_, Result<(), StoreError>>;

    /// The scan of this URL that was stored last, whatever the clock said.
    fn latest_mcp_scan<'a>(
        &'a self,
        url: &'a str,
    ) -> BoxFuture<'a, Result<Option<StoredMcpScan>, StoreError>>;

    /// The scan of this URL with a surface that was stored last.
    fn latest_complete_mcp_scan<'a>(
        &'a self,
        url: &'a str,
    ) -> BoxFuture<'a, Result<Option<StoredMcpScan>, StoreError>>;

    fn mcp_scan(
        &self,
        scan_sha256: Digest,
    ) -> BoxFuture<'_, Result<Option<StoredMcpScan>, StoreError>>;

    /// The surfaces of this URL, the current one first, at most `limit`.
    fn mcp_surfaces<'a>(
        &'a self,
        url: &'a str,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<McpSurface>, StoreError>>;

    /// The latest scan of each URL of a domain, the one that was stored last first, at most `limit`.
    fn mcp_scans_of_domain<'a>(
        &'a self,
        domain: &'a Domain,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<McpScanSummary>, StoreError>>;

    /// Stores a lock; durable when this returns. Storing the same lock again has no effect; a different
    /// one under the same digest is refused.
    fn put_mcp_lock(&self, lock: IssuedMcpLock) -> BoxFuture<'_, Result<(), StoreError>>;

    fn mcp_lock(
        &self,
        lock_sha256: Digest,
    ) -> BoxFuture<'_, Result<Option<IssuedMcpLock>, StoreError>>;

    /// All scans after this position, in the order of storing, at most `limit`: for copying to another
    /// store. Damaged scans are listed too.
    fn list_mcp_scans(
        &self,
        after: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<McpPosition>, StoreError>>;

    /// Stores a scan of another store, like [`McpScans::put_mcp_scan`], but leaves surfaces alone.
    fn import_mcp_scan(&self, scan: StoredMcpScan) -> BoxFuture<'_, Result<(), StoreError>>;

    /// The URLs after this one that have surfaces, in order, at most `limit`.
    fn list_mcp_surface_urls(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<String>, StoreError>>;

    /// Replaces all surfaces of a URL with those of another store, given as [`McpScans::mcp_surfaces`]
    /// returns them.
    fn import_mcp_surfaces(
        &self,
        url: String,
        surfaces: Vec<McpSurface>,
    ) -> BoxFuture<'_, Result<(), StoreError>>;

    /// All locks after this position, in the order of storing, at most `limit`: for copying to another
    /// store. Damaged locks are listed too.
    fn list_mcp_locks(
        &self,
        after: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<McpPosition>, StoreError>>;
}

impl StoredMcpScan {
    #[must_use]
    pub fn summary(&self) -> McpScanSummary {
        McpScanSummary {
            url: self.url.clone(),
            scan_sha256: self.scan_sha256,
            observed_at: self.observed_at,
            state: self.state.clone(),
            surface_sha256: self.surface_sha256,
        }
    }

    /// A digest over document and lists, so that the rest can be compared without reading them.
    #[must_use]
    pub fn content_digest(&self) -> Digest {
        Fingerprint::of("mcp scan content 1").body(&self.document).body(&self.lists).finish()
    }

    /// Refuses a scan that is too large for any engine. Engines call this before they write, and compare
    /// the lists with [`MAX_MCP_LISTS_BYTES`] when they have compressed them.
    pub fn check_size(&self) -> Result<(), StoreError> {
        check_url(&self.url)?;
        check_length("state of an MCP server", self.state.len(), MAX_STATE_BYTES)?;
        check_size("scan of an MCP server", &self.document)?;
        check_size(MCP_LISTS, &self.lists)
    }
}

impl McpScanSummary {
    /// A digest over all members of a scan and its position in the order of storing, which engines compare
    /// when they read. `content` is the scan's [`StoredMcpScan::content_digest`].
    #[must_use]
    pub fn fingerprint(&self, domain: &Domain, position: u64, content: &Digest) -> Digest {
        Fingerprint::of("mcp scan 1")
            .number(position)
            .text(&self.url)
            .text(domain.as_str())
            .bytes(self.scan_sha256.as_bytes())
            .time(self.observed_at)
            .text(&self.state)
            .optional_digest(self.surface_sha256.as_ref())
            .bytes(content.as_bytes())
            .finish()
    }
}

impl McpSurface {
    /// The surface after it was seen again. An earlier time, from a clock that was set back, is ignored.
    #[must_use]
    pub fn seen_again(self, at: Timestamp) -> Self {
        Self { last_seen: self.last_seen.max(at), ..self }
    }

    /// A digest over all members, the URL and the position in the order of storing, which engines compare
    /// when they read.
    #[must_use]
    pub fn fingerprint(&self, url: &str, position: u64) -> Digest {
        Fingerprint::of("mcp surface 1")
            .number(position)
            .text(url)
            .bytes(self.surface_sha256.as_bytes())
            .time(self.first_seen)
            .time(self.last_seen)
            .finish()
    }
}

impl IssuedMcpLock {
    /// A digest over all members and the position in the order of storing, which engines compare when they
    /// read.
    #[must_use]
    pub fn fingerprint(&self, position: u64) -> Digest {
        Fingerprint::of("mcp lock 1")
            .number(position)
            .bytes(self.lock_sha256.as_bytes())
            .text(&self.url)
            .text(self.domain.as_str())
            .bytes(self.surface_sha256.as_bytes())
            .optional_digest(self.scan_sha256.as_ref())
            .time(self.issued_at)
            .finish()
    }

    /// Refuses a lock that is too large for any engine. Engines call this before they write.
    pub fn check_size(&self) -> Result<(), StoreError> {
        check_url(&self.url)
    }
}

impl McpScanExtras {
    /// Refuses values that no engine could read back. Engines call this before they write.
    pub fn check(&self) -> Result<(), StoreError> {
        self.changes.iter().try_for_each(NewChange::check)?;
        self.revocations.iter().try_for_each(NewRevocation::check)
    }
}

/// Refuses surfaces that no engine accepts. Engines call this before they import them.
pub fn check_imported_surfaces(url: &str, surfaces: &[McpSurface]) -> Result<(), StoreError> {
    check_url(url)?;
    if surfaces.len() <= MCP_SURFACES_PER_URL {
        return Ok(());
    }
    let why = format!("a URL has at most {MCP_SURFACES_PER_URL}, not {}", surfaces.len());
    Err(StoreError::Failed { doing: "copying the surfaces of an MCP server", why })
}

fn check_url(url: &str) -> Result<(), StoreError> {
    check_length("URL of an MCP server", url.len(), MAX_MCP_URL_BYTES)
}

#[cfg(test)]
mod tests;
