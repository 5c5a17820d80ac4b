//! An MCP server that is read without a service: nothing is signed or stored.

use contract::mcp_evidence::McpEvidence;
use contract::records::{
    McpBasisKind, McpHistory, McpKnown, McpLock, McpLockCheck, McpLockOrigin, McpScan, McpScanState,
};
use contract::{Domain, Issuer, Timestamp};
use judge::mcp::{
    CheckInputs, DriftPolicy, JudgedServer, LockInputs, Reading, ScanInputs, build_scan,
    check_lock, compare_card, judge_evidence, make_lock, parse_lock,
};
use observe::McpBudget;
use tokio::io::{AsyncRead, AsyncWrite};

use super::{McpError, McpUrl, McpUrlError};
use crate::scanner::Scanner;

/// What was read of a server, and judged.
#[derive(Debug)]
pub struct LocalMcp {
    pub scan: McpScan,
    judged: JudgedServer,
    issuer: Issuer,
}

impl Scanner {
    /// Parses the address of a server. Refuses hosts that are not public here.
    pub fn parse_mcp_url(&self, text: &str) -> Result<McpUrl, McpUrlError> {
        McpUrl::parse(text, self.name_policy())
    }

    /// Reads what a server lists, and judges it.
    pub async fn read_mcp(&self, server: &McpUrl) -> LocalMcp {
        let evidence = self.walk_mcp(&server.url, McpBudget::default()).await;
        self.judge_mcp(&evidence, Some(server.domain.clone()))
    }

    /// The same for a process, over its output and input.
    pub async fn read_mcp_process<R, W>(&self, output: R, input: W) -> LocalMcp
    where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Unpin,
    {
        let evidence = self.walk_mcp_process(output, input).await;
        self.judge_mcp(&evidence, None)
    }

    fn judge_mcp(&self, evidence: &McpEvidence, domain: Option<Domain>) -> LocalMcp {
        let judged = judge_evidence(evidence, &[]);
        let issuer = self.issuer().clone();
        let inputs = ScanInputs {
            kind: issuer.brand.kind("mcp-scan"),
            schema: schema(&issuer, "mcp-scan"),
            domain,
            client_name: issuer.brand.kind("scanner"),
            // Nothing is stored here, so there is no earlier reading.
            history: McpHistory {
                first_observed: None,
                last_changed_at: None,
                changes: 0,
                address: None,
            },
            card: compare_card(evidence, &judged.surface),
            verified: false,
            code: None,
        };
        let scan = build_scan(inputs, evidence, &judged);
        LocalMcp { scan, judged, issuer }
    }
}

impl LocalMcp {
    /// The lock of what the server listed, not signed.
    pub fn lock(&self, now: Timestamp) -> Result<McpLock, McpError> {
        if self.scan.state != McpScanState::Observed {
            let why = self.scan.why.clone();
            let state = || format!("its state is {}", self.scan.state.as_str());
            return Err(McpError::NotLockable(why.unwrap_or_else(state)));
        }
        let inputs = LockInputs {
            kind: self.issuer.brand.kind("mcp-lock"),
            schema: schema(&self.issuer, "mcp-lock"),
            url: self.scan.url.clone(),
            locked_at: now.whole_seconds(),
            conditions: self.scan.conditions.clone(),
            server_name: self.scan.server.untrusted_name.clone(),
            server_version: self.scan.server.untrusted_version.clone(),
            scan: None,
        };
        Ok(make_lock(&self.judged.surface, inputs)?)
    }

    /// Compares what the server listed with a lock. Without a service there are no keys, so a signature
    /// is not checked.
    pub fn check(
        &self,
        lock: &[u8],
        policy: DriftPolicy,
        now: Timestamp,
    ) -> Result<McpLockCheck, McpError> {
        let lock = parse_lock(lock)?;
        let is_signed = lock.document().contains_key("signature");
        let JudgedServer { surface, report } = &self.judged;
        let inputs = CheckInputs {
            kind: self.issuer.brand.kind("mcp-lock-check"),
            schema: schema(&self.issuer, "mcp-lock-check"),
            url: self.scan.url.clone(),
            checked_at: now.whole_seconds(),
            basis: McpBasisKind::Live,
            observed_at: Some(self.scan.scanned_at),
            conditions: self.scan.conditions.clone(),
            reading: match self.scan.state {
                McpScanState::Observed | McpScanState::Incomplete => {
                    Reading::Observed { surface, report }
                }
                McpScanState::AuthRequired => Reading::AuthRequired,
                _ => Reading::Unreachable,
            },
            origin: match is_signed {
                true => McpLockOrigin::SignedByOthers,
                false => McpLockOrigin::Unsigned,
            },
            signature_valid: McpKnown::NOT_MEASURED,
            scan: None,
            policy,
            verified: false,
            first_seen: None,
            next_lock: None,
        };
        Ok(check_lock(&lock, inputs))
    }
}

/// The server that a lock names.
pub fn server_of_lock(lock: &[u8]) -> Result<Option<String>, McpError> {
    Ok(parse_lock(lock)?.url().map(str::to_owned))
}

fn schema(issuer: &Issuer, word: &str) -> String {
    contract::schema::schema_url(word, &issuer.brand, &issuer.base_url)
}
