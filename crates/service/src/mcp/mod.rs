//! MCP servers: scans of what they list, locks of it, and comparisons with a lock.
//!
//! A walk over the lists is made by `observe`, the rules and locks are in `judge::mcp`. This group decides
//! when a server is read, stores what was read, and signs. No tool is ever called.

mod approval;
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

pub use judge::mcp::DriftPolicy;
pub use lock::{LockCheckRequest, LockRequest};
pub use read::LiveWalk;
pub use scan::{McpAnswer, ScanRequest};
pub use server_url::{McpUrl, McpUrlError};

use crate::bounded_cache::BoundedCache;
use crate::log::builds::Builds;
use crate::scanner::Scanner;
use crate::signing_keys::SigningKeys;
use crate::target_domains::TargetDomains;

/// How old a stored scan may be to be served in place of a walk.
pub const STORED_SCAN_MAX_AGE: Duration = Duration::from_secs(15 * 60);

/// Memory for the digests of stored scans as they were served.
const SERVED_DIGESTS_BYTES: usize = 2 << 20;

#[derive(Debug, thiserror::Error)]
pub enum McpError {
    #[error("this client's limit of live reads is reached")]
    LiveLimit { retry_after: Duration },
    #[error("the servers of this domain are read as often as this service may read them")]
    TargetLimit { retry_after: Duration },
    #[error(
        "Name the server in `url`: the lock does not name one. Or send its lists in `observed`."
    )]
    NoServer,
    #[error("no scan of this server is stored")]
    NothingStored,
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

/// Reads, judges and locks MCP servers. Shared by all requests. `targets` and `served` guard their own state.
pub struct McpServers {
    pub(crate) issuer: Issuer,
    pub(crate) scanner: Scanner,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) keys: Arc<SigningKeys>,
    pub(crate) builds: Arc<Builds>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) targets: TargetDomains,
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
        Self { issuer, scanner, store, keys, builds, clock, targets, served }
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
