//! The log's high-water mark in the key directory: reading it, comparing it with the log, setting it.

use std::path::Path;

use contract::Brand;
use proof::keys::{LogMark, LogPosition, MARK_FILE_NAME, PLACE_FILE_NAME};
use proof::{KeyPolicy, ProofError};
use store::Store;

use super::contradictions::check_undecided;
use super::errors::LogFault;
use super::log_end::{check_mark, check_place};
use super::snapshot::SignedTreeHead;

/// The high-water mark as it was found in the key directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoundMark {
    Missing,
    Unreadable(String),
    Read(LogPosition),
}

/// What the log is compared with.
#[derive(Debug, Clone, Copy)]
pub struct MarkComparison<'a> {
    pub store: &'a dyn Store,
    /// The key directory.
    pub directory: &'a Path,
    pub brand: &'a Brand,
    pub policy: &'a KeyPolicy,
}

/// The mark, compared with the end of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkStatus {
    pub mark: FoundMark,
    /// Where the log ends: what the mark would be if it were accepted now.
    pub log_end: LogPosition,
    /// Why a server would refuse to extend the log; `None` if it would extend it.
    pub fault: Option<LogFault>,
}

/// Reads the mark of a key directory. Does not create one.
#[must_use]
pub fn read_mark(directory: &Path) -> FoundMark {
    if !directory.join(MARK_FILE_NAME).exists() {
        return FoundMark::Missing;
    }
    match LogMark::open(directory) {
        Ok((_, Some(marked))) => FoundMark::Read(marked),
        Ok((_, None)) => FoundMark::Missing,
        Err(error) => FoundMark::Unreadable(error.to_string()),
    }
}

/// Compares the mark with the end of the log. Reads only the last head; `fsck` verifies the whole
/// log.
pub async fn compare_mark(comparison: MarkComparison<'_>) -> Result<MarkStatus, LogFault> {
    let MarkComparison { store, directory, brand, policy } = comparison;
    let log_id = brand.log_id();
    let log_id = log_id.as_str();
    let found = read_mark(directory);
    let head = match store.last_batch().await? {
        Some(last) => {
            let batch = last.batch;
            let broken = |e: ProofError| LogFault::Broken { batch, why: e.to_string() };
            Some(SignedTreeHead::parse(last.sth).map_err(broken)?.chain)
        }
        None => None,
    };
    if let Some(head) = head.as_ref().filter(|head| head.log_id != log_id) {
        let (found, wanted) = (head.log_id.clone(), log_id.to_owned());
        return Err(LogFault::WrongLog { found, wanted });
    }
    let log = LogPosition {
        log_id: log_id.to_owned(),
        tree_size: head.as_ref().map_or(0, |head| head.tree_size),
        head: head.as_ref().map(|head| (head.batch, head.sha256)),
    };
    let fault = match &found {
        FoundMark::Unreadable(why) => Some(LogFault::CannotStart { why: why.clone() }),
        FoundMark::Missing => check_mark(store, head.as_ref(), None, log_id).await.err(),
        FoundMark::Read(marked) => {
            let matches = check_mark(store, head.as_ref(), Some(marked.clone()), log_id).await;
            matches.err().or_else(|| find_place_fault(directory))
        }
    };
    let fault = match fault {
        None => check_undecided(store, policy, brand).await.err(),
        fault => fault,
    };
    Ok(MarkStatus { mark: found, log_end: log, fault })
}

fn find_place_fault(directory: &Path) -> Option<LogFault> {
    match LogMark::open(directory) {
        Ok((mark, _)) => check_place(&mark).err(),
        Err(error) => Some(LogFault::MarkUnusable(error)),
    }
}

/// Sets the mark, whatever it was, and its place. The old file is renamed to `log-mark.before`, not overwritten.
pub fn accept_mark(directory: &Path, marked: &LogPosition) -> Result<(), ProofError> {
    let path = directory.join(MARK_FILE_NAME);
    if path.exists() {
        let failed = |error: std::io::Error| ProofError::KeyStore {
            path: path.clone(),
            why: error.to_string(),
        };
        // A mark file holds two marks and the newer one counts. The accepted mark may be the older
        // one, so it needs a new file.
        std::fs::rename(&path, directory.join(format!("{MARK_FILE_NAME}.before")))
            .map_err(failed)?;
    }
    let place = directory.join(PLACE_FILE_NAME);
    if place.exists() {
        std::fs::remove_file(&place).map_err(|error| ProofError::KeyStore {
            path: place.clone(),
            why: error.to_string(),
        })?;
    }
    let (mut mark, _) = LogMark::open(directory)?;
    mark.write(marked)?;
    mark.record_place()
}
