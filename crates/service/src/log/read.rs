//! Reading heads, entries and tiles of the log, and proving inclusion and consistency.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use contract::records::SealedLogHead;
use proof::Digest;
use proof::tlog::{
    ProofPlan, TileFile, TileId, TileKind, consistency_plan, decode_tile_hashes,
    encode_entry_bundle, encode_tile_hashes, inclusion_plan, root_plan,
};
use serde_json::Value;
use store::{Cosignature, StoreError, StoredBatch};

use super::errors::SealError;
use super::known_batches::KnownBatch;
use super::sealed_leaf::SealedLeaf;
use super::snapshot::{LogSnapshot, SignedTreeHead};
use super::transparency_log::TransparencyLog;

/// Proof that a leaf is in its batch and in the tree over all leaves of the log.
#[derive(Debug, Clone, PartialEq)]
pub struct InclusionProof {
    pub sealed: SealedLeaf,
    pub tree_size: u64,
    pub tree_root: Digest,
    /// From the leaf to `tree_root`.
    pub tree_path: Vec<Digest>,
}

/// Proof that the log at size `to` begins with the whole log at size `from`. Each is a size with the
/// root there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsistencyProof {
    pub from: (u64, Digest),
    pub to: (u64, Digest),
    pub proof: Vec<Digest>,
}

/// An entry of the log with its content.
#[derive(Debug, Clone, PartialEq)]
pub struct LoggedEntry {
    pub sealed: SealedLeaf,
    pub content: Bytes,
}

impl TransparencyLog {
    /// The newest head; `None` while the log is empty.
    pub fn head(&self) -> Result<Option<Arc<SignedTreeHead>>, SealError> {
        let Some(head) = self.snapshot()?.head.clone() else { return Ok(None) };
        let compromised = self.keys.compromised();
        let kid = head.document.get("signature").and_then(|block| block.get("kid"));
        if !kid.and_then(Value::as_str).is_some_and(|kid| compromised.contains_key(kid)) {
            return Ok(Some(head));
        }
        self.servable_head(head.bytes.clone()).map(|head| Some(Arc::new(head)))
    }

    /// A stored head, signed again if its key was reported as compromised since.
    pub(super) fn servable_head(&self, bytes: Bytes) -> Result<SignedTreeHead, SealError> {
        let bytes = self.keys.resign_if_compromised(bytes).map_err(SealError::NotSigned)?;
        SignedTreeHead::parse(bytes).map_err(SealError::NotSigned)
    }

    /// The newest head in the form that a daily seal states it.
    pub(crate) fn head_for_day_seal(&self) -> Option<SealedLogHead> {
        let head = self.head().ok().flatten()?;
        Some(SealedLogHead {
            batch: head.chain.batch,
            tree_size: head.chain.tree_size,
            sth_sha256: head.chain.sha256.to_hex(),
            tree_root: head.tree_root.map(|root| root.to_hex()),
        })
    }

    /// A batch, and the cosignatures of the log at its end.
    pub async fn batch_with_cosignatures(
        &self,
        batch: u64,
    ) -> Result<Option<(StoredBatch, Vec<Cosignature>)>, SealError> {
        let Some(newest) = self.head()? else { return Ok(None) };
        if batch > newest.chain.batch {
            return Ok(None);
        }
        let stored = self.store.batch(batch).await.map_err(SealError::NotStored)?;
        let Some(stored) = stored else { return Ok(None) };
        let cosignatures = self.store.cosignatures(stored.tree_size()).await;
        Ok(Some((stored, cosignatures.map_err(SealError::NotStored)?)))
    }

    /// The heads up to batch `to` (the newest, if none is given), at most `n`, newest first.
    pub async fn heads_up_to(&self, to: Option<u64>, n: usize) -> Result<Vec<Bytes>, SealError> {
        let Some(newest) = self.head()? else { return Ok(Vec::new()) };
        let to = to.unwrap_or(newest.chain.batch).min(newest.chain.batch);
        let from = (to + 1).saturating_sub(n as u64);
        let wanted = usize::try_from(to + 1 - from).unwrap_or(n);
        let mut heads = self.store.heads(from, wanted).await.map_err(SealError::NotStored)?;
        heads.reverse();
        self.keys.make_servable(heads).await.map_err(SealError::NotSigned)
    }

    /// Proves that a leaf is in the tree of this size (the newest, if none is given). `None` when the
    /// leaf is not in the log, or not in it at that size.
    pub async fn inclusion_proof(
        &self,
        leaf: Digest,
        tree_size: Option<u64>,
    ) -> Result<Option<InclusionProof>, SealError> {
        let view = self.snapshot()?;
        let tree_size = tree_size.unwrap_or(view.edge.size());
        let Some(sealed) = self.find_leaf(leaf, &view).await? else { return Ok(None) };
        if tree_size > view.edge.size() {
            return Ok(None);
        }
        let Some(plan) = inclusion_plan(sealed.log_index, tree_size) else { return Ok(None) };
        let tree_path = self.build_proof(&plan, &view).await?;
        let tree_root = self.tree_root(tree_size, &view).await?;
        Ok(Some(InclusionProof { sealed, tree_size, tree_root, tree_path }))
    }

    async fn find_leaf(
        &self,
        leaf: Digest,
        view: &LogSnapshot,
    ) -> Result<Option<SealedLeaf>, SealError> {
        let indexes = self.store.leaf_indexes(vec![leaf]).await.map_err(SealError::NotStored)?;
        let log_index = indexes.first().copied().flatten();
        // A leaf that is stored but not acknowledged yet is not shown.
        let log_index = log_index.filter(|log_index| *log_index < view.edge.size());
        let Some(log_index) = log_index else { return Ok(None) };
        let batch = KnownBatch::load(self.store.as_ref(), &self.keys, &leaf, log_index).await;
        let sealed = batch.and_then(|batch| batch.leaf_at(&leaf, log_index));
        sealed.map(Some).map_err(SealError::NotStored)
    }

    /// The entry with this leaf hash.
    pub async fn entry(&self, leaf: Digest) -> Result<Option<LoggedEntry>, SealError> {
        let view = self.snapshot()?;
        let Some(sealed) = self.find_leaf(leaf, &view).await? else { return Ok(None) };
        let contents = self.store.log_entries(sealed.log_index, 1).await;
        let content = contents.map_err(SealError::NotStored)?.into_iter().next();
        Ok(content.map(|content| LoggedEntry { sealed, content }))
    }

    /// `None` unless 0 < `from` <= `to` <= the size of the log.
    pub async fn consistency_proof(
        &self,
        from: u64,
        to: u64,
    ) -> Result<Option<ConsistencyProof>, SealError> {
        let view = self.snapshot()?;
        if to > view.edge.size() || from == 0 || from > to {
            return Ok(None);
        }
        let proof = match consistency_plan(from, to) {
            Some(plan) => self.build_proof(&plan, &view).await?,
            None => Vec::new(),
        };
        let from = (from, self.tree_root(from, &view).await?);
        let to = (to, self.tree_root(to, &view).await?);
        Ok(Some(ConsistencyProof { from, to, proof }))
    }

    async fn tree_root(&self, size: u64, view: &LogSnapshot) -> Result<Digest, SealError> {
        if size == view.edge.size() {
            return Ok(view.edge.root());
        }
        let plan = root_plan(size);
        let tiles = self.read_tiles(&plan, view).await?;
        plan.build_root(&|id| tiles.get(&id).cloned()).ok_or_else(|| missing_tiles_error("a root"))
    }

    async fn build_proof(
        &self,
        plan: &ProofPlan,
        view: &LogSnapshot,
    ) -> Result<Vec<Digest>, SealError> {
        let tiles = self.read_tiles(plan, view).await?;
        plan.build_hashes(&|id| tiles.get(&id).cloned())
            .ok_or_else(|| missing_tiles_error("a proof"))
    }

    async fn read_tiles(
        &self,
        plan: &ProofPlan,
        view: &LogSnapshot,
    ) -> Result<BTreeMap<TileId, Arc<[Digest]>>, SealError> {
        let mut tiles = BTreeMap::new();
        for id in plan.tiles() {
            let hashes = self.read_tile(id, view).await?;
            tiles.insert(id, Arc::from(hashes));
        }
        Ok(tiles)
    }

    /// The hashes of a tile: a complete one from the store, the last one of a level from memory.
    async fn read_tile(&self, id: TileId, view: &LogSnapshot) -> Result<Vec<Digest>, SealError> {
        if u64::from(id.width(view.edge.size())) < proof::tlog::TILE_WIDTH {
            return Ok(view.edge.partial_tile(id.level).to_vec());
        }
        let stored = self.store.tile(id.level, id.index).await.map_err(SealError::NotStored)?;
        stored
            .and_then(|bytes| decode_tile_hashes(&bytes))
            .ok_or_else(|| missing_tiles_error("a tile"))
    }

    /// A tile file of the log (C2SP tlog-tiles); `None` when the log has no such file. A partial tile
    /// has the width that was requested, even if it has grown since.
    pub async fn tile_file(&self, file: &TileFile) -> Result<Option<Bytes>, SealError> {
        let view = self.snapshot()?;
        if !file.exists_at(view.edge.size()) {
            return Ok(None);
        }
        let width = usize::from(file.width);
        match file.kind {
            TileKind::Hashes { level } => {
                let mut hashes = self.read_tile(TileId { level, index: file.index }, &view).await?;
                hashes.truncate(width);
                Ok(Some(Bytes::from(encode_tile_hashes(&hashes))))
            }
            TileKind::Entries => {
                let from = file.index.saturating_mul(proof::tlog::TILE_WIDTH);
                let entries = self.store.log_entries(from, width).await;
                let entries = entries.map_err(SealError::NotStored)?;
                Ok((entries.len() == width)
                    .then(|| encode_entry_bundle(&entries))
                    .flatten()
                    .map(Bytes::from))
            }
        }
    }
}

fn missing_tiles_error(what: &str) -> SealError {
    SealError::NotStored(StoreError::Damaged {
        what: "the log's tree".to_owned(),
        why: format!("{what} cannot be read or computed: tiles are missing"),
    })
}
