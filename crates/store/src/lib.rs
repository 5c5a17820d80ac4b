//! What can be kept: small traits shaped by use, their value types, and the suite every engine
//! must pass.
//!
//! Verbs cross these traits, never SQL: what must happen together is one verb, and a verb that
//! returned is durable. Records are kept as the very bytes that were signed, with a handful of
//! columns beside them to find them by.
//!
//! One file for each thing that is kept: [`scans`], [`artifacts`], [`seals`], [`licences`],
//! [`limits`], [`switches`], [`log`], [`answers`], [`readings`], [`changes`], [`revocations`],
//! [`decisions`], [`outcomes`], [`jobs`], [`once`], [`clocks`] and [`census`]. Whatever else is to be
//! kept gets a file of the same shape beside these, a place among the supertraits of [`Store`], a part
//! in [`copy`], and cases in `conformance`.
//!
//! Invariant: nothing about a visitor reaches a store; no verb takes an address with a user agent.

pub mod answers;
pub mod artifacts;
pub mod census;
pub mod changes;
pub mod clocks;
#[cfg(feature = "conformance")]
pub mod conformance;
mod copy;
pub mod decisions;
mod error;
mod fingerprint;
pub mod jobs;
pub mod licences;
pub mod limits;
pub mod log;
pub mod once;
pub mod outcomes;
pub mod readings;
pub mod revocations;
pub mod scans;
pub mod seals;
pub mod switches;
mod visibility;
pub mod words;

use std::fmt;
use std::future::Future;
use std::pin::Pin;

pub use answers::{AnswerCursor, Answers, HexPrefix, KeptAnswer};
/// A UTC day: what counts and seals go by.
pub use contract::Day;

pub use artifacts::{ArtifactRow, Artifacts, Retention, SweepReport};
pub use census::{Census, CensusAsk, CensusRow, CensusRun};
pub use changes::{Changes, ChangesAsk, KeptChange, NewChange};
pub use clocks::{ClockAndVersions, ClockVersion, Clocks, KeptClock};
pub use copy::{CopyReport, copy};
pub use decisions::{Decisions, KeptDecision};
pub use error::StoreError;
pub use jobs::{Job, Jobs, NewJob};
pub use licences::{Licence, Licences, LicensedDomains};
pub use limits::{Draw, Limits, Taking};
pub use log::{
    Append, Beside, Cosignature, KeptBatch, Leasing, Log, LogEntry, LogTile, NewBatch, Sighting,
};
pub use once::{Begun, KeptReply, Once};
pub use outcomes::{KeptOutcome, NewOutcome, OutcomeCounts, OutcomeTally, Outcomes};
/// The digest artefacts are named by and kept rows are checked with.
pub use proof::Digest;
pub use readings::{KeptReading, Readings};
pub use revocations::{KeptRevocation, NewRevocation, Revocations, RevocationsAsk, Standing};
pub use scans::{Scan, ScanCursor, ScanRow, Scans, Scope};
pub use seals::{Anchor, AnchorStage, KeptSeal, SealRow, SealedPlace, Seals};
pub use switches::{Switch, Switches};
pub use visibility::Visibility;

/// A future that can be held behind a pointer, so that `Arc<dyn Store>` works.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The longest single value (a record, its evidence, one artefact) that any engine takes.
pub const MAX_VALUE_BYTES: usize = 16 * 1024 * 1024;

/// Everything that one deployment keeps.
pub trait Store:
    Scans
    + Artifacts
    + Seals
    + Licences
    + Limits
    + Switches
    + Log
    + Answers
    + Outcomes
    + Jobs
    + Once
    + Clocks
    + Census
    + Readings
    + Changes
    + Revocations
    + Decisions
    + fmt::Debug
{
    /// The engine's name, for people and for metrics.
    fn engine(&self) -> &'static str;

    /// The number of the last migration that was applied.
    fn schema_version(&self) -> u32;

    /// Writes a little and reads it back, durably: whether this store can do its work now.
    fn check(&self) -> BoxFuture<'_, Result<(), StoreError>>;

    /// What the engine itself finds wrong with its files, in its own words; nothing when they are
    /// sound. Reads everything, and takes as long.
    fn inspect(&self) -> BoxFuture<'_, Result<Vec<String>, StoreError>>;
}
