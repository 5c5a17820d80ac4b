//! Compares a server with what an agent's owner approved, for a preflight.

use std::time::Duration;

use contract::Timestamp;
use contract::records::{McpApproval, McpScanState, McpState, ReceiptMcp};
use observe::McpBudget;
use proof::Digest;

use super::read::McpReading;
use super::{LiveWalk, McpError, McpServers, McpUrl};
use crate::access::LiveReadPermit;

/// A scan that is younger is as good as a new one: agents ask in bursts.
const RECENT_MS: i64 = 5_000;

impl McpServers {
    /// Reads the server within the time limit; `None` reads nothing and uses a scan of the last minutes. If
    /// the server may not be read now, such a scan is used as well.
    pub(crate) async fn compare_with_approval(
        &self,
        asked: &McpApproval,
        time_limit: Option<Duration>,
        permit: &dyn LiveReadPermit,
    ) -> Result<ReceiptMcp, McpError> {
        let not_measured = ReceiptMcp {
            url: asked.url.clone(),
            state: McpState::NotMeasured,
            surface_sha256: None,
            tools_sha256: None,
        };
        let Ok(server) = McpUrl::parse(&asked.url, self.scanner.name_policy()) else {
            return Ok(not_measured);
        };
        let live = match time_limit {
            None => LiveWalk::Never,
            Some(_) if self.is_recent(&server, self.clock.now()).await? => LiveWalk::IfNeeded,
            Some(_) => LiveWalk::Always,
        };
        let budget = McpBudget::default().within(time_limit.unwrap_or_default());
        let stored = McpBudget::default();
        let read = match self.read_server(&server, live, budget, permit).await {
            Err(
                McpError::LiveLimit { .. } | McpError::TargetLimit { .. } | McpError::Busy { .. },
            ) => self.read_server(&server, LiveWalk::Never, stored, permit).await,
            read => read,
        };
        match read {
            Ok(reading) => self.compare_reading(asked, &reading).await,
            Err(McpError::NothingStored) => Ok(not_measured),
            Err(error) => Err(error),
        }
    }

    async fn is_recent(&self, server: &McpUrl, now: Timestamp) -> Result<bool, McpError> {
        let stored = self.store.latest_mcp_scan(&server.url).await?;
        Ok(stored.is_some_and(|scan| now.millis_since(scan.observed_at) <= RECENT_MS))
    }

    async fn compare_reading(
        &self,
        asked: &McpApproval,
        reading: &McpReading,
    ) -> Result<ReceiptMcp, McpError> {
        let scan = &reading.scan;
        let surface = scan.surface.surface_sha256.clone();
        let tools = scan.surface.tools_sha256.clone();
        let has_hard_finding =
            scan.findings.iter().any(|finding| finding.tier == contract::records::McpTier::Hard);
        let state = match scan.state {
            _ if has_hard_finding => McpState::HardFinding,
            McpScanState::AuthRequired => McpState::AuthRequired,
            McpScanState::Incomplete => McpState::Incomplete,
            McpScanState::Observed => match self.approved_digest(asked, &surface, &tools).await? {
                Approved::Nothing => McpState::NotCompared,
                Approved::Unknown => McpState::NotMeasured,
                Approved::Compared(true) => McpState::Match,
                Approved::Compared(false) => McpState::Drift,
            },
            _ => McpState::Unreachable,
        };
        Ok(ReceiptMcp {
            url: asked.url.clone(),
            state,
            surface_sha256: surface,
            tools_sha256: tools,
        })
    }

    async fn approved_digest(
        &self,
        asked: &McpApproval,
        surface: &Option<String>,
        tools: &Option<String>,
    ) -> Result<Approved, McpError> {
        if let Some(approved) = &asked.tools_sha256 {
            return Ok(Approved::Compared(tools.as_ref() == Some(approved)));
        }
        if let Some(approved) = &asked.surface_sha256 {
            return Ok(Approved::Compared(surface.as_ref() == Some(approved)));
        }
        let Some(lock) = &asked.lock_sha256 else { return Ok(Approved::Nothing) };
        let Ok(digest) = lock.parse::<Digest>() else { return Ok(Approved::Unknown) };
        Ok(match self.store.mcp_lock(digest).await? {
            Some(lock) => {
                Approved::Compared(surface.as_deref() == Some(&*lock.surface_sha256.to_string()))
            }
            None => Approved::Unknown,
        })
    }
}

enum Approved {
    /// The request names no approved digest.
    Nothing,
    /// The lock was not issued here, or is not stored any longer.
    Unknown,
    Compared(bool),
}
