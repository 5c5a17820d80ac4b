//! What a copy has done so far, and how much it does at a time.

use crate::StoreError;

/// The progress or result of a copy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CopyReport {
    pub scans: u64,
    /// How many of these the target already had, with identical bytes.
    pub scans_already_there: u64,
    /// What stays of scans that were deleted.
    pub deleted_scans: u64,
    pub artifacts: u64,
    pub seals: u64,
    pub licences: u64,
    pub webhooks: u64,
    /// Days and operations of which calls of a licence were counted.
    pub usage_rows: u64,
    /// Scans that were made for a licence.
    pub licence_scans: u64,
    pub audit_entries: u64,
    /// Claims of control over domains, with their events.
    pub claims: u64,
    pub control_events: u64,
    /// What owners reported.
    pub incidents: u64,
    pub disputes: u64,
    pub switches: u64,
    pub outcomes: u64,
    pub clocks: u64,
    pub census_rows: u64,
    /// Address ranges that operators publish.
    pub feeds: u64,
    /// Domains of which registration data was copied.
    pub registrations: u64,
    /// AI-accuracy records.
    pub accuracy: u64,
    /// Scans of MCP servers.
    pub mcp_scans: u64,
    /// MCP servers whose surfaces were copied.
    pub mcp_servers: u64,
    /// Issued locks of MCP servers.
    pub mcp_locks: u64,
    /// Days of counts of agents on the service's own site.
    pub conduct_days: u64,
    pub jobs: u64,
    /// Batches of the log.
    pub batches: u64,
    /// How many of these the target already had.
    pub batches_already_there: u64,
    pub answers: u64,
    pub answers_already_there: u64,
    pub cosignatures: u64,
    pub contradicting_heads: u64,
    pub changes: u64,
    pub revocations: u64,
    pub readings: u64,
    pub decisions: u64,
    /// What could not be copied because it is damaged in the source. Everything else was copied.
    pub damaged: Vec<String>,
}

/// Records that are listed in one call.
pub(super) const PAGE: usize = 256;
/// Concurrent writes: enough to fill one group commit of the target, few enough to hold in memory.
pub(super) const AT_ONCE: usize = 32;

impl CopyReport {
    /// What was read; `None`, and noted in the report, if it is damaged.
    pub(super) fn unless_damaged<T>(
        &mut self,
        read: Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        match read {
            Ok(value) => Ok(Some(value)),
            Err(damage @ StoreError::Damaged { .. }) => {
                self.damaged.push(damage.to_string());
                Ok(None)
            }
            Err(other) => Err(other),
        }
    }
}
