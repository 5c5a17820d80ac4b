//! Continuing a log that was restored from a backup.
//!
//! Nothing in a backup tells whether its log was extended after the backup was made. So the witnesses are
//! asked first, and the log itself records that it was restored, from which head on, and who confirmed
//! that this was the newest: readers see it, and monitors that know later heads raise an alarm.

use contract::{Brand, Timestamp};
use proof::ProofError;
use proof::keys::LogPosition;
use serde_json::json;

use super::errors::LogFault;
use super::log_end;
use super::transparency_log::TransparencyLog;

/// The end of a log that is not open, and who knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfirmedEnd {
    pub end: LogPosition,
    /// The witnesses whose last checkpoint of this log is this end.
    pub witnesses: Vec<String>,
}

/// How a log was restored, as the log records it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEpoch {
    pub backup_made_at: Timestamp,
    /// The end of the log in the backup.
    pub after: LogPosition,
    /// The names of witnesses; empty if only the operator says that nothing was signed since.
    pub confirmed_by: Vec<String>,
}

impl TransparencyLog {
    /// Verifies the end of a log that is not open, and asks the witnesses whether they know a later one.
    pub async fn confirm_end(&self) -> Result<ConfirmedEnd, LogFault> {
        let policy = self.keys.key_policy().map_err(LogFault::MarkUnusable)?;
        let brand = &self.issuer.brand;
        let tip = log_end::verify_log_end(self.store.as_ref(), &policy, brand).await?;
        let witnesses = self.ask_witnesses(&tip).await?;
        let head = tip.head.as_deref().map(|head| &head.chain);
        let end = LogPosition {
            log_id: brand.log_id(),
            tree_size: tip.edge.size(),
            head: head.map(|head| (head.batch, head.sha256)),
        };
        Ok(ConfirmedEnd { end, witnesses })
    }
}

impl LogEpoch {
    /// The content of the entry. Its time is part of it, so the same content is one restore.
    pub fn to_entry(&self, brand: &Brand, now: Timestamp) -> Result<Vec<u8>, ProofError> {
        let head = self.after.head;
        proof::canonical::value_to_vec(&json!({
            "log": brand.log_id(),
            "kind": brand.kind("log-epoch"),
            "event": "restored",
            "at": now.whole_seconds(),
            "backup_made_at": self.backup_made_at,
            "after": {
                "batch": head.map(|(batch, _)| batch),
                "tree_size": self.after.tree_size,
                "sth_sha256": head.map(|(_, sha256)| sha256),
            },
            "confirmed_by": self.confirmed_by,
        }))
    }
}
