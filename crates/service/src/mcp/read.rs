//! When a server is read, and what is stored of it.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use contract::Timestamp;
use contract::mcp_evidence::McpEvidence;
use contract::records::{McpHistory, McpScan};
use judge::mcp::{
    JudgedServer, ScanInputs, build_scan, compare_card, date_findings, judge_evidence,
};
use observe::McpBudget;
use proof::{Digest, KeyPurpose};
use store::mcp_scans::{MCP_LISTS, MCP_SURFACES_PER_URL};
use store::{StoreError, StoredMcpScan};
use tokio::time::{Instant, timeout_at};

use super::surface_change::describe_change;
use super::{McpError, McpServers, McpUrl, STORED_SCAN_MAX_AGE};
use crate::access::LiveReadPermit;
use crate::target_domains::{DomainRefusal, ReadingKind};

/// How much longer than its own walk may take a caller waits for those of others.
const PATIENCE: Duration = Duration::from_secs(1);
/// Less time is not worth a question to a server.
const SHORTEST_WALK: Duration = Duration::from_millis(50);

/// Whether the server may be read now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LiveWalk {
    /// Unless a recent scan is stored.
    IfNeeded,
    Always,
    Never,
}

/// A scan with what it was made from.
#[derive(Debug, Clone)]
pub(super) struct McpReading {
    pub(super) scan: McpScan,
    pub(super) scan_sha256: Digest,
    /// The signed record as it was made.
    pub(super) document: Bytes,
    pub(super) judged: Arc<JudgedServer>,
    pub(super) is_live: bool,
    /// Whether the lists behind the scan are stored, so that it can be compared.
    pub(super) has_lists: bool,
}

impl McpServers {
    /// The scan of a server: a stored one if it is recent, otherwise a new one.
    pub(super) async fn read_server(
        &self,
        server: &McpUrl,
        live: LiveWalk,
        budget: McpBudget,
        permit: &dyn LiveReadPermit,
    ) -> Result<McpReading, McpError> {
        let asked = Asked { live, budget, at: self.clock.now() };
        let mut known = None;
        if let Some(stored) = self.store.latest_mcp_scan(&server.url).await? {
            known = Some(stored.scan_sha256);
            if asked.accepts(&stored)? {
                return self.open_stored(stored).await;
            }
        }
        if live == LiveWalk::Never {
            return Err(McpError::NothingStored);
        }
        // A caller with little time waits and walks within it.
        let is_in_a_hurry = budget.total < McpBudget::default().total;
        let patience = if is_in_a_hurry { budget.total } else { budget.total + PATIENCE };
        let deadline = Instant::now() + patience;
        let began = self.targets.begin(&server.domain, ReadingKind::McpWalk, patience).await;
        // Another caller may have read the server while this one waited. Its scan is as good, also if the
        // server may not be read once more.
        if let Some(stored) = self.store.latest_mcp_scan(&server.url).await?
            && (asked.accepts(&stored)?
                || (known != Some(stored.scan_sha256) && asked.is_enough(&stored)?))
        {
            if let Ok(walking) = began {
                walking.cancel();
            }
            return self.open_stored(stored).await;
        }
        let walking = began.map_err(|refusal: DomainRefusal| McpError::TargetLimit {
            retry_after: refusal.retry_after(),
        })?;
        let Ok(Ok(slot)) = timeout_at(deadline, Arc::clone(&self.walks).acquire_owned()).await
        else {
            walking.cancel();
            return Err(McpError::BUSY);
        };
        if let Err(retry_after) = permit.acquire() {
            walking.cancel();
            return Err(McpError::LiveLimit { retry_after });
        }
        let left = deadline.saturating_duration_since(Instant::now()).max(SHORTEST_WALK);
        let budget = if is_in_a_hurry { budget.within(left) } else { budget };
        let evidence = self.scanner.walk_mcp(&server.url, budget).await;
        drop(slot);
        let reading = self.judge_and_record(server, evidence).await;
        // Not before the scan is stored: who waits for this walk looks for it there.
        drop(walking);
        reading
    }

    async fn judge_and_record(
        &self,
        server: &McpUrl,
        evidence: McpEvidence,
    ) -> Result<McpReading, McpError> {
        let judge = move || {
            let judged = judge_evidence(&evidence, &[]);
            (evidence, judged)
        };
        let (evidence, judged) = self.judging.run(judge).await?;
        self.record(server, evidence, judged).await
    }

    /// Signs and stores a new scan.
    async fn record(
        &self,
        server: &McpUrl,
        evidence: McpEvidence,
        mut judged: JudgedServer,
    ) -> Result<McpReading, McpError> {
        let earlier = self.store.latest_complete_mcp_scan(&server.url).await?;
        let earlier_scan = earlier.as_ref().map(|scan| parse_scan(&scan.document)).transpose()?;
        let now = evidence.started_at.whole_seconds();
        let findings = earlier_scan.as_ref().map_or(&[][..], |scan| &scan.findings);
        date_findings(&mut judged.report.findings, findings, now);
        let surface = judged.surface.digests.surface.as_deref();
        let history = self.history(server, surface, now).await?;
        let scan = build_scan(
            ScanInputs {
                kind: self.issuer.brand.kind("mcp-scan"),
                schema: self.schema("mcp-scan"),
                domain: Some(server.domain.clone()),
                client_name: self.client_name(),
                history,
                card: compare_card(&evidence, &judged.surface),
                verified: false,
                code: self.builds.code().map(Arc::unwrap_or_clone),
            },
            &evidence,
            &judged,
        );
        let signed = self.keys.sign_record(&scan, KeyPurpose::Documents)?;
        let document = Bytes::from(signed.bytes);
        let surface_sha256 = surface.and_then(|digest| digest.parse().ok());
        let extras = describe_change(server, earlier.as_ref(), surface_sha256, signed.digest, now);
        let lists = serde_json::to_vec(&evidence).map_err(|e| McpError::Internal(e.to_string()))?;
        let mut stored = StoredMcpScan {
            url: server.url.clone(),
            domain: server.domain.clone(),
            scan_sha256: signed.digest,
            observed_at: evidence.started_at,
            state: scan.state.as_str().to_owned(),
            surface_sha256,
            document: document.clone(),
            lists: lists.into(),
        };
        let mut has_lists = true;
        match self.store.put_mcp_scan(stored.clone(), extras.clone()).await {
            // Lists that are too large to be kept are read again when they are needed.
            Err(StoreError::TooLarge { what, .. }) if what == MCP_LISTS => {
                stored.lists = Bytes::new();
                has_lists = false;
                self.store.put_mcp_scan(stored, extras).await?;
            }
            // The same scan was made in the same second.
            Err(StoreError::Duplicate { .. }) => {}
            stored => stored?,
        }
        let judged = Arc::new(judged);
        if has_lists {
            self.judging.remember(signed.digest, &judged, self.clock.now());
        }
        Ok(McpReading {
            scan,
            scan_sha256: signed.digest,
            document,
            judged,
            is_live: true,
            has_lists,
        })
    }

    async fn history(
        &self,
        server: &McpUrl,
        surface: Option<&str>,
        now: Timestamp,
    ) -> Result<McpHistory, McpError> {
        let surfaces = self.store.mcp_surfaces(&server.url, MCP_SURFACES_PER_URL).await?;
        let first = surfaces.last().map(|surface| surface.first_seen);
        let current = surfaces.first();
        let is_new = match (current, surface) {
            (Some(current), Some(surface)) => current.surface_sha256.to_string() != surface,
            _ => false,
        };
        let last_changed = match current {
            _ if is_new => Some(now),
            Some(current) if surfaces.len() > 1 => Some(current.first_seen),
            _ => None,
        };
        let changes = surfaces.len().saturating_sub(1) + usize::from(is_new);
        Ok(McpHistory {
            first_observed: first.or(surface.map(|_| now)),
            last_changed_at: last_changed,
            changes: u32::try_from(changes).unwrap_or(u32::MAX),
            address: Some(format!(
                "{}/api/v1/changes?domain={}&section=mcp",
                self.issuer.base_url, server.domain
            )),
        })
    }

    pub(super) async fn open_stored(&self, stored: StoredMcpScan) -> Result<McpReading, McpError> {
        let scan = parse_scan(&stored.document)?;
        let has_lists = !stored.lists.is_empty();
        let judged = if has_lists {
            let (sha256, now) = (stored.scan_sha256, self.clock.now());
            self.judging.of_stored(sha256, &stored.document, stored.lists, now).await?
        } else {
            Arc::default()
        };
        Ok(McpReading {
            scan,
            scan_sha256: stored.scan_sha256,
            document: stored.document,
            judged,
            is_live: false,
            has_lists,
        })
    }
}

/// What a caller asked for, and when.
struct Asked {
    live: LiveWalk,
    budget: McpBudget,
    at: Timestamp,
}

impl Asked {
    /// Whether a stored scan is served in place of a walk.
    fn accepts(&self, stored: &StoredMcpScan) -> Result<bool, McpError> {
        let is_recent = self.at.millis_since(stored.observed_at) <= max_age_ms();
        Ok(match self.live {
            LiveWalk::Always => false,
            LiveWalk::Never => is_recent,
            LiveWalk::IfNeeded => is_recent && self.is_enough(stored)?,
        })
    }

    /// A walk with less time than this caller gives says little if it did not reach the end: whoever asks
    /// with a tiny limit must not decide what all others are told.
    fn is_enough(&self, stored: &StoredMcpScan) -> Result<bool, McpError> {
        if !matches!(&*stored.state, "unreachable" | "incomplete") {
            return Ok(true);
        }
        let had = u128::from(parse_scan(&stored.document)?.basis.budget_ms);
        Ok(had >= self.budget.total.as_millis())
    }
}

fn max_age_ms() -> i64 {
    i64::try_from(STORED_SCAN_MAX_AGE.as_millis()).unwrap_or(i64::MAX)
}

pub(super) fn parse_scan(document: &[u8]) -> Result<McpScan, McpError> {
    serde_json::from_slice(document).map_err(|error| McpError::Unreadable(error.to_string()))
}

/// Megabytes of hostile text take too long for an async worker.
pub(super) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, McpError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| McpError::Internal(error.to_string()))
}
