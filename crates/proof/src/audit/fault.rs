//! What can be wrong with a log, in plain words.

use std::fmt;

use serde::Serialize;

/// The first thing that does not hold, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditFault {
    /// The batch it was found in, as far as one is known.
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
    /// What it means, of a batch.
    #[must_use]
    pub fn says(self) -> &'static str {
        match self {
            Self::Form => "its head cannot be read as a signed tree head",
            Self::Digest => "its head was changed: the digest is not that of its members",
            Self::Signature => "the signature on its head is not good",
            Self::Key => "the key of its head was not allowed to sign it",
            Self::Sums => "the numbers in its head do not add up, or it is of another log",
            Self::Link => "its head does not follow the head before",
            Self::LeafCount => "it has another number of leaves than its head says",
            Self::LeafOrder => "its leaves are not strictly ascending",
            Self::BatchRoot => "its leaves are not those its head was signed over (batch_root)",
            Self::TreeRoot => {
                "the leaves up to here are not those its head was signed over (tree_root)"
            }
            Self::EntryCount => "it has another number of entries than leaves",
            Self::EntryLength => "an entry is longer than a log can hold",
            Self::EntryHash => "an entry is not what was logged: it does not hash to its leaf",
            Self::EntryForm => "an entry is not canonical JSON",
            Self::Checkpoint => "the log's checkpoint is not that of its leaves",
        }
    }

    /// The fault behind a check of [`crate::verify_document`].
    pub(super) fn of_check(name: &str) -> Self {
        match name {
            "digest" => Self::Digest,
            "signature" | "signature form" | "message" | "thumbprint" => Self::Signature,
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
        write!(f, "{} ({})", self.kind.says(), self.detail)
    }
}

impl std::error::Error for AuditFault {}
