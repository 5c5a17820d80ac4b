//! The batches that were sealed or looked up last, so that an answer whose decision is in the log already is
//! sealed without reading its batch again.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use proof::merkle_tree::BatchTree;
use proof::{Digest, ProofError};
use store::{Store, StoreError};

use super::sealed_leaf::SealedLeaf;
use super::snapshot::SignedTreeHead;
use crate::signing_keys::SigningKeys;

/// Leaves of all kept batches together. Each takes about 150 bytes.
const MAX_LEAVES: usize = 100_000;

/// A batch of the log.
#[derive(Debug)]
pub(super) struct KnownBatch {
    tree: BatchTree,
    head: Arc<SignedTreeHead>,
}

impl KnownBatch {
    pub(super) fn new(tree: BatchTree, head: Arc<SignedTreeHead>) -> Self {
        Self { tree, head }
    }

    /// Loads the batch of a leaf that the store's index lists at `log_index`.
    pub(super) async fn load(
        store: &dyn Store,
        keys: &SigningKeys,
        leaf: &Digest,
        log_index: u64,
    ) -> Result<Self, StoreError> {
        let batch = store.batch_at(log_index).await?;
        let batch = batch.ok_or_else(|| damaged(leaf, "no batch covers that index"))?;
        let tree = BatchTree::new(batch.leaves.iter().copied());
        let unusable = |error: ProofError| damaged(leaf, &error.to_string());
        let sth = keys.resign_if_compromised(batch.sth).map_err(unusable)?;
        let head = SignedTreeHead::parse(sth).map_err(unusable)?;
        Ok(Self::new(tree, Arc::new(head)))
    }

    pub(super) fn sealed_leaf(&self, leaf: &Digest) -> Option<SealedLeaf> {
        SealedLeaf::in_batch(leaf, &self.tree, &self.head)
    }

    /// The leaf, if it is at this place of the log.
    pub(super) fn leaf_at(&self, leaf: &Digest, log_index: u64) -> Result<SealedLeaf, StoreError> {
        let found = self.sealed_leaf(leaf).filter(|found| found.log_index == log_index);
        found.ok_or_else(|| damaged(leaf, "the log has a different leaf there"))
    }
}

fn damaged(leaf: &Digest, why: &str) -> StoreError {
    let what = format!("the index entry of the leaf {leaf}");
    StoreError::Damaged { what, why: why.to_owned() }
}

/// Owned by the sequencer, so it needs no lock.
#[derive(Debug, Default)]
pub(super) struct KnownBatches {
    by_leaf: HashMap<Digest, Arc<KnownBatch>>,
    /// The oldest first.
    order: VecDeque<Arc<KnownBatch>>,
    /// Which keys were compromised when the batches were kept: a head that such a key signed is signed again when
    /// it is loaded.
    compromised: Option<String>,
}

impl KnownBatches {
    /// Forgets everything if another key was compromised since.
    pub(super) fn follow_keys(&mut self, compromised: Option<String>) {
        if self.compromised != compromised {
            *self = Self { compromised, ..Self::default() };
        }
    }

    pub(super) fn contains(&self, leaf: &Digest) -> bool {
        self.by_leaf.contains_key(leaf)
    }

    pub(super) fn sealed_leaf(&self, leaf: &Digest) -> Option<SealedLeaf> {
        self.by_leaf.get(leaf)?.sealed_leaf(leaf)
    }

    pub(super) fn keep(&mut self, batch: Arc<KnownBatch>) {
        if batch.tree.leaves().iter().all(|leaf| self.contains(leaf)) {
            return;
        }
        for leaf in batch.tree.leaves() {
            self.by_leaf.insert(*leaf, Arc::clone(&batch));
        }
        self.order.push_back(batch);
        while self.by_leaf.len() > MAX_LEAVES {
            let Some(oldest) = self.order.pop_front() else { return };
            for leaf in oldest.tree.leaves() {
                self.by_leaf.remove(leaf);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proof::tree_head::ChainHead;

    use super::*;

    fn digest(number: usize) -> Digest {
        Digest::of(&number.to_le_bytes())
    }

    fn batch(leaves: std::ops::Range<usize>) -> Arc<KnownBatch> {
        let tree = BatchTree::new(leaves.map(digest));
        let head = SignedTreeHead {
            chain: ChainHead {
                log_id: "log".to_owned(),
                batch: 0,
                first_index: 0,
                batch_size: tree.size(),
                tree_size: tree.size(),
                batch_root: tree.root(),
                prev_sth_sha256: None,
                created_at: contract::Timestamp::from_millis(0),
                sha256: digest(0),
            },
            tree_root: None,
            document: serde_json::Value::Null,
            bytes: bytes::Bytes::new(),
        };
        Arc::new(KnownBatch::new(tree, Arc::new(head)))
    }

    #[test]
    fn the_oldest_batches_go_first() {
        let mut known = KnownBatches::default();
        for number in 0..120 {
            known.keep(batch(number * 1_000..(number + 1) * 1_000));
            known.keep(batch(number * 1_000..(number + 1) * 1_000));
        }
        assert!(!known.contains(&digest(0)) && known.contains(&digest(119_999)));
        assert!(known.by_leaf.len() <= MAX_LEAVES && known.order.len() <= 100);
        assert!(known.sealed_leaf(&digest(119_999)).is_some());
        known.follow_keys(Some("a key".to_owned()));
        assert!(known.sealed_leaf(&digest(119_999)).is_none());
    }
}
