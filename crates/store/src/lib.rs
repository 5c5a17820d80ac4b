//! The storage interface: small traits shaped by use, their value types, and the conformance suite
//! that every engine must pass.
//!
//! These traits contain no SQL. Writes that must happen together are one method, and a write is
//! durable when its method returns. Records are stored as the exact bytes that were signed, with a
//! few columns to find them by.
//!
//! There is one file for each kind of stored data: [`scans`], [`artifacts`], [`seals`],
//! [`licences`], [`usage`], [`licence_scans`], [`sessions`], [`audit`], [`webhooks`], [`deliveries`],
//! [`key_requests`], [`allowances`], [`switches`], [`log`], [`answers`], [`readings`], [`changes`],
//! [`revocations`], [`decisions`], [`outcomes`], [`jobs`], [`idempotency`], [`clocks`], [`census`],
//! [`feeds`], [`mcp_scans`], [`conduct`], [`registrations`], [`accuracy`], [`control`], [`incidents`] and
//! [`disputes`].
//! [`compression`] makes values smaller, for engines and for receipts. [`answer_facts`] reads several of them together, [`pruning`] removes what is past its retention, [`deletions`] what the
//! operator deletes before, [`licence_data`] what is stored about the holder of a licence. A new kind of data gets its own file of the same form, becomes a supertrait of [`Store`], and
//! is added to [`copy`] and to `conformance`.
//!
//! Invariant: nothing about a visitor reaches a store. No method takes an IP address together with
//! a user agent. The address ranges in [`feeds`] are those that operators publish about their own
//! agents.

pub mod accuracy;
pub mod allowances;
pub mod answer_facts;
pub mod answers;
pub mod artifacts;
pub mod audit;
pub mod census;
pub mod changes;
pub mod clocks;
pub mod compression;
pub mod conduct;
#[cfg(feature = "conformance")]
pub mod conformance;
pub mod control;
mod copy;
pub mod decisions;
pub mod deletions;
pub mod deliveries;
pub mod disputes;
mod error;
pub mod feeds;
mod fingerprint;
mod future;
mod hashed_bytes;
pub mod idempotency;
pub mod incidents;
pub mod jobs;
pub mod key_requests;
pub mod licence_data;
pub mod licence_scans;
pub mod licences;
pub mod log;
pub mod mcp_scans;
pub mod outcomes;
pub mod pruning;
pub mod readings;
pub mod registrations;
pub mod revocations;
pub mod scans;
pub mod seals;
pub mod sessions;
mod size;
mod store;
pub mod switches;
pub mod usage;
mod visibility;
pub mod webhooks;
pub mod word_list;

pub use answer_facts::{AnswerFacts, AnswerFactsQuery, AnswerInputs, AnswerStanding, LatestStored};
pub use answers::{AnswerCursor, Answers, HexPrefix, Predecessor, StoredAnswer};
/// UTC days and months, by which counts and seals are grouped.
pub use contract::{Day, Month};

pub use accuracy::{Accuracy, AccuracyPosition, StoredAccuracy};
pub use allowances::{AllowanceDraw, AllowanceOutcome, Allowances, Period};
pub use artifacts::{ArtifactRow, Artifacts, Retention, SweepReport};
pub use audit::{Audit, AuditEntry, NewAuditEntry};
pub use census::{Census, CensusQuery, CensusRow, CensusRun};
pub use changes::{Changes, ChangesQuery, NewChange, StoredChange};
pub use clocks::{ClockAndVersions, ClockVersion, Clocks, StoredClock};
pub use conduct::{Conduct, ConductDay};
pub use control::{Control, NewControlEvent, StoredClaim, StoredControlEvent};
pub use copy::{CopyReport, copy};
pub use decisions::{Decisions, StoredDecision};
pub use deletions::{DeletedParts, DeletedScan, DeletionOutcome, Deletions, ScanDeletion};
pub use deliveries::{Deliveries, Delivery, DeliveryState, DeliveryTry, NewDelivery};
pub use disputes::{Dispute, DisputeCounts, Disputes};
pub use error::StoreError;
pub use feeds::{Feeds, StoredFeed};
pub use future::BoxFuture;
pub use hashed_bytes::HashedBytes;
pub use idempotency::{Idempotency, IdempotencyStart, StoredReply};
pub use incidents::{Incidents, OwnerIncident};
pub use jobs::{Job, Jobs, NewJob};
pub use key_requests::{KeyRequest, KeyRequestOutcome, KeyRequests};
pub use licence_data::{DeletedLicenceData, LicenceData};
pub use licence_scans::{LicenceScan, LicenceScans};
pub use licences::{Licence, LicenceCursor, Licences, LicensedDomains, StoredKey};
pub use log::{
    Append, AppendExtras, ContradictingHead, Cosignature, Log, LogEntry, LogLease, LogTile,
    NewBatch, StoredBatch,
};
pub use mcp_scans::{
    IssuedMcpLock, McpPosition, McpScanExtras, McpScanSummary, McpScans, McpSurface, StoredMcpScan,
};
pub use outcomes::{NewOutcome, OutcomeCounts, OutcomeTally, Outcomes, StoredOutcome};
/// The digest that names artefacts and detects damaged rows.
pub use proof::Digest;
pub use pruning::{AnswerCutoffs, Prunable, PrunedAnswers, Pruning, PruningCursor, StoreSize};
pub use readings::{ComparedReading, Readings, StoredReading};
pub use registrations::{RegistrationChange, Registrations, StoredRegistration};
pub use revocations::{
    NewRevocation, RevocationState, Revocations, RevocationsQuery, StoredRevocation,
    WithheldActions,
};
pub use scans::{Scan, ScanCursor, ScanRow, ScanScope, Scans};
pub use seals::{Anchor, AnchorStage, SealPosition, SealRow, Seals, StoredSeal};
pub use sessions::{Session, Sessions};
pub use size::MAX_VALUE_BYTES;
pub use store::Store;
pub use switches::{Switch, Switches};
pub use usage::{QuotaOutcome, Usage, UsageCursor, UsageRow};
pub use visibility::Visibility;
pub use webhooks::{Webhook, Webhooks};
