//! Locks of what a server lists, and the comparison with a lock.

use std::sync::Arc;

use contract::Timestamp;
use contract::records::{
    McpBasisKind, McpConditions, McpKnown, McpLock, McpLockCheck, McpLockOrigin, McpScanReference,
    McpScanState,
};
use judge::mcp::{
    CheckInputs, DriftPolicy, JudgedServer, LockInputs, ParsedLock, Reading, add_text_diffs,
    check_lock, make_lock, no_text_diffs, parse_lock,
};
use proof::{Digest, KeyPurpose};
use store::IssuedMcpLock;
use store::mcp_scans::MCP_SURFACES_PER_URL;

use super::read::{McpReading, run_blocking};
use super::{LiveWalk, McpAnswer, McpError, McpServers, McpUrl};
use crate::access::LiveReadPermit;

/// A request for the lock of a server.
#[allow(missing_debug_implementations, reason = "holds a callback")]
pub struct LockRequest {
    pub server: McpUrl,
    pub live: LiveWalk,
    pub live_read_permit: Arc<dyn LiveReadPermit>,
}

/// A request to compare a server, or lists that the caller supplies, with a lock.
#[allow(missing_debug_implementations, reason = "holds a callback")]
pub struct LockCheckRequest {
    /// The lock, as JSON.
    pub lock: Vec<u8>,
    /// `None`: the server that the lock names.
    pub server: Option<McpUrl>,
    /// The lists as the caller read them, as JSON; then no server is read.
    pub observed: Option<Vec<u8>>,
    /// A stored scan, or the digest under which it was served; then no server is read.
    pub scan_sha256: Option<Digest>,
    pub live: LiveWalk,
    pub policy: DriftPolicy,
    pub with_next_lock: bool,
    /// Whether the answer shall say how changed texts differ.
    pub with_texts: bool,
    pub live_read_permit: Arc<dyn LiveReadPermit>,
}

impl McpServers {
    /// The lock of what a server lists now, signed.
    pub async fn lock(&self, request: LockRequest) -> Result<McpAnswer<McpLock>, McpError> {
        let permit = &*request.live_read_permit;
        let reading = self.read_lists(&request.server, request.live, permit).await?;
        self.make_lock(&reading, true).await
    }

    /// Makes a lock. `is_issued`: it is remembered, so that somebody can ask whether it still holds.
    pub(super) async fn make_lock(
        &self,
        reading: &McpReading,
        is_issued: bool,
    ) -> Result<McpAnswer<McpLock>, McpError> {
        if reading.scan.state != McpScanState::Observed {
            let why = reading.scan.why.clone();
            return Err(McpError::NotLockable(
                why.unwrap_or_else(|| format!("its state is {}", reading.scan.state.as_str())),
            ));
        }
        let inputs = self.lock_inputs(reading);
        let judged = Arc::clone(&reading.judged);
        let lock = run_blocking(move || make_lock(&judged.surface, inputs)).await??;
        let signed = self.keys.sign_record(&lock, KeyPurpose::Documents)?;
        let surface = lock.surface_sha256.parse().ok();
        if let (true, Some(surface_sha256), Some(url), Some(domain)) =
            (is_issued, surface, lock.server.url.clone(), reading.scan.domain.clone())
        {
            let issued = IssuedMcpLock {
                lock_sha256: signed.digest,
                url,
                domain,
                surface_sha256,
                scan_sha256: Some(reading.scan_sha256),
                issued_at: lock.locked_at,
            };
            self.store.put_mcp_lock(issued).await?;
        }
        Ok(McpAnswer { record: lock, bytes: signed.bytes, sha256: signed.digest })
    }

    fn lock_inputs(&self, reading: &McpReading) -> LockInputs {
        let scan = &reading.scan;
        LockInputs {
            kind: self.issuer.brand.kind("mcp-lock"),
            schema: self.schema("mcp-lock"),
            url: scan.url.clone(),
            locked_at: self.clock.now().whole_seconds(),
            conditions: scan.conditions.clone(),
            server_name: scan.server.untrusted_name.clone(),
            server_version: scan.server.untrusted_version.clone(),
            scan: self.reference(reading),
        }
    }

    fn reference(&self, reading: &McpReading) -> Option<McpScanReference> {
        let url = reading.scan.url.as_deref()?;
        Some(McpScanReference {
            scan_sha256: Some(reading.scan_sha256.to_string()),
            address: self.scan_address(url),
        })
    }

    /// Compares a lock with what the server lists now.
    pub async fn check_lock(
        &self,
        request: LockCheckRequest,
    ) -> Result<McpAnswer<McpLockCheck>, McpError> {
        let lock = parse_lock(&request.lock)?;
        let (origin, signature_valid) = self.check_origin(&request.lock, &lock);
        let checked_at = self.clock.now().whole_seconds();
        let base = CheckInputs {
            kind: self.issuer.brand.kind("mcp-lock-check"),
            schema: self.schema("mcp-lock-check"),
            url: request.server.as_ref().map(|server| server.url.clone()),
            checked_at,
            basis: McpBasisKind::CallerSupplied,
            observed_at: None,
            conditions: caller_conditions(),
            reading: Reading::Unreachable,
            origin,
            signature_valid,
            scan: None,
            policy: request.policy,
            verified: false,
            first_seen: None,
            next_lock: None,
        };
        let locked_scan = locked_scan(&lock);
        let (mut check, reading) = match (request.observed, request.scan_sha256, request.server) {
            (Some(lists), _, server) => {
                let judged = self.judge_supplied(lists).await?;
                let next = request.with_next_lock.then(|| LockInputs {
                    kind: self.issuer.brand.kind("mcp-lock"),
                    schema: self.schema("mcp-lock"),
                    url: server.map(|server| server.url),
                    locked_at: checked_at,
                    conditions: caller_conditions(),
                    server_name: None,
                    server_version: None,
                    scan: None,
                });
                let inputs = CheckInputs { observed_at: Some(checked_at), next_lock: next, ..base };
                (compare(lock, judged, inputs).await?, None)
            }
            (None, Some(digest), server) => {
                let reading = self.open_scan(digest, server.as_ref()).await?;
                let base = CheckInputs { url: reading.scan.url.clone(), ..base };
                let check = self.compare_reading_with(lock, &reading, base, request.with_next_lock);
                (check.await?, Some(reading))
            }
            (None, None, Some(server)) => {
                let permit = &*request.live_read_permit;
                let reading = self.read_lists(&server, request.live, permit).await?;
                let check = self.compare_reading_with(lock, &reading, base, request.with_next_lock);
                (check.await?, Some(reading))
            }
            (None, None, None) => return Err(McpError::NoServer),
        };
        if request.with_texts {
            check = self.compare_texts(check, locked_scan, reading).await?;
        }
        let signed = self.keys.sign_record(&check, KeyPurpose::Documents)?;
        Ok(McpAnswer { record: check, bytes: signed.bytes, sha256: signed.digest })
    }

    async fn compare_reading_with(
        &self,
        lock: ParsedLock,
        reading: &McpReading,
        base: CheckInputs<'static>,
        with_next_lock: bool,
    ) -> Result<McpLockCheck, McpError> {
        let first_seen = self.surface_first_seen(reading).await?;
        let inputs = CheckInputs {
            basis: if reading.is_live { McpBasisKind::Live } else { McpBasisKind::Stored },
            observed_at: Some(reading.scan.scanned_at),
            conditions: reading.scan.conditions.clone(),
            scan: self.reference(reading),
            first_seen,
            next_lock: with_next_lock.then(|| self.lock_inputs(reading)),
            ..base
        };
        Ok(match reading.scan.state {
            McpScanState::AuthRequired => {
                check_lock(&lock, CheckInputs { reading: Reading::AuthRequired, ..inputs })
            }
            McpScanState::Observed | McpScanState::Incomplete => {
                compare(lock, Arc::clone(&reading.judged), inputs).await?
            }
            _ => check_lock(&lock, inputs),
        })
    }

    /// A stored scan with its lists, by the digest of the record or of a form in which it was served.
    async fn open_scan(
        &self,
        digest: Digest,
        server: Option<&McpUrl>,
    ) -> Result<McpReading, McpError> {
        let digest = self.stored_digest(digest, self.clock.now());
        let stored = self.store.mcp_scan(digest).await?.ok_or(McpError::UnknownScan)?;
        if server.is_some_and(|server| server.url != stored.url) {
            return Err(McpError::OtherServer);
        }
        let reading = self.open_stored(stored).await?;
        // Without its lists, a server would seem to list nothing.
        let is_read =
            matches!(reading.scan.state, McpScanState::Observed | McpScanState::Incomplete);
        if is_read && !reading.has_lists {
            return Err(McpError::ListsNotStored);
        }
        Ok(reading)
    }

    /// Adds how changed texts differ, if the scan from which the lock was made is still stored.
    async fn compare_texts(
        &self,
        mut check: McpLockCheck,
        locked_scan: Option<Digest>,
        reading: Option<McpReading>,
    ) -> Result<McpLockCheck, McpError> {
        let Some(reading) = reading else {
            no_text_diffs(&mut check, "You supplied the lists, and they are not stored.");
            return Ok(check);
        };
        let locked = match locked_scan {
            Some(digest) => self.store.mcp_scan(digest).await?,
            None => None,
        };
        let Some(locked) = locked.filter(|scan| !scan.lists.is_empty()) else {
            let why = "The lock names no scan, or its scan is no longer stored with its texts.";
            no_text_diffs(&mut check, why);
            return Ok(check);
        };
        let locked = self.open_stored(locked).await?;
        run_blocking(move || {
            add_text_diffs(&mut check, &locked.judged.surface, &reading.judged.surface);
            check
        })
        .await
    }

    /// Who signed a lock. A lock that is not ours, or not signed, can be compared as well.
    fn check_origin(&self, document: &[u8], lock: &ParsedLock) -> (McpLockOrigin, McpKnown) {
        if !lock.document().contains_key("signature") {
            return (McpLockOrigin::Unsigned, McpKnown::NOT_MEASURED);
        }
        let brand = &self.issuer.brand;
        let is_ours = lock.document().get("kind").and_then(|kind| kind.as_str())
            == Some(brand.kind("mcp-lock").as_str());
        let Some(policy) = is_ours.then(|| self.keys.key_policy().ok()).flatten() else {
            return (McpLockOrigin::SignedByOthers, McpKnown::NOT_MEASURED);
        };
        let verdict = proof::verify_document(document, &policy.at(self.clock.now()), brand);
        let is_valid = verdict.conclusion() == proof::verify::Conclusion::Accepted;
        (McpLockOrigin::SignedByUs, McpKnown::Measured(is_valid))
    }

    async fn surface_first_seen(
        &self,
        reading: &McpReading,
    ) -> Result<Option<Timestamp>, McpError> {
        let Some(url) = reading.scan.url.as_deref() else { return Ok(None) };
        let surfaces = self.store.mcp_surfaces(url, MCP_SURFACES_PER_URL).await?;
        let now = reading.judged.surface.digests.surface.as_deref();
        let is_same = |one: &&store::McpSurface| Some(&*one.surface_sha256.to_string()) == now;
        Ok(surfaces.iter().find(is_same).map(|surface| surface.first_seen.whole_seconds()))
    }
}

/// The scan from which a lock was made, if it says so.
fn locked_scan(lock: &ParsedLock) -> Option<Digest> {
    lock.document().get("scan")?.get("scan_sha256")?.as_str()?.parse().ok()
}

async fn compare(
    lock: ParsedLock,
    judged: Arc<JudgedServer>,
    inputs: CheckInputs<'static>,
) -> Result<McpLockCheck, McpError> {
    run_blocking(move || {
        let JudgedServer { surface, report } = &*judged;
        check_lock(&lock, CheckInputs { reading: Reading::Observed { surface, report }, ..inputs })
    })
    .await
}

/// The lists were read by the caller, with whatever credentials it has.
pub(super) fn caller_conditions() -> McpConditions {
    McpConditions {
        client_capabilities: serde_json::Map::new(),
        client_name: None,
        auth_context: "caller".to_owned(),
        protocol_version: None,
    }
}
