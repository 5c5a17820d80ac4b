//! A sample log: batches that follow each other like those of a real log, and answers for them.

use bytes::Bytes;
use proof::tlog::RightEdge;

use super::harness::{CaseResult, check_eq, unexpected_error};
use super::sample_values::{at, domain, same_as};
use crate::{
    Append, AppendExtras, Digest, LogEntry, LogLease, LogTile, NewBatch, Store, StoredAnswer,
    StoredBatch,
};

/// How long a case holds the lease, from the cases' start time.
pub(super) const LEASE_MS: i64 = 60_000;

/// A sample log. Two with the same name and batch sizes are identical.
pub(super) struct SampleLog {
    name: &'static str,
    edge: RightEdge,
    pub(super) batches: Vec<NewBatch>,
}

impl SampleLog {
    pub(super) fn new(name: &'static str) -> Self {
        Self { name, edge: RightEdge::new(), batches: Vec::new() }
    }

    pub(super) fn last(&self) -> Option<Digest> {
        self.batches.last().map(|batch| batch.sth_sha256)
    }

    pub(super) fn size(&self) -> u64 {
        self.edge.size()
    }

    /// Adds a batch of so many leaves, tiles included, and gives it back.
    pub(super) fn grow(&mut self, leaves: usize) -> NewBatch {
        let (batch, first_index) = (self.batches.len() as u64, self.edge.size());
        let mut entries: Vec<LogEntry> =
            (0..leaves).map(|number| self.entry(batch, number)).collect();
        entries.sort_by_key(|entry| entry.leaf);
        let mut full = Vec::new();
        entries.iter().for_each(|entry| self.edge.push(entry.leaf, &mut full));
        let tiles = full
            .into_iter()
            .map(|tile| LogTile {
                level: tile.level,
                index: tile.index,
                hashes: Bytes::from(tile.hashes),
            })
            .collect();
        let sth = format!("{{\"batch\":{batch},\"log\":\"{}\",\"size\":{leaves}}}", self.name);
        let new = NewBatch {
            batch,
            first_index,
            sth_sha256: Digest::of(sth.as_bytes()),
            sth: Bytes::from(sth),
            entries,
            tiles,
        };
        self.batches.push(new.clone());
        new
    }

    fn entry(&self, batch: u64, number: usize) -> LogEntry {
        let content = match number {
            // Nothing says that a content is text.
            3 => {
                Bytes::from([self.name.as_bytes(), &vec![0xff; 300 + self.batches.len()]].concat())
            }
            _ => Bytes::from(format!("{{\"log\":\"{}\",\"of\":\"{batch}.{number}\"}}", self.name)),
        };
        let kind = match number % 50 {
            0 => Some(String::from("build")),
            1 => Some(String::from("key's Ereignis: ü")),
            _ => None,
        };
        LogEntry { leaf: proof::merkle_tree::leaf_hash(&content), kind, content }
    }

    /// Adds a batch here and in the store.
    pub(super) async fn put(
        &mut self,
        store: &dyn Store,
        epoch: u64,
        leaves: usize,
    ) -> Result<NewBatch, String> {
        let after = self.last();
        let batch = self.grow(leaves);
        let append = Append {
            epoch,
            previous_head: after,
            batch: Some(batch.clone()),
            answers: vec![],
            extras: AppendExtras::default(),
        };
        store.append(append).await.map_err(unexpected_error)?;
        Ok(batch)
    }
}

/// Acquires the lease.
pub(super) async fn lease(store: &dyn Store) -> Result<u64, String> {
    match store.acquire_log_lease("us", at(0), at(LEASE_MS)).await.map_err(unexpected_error)? {
        LogLease::Granted { epoch } => Ok(epoch),
        held @ LogLease::HeldByOther { .. } => Err(format!("the lease was refused: {held:?}")),
    }
}

/// An answer whose content depends on its id.
pub(super) fn answer(
    id: &str,
    name: &str,
    ms: i64,
    log_index: u64,
) -> Result<StoredAnswer, String> {
    Ok(StoredAnswer {
        sha256: Digest::of(id.as_bytes()),
        domain: domain(name)?,
        answered_at: at(ms),
        log_index,
        bytes: format!("{{\"id\":\"{id}\",\"of\":\"{name}\"}}").into(),
    })
}

/// Fails unless the store's log is this one, through every read method.
pub(super) async fn same_log(store: &dyn Store, batches: &[NewBatch]) -> CaseResult {
    let stored: Vec<StoredBatch> = batches.iter().map(NewBatch::to_stored).collect();
    let size = stored.last().map_or(0, StoredBatch::tree_size);
    check_eq!(store.last_batch().await, Ok(stored.last().cloned()), "the last batch");
    check_eq!(store.count_indexed_leaves().await, Ok(size), "leaves that can be found");
    for (number, batch) in (0..).zip(&stored) {
        check_eq!(store.batch(number).await, Ok(Some(batch.clone())), "batch {number}");
        for index in [batch.first_index, batch.tree_size() - 1] {
            check_eq!(store.batch_at(index).await, Ok(Some(batch.clone())), "the batch at {index}");
        }
    }
    for number in [stored.len() as u64, stored.len() as u64 + 1, u64::MAX] {
        check_eq!(store.batch(number).await, Ok(None), "batch {number}");
    }
    for index in [size, size + 1, u64::MAX] {
        check_eq!(store.batch_at(index).await, Ok(None), "the batch at {index}");
    }
    let heads: Vec<Bytes> = stored.iter().map(|batch| batch.sth.clone()).collect();
    same_as("the heads", store.heads(0, usize::MAX).await, &heads)?;

    let entries: Vec<&LogEntry> = batches.iter().flat_map(|batch| &batch.entries).collect();
    let contents: Vec<Bytes> = entries.iter().map(|entry| entry.content.clone()).collect();
    same_as("the entries", store.log_entries(0, usize::MAX).await, &contents)?;
    let leaves: Vec<Digest> = entries.iter().map(|entry| entry.leaf).collect();
    let places: Vec<Option<u64>> = (0..size).map(Some).collect();
    same_as("the places", store.leaf_indexes(leaves.clone()).await, &places)?;
    let kinds: Vec<Option<String>> = entries.iter().map(|entry| entry.kind.clone()).collect();
    same_as("the kinds", store.leaf_kinds(leaves).await, &kinds)?;
    for kind in kinds.iter().flatten() {
        let of_kind = (0..).zip(&kinds).filter(|(_, of)| of.as_ref() == Some(kind));
        let of_kind: Vec<u64> = of_kind.map(|(index, _)| index).collect();
        same_as("entries of a kind", store.entries_of_kind(kind).await, &of_kind)?;
    }
    for tile in batches.iter().flat_map(|batch| &batch.tiles) {
        let (level, index) = (tile.level, tile.index);
        let hashes = Ok(Some(tile.hashes.clone()));
        check_eq!(store.tile(level, index).await, hashes, "tile {index} of level {level}");
    }
    Ok(())
}
