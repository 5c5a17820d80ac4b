//! What a monitor reports: steps on the way, alarms, and errors that end a check.

use contract::Timestamp;
use proof::Digest;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::source::LogUnreachable;

/// Proof or strong sign that the log is not honest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Alarm {
    pub kind: AlarmKind,
    pub batch: Option<u64>,
    pub detail: String,
    /// What the log served, if it proves the fault to others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AlarmKind {
    /// Two heads that cannot belong to one history.
    Fork,
    /// Something that the monitor read before has changed.
    Rewritten,
    /// The log is shorter than before.
    Shrunk,
    /// The log does not serve a head, a leaf or an entry that it must have.
    Withheld,
    /// A head, its leaves, its roots or its signature fail verification.
    Broken,
    /// An entry that cannot be read, or belongs to another log.
    Entry,
    Checkpoint,
    /// A change of keys that no rotation explains.
    Keys,
    /// A response that is not in the documented form.
    Form,
}

/// Why a check ended early.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MonitorError {
    #[error("{0}")]
    Unreachable(#[from] LogUnreachable),
    #[error("{}", .0.detail)]
    Alarm(Box<Alarm>),
    #[error("the state of the monitor cannot be used: {0}")]
    State(#[from] MonitorStateError),
}

/// The saved state of a monitor cannot be read, used or written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct MonitorStateError(pub String);

/// Progress of a check.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "step")]
pub enum MonitorStep {
    /// The first check of this log: later checks compare with these keys and this origin.
    Pinned { log_heads_keys: Vec<String>, origin: Option<String> },
    /// A new key; directory and rotation record explain it.
    NewKey { kid: String },
    /// A page of batches was read and verified.
    Page { from_batch: u64, to_batch: u64, tree_size: u64 },
    /// All addresses serve the same log.
    Compared { addresses: u64 },
    /// The whole log was read and verified.
    Current {
        batch: Option<u64>,
        tree_size: u64,
        tree_root: Digest,
        head_at: Option<Timestamp>,
        /// Age of the newest head. A log that does not grow may be withholding entries.
        age_seconds: Option<i64>,
    },
}

/// An alarm as an error.
pub(super) fn alarm_error(
    kind: AlarmKind,
    batch: Option<u64>,
    detail: &str,
    evidence: Option<Value>,
) -> MonitorError {
    let detail = detail.to_owned();
    MonitorError::Alarm(Box::new(Alarm { kind, batch, detail, evidence }))
}

/// The alarm for a response that is not in the documented form.
pub(super) fn malformed(detail: &str) -> MonitorError {
    alarm_error(AlarmKind::Form, None, detail, None)
}
