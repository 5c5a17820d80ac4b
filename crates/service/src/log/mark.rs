//! The high-water mark beside the log, for an operator to look at and to set.

use std::path::Path;

use proof::ProofError;
use proof::keys::{LogMark, MARK_NAME, Marked};
use store::Store;

use super::chain::{LogFault, compare};
use super::fsck::FoundMark;
use super::view::SealedHead;

/// The mark and the log, side by side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkStatus {
    pub found: FoundMark,
    /// What the mark would be if it were set to where the log ends now.
    pub log: Marked,
    /// Why a server would not extend the log; nothing when it would.
    pub fault: Option<LogFault>,
}

/// The mark of a key directory. Looking does not make one.
#[must_use]
pub fn find_mark(directory: &Path) -> FoundMark {
    if !directory.join(MARK_NAME).exists() {
        return FoundMark::Missing;
    }
    match LogMark::open(directory) {
        Ok((_, Some(marked))) => FoundMark::Read(marked),
        Ok((_, None)) => FoundMark::Missing,
        Err(error) => FoundMark::Unreadable(error.to_string()),
    }
}

/// Compares the mark with where the log ends. Only the last head is read: whether the log holds is
/// for `fsck` to say.
pub async fn mark_status(
    store: &dyn Store,
    directory: &Path,
    log_id: &str,
) -> Result<MarkStatus, LogFault> {
    let found = find_mark(directory);
    let head = match store.last_batch().await? {
        Some(last) => {
            let batch = last.batch;
            let broken = |e: ProofError| LogFault::Broken { batch, why: e.to_string() };
            Some(SealedHead::read(last.sth).map_err(broken)?.chain)
        }
        None => None,
    };
    if let Some(head) = head.as_ref().filter(|head| head.log_id != log_id) {
        let (found, wanted) = (head.log_id.clone(), log_id.to_owned());
        return Err(LogFault::AnotherLog { found, wanted });
    }
    let log = Marked {
        log_id: log_id.to_owned(),
        tree_size: head.as_ref().map_or(0, |head| head.tree_size),
        head: head.as_ref().map(|head| (head.batch, head.sha256)),
    };
    let fault = match &found {
        FoundMark::Unreadable(why) => Some(LogFault::CannotStart { why: why.clone() }),
        FoundMark::Missing => compare(store, head.as_ref(), None, log_id).await.err(),
        FoundMark::Read(marked) => {
            compare(store, head.as_ref(), Some(marked.clone()), log_id).await.err()
        }
    };
    Ok(MarkStatus { found, log, fault })
}

/// Sets the mark, whatever it was. A file that cannot be read is put aside, not written over.
pub fn accept_mark(directory: &Path, marked: &Marked) -> Result<(), ProofError> {
    let path = directory.join(MARK_NAME);
    if path.exists() {
        let failed = |error: std::io::Error| ProofError::Store {
            path: path.clone(),
            why: error.to_string(),
        };
        // The newest of two marks counts, and the accepted one may be the older: a new file has one.
        std::fs::rename(&path, directory.join(format!("{MARK_NAME}.before"))).map_err(failed)?;
    }
    LogMark::open(directory)?.0.put(marked)
}
