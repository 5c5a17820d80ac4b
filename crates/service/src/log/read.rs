//! Reading the log and proving things from it.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use contract::records::SealedLogHead;
use proof::tlog::{
    Note, Plan, TileFile, TileId, TileKind, consistency_plan, decode_hashes, encode_bundle,
    encode_hashes, inclusion_plan, root_plan,
};
use proof::{Digest, ProofError};
use store::{Cosignature, KeptBatch, StoreError};

use super::export::signed_checkpoint;
use super::sequencer::kept_place;
use super::view::{LogView, SealedHead};
use super::{SealError, Sealed};
use crate::Service;

/// A leaf's place in its batch and in the tree over all leaves.
#[derive(Debug, Clone, PartialEq)]
pub struct Inclusion {
    pub sealed: Sealed,
    pub tree_size: u64,
    pub tree_root: Digest,
    /// From the leaf to `tree_root`.
    pub tree_path: Vec<Digest>,
}

/// That the log at one size begins with the whole log of an earlier one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consistency {
    pub from: (u64, Digest),
    pub to: (u64, Digest),
    pub proof: Vec<Digest>,
}

/// An entry of the log and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct LoggedEntry {
    pub sealed: Sealed,
    pub content: Bytes,
}

impl Service {
    /// The newest head; nothing while the log is empty.
    pub fn log_head(&self) -> Result<Option<Arc<SealedHead>>, SealError> {
        Ok(self.log_view()?.head.clone())
    }

    /// The newest head as a day's seal names it.
    pub(crate) fn newest_log_head(&self) -> Option<SealedLogHead> {
        let head = self.log_head().ok().flatten()?;
        Some(SealedLogHead {
            batch: head.chain.batch,
            tree_size: head.chain.tree_size,
            sth_sha256: head.chain.sha256.to_hex(),
            tree_root: head.tree_root.map(|root| root.to_hex()),
        })
    }

    /// A batch, and what witnesses said of the log at its end.
    pub async fn log_batch(
        &self,
        batch: u64,
    ) -> Result<Option<(KeptBatch, Vec<Cosignature>)>, SealError> {
        let Some(newest) = self.log_head()? else { return Ok(None) };
        if batch > newest.chain.batch {
            return Ok(None);
        }
        let kept = self.store.batch(batch).await.map_err(SealError::NotKept)?;
        let Some(kept) = kept else { return Ok(None) };
        let said = self.store.cosignatures(kept.tree_size()).await.map_err(SealError::NotKept)?;
        Ok(Some((kept, said)))
    }

    /// The heads up to batch `to`, at most `n`, the newest first.
    pub async fn log_heads(&self, to: Option<u64>, n: usize) -> Result<Vec<Bytes>, SealError> {
        let Some(newest) = self.log_head()? else { return Ok(Vec::new()) };
        let to = to.unwrap_or(newest.chain.batch).min(newest.chain.batch);
        let from = (to + 1).saturating_sub(n as u64);
        let wanted = usize::try_from(to + 1 - from).unwrap_or(n);
        let mut heads = self.store.heads(from, wanted).await.map_err(SealError::NotKept)?;
        heads.reverse();
        Ok(heads)
    }

    /// Where a leaf stands, and its way to the root of the tree at this size (the newest, if none is
    /// named). Nothing when it is not in the log, or not at that size.
    pub async fn log_inclusion(
        &self,
        leaf: Digest,
        tree_size: Option<u64>,
    ) -> Result<Option<Inclusion>, SealError> {
        let view = self.log_view()?;
        let tree_size = tree_size.unwrap_or(view.edge.size());
        let Some(sealed) = self.log_place(leaf, &view).await? else { return Ok(None) };
        if tree_size > view.edge.size() {
            return Ok(None);
        }
        let Some(plan) = inclusion_plan(sealed.log_index, tree_size) else { return Ok(None) };
        let tree_path = self.prove(&plan, &view).await?;
        let tree_root = self.tree_root(tree_size, &view).await?;
        Ok(Some(Inclusion { sealed, tree_size, tree_root, tree_path }))
    }

    async fn log_place(&self, leaf: Digest, view: &LogView) -> Result<Option<Sealed>, SealError> {
        let places = self.store.leaf_places(vec![leaf]).await.map_err(SealError::NotKept)?;
        // What is kept and not acknowledged yet is not shown.
        let place = places.first().copied().flatten().filter(|place| *place < view.edge.size());
        let Some(place) = place else { return Ok(None) };
        let sealed = kept_place(self.store.as_ref(), &leaf, place).await;
        sealed.map(Some).map_err(SealError::NotKept)
    }

    /// An entry by its leaf.
    pub async fn log_entry(&self, leaf: Digest) -> Result<Option<LoggedEntry>, SealError> {
        let view = self.log_view()?;
        let Some(sealed) = self.log_place(leaf, &view).await? else { return Ok(None) };
        let contents = self.store.log_entries(sealed.log_index, 1).await;
        let content = contents.map_err(SealError::NotKept)?.into_iter().next();
        Ok(content.map(|content| LoggedEntry { sealed, content }))
    }

    /// Nothing when the sizes are not 0 < from <= to <= the log's.
    pub async fn log_consistency(
        &self,
        from: u64,
        to: u64,
    ) -> Result<Option<Consistency>, SealError> {
        let view = self.log_view()?;
        if to > view.edge.size() || from == 0 || from > to {
            return Ok(None);
        }
        let proof = match consistency_plan(from, to) {
            Some(plan) => self.prove(&plan, &view).await?,
            None => Vec::new(),
        };
        let from = (from, self.tree_root(from, &view).await?);
        let to = (to, self.tree_root(to, &view).await?);
        Ok(Some(Consistency { from, to, proof }))
    }

    async fn tree_root(&self, size: u64, view: &LogView) -> Result<Digest, SealError> {
        if size == view.edge.size() {
            return Ok(view.edge.root());
        }
        let plan = root_plan(size);
        let tiles = self.tiles(&plan, view).await?;
        plan.finish_root(&|id| tiles.get(&id).cloned()).ok_or_else(|| missing("a root"))
    }

    async fn prove(&self, plan: &Plan, view: &LogView) -> Result<Vec<Digest>, SealError> {
        let tiles = self.tiles(plan, view).await?;
        plan.finish(&|id| tiles.get(&id).cloned()).ok_or_else(|| missing("a proof"))
    }

    async fn tiles(
        &self,
        plan: &Plan,
        view: &LogView,
    ) -> Result<BTreeMap<TileId, Arc<[Digest]>>, SealError> {
        let mut tiles = BTreeMap::new();
        for id in plan.tiles() {
            let hashes = self.tile(id, view).await?;
            tiles.insert(id, Arc::from(hashes));
        }
        Ok(tiles)
    }

    /// A tile as far as the log goes: complete from the store, the last one of a level from memory.
    async fn tile(&self, id: TileId, view: &LogView) -> Result<Vec<Digest>, SealError> {
        if u64::from(id.width(view.edge.size())) < proof::tlog::TILE_WIDTH {
            return Ok(view.edge.partial(id.level).to_vec());
        }
        let kept = self.store.tile(id.level, id.index).await.map_err(SealError::NotKept)?;
        kept.and_then(|bytes| decode_hashes(&bytes)).ok_or_else(|| missing("a tile"))
    }

    /// A file of the log in the form of C2SP tiles; nothing when the log has no such file. A partial
    /// tile is given in the width that was asked for, also after it grew.
    pub async fn log_tile(&self, file: &TileFile) -> Result<Option<Bytes>, SealError> {
        let view = self.log_view()?;
        if !file.exists_at(view.edge.size()) {
            return Ok(None);
        }
        let width = usize::from(file.width);
        match file.kind {
            TileKind::Hashes { level } => {
                let mut hashes = self.tile(TileId { level, index: file.index }, &view).await?;
                hashes.truncate(width);
                Ok(Some(Bytes::from(encode_hashes(&hashes))))
            }
            TileKind::Entries => {
                let from = file.index.saturating_mul(proof::tlog::TILE_WIDTH);
                let entries = self.store.log_entries(from, width).await;
                let entries = entries.map_err(SealError::NotKept)?;
                Ok((entries.len() == width)
                    .then(|| encode_bundle(&entries))
                    .flatten()
                    .map(Bytes::from))
            }
        }
    }

    /// The newest head as a checkpoint: a note signed by the log-heads key. Nothing while the log is
    /// empty.
    pub fn log_checkpoint(&self) -> Result<Option<Note>, SealError> {
        let Some(head) = self.log_head()? else { return Ok(None) };
        self.checkpoint_of(&head).map(Some).map_err(SealError::NotSigned)
    }

    pub(crate) fn checkpoint_of(&self, head: &SealedHead) -> Result<Note, ProofError> {
        signed_checkpoint(&self.signer(), head, &self.settings.log.origin)
    }
}

fn missing(what: &str) -> SealError {
    SealError::NotKept(StoreError::Damaged {
        what: "the log's tree".to_owned(),
        why: format!("{what} cannot be made: tiles are missing"),
    })
}
