//! The faults that an audit can find, with texts for people.

use std::fmt;

use serde::Serialize;

/// The first fault found, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditFault {
    /// The batch it was found in, if known.
    pub batch: Option<u64>,
    pub kind: FaultKind,
    pub detail: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    Form,
    Digest,
    Signature,
    Key,
    Sums,
    Link,
    LeafCount,
    LeafOrder,
    BatchRoot,
    TreeRoot,
    EntryCount,
    EntryLength,
    EntryHash,
    EntryForm,
    Checkpoint,
}

impl FaultKind {
    /// A sentence about the batch that says what is wrong.
    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            Self::Form => "its head is not a valid signed tree head",
            Self::Digest => "its head was changed: the digest does not match its members",
            Self::Signature => "the signature on its head is invalid",
            Self::Key => "the key that signed its head was not allowed to",
            Self::Sums => "the numbers in its head do not add up, or it belongs to another log",
            Self::Link => "its head does not follow the previous head",
            Self::LeafCount => "its number of leaves is not what its head states",
            Self::LeafOrder => "its leaves are not strictly ascending",
            Self::BatchRoot => "its leaves do not match its signed head (batch_root)",
            Self::TreeRoot => "the leaves up to here do not match its signed head (tree_root)",
            Self::EntryCount => "it does not have one entry for each leaf",
            Self::EntryLength => "an entry is too long for the log",
            Self::EntryHash => "an entry is not what was logged: it does not hash to its leaf",
            Self::EntryForm => "an entry is not canonical JSON",
            Self::Checkpoint => "the log's checkpoint does not match its leaves",
        }
    }

    /// The fault that a failed check of [`crate::verify_document`] stands for.
    pub(super) fn from_check_name(name: &str) -> Self {
        match name {
            "digest" => Self::Digest,
            "signature" | "signature form" | "signature members" | "message" | "thumbprint" => {
                Self::Signature
            }
            "sums" => Self::Sums,
            name if name.starts_with("key ") => Self::Key,
            _ => Self::Form,
        }
    }
}

impl AuditFault {
    pub(super) fn new(batch: Option<u64>, kind: FaultKind, detail: String) -> Self {
        Self { batch, kind, detail }
    }
}

impl fmt::Display for AuditFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(batch) = self.batch {
            write!(f, "batch {batch}: ")?;
        }
        write!(f, "{} ({})", self.kind.description(), self.detail)
    }
}

impl std::error::Error for AuditFault {}
