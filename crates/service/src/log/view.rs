//! The log as readers see it: as far as it was acknowledged.

use std::sync::{Arc, PoisonError, RwLock};

use bytes::Bytes;
use proof::head::ChainHead;
use proof::tlog::RightEdge;
use proof::{Digest, ProofError};
use serde_json::Value;

/// A signed head, read once.
#[derive(Debug, Clone, PartialEq)]
pub struct SealedHead {
    pub chain: ChainHead,
    pub tree_root: Option<Digest>,
    pub document: Value,
    /// The very bytes that were signed.
    pub bytes: Bytes,
}

/// The newest head and the right edge of the tree under it. Never changed, only replaced.
#[derive(Debug, Clone, Default)]
pub struct LogView {
    pub head: Option<Arc<SealedHead>>,
    pub edge: RightEdge,
}

/// Where the newest view is found. The lock is held for the copy of a pointer.
#[derive(Debug, Default)]
pub(super) struct Views(RwLock<Arc<LogView>>);

impl SealedHead {
    pub(super) fn read(bytes: Bytes) -> Result<Self, ProofError> {
        let document = proof::canonical::parse_strict(&bytes)?;
        let chain = ChainHead::read(&document)?;
        let tree_root = document.get("tree_root").and_then(Value::as_str);
        let tree_root = tree_root.and_then(|hex| hex.parse().ok());
        Ok(Self { chain, tree_root, document, bytes })
    }
}

impl Views {
    pub(super) fn new(view: Arc<LogView>) -> Self {
        Self(RwLock::new(view))
    }

    pub(super) fn newest(&self) -> Arc<LogView> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn replace(&self, view: Arc<LogView>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = view;
    }
}
