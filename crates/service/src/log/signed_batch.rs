//! Building and signing a batch from waiting entries.
//!
//! Nothing is stored or published here. A head that is signed and then not stored was never shown to
//! anybody.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use contract::{Brand, Timestamp};
use proof::merkle_tree::BatchTree;
use proof::tlog::{FullTile, RightEdge};
use proof::tree_head::{HeadExtras, next_head};
use proof::{Digest, KeyPurpose, ProofError};
use store::{LogEntry, LogTile, NewBatch};

use super::known_batches::KnownBatch;
use super::sealed_leaf::SealedLeaf;
use super::snapshot::{LogSnapshot, SignedTreeHead};
use crate::signing_keys::SigningKeys;

/// A batch that is signed and not stored yet.
pub(super) struct SignedBatch {
    pub(super) batch: NewBatch,
    /// The log as it will be once the batch is stored.
    pub(super) snapshot: Arc<LogSnapshot>,
    tree: BatchTree,
}

impl SignedBatch {
    /// Builds and signs the batch that follows `tip`. Equal entries become one leaf.
    pub(super) fn new(
        entries: Vec<LogEntry>,
        tip: &LogSnapshot,
        now: Timestamp,
        brand: &Brand,
        keys: &SigningKeys,
        extras: HeadExtras,
    ) -> Result<Self, ProofError> {
        let mut sorted: BTreeMap<Digest, LogEntry> = BTreeMap::new();
        for entry in entries {
            // If one of two equal entries has a kind, the leaf gets it, so that it is found by kind.
            let leaf = sorted.entry(entry.leaf).or_insert_with(|| entry.clone());
            if leaf.kind.is_none() {
                leaf.kind = entry.kind;
            }
        }
        let entries: Vec<LogEntry> = sorted.into_values().collect();
        let tree = BatchTree::new(entries.iter().map(|entry| entry.leaf));
        let (edge, tiles) = extend_edge(&tip.edge, tree.leaves());
        let previous = tip.head.as_deref().map(|head| &head.chain);
        let extras = HeadExtras { tree_root: Some(edge.root()), ..extras };
        let head = next_head(previous, &tree, now, extras, brand)?;
        // After the clock was set back, heads are dated ahead of it, and so are their signatures.
        let at = proof::tree_head::next_created_at(previous, now);
        let signed = keys.sign_value_at(head, KeyPurpose::LogHeads, at)?;
        let bytes = Bytes::from(signed.bytes);
        let head = Arc::new(SignedTreeHead {
            chain: proof::tree_head::ChainHead::parse(&signed.document)?,
            tree_root: Some(edge.root()),
            document: signed.document,
            bytes: bytes.clone(),
        });
        let batch = NewBatch {
            batch: head.chain.batch,
            first_index: head.chain.first_index,
            sth_sha256: signed.digest,
            sth: bytes,
            entries,
            tiles,
        };
        Ok(Self { batch, tree, snapshot: Arc::new(LogSnapshot { head: Some(head), edge }) })
    }

    /// What is stored, and what the sequencer remembers once it is.
    pub(super) fn into_parts(self) -> (NewBatch, Option<KnownBatch>) {
        let known =
            self.snapshot.head.as_ref().map(|head| KnownBatch::new(self.tree, Arc::clone(head)));
        (self.batch, known)
    }

    /// The leaf with its proof, if it is in this batch.
    pub(super) fn sealed_leaf(&self, leaf: &Digest) -> Option<SealedLeaf> {
        SealedLeaf::in_batch(leaf, &self.tree, self.snapshot.head.as_ref()?)
    }
}

/// The tree's right edge after these leaves, and the tiles that they completed.
fn extend_edge(edge: &RightEdge, leaves: &[Digest]) -> (RightEdge, Vec<LogTile>) {
    let mut edge = edge.clone();
    let mut full = Vec::new();
    leaves.iter().for_each(|leaf| edge.push(*leaf, &mut full));
    let to_log_tile = |tile: FullTile| LogTile {
        level: tile.level,
        index: tile.index,
        hashes: Bytes::from(tile.hashes),
    };
    (edge, full.into_iter().map(to_log_tile).collect())
}
