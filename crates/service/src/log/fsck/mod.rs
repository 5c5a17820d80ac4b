//! The whole log made anew from the bytes of the store, and everything beside it compared with that.
//!
//! Nothing is believed because it was kept: heads are verified as signed documents, leaves must give
//! the roots that were signed, contents must hash to leaves, and the index, the tiles, the answers,
//! the cosignatures and the mark must agree with them. It goes on behind a fault as far as it can, so
//! that one look tells all that is wrong.

mod batches;
mod beside;
#[cfg(test)]
mod tests;

use contract::Brand;
use proof::keys::Marked;
use proof::tlog::VerifierKey;
use proof::verify::{Outcome, Verdict};
use proof::{Digest, KeyPolicy};
use serde::Serialize;
use store::{Store, StoreError};

pub(crate) use self::batches::entry_fault;

/// Faults that are told one by one; the rest is counted.
const MAX_FAULTS: usize = 10_000;

/// What is to be looked at, and by which keys.
#[derive(Debug, Clone, Copy)]
pub struct Fsck<'a> {
    pub store: &'a dyn Store,
    pub brand: &'a Brand,
    /// The published keys, with those that were retired.
    pub policy: &'a KeyPolicy,
    /// The log's name in checkpoints, which is what witnesses signed.
    pub origin: &'a str,
    /// The witnesses whose word can be checked.
    pub witnesses: &'a [VerifierKey],
    pub mark: &'a FoundMark,
}

/// The high-water mark as it was found in the key directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoundMark {
    Missing,
    Unreadable(String),
    Read(Marked),
}

/// The part of the log a fault was found in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
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

/// One thing that does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fault {
    pub part: Part,
    /// Where it belongs to one.
    pub batch: Option<u64>,
    pub detail: String,
}

/// What was gone through, and what was wrong with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FsckReport {
    pub log_id: String,
    pub batches: u64,
    pub entries: u64,
    pub tiles: u64,
    pub answers: u64,
    pub cosignatures: u64,
    /// By witnesses whose key is not configured.
    pub cosignatures_not_checked: u64,
    pub tree_size: u64,
    /// The root over all leaves, made here; null where leaves could not be read.
    pub tree_root: Option<Digest>,
    pub head_sha256: Option<Digest>,
    pub faults: Vec<Fault>,
    /// Faults beyond those that are listed.
    pub further_faults: u64,
    /// What an operator should know and what is no fault of the log.
    pub notes: Vec<String>,
}

/// How far it has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    pub doing: &'static str,
    pub done: u64,
    /// As far as it is known.
    pub of: Option<u64>,
}

/// A head that was read, as far as what comes later needs it.
#[derive(Debug, Clone, Copy)]
struct End {
    batch: u64,
    tree_size: u64,
    tree_root: Option<Digest>,
    sth_sha256: Digest,
}

/// A look under way.
struct Look<'a> {
    ask: Fsck<'a>,
    report: FsckReport,
    /// In order of batches.
    ends: Vec<End>,
    /// Documents signed outside the window of their key, and the first of them.
    outside_window: Option<(u64, String)>,
    progress: &'a mut (dyn FnMut(Progress) + Send),
}

/// Looks at everything. An error means that it could not be looked at.
pub async fn fsck(
    ask: Fsck<'_>,
    progress: &mut (dyn FnMut(Progress) + Send),
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
    let mut look = Look { ask, report, ends: Vec::new(), outside_window: None, progress };
    look.database().await?;
    look.batches().await?;
    look.answers().await?;
    look.cosignatures().await;
    look.mark();
    look.sightings().await;
    if let Some((count, first)) = look.outside_window {
        look.report.notes.push(format!(
            "{count} documents were signed outside the window of their key, as it is published \
             now; the first is {first}"
        ));
    }
    Ok(look.report)
}

impl FsckReport {
    #[must_use]
    pub fn sound(&self) -> bool {
        self.faults.is_empty()
    }
}

impl Look<'_> {
    fn fault(&mut self, part: Part, batch: Option<u64>, detail: impl Into<String>) {
        if self.report.faults.len() < MAX_FAULTS {
            self.report.faults.push(Fault { part, batch, detail: detail.into() });
        } else {
            self.report.further_faults += 1;
        }
    }

    fn tell(&mut self, doing: &'static str, done: u64, of: Option<u64>) {
        (self.progress)(Progress { doing, done, of });
    }

    /// Every check of a document that failed. A key that was retired or compromised since has still
    /// made what it made: that is said to the world in the rotation record, and is no damage here.
    fn failed_checks(&mut self, verdict: &Verdict, what: &str) -> Vec<String> {
        let mut failed = Vec::new();
        for check in verdict.checks.iter().filter(|check| check.ok == Outcome::Failed) {
            if check.name.ends_with("key window") {
                let first = format!("{what}: {}", check.detail);
                self.outside_window.get_or_insert((0, first)).0 += 1;
            } else {
                failed.push(format!("{}: {}", check.name, check.detail));
            }
        }
        failed
    }

    async fn database(&mut self) -> Result<(), StoreError> {
        self.tell("the database", 0, None);
        match self.ask.store.inspect().await {
            Ok(found) => {
                for line in found {
                    self.fault(Part::Database, None, line);
                }
                Ok(())
            }
            // Where not even that can be read there may still be batches that can.
            Err(StoreError::Failed { why, .. }) => {
                self.fault(Part::Database, None, why);
                Ok(())
            }
            Err(other) => Err(other),
        }
    }
}
