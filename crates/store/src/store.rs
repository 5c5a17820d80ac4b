//! The trait that an engine implements as a whole.

use std::fmt;

use crate::{
    Accuracy, Allowances, AnswerInputs, Answers, Artifacts, Audit, BoxFuture, Census, Changes,
    Clocks, Conduct, Control, Decisions, Deletions, Deliveries, Disputes, Feeds, Idempotency,
    Incidents, Jobs, KeyRequests, LicenceData, LicenceScans, Licences, Log, McpScans, Outcomes,
    Pruning, Readings, Registrations, Revocations, Scans, Seals, Sessions, StoreError, Switches,
    Usage, Webhooks,
};

/// Everything that one deployment stores.
pub trait Store:
    Scans
    + Artifacts
    + Seals
    + Licences
    + Allowances
    + Usage
    + LicenceScans
    + Sessions
    + Audit
    + Webhooks
    + Deliveries
    + KeyRequests
    + LicenceData
    + Switches
    + Log
    + Answers
    + Outcomes
    + Jobs
    + Idempotency
    + Clocks
    + Census
    + Feeds
    + McpScans
    + Conduct
    + Registrations
    + Accuracy
    + Control
    + Incidents
    + Disputes
    + Readings
    + AnswerInputs
    + Changes
    + Revocations
    + Decisions
    + Deletions
    + Pruning
    + fmt::Debug
{
    /// The engine's name, for messages and metrics.
    fn engine(&self) -> &'static str;

    /// The number of the last applied migration.
    fn schema_version(&self) -> u32;

    /// Health check: writes a small value durably and reads it back.
    fn check(&self) -> BoxFuture<'_, Result<(), StoreError>>;

    /// The engine's own integrity check: the problems it finds in its files, empty when there are
    /// none. Reads everything, so it can take long.
    fn inspect(&self) -> BoxFuture<'_, Result<Vec<String>, StoreError>>;
}
