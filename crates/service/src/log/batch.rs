//! Making a batch: what is waiting in; leaves, head, places and finished answers out.
//!
//! Nothing here is kept or told. A head that is made and then not kept was never shown to anybody.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use contract::{Brand, Timestamp};
use proof::head::{HeadExtras, next_head};
use proof::tlog::{FullTile, RightEdge};
use proof::tree::BatchTree;
use proof::{Digest, KeyPurpose, ProofError};
use store::{LogEntry, LogTile, NewBatch};

use super::Sealed;
use super::view::{LogView, SealedHead};
use crate::keys::Signer;

/// A batch that is signed and not kept yet.
pub(super) struct Made {
    pub(super) batch: NewBatch,
    /// The log as it will be once it is kept.
    pub(super) view: Arc<LogView>,
    tree: BatchTree,
}

impl Made {
    /// The batch of these entries behind `tip`; equal ones stand once.
    pub(super) fn new(
        entries: Vec<LogEntry>,
        tip: &LogView,
        now: Timestamp,
        brand: &Brand,
        signer: &Signer,
        extras: HeadExtras,
    ) -> Result<Self, ProofError> {
        let mut sorted: BTreeMap<Digest, LogEntry> = BTreeMap::new();
        for entry in entries {
            // An entry under a kind is found by it; the same content without one is not lost.
            let kept = sorted.entry(entry.leaf).or_insert_with(|| entry.clone());
            if kept.kind.is_none() {
                kept.kind = entry.kind;
            }
        }
        let entries: Vec<LogEntry> = sorted.into_values().collect();
        let tree = BatchTree::new(entries.iter().map(|entry| entry.leaf));
        let (edge, tiles) = extended(&tip.edge, tree.leaves());
        let previous = tip.head.as_deref().map(|head| &head.chain);
        let extras = HeadExtras { tree_root: Some(edge.root()), ..extras };
        let head = next_head(previous, &tree, now, extras, brand)?;
        let signed = signer.sign_value(head, KeyPurpose::LogHeads)?;
        let bytes = Bytes::from(signed.bytes);
        let head = Arc::new(SealedHead {
            chain: proof::head::ChainHead::read(&signed.document)?,
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
        Ok(Self { batch, tree, view: Arc::new(LogView { head: Some(head), edge }) })
    }

    /// The place of a leaf, if it is in this batch.
    pub(super) fn place(&self, leaf: &Digest) -> Option<Sealed> {
        sealed(leaf, &self.tree, self.view.head.as_ref()?)
    }
}

/// The place of a leaf in a batch.
pub(super) fn sealed(leaf: &Digest, tree: &BatchTree, head: &Arc<SealedHead>) -> Option<Sealed> {
    let index = tree.index_of(leaf)?;
    Some(Sealed {
        leaf: *leaf,
        index,
        log_index: head.chain.first_index.checked_add(index)?,
        path: tree.path(index)?,
        head: Arc::clone(head),
    })
}

fn extended(edge: &RightEdge, leaves: &[Digest]) -> (RightEdge, Vec<LogTile>) {
    let mut edge = edge.clone();
    let mut full = Vec::new();
    leaves.iter().for_each(|leaf| edge.push(*leaf, &mut full));
    let kept = |tile: FullTile| LogTile {
        level: tile.level,
        index: tile.index,
        hashes: Bytes::from(tile.hashes),
    };
    (edge, full.into_iter().map(kept).collect())
}
