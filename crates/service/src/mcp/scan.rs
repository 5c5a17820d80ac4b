//! The signed scan of a server.

use std::sync::Arc;

use contract::Timestamp;
use contract::records::{McpBasisKind, McpScan};
use judge::mcp::{TextParts, add_texts};
use observe::McpBudget;
use proof::{Digest, KeyPurpose};

use super::read::{McpReading, run_blocking};
use super::{LiveWalk, McpError, McpServers, McpUrl};
use crate::access::LiveReadPermit;

/// A request for the scan of a server.
#[allow(missing_debug_implementations, reason = "holds a callback")]
pub struct ScanRequest {
    pub server: McpUrl,
    pub live: LiveWalk,
    pub parts: ScanParts,
    pub live_read_permit: Arc<dyn LiveReadPermit>,
}

/// What a scan shall contain besides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ScanParts {
    /// The lock of what the server lists.
    pub lock: bool,
    pub texts: TextParts,
}

impl ScanParts {
    /// Whether the lists behind the scan are needed, and not only the record.
    const fn need_lists(self) -> bool {
        self.lock || self.texts.any()
    }
}

/// A signed record.
#[derive(Debug, Clone)]
pub struct McpAnswer<T> {
    pub record: T,
    /// As it is served.
    pub bytes: Vec<u8>,
    pub sha256: Digest,
}

/// Served digests are remembered so long: a stored scan is not served longer.
const SERVED_DIGEST_VALID_MS: i64 = 3_600_000;
const SERVED_DIGEST_BYTES: usize = 128;

impl McpServers {
    /// The scan of a server.
    pub async fn scan(&self, request: ScanRequest) -> Result<McpAnswer<McpScan>, McpError> {
        let permit = &*request.live_read_permit;
        self.scan_server(&request.server, request.live, request.parts, permit).await
    }

    pub(super) async fn scan_server(
        &self,
        server: &McpUrl,
        live: LiveWalk,
        parts: ScanParts,
        permit: &dyn LiveReadPermit,
    ) -> Result<McpAnswer<McpScan>, McpError> {
        let reading = if parts.need_lists() {
            self.read_lists(server, live, permit).await?
        } else {
            self.read_server(server, live, McpBudget::default(), permit).await?
        };
        if reading.is_live && !parts.need_lists() {
            return Ok(McpAnswer {
                bytes: reading.document.to_vec(),
                sha256: reading.scan_sha256,
                record: reading.scan,
            });
        }
        let lock = if parts.lock { self.make_lock(&reading, false).await.ok() } else { None };
        let mut scan = self.as_served(&reading);
        scan.lock = lock.map(|lock| Box::new(lock.record));
        if parts.texts.any() {
            let judged = Arc::clone(&reading.judged);
            scan = run_blocking(move || {
                add_texts(&mut scan, &judged.surface, parts.texts);
                scan
            })
            .await?;
        }
        let signed = self.keys.sign_record(&scan, KeyPurpose::Documents)?;
        let (now, original) = (self.clock.now(), reading.scan_sha256);
        let until = now.plus_millis(SERVED_DIGEST_VALID_MS);
        self.served.put(signed.digest, original, SERVED_DIGEST_BYTES, until, now, |_| true);
        Ok(McpAnswer { record: scan, bytes: signed.bytes, sha256: signed.digest })
    }

    /// A reading with the lists behind it: lists that were too large to be stored are read again.
    pub(super) async fn read_lists(
        &self,
        server: &McpUrl,
        live: LiveWalk,
        permit: &dyn LiveReadPermit,
    ) -> Result<McpReading, McpError> {
        let budget = McpBudget::default();
        let reading = self.read_server(server, live, budget, permit).await?;
        if reading.has_lists || reading.is_live || live == LiveWalk::Never {
            return Ok(reading);
        }
        self.read_server(server, LiveWalk::Always, budget, permit).await
    }

    /// The scan without its signature, and with its age if it is a stored one.
    fn as_served(&self, reading: &McpReading) -> McpScan {
        let mut scan = reading.scan.clone();
        scan.sha256 = None;
        scan.signature = None;
        scan.basis.scan_sha256 = Some(reading.scan_sha256.to_string());
        if !reading.is_live {
            let age_ms = self.clock.now().millis_since(scan.scanned_at).max(0);
            scan.basis.kind = McpBasisKind::Stored;
            scan.basis.age_seconds = u64::try_from(age_ms / 1_000).unwrap_or_default();
        }
        scan
    }

    /// The digest under which a scan is stored, of the digest under which it was served.
    pub(crate) fn stored_digest(&self, served: Digest, now: Timestamp) -> Digest {
        self.served.get(&served, now).unwrap_or(served)
    }
}
