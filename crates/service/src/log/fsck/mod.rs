//! Recomputes the whole log from the stored bytes, and compares everything else with the result.
//!
//! No stored value is trusted: heads are verified as signed documents, leaves must hash to the signed
//! roots, contents must hash to the leaves, and the index, the tiles, the answers, the cosignatures
//! and the mark must match. It continues after a fault as far as it can, so that one run reports
//! every fault.

mod batches;
mod dependent_records;
#[cfg(test)]
mod tests;

use contract::Brand;
use proof::tlog::VerifierKey;
use proof::verify::{CheckOutcome, Verdict};
use proof::{Digest, KeyPolicy};
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

/// The part of the log that a fault was found in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LogPart {
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
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FsckFault {
    pub part: LogPart,
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

/// A check in progress.
struct FsckRun<'a> {
    request: FsckRequest<'a>,
    report: FsckReport,
    /// In order of batches.
    ends: Vec<BatchEnd>,
    /// How many documents were signed outside the validity of their key or at another time than they
    /// state, and the first of them.
    outside_window: Option<(u64, String)>,
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
        faults: Vec::new(),
        further_faults: 0,
        notes: Vec::new(),
    };
    let mut look =
        FsckRun { request: ask, report, ends: Vec::new(), outside_window: None, progress };
    look.check_database().await?;
    look.check_batches().await?;
    look.check_answers().await?;
    look.check_cosignatures().await;
    look.check_mark();
    look.note_contradicting_heads().await;
    if let Some((count, first)) = look.outside_window {
        look.report.notes.push(format!(
            "{count} documents were signed outside the validity of their key, as it is published \
             now, or at another time than they state; the first is {first}"
        ));
    }
    Ok(look.report)
}

impl FsckReport {
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.faults.is_empty()
    }
}

impl FsckRun<'_> {
    fn add_fault(&mut self, part: LogPart, batch: Option<u64>, detail: impl Into<String>) {
        if self.report.faults.len() < MAX_FAULTS {
            self.report.faults.push(FsckFault { part, batch, detail: detail.into() });
        } else {
            self.report.further_faults += 1;
        }
    }

    fn report_progress(&mut self, doing: &'static str, done: u64, of: Option<u64>) {
        (self.progress)(FsckProgress { stage: doing, done, total: of });
    }

    /// The failed checks of a document. A signature by a key that was retired or compromised later is
    /// not a fault of the log (the rotation record publishes it), nor is a clock that was wrong, so
    /// they are only counted.
    fn failed_checks(&mut self, verdict: &Verdict, what: &str) -> Vec<String> {
        let mut failed = Vec::new();
        for check in verdict.checks.iter().filter(|check| check.ok == CheckOutcome::Failed) {
            if check.name.ends_with("key window") || check.name.ends_with("signing time") {
                let first = format!("{what}: {}", check.detail);
                self.outside_window.get_or_insert((0, first)).0 += 1;
            } else {
                failed.push(format!("{}: {}", check.name, check.detail));
            }
        }
        failed
    }

    async fn check_database(&mut self) -> Result<(), StoreError> {
        self.report_progress("the database", 0, None);
        match self.request.store.inspect().await {
            Ok(found) => {
                for line in found {
                    self.add_fault(LogPart::Database, None, line);
                }
                Ok(())
            }
            // Even if the inspection fails, some batches may be readable.
            Err(StoreError::Failed { why, .. }) => {
                self.add_fault(LogPart::Database, None, why);
                Ok(())
            }
            Err(other) => Err(other),
        }
    }
}
