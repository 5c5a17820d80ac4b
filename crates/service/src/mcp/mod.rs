//! MCP servers: scans of what they list, locks of it, and comparisons with a lock.
//!
//! A walk over the lists is made by `observe`, the rules and locks are in `judge::mcp`. This group decides
//! when a server is read, stores what was read, and signs. No tool is ever called.

mod approval;
mod declared_servers;
mod domain_scans;
mod judging;
mod local;
mod lock;
mod read;
mod scan;
mod server_url;
mod supplied;
mod surface_change;

use std::sync::Arc;
use std::time::Duration;

use contract::{Clock, Issuer};
use judge::mcp::{BadLock, LockRefusal, PageFault};
use proof::{Digest, ProofError};
use store::{Store, StoreError};
use tokio::sync::Semaphore;

pub use domain_scans::DomainScansRequest;
pub use judge::mcp::{DriftPolicy, TextParts};
pub use local::{LocalMcp, server_of_lock};
pub use lock::{LockCheckRequest, LockRequest};
pub use read::LiveWalk;
pub use scan::{McpAnswer, ScanParts, ScanRequest};
pub use server_url::{McpUrl, McpUrlError};

use self::judging::Judging;
use crate::bounded_cache::BoundedCache;
use crate::log::builds::Builds;
use crate::scanner::Scanner;
use crate::signing_keys::SigningKeys;
use crate::target_domains::TargetDomains;

/// How old a stored scan may be to be served in place of a walk.
pub const STORED_SCAN_MAX_AGE: Duration = Duration::from_secs(15 * 60);

/// Servers that are read at the same time, over all callers: each walk holds a connection and up to its limit
/// of bytes. A server that is slow holds one of them for ten seconds at most.
const WALKS_AT_ONCE: usize = 32;

/// Memory for the digests of stored scans as they were served.
const SERVED_DIGESTS_BYTES: usize = 2 << 20;

#[derive(Debug, thiserror::Error)]
pub enum McpError {
    #[error("this client's limit of live reads is reached")]
    LiveLimit { retry_after: Duration },
    #[error("the servers of this domain are read as often as this service may read them")]
    TargetLimit { retry_after: Duration },
    #[error("this service reads or judges as many MCP servers as it can at the moment")]
    Busy { retry_after: Duration },
    #[error(
        "Name the server in `url`: the lock does not name one. Or send its lists in `observed`."
    )]
    NoServer,
    #[error("no scan of this server is stored")]
    NothingStored,
    #[error("No scan with this digest is stored. Old scans are removed: scan the server again.")]
    UnknownScan,
    #[error("The scan is one of another server than `url` names.")]
    OtherServer,
    #[error(
        "The lists of this scan were too large to be stored. Compare the server itself, without \
         `scan_sha256`."
    )]
    ListsNotStored,
    #[error("the server was not read completely: {0}")]
    NotLockable(String),
    #[error(transparent)]
    Refused(#[from] LockRefusal),
    #[error(transparent)]
    BadLock(#[from] BadLock),
    #[error("{}", .0.sentence())]
    BadLists(PageFault),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Signing(#[from] ProofError),
    #[error("a stored scan cannot be parsed: {0}")]
    Unreadable(String),
    #[error("internal error: {0}")]
    Internal(String),
}

impl McpError {
    /// A turn is over within seconds, so it is worth asking again soon.
    const BUSY: Self = Self::Busy { retry_after: Duration::from_secs(5) };
}

/// Reads, judges and locks MCP servers. Shared by all requests. `targets`, `judging` and `served` guard their
/// own state.
pub struct McpServers {
    pub(crate) issuer: Issuer,
    pub(crate) scanner: Scanner,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) keys: Arc<SigningKeys>,
    pub(crate) builds: Arc<Builds>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) targets: TargetDomains,
    /// A permit for each walk that may run.
    walks: Arc<Semaphore>,
    judging: Judging,
    /// Which stored scan was served under which digest: a scan that is served again says how old it is, and
    /// so has another digest.
    served: BoundedCache<Digest, Digest>,
}

impl McpServers {
    pub(crate) fn new(
        issuer: Issuer,
        scanner: Scanner,
        store: Arc<dyn Store>,
        keys: Arc<SigningKeys>,
        builds: Arc<Builds>,
        clock: Arc<dyn Clock>,
        targets: TargetDomains,
    ) -> Self {
        let served = BoundedCache::new("mcp_scans", SERVED_DIGESTS_BYTES);
        let (walks, judging) = (Arc::new(Semaphore::new(WALKS_AT_ONCE)), Judging::new());
        Self { issuer, scanner, store, keys, builds, clock, targets, walks, judging, served }
    }

    /// Removes from the caches what has expired.
    pub(crate) fn evict_expired(&self) {
        let now = self.clock.now();
        self.served.evict_expired(now);
        self.judging.evict_expired(now);
    }

    /// Publishes the sizes of the caches as metrics.
    pub(crate) fn report_cache_sizes(&self) {
        self.served.report_size();
        self.judging.report_size();
    }

    fn schema(&self, word: &str) -> String {
        contract::schema::schema_url(word, &self.issuer.brand, &self.issuer.base_url)
    }

    /// The name by which the scanner introduces itself to servers.
    fn client_name(&self) -> String {
        self.issuer.brand.kind("scanner")
    }

    pub(crate) fn scan_address(&self, url: &str) -> String {
        let query =
            url::form_urlencoded::Serializer::new(String::new()).append_pair("url", url).finish();
        format!("{}/api/v1/mcp/scan?{query}", self.issuer.base_url)
    }
}

#[cfg(test)]
mod tests;
