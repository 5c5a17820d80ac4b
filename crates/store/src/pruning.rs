//! Removing what is past its retention, in small steps, and the size of the store.
//!
//! The log (batches, leaves, tiles, cosignatures, contradicting heads) and the daily seals have no
//! method here: they are never removed. Which times apply is decided by the caller.

use contract::Timestamp;

use crate::{BoxFuture, Digest, StoreError};

/// Before which time answers are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnswerCutoffs {
    /// Answers that are not the latest about their domain.
    pub superseded: Timestamp,
    /// Answers about a domain without a completed reading and without a public scan, the newest
    /// included.
    pub unreached: Timestamp,
    /// The latest answer about a domain.
    pub newest: Timestamp,
}

/// What `prune` can remove.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prunable {
    /// Readings that received nothing, by the time of the reading.
    UnreachedReadings,
    /// All readings, by their time.
    Readings,
    /// Changes, by their time, from the first one on. The last change stays: its number is needed.
    Changes,
    /// Entries of the chain of revocations, by their time, from the first one on. The last entry
    /// stays, because the next one refers to it, and so does everything from the first entry on
    /// that is still in force.
    Revocations,
    /// Withheld actions that withhold nothing any longer, by the time of their last change.
    ClearedActions,
    /// Decision receipts, by their expiry.
    Receipts,
    /// Scans with their evidence, by their time. Both scans of a dispute are kept.
    Scans,
    /// Scans of MCP servers, by their time. Kept are those that a lock was made from, and the latest
    /// complete one of a server that was scanned since.
    McpScans,
    /// Surfaces that MCP servers had, by the time they were last seen. Kept are those that a lock names,
    /// and the latest one of a server of which a scan or a lock is stored.
    McpSurfaces,
    /// Counts of agents on the service's own site, by the end of their day.
    Conduct,
    /// Calls of licences by day, by the end of their day, and by month.
    Usage,
    /// Deliveries to webhooks that were delivered or given up, by the time they ended.
    Deliveries,
    /// Registrations of domains with their changes, by the time of the last attempt to read them.
    Registrations,
    /// Those that were never read.
    UnreadRegistrations,
    /// Changes of registrations, by the time they were read.
    RegistrationChanges,
    /// AI-accuracy records, by the end of their day.
    Accuracy,
}

/// Where a step ended. Answers are examined by time, then by digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PruningCursor {
    pub answered_at: Timestamp,
    pub sha256: Digest,
}

/// The result of one step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PrunedAnswers {
    pub removed: u64,
    /// Where the next step continues; `None` when all answers were examined.
    pub next: Option<PruningCursor>,
}

/// How much space the store takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StoreSize {
    /// All pages of the database.
    pub database_bytes: u64,
    /// Pages that are empty and will be used again.
    pub free_bytes: u64,
}

pub trait Pruning: Send + Sync {
    /// Examines at most `limit` answers after `after`, oldest first, and removes those that are past
    /// their cutoff. The newest answer about a domain is removed last.
    fn prune_answers(
        &self,
        cutoffs: AnswerCutoffs,
        after: Option<PruningCursor>,
        limit: usize,
    ) -> BoxFuture<'_, Result<PrunedAnswers, StoreError>>;

    /// Removes at most `limit` values from before this time, in one small transaction, and returns
    /// how many.
    fn prune(
        &self,
        what: Prunable,
        before: Timestamp,
        limit: usize,
    ) -> BoxFuture<'_, Result<u64, StoreError>>;

    fn size(&self) -> BoxFuture<'_, Result<StoreSize, StoreError>>;
}

impl Prunable {
    pub const ALL: [Self; 16] = [
        Self::UnreachedReadings,
        Self::Readings,
        Self::Changes,
        Self::Revocations,
        Self::ClearedActions,
        Self::Receipts,
        Self::Scans,
        Self::McpScans,
        Self::McpSurfaces,
        Self::Conduct,
        Self::Usage,
        Self::Deliveries,
        Self::Registrations,
        Self::UnreadRegistrations,
        Self::RegistrationChanges,
        Self::Accuracy,
    ];

    /// The word for messages and metrics.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::UnreachedReadings => "unreached_readings",
            Self::Readings => "readings",
            Self::Changes => "changes",
            Self::Revocations => "revocations",
            Self::ClearedActions => "cleared_actions",
            Self::Receipts => "receipts",
            Self::Scans => "scans",
            Self::McpScans => "mcp_scans",
            Self::McpSurfaces => "mcp_surfaces",
            Self::Conduct => "conduct",
            Self::Usage => "usage",
            Self::Deliveries => "deliveries",
            Self::Registrations => "registrations",
            Self::UnreadRegistrations => "unread_registrations",
            Self::RegistrationChanges => "registration_changes",
            Self::Accuracy => "accuracy",
        }
    }
}
