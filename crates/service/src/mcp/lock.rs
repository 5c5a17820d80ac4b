//! Locks of what a server lists, and the comparison with a lock.

use std::sync::Arc;

use contract::Timestamp;
use contract::records::{
    McpBasisKind, McpConditions, McpKnown, McpLock, McpLockCheck, McpLockOrigin, McpScanReference,
    McpScanState,
};
use judge::mcp::{
    CheckInputs, DriftPolicy, JudgedServer, LockInputs, ParsedLock, Reading, check_lock, make_lock,
    parse_lock,
};
use observe::McpBudget;
use proof::KeyPurpose;
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
    pub live: LiveWalk,
    pub policy: DriftPolicy,
    pub with_next_lock: bool,
    pub live_read_permit: Arc<dyn LiveReadPermit>,
}

impl McpServers {
    /// The lock of what a server lists now, signed.
    pub async fn lock(&self, request: LockRequest) -> Result<McpAnswer<McpLock>, McpError> {
        let permit = &*request.live_read_permit;
        let budget = McpBudget::default();
        let mut reading = self.read_server(&request.server, request.live, budget, permit).await?;
        if !reading.has_lists && request.live == LiveWalk::IfNeeded && !reading.is_live {
            reading = self.read_server(&request.server, LiveWalk::Always, budget, permit).await?;
        }
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
        let check = match (request.observed, request.server) {
            (Some(lists), server) => {
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
                compare(lock, judged, inputs).await?
            }
            (None, Some(server)) => {
                let permit = &*request.live_read_permit;
                let reading =
                    self.read_server(&server, request.live, McpBudget::default(), permit).await?;
                let first_seen = self.surface_first_seen(&server, &reading).await?;
                let next = request.with_next_lock.then(|| self.lock_inputs(&reading));
                let inputs = CheckInputs {
                    basis: if reading.is_live { McpBasisKind::Live } else { McpBasisKind::Stored },
                    observed_at: Some(reading.scan.scanned_at),
                    conditions: reading.scan.conditions.clone(),
                    scan: self.reference(&reading),
                    first_seen,
                    next_lock: next,
                    ..base
                };
                match reading.scan.state {
                    McpScanState::AuthRequired => {
                        check_lock(&lock, CheckInputs { reading: Reading::AuthRequired, ..inputs })
                    }
                    McpScanState::Observed | McpScanState::Incomplete => {
                        compare(lock, Arc::clone(&reading.judged), inputs).await?
                    }
                    _ => check_lock(&lock, inputs),
                }
            }
            (None, None) => return Err(McpError::NoServer),
        };
        let signed = self.keys.sign_record(&check, KeyPurpose::Documents)?;
        Ok(McpAnswer { record: check, bytes: signed.bytes, sha256: signed.digest })
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
        server: &McpUrl,
        reading: &McpReading,
    ) -> Result<Option<Timestamp>, McpError> {
        let surfaces = self.store.mcp_surfaces(&server.url, MCP_SURFACES_PER_URL).await?;
        let now = reading.judged.surface.digests.surface.as_deref();
        let current = surfaces.first().filter(|one| Some(&*one.surface_sha256.to_string()) == now);
        Ok(current.map(|surface| surface.first_seen.whole_seconds()))
    }
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
