//! The log as readers see it: as far as it is acknowledged.

use std::sync::{Arc, PoisonError, RwLock};

use bytes::Bytes;
use proof::tlog::RightEdge;
use proof::tree_head::ChainHead;
use proof::{Digest, ProofError};
use serde_json::Value;

/// A signed tree head, parsed.
#[derive(Debug, Clone, PartialEq)]
pub struct SignedTreeHead {
    pub chain: ChainHead,
    pub tree_root: Option<Digest>,
    pub document: Value,
    /// The exact bytes that were signed.
    pub bytes: Bytes,
}

/// The newest head and the right edge of its tree. Immutable; a newer one replaces it.
#[derive(Debug, Clone, Default)]
pub struct LogSnapshot {
    pub head: Option<Arc<SignedTreeHead>>,
    pub edge: RightEdge,
}

/// The newest snapshot. The acknowledger writes it, readers read it; the lock is held while a
/// pointer is copied.
#[derive(Debug, Default)]
pub(super) struct CurrentSnapshot(RwLock<Arc<LogSnapshot>>);

impl SignedTreeHead {
    pub(super) fn parse(bytes: Bytes) -> Result<Self, ProofError> {
        let document = proof::canonical::parse_strict(&bytes)?;
        let chain = ChainHead::parse(&document)?;
        let tree_root = document.get("tree_root").and_then(Value::as_str);
        let tree_root = tree_root.and_then(|hex| hex.parse().ok());
        Ok(Self { chain, tree_root, document, bytes })
    }
}

impl CurrentSnapshot {
    pub(super) fn new(view: Arc<LogSnapshot>) -> Self {
        Self(RwLock::new(view))
    }

    pub(super) fn newest(&self) -> Arc<LogSnapshot> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn replace(&self, view: Arc<LogSnapshot>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = view;
    }
}
