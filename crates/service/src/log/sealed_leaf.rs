//! A leaf of the log with its proof of inclusion in a signed batch.

use std::sync::Arc;

use proof::Digest;
use proof::merkle_tree::BatchTree;
use serde_json::Value;

use super::snapshot::SignedTreeHead;

/// A leaf that is in the log, its position, and its path to a signed tree head.
#[derive(Debug, Clone, PartialEq)]
pub struct SealedLeaf {
    pub leaf: Digest,
    /// Position inside its batch.
    pub index: u64,
    /// Position in the whole log.
    pub log_index: u64,
    /// From the leaf to the batch's root.
    pub path: Vec<Digest>,
    pub head: Arc<SignedTreeHead>,
}

impl SealedLeaf {
    /// The `transparency` member of an answer.
    #[must_use]
    pub fn transparency(&self, base_url: &str) -> Value {
        let head = &self.head.chain;
        serde_json::json!({
            "state": "included",
            "log_id": head.log_id,
            "leaf_hash": self.leaf,
            "batch": head.batch,
            "index": self.index,
            "log_index": self.log_index,
            "batch_size": head.batch_size,
            "path": self.path,
            "sth": self.head.document,
            "witnesses": format!("{base_url}/api/v1/log/sth/{}", head.batch),
            "content_rule": proof::decision_content::CONTENT_RULE,
        })
    }

    /// The leaf in the batch with this tree and head; `None` if it is not in that batch.
    pub(super) fn in_batch(
        leaf: &Digest,
        tree: &BatchTree,
        head: &Arc<SignedTreeHead>,
    ) -> Option<Self> {
        let index = tree.index_of(leaf)?;
        Some(Self {
            leaf: *leaf,
            index,
            log_index: head.chain.first_index.checked_add(index)?,
            path: tree.path(index)?,
            head: Arc::clone(head),
        })
    }
}
