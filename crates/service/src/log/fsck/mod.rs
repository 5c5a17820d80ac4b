//! Checks everything that is stored. Recomputes the whole log from the stored bytes, compares what
//! depends on it with the result, and reads every other table.
//!
//! No stored value is trusted: heads are verified as signed documents, leaves must hash to the signed
//! roots, contents must hash to the leaves, and the index, the tiles, the answers, the cosignatures
//! and the mark must match. Scans, AI-accuracy records and daily seals are verified as signed documents, and everything
//! else that has a digest is compared with it. It continues after a fault as far as it can, so that
//! one run reports every fault. What cannot be found is listed in the README of the engine.

mod account_records;
mod accuracy;
mod batches;
mod day_seals;
mod dependent_records;
#[cfg(test)]
mod every_column;
mod mcp_scans;
mod numbered_records;
mod owner_records;
mod parallel;
mod stored_records;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use contract::Brand;
use proof::tlog::VerifierKey;
use proof::verify::CheckOutcome;
use proof::{Digest, KeyPolicy, verify_document};
use serde::Serialize;
use store::{Store, StoreError};

pub(crate) use self::batches::check_entry;

use super::mark::FoundMark;

/// Faults that are listed one by one; further ones are only counted.
const MAX_FAULTS: usize = 10_000;

/// What to check, and with which keys.
#[derive(Debug, Clone, Copy)]
pub struct FsckRequest<'a> {
    pub store: &'a dyn Store,
    pub brand: &'a Brand,
    /// The published keys, including retired ones.
    pub policy: &'a KeyPolicy,
    /// The log's name in checkpoints; the witnesses' signatures cover it.
    pub origin: &'a str,
    /// The witnesses whose cosignatures can be checked.
    pub witnesses: &'a [VerifierKey],
    pub mark: &'a FoundMark,
}

/// The part of the store that a fault was found in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StorePart {
    Database,
    Head,
    Chain,
    Leaves,
    Tree,
    Entries,
    Index,
    Kinds,
    Tiles,
    Answers,
    Cosignatures,
    Mark,
    Scans,
    DeletedScans,
    Artifacts,
    Readings,
    Decisions,
    Changes,
    Revocations,
    WithheldActions,
    Seals,
    Anchors,
    Outcomes,
    Clocks,
    Census,
    Feeds,
    McpScans,
    McpSurfaces,
    McpLocks,
    Conduct,
    Registrations,
    Accuracy,
    Jobs,
    Licences,
    LicenceKeys,
    LicenceScans,
    Usage,
    Webhooks,
    Claims,
    ControlEvents,
    Incidents,
    Disputes,
    Audit,
    Switches,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FsckFault {
    pub part: StorePart,
    /// The batch it belongs to, if any.
    pub batch: Option<u64>,
    pub detail: String,
}

/// What was checked, and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FsckReport {
    pub log_id: String,
    pub batches: u64,
    pub entries: u64,
    pub tiles: u64,
    pub answers: u64,
    pub cosignatures: u64,
    /// Cosignatures by witnesses whose key is not configured.
    pub cosignatures_not_checked: u64,
    pub tree_size: u64,
    /// The root over all leaves, computed here; null if leaves could not be read.
    pub tree_root: Option<Digest>,
    pub head_sha256: Option<Digest>,
    /// How many records of the other tables were read.
    pub records: BTreeMap<StorePart, u64>,
    pub faults: Vec<FsckFault>,
    /// Number of faults beyond those that are listed.
    pub further_faults: u64,
    /// What an operator should know although it is not a fault of the log.
    pub notes: Vec<String>,
}

/// How far the check has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FsckProgress {
    pub stage: &'static str,
    pub done: u64,
    /// The total, if it is known.
    pub total: Option<u64>,
}

/// The end of a batch that was read: what the checks of answers, cosignatures and the mark need.
#[derive(Debug, Clone, Copy)]
struct BatchEnd {
    batch: u64,
    tree_size: u64,
    tree_root: Option<Digest>,
    sth_sha256: Digest,
}

/// The failed checks of a document.
#[derive(Debug, Default)]
struct VerifiedDocument {
    failed: Vec<String>,
    /// A signature by a key that was retired or compromised later is not a fault of the store (the
    /// rotation record publishes it), nor is a clock that was wrong. They are only counted.
    wrong_time: Option<String>,
}

impl VerifiedDocument {
    fn failed(why: String) -> Self {
        Self { failed: vec![why], wrong_time: None }
    }
}

/// A check in progress.
struct FsckRun<'a> {
    request: FsckRequest<'a>,
    report: FsckReport,
    /// In order of batches.
    ends: Vec<BatchEnd>,
    /// How many documents were signed outside the validity of their key, or at another time than
    /// they state, and the first of them.
    wrong_times: Option<(u64, String)>,
    progress: &'a mut (dyn FnMut(FsckProgress) + Send),
}

/// Checks everything. An error means that the store could not be read at all.
pub async fn fsck(
    ask: FsckRequest<'_>,
    progress: &mut (dyn FnMut(FsckProgress) + Send),
) -> Result<FsckReport, StoreError> {
    let report = FsckReport {
        log_id: ask.brand.log_id(),
        batches: 0,
        entries: 0,
        tiles: 0,
        answers: 0,
        cosignatures: 0,
        cosignatures_not_checked: 0,
        tree_size: 0,
        tree_root: None,
        head_sha256: None,
        records: BTreeMap::new(),
        faults: Vec::new(),
        further_faults: 0,
        notes: Vec::new(),
    };
    let mut look = FsckRun { request: ask, report, ends: Vec::new(), wrong_times: None, progress };
    look.check_database().await?;
    look.check_batches().await?;
    look.check_answers().await?;
    look.check_cosignatures().await;
    look.check_mark();
    look.check_contradicting_heads().await;
    look.check_stored_records().await;
    look.check_numbered_records().await;
    look.check_day_seals().await;
    if let Some((count, first)) = look.wrong_times {
        look.report.notes.push(format!(
            "{count} documents were signed outside the validity of their key, as it is published \
             now, or at another time than they state; the first is {first}"
        ));
    }
    Ok(look.report)
}

impl FsckRequest<'_> {
    /// Verifies a signed document.
    fn verify(&self, bytes: &[u8], what: &str) -> VerifiedDocument {
        let verdict = verify_document(bytes, self.policy, self.brand);
        let mut verified = VerifiedDocument::default();
        for check in verdict.checks.iter().filter(|check| check.ok == CheckOutcome::Failed) {
            if check.name.ends_with("key window") || check.name.ends_with("signing time") {
                verified.wrong_time.get_or_insert_with(|| format!("{what}: {}", check.detail));
            } else {
                verified.failed.push(format!("{}: {}", check.name, check.detail));
            }
        }
        verified
    }
}

impl FsckReport {
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.faults.is_empty()
    }
}

impl FsckRun<'_> {
    fn add_fault(&mut self, part: StorePart, batch: Option<u64>, detail: impl Into<String>) {
        if self.report.faults.len() < MAX_FAULTS {
            self.report.faults.push(FsckFault { part, batch, detail: detail.into() });
        } else {
            self.report.further_faults += 1;
        }
    }

    fn report_progress(&mut self, doing: &'static str, done: u64, of: Option<u64>) {
        (self.progress)(FsckProgress { stage: doing, done, total: of });
    }

    fn count_wrong_time(&mut self, document: Option<String>) {
        if let Some(first) = document {
            self.wrong_times.get_or_insert((0, first)).0 += 1;
        }
    }

    fn count_records(&mut self, part: StorePart, count: usize) {
        *self.report.records.entry(part).or_default() += count as u64;
    }

    async fn check_database(&mut self) -> Result<(), StoreError> {
        self.report_progress("the database", 0, None);
        match self.request.store.inspect().await {
            Ok(found) => {
                for line in found {
                    self.add_fault(StorePart::Database, None, line);
                }
                Ok(())
            }
            // Even if the inspection fails, some batches may be readable.
            Err(StoreError::Failed { why, .. }) => {
                self.add_fault(StorePart::Database, None, why);
                Ok(())
            }
            Err(other) => Err(other),
        }
    }
}
