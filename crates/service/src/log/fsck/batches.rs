//! Checks heads, leaves, contents, index, kinds and tiles, batch by batch.

use bytes::Bytes;
use proof::merkle_tree::{self, leaf_hash};
use proof::tlog::{MAX_ENTRY_BYTES, RightEdge, TILE_WIDTH};
use proof::tree_head::{ChainHead, check_link};
use proof::{Digest, canonical, verify_document};
use serde_json::Value;
use store::{StoreError, StoredBatch};

use super::{BatchEnd, FsckRun, LogPart};
use crate::log::log_end::restore_edge;
use crate::log::snapshot::SignedTreeHead;

/// What is known at the current batch.
struct WalkState {
    /// The previous head; `None` after a batch whose head could not be read.
    previous: Option<ChainHead>,
    /// The tree so far; `None` after leaves that could not be read.
    edge: Option<RightEdge>,
    /// The tile at which restoring the tree was last tried.
    restored_at: Option<u64>,
    /// Whether every batch so far could be read.
    is_complete: bool,
}

impl FsckRun<'_> {
    pub(super) async fn check_batches(&mut self) -> Result<(), StoreError> {
        let store = self.request.store;
        let of = match store.last_batch().await {
            Ok(last) => last.map(|last| last.batch.saturating_add(1)),
            // Reported when the loop reaches it.
            Err(_) => None,
        };
        let edge = Some(RightEdge::new());
        let mut walk = WalkState { previous: None, edge, restored_at: None, is_complete: true };
        let mut number = 0;
        let mut unreadable: Option<Bytes> = None;
        loop {
            if number % 64 == 0 {
                self.report_progress("batches", number, of);
            }
            match store.batch(number).await {
                Ok(Some(stored)) => self.check_batch(&stored, &mut walk).await,
                Ok(None) => match self.find_next_batch(number).await? {
                    None => break,
                    Some(next) => {
                        self.add_missing_batches(number, next - 1);
                        walk.reset();
                        number = next;
                        continue;
                    }
                },
                Err(error) => {
                    // If this fails too, nothing can be read at all.
                    let Some(sth) = store.heads(number, 1).await?.into_iter().next() else { break };
                    walk.reset();
                    match stated_batch(&sth) {
                        Some(next) if next > number => {
                            self.add_missing_batches(number, next - 1);
                            number = next;
                            continue;
                        }
                        // The same row again, stored under a wrong number.
                        _ if unreadable.as_ref() == Some(&sth) => break,
                        _ => self.add_fault(LogPart::Head, Some(number), error.to_string()),
                    }
                    unreadable = Some(sth);
                }
            }
            number += 1;
        }
        let end = self.ends.last().copied();
        self.report.tree_size = end.map_or(0, |end| end.tree_size);
        self.report.head_sha256 = end.map(|end| end.sth_sha256);
        self.report.tree_root = walk.edge.as_ref().map(RightEdge::root);
        self.check_index_size(walk.is_complete).await;
        Ok(())
    }

    fn add_missing_batches(&mut self, first: u64, last: u64) {
        let detail = if last == first {
            "it is missing".to_owned()
        } else {
            format!("it and the batches up to {last} are missing")
        };
        self.add_fault(LogPart::Chain, Some(first), detail);
    }

    /// The number of the next batch after a missing one, as its head states it.
    async fn find_next_batch(&mut self, number: u64) -> Result<Option<u64>, StoreError> {
        let Some(sth) = self.request.store.heads(number, 1).await?.into_iter().next() else {
            return Ok(None);
        };
        match stated_batch(&sth) {
            Some(next) if next > number => Ok(Some(next)),
            stated => {
                let stated = stated.map_or("none".to_owned(), |number| number.to_string());
                let detail =
                    format!("it is missing, and the next stored head states batch {stated}");
                self.add_fault(LogPart::Chain, Some(number), detail);
                Ok(None)
            }
        }
    }

    async fn check_batch(&mut self, stored: &StoredBatch, walk: &mut WalkState) {
        self.report.batches += 1;
        let number = Some(stored.batch);
        let verdict = verify_document(&stored.sth, self.request.policy, self.request.brand);
        for failed in self.failed_checks(&verdict, &format!("the head of batch {}", stored.batch)) {
            self.add_fault(LogPart::Head, number, failed);
        }
        let head = match SignedTreeHead::parse(stored.sth.clone()) {
            Ok(head) => head,
            Err(error) => {
                self.add_fault(LogPart::Head, number, error.to_string());
                walk.reset();
                return;
            }
        };
        self.check_head(stored, &head, walk);
        self.check_leaves(stored, &head.chain);
        self.check_tree(stored, &head, walk).await;
        let contents = self.check_contents(stored).await;
        self.check_index(stored, contents.as_deref()).await;
        self.ends.push(BatchEnd {
            batch: stored.batch,
            tree_size: head.chain.tree_size,
            tree_root: head.tree_root,
            sth_sha256: stored.sth_sha256,
        });
        walk.previous = Some(head.chain);
    }

    fn check_head(&mut self, stored: &StoredBatch, head: &SignedTreeHead, walk: &WalkState) {
        let number = Some(stored.batch);
        let chain = &head.chain;
        if chain.log_id != self.request.brand.log_id() {
            self.add_fault(
                LogPart::Head,
                number,
                format!("its head belongs to another log, {}", chain.log_id),
            );
        }
        if (chain.batch, chain.first_index, chain.sha256)
            != (stored.batch, stored.first_index, stored.sth_sha256)
        {
            let detail =
                "its head is stored under a different number, index or digest than it states";
            self.add_fault(LogPart::Head, number, detail);
        }
        if head.tree_root.is_none() {
            self.add_fault(LogPart::Tree, number, "its head states no root over the whole log");
        }
        let linked = match &walk.previous {
            Some(previous) => check_link(Some(previous), chain),
            None if stored.batch == 0 => check_link(None, chain),
            // The fault of the previous head is reported already.
            None => Ok(()),
        };
        if let Err(error) = linked {
            self.add_fault(LogPart::Chain, number, error.to_string());
        }
    }

    fn check_leaves(&mut self, stored: &StoredBatch, head: &ChainHead) {
        let number = Some(stored.batch);
        if stored.leaves.len() as u64 != head.batch_size {
            let detail = format!(
                "batch_size is {}, but {} leaves are stored",
                head.batch_size,
                stored.leaves.len()
            );
            self.add_fault(LogPart::Leaves, number, detail);
        }
        if stored.leaves.iter().zip(stored.leaves.iter().skip(1)).any(|(a, b)| a >= b) {
            self.add_fault(LogPart::Leaves, number, "its leaves are not strictly ascending");
        }
        let root = merkle_tree::root(&stored.leaves);
        if root != head.batch_root {
            let detail =
                format!("batch_root is {}, but its leaves hash to {root}", head.batch_root);
            self.add_fault(LogPart::Leaves, number, detail);
        }
    }

    /// Checks the signed root over all leaves, and the tiles that this batch completed.
    async fn check_tree(
        &mut self,
        stored: &StoredBatch,
        head: &SignedTreeHead,
        walk: &mut WalkState,
    ) {
        if walk.edge.is_none() {
            walk.edge = self.restore_tree(stored.first_index, walk).await;
        }
        let Some(mut edge) = walk.edge.take() else { return };
        let mut full = Vec::new();
        stored.leaves.iter().for_each(|leaf| edge.push(*leaf, &mut full));
        let number = Some(stored.batch);
        let root = edge.root();
        match head.tree_root {
            Some(stated) if stated != root => {
                let detail =
                    format!("tree_root is {stated}, but the leaves up to here hash to {root}");
                self.add_fault(LogPart::Tree, number, detail);
                // With this tree every later root would differ too, so the tree is restored from
                // the tiles for the next batch.
                walk.edge = None;
            }
            _ => walk.edge = Some(edge),
        }
        for tile in full {
            self.report.tiles += 1;
            let name = format!("tile {} of level {}", tile.index, tile.level);
            match self.request.store.tile(tile.level, tile.index).await {
                Ok(Some(bytes)) if bytes == tile.hashes => {}
                Ok(Some(_)) => {
                    self.add_fault(LogPart::Tiles, number, format!("{name} has wrong hashes"))
                }
                Ok(None) => self.add_fault(LogPart::Tiles, number, format!("{name} is missing")),
                Err(error) => self.add_fault(LogPart::Tiles, number, format!("{name}: {error}")),
            }
        }
    }

    /// Restores the tree after leaves that could not be read. It is compared with the next signed
    /// root, so a wrong tree does not go unnoticed.
    async fn restore_tree(&mut self, size: u64, walk: &mut WalkState) -> Option<RightEdge> {
        let tile = size / TILE_WIDTH;
        // Until the next tile is complete the result is the same.
        if walk.restored_at.replace(tile) == Some(tile) {
            return None;
        }
        restore_edge(self.request.store, size).await.ok().flatten()
    }

    /// The contents of a batch, after checking that each hashes to its leaf.
    async fn check_contents(&mut self, stored: &StoredBatch) -> Option<Vec<Bytes>> {
        let number = Some(stored.batch);
        let read = self.request.store.log_entries(stored.first_index, stored.leaves.len()).await;
        let contents = match read {
            Ok(contents) => contents,
            Err(error) => {
                self.add_fault(LogPart::Entries, number, error.to_string());
                return None;
            }
        };
        if contents.len() != stored.leaves.len() {
            let detail =
                format!("{} entries are stored for {} leaves", contents.len(), stored.leaves.len());
            self.add_fault(LogPart::Entries, number, detail);
            return None;
        }
        for (index, (content, leaf)) in contents.iter().zip(&stored.leaves).enumerate() {
            self.report.entries += 1;
            if let Err(why) = check_entry(content, leaf, &self.request.brand.log_id()) {
                self.add_fault(LogPart::Entries, number, format!("entry {index} {why}"));
            }
        }
        Some(contents)
    }

    /// Checks that the index lists every leaf at its position and under the kind of its content.
    async fn check_index(&mut self, stored: &StoredBatch, contents: Option<&[Bytes]>) {
        let number = Some(stored.batch);
        let store = self.request.store;
        let expected = stored.first_index..;
        match store.leaf_indexes(stored.leaves.clone()).await {
            Ok(indexes) => {
                for ((leaf, found), expected) in stored.leaves.iter().zip(indexes).zip(expected) {
                    self.check_leaf_index(number, leaf, found, expected);
                }
            }
            // One by one, so that one damaged row does not hide the others.
            Err(_) => {
                for (leaf, expected) in stored.leaves.iter().zip(expected) {
                    match store.leaf_indexes(vec![*leaf]).await {
                        Ok(indexes) => {
                            let found = indexes.into_iter().next().flatten();
                            self.check_leaf_index(number, leaf, found, expected);
                        }
                        Err(error) => self.add_fault(LogPart::Index, number, error.to_string()),
                    }
                }
            }
        }
        let Some(contents) = contents else { return };
        match store.leaf_kinds(stored.leaves.clone()).await {
            Ok(kinds) => {
                for ((leaf, content), kind) in stored.leaves.iter().zip(contents).zip(kinds) {
                    let stated = entry_kind(content);
                    if stated != kind {
                        let text = |kind: Option<String>| kind.unwrap_or("no kind".to_owned());
                        let detail = format!(
                            "the leaf {leaf} is listed under {}, but its content states {}",
                            text(kind),
                            text(stated)
                        );
                        self.add_fault(LogPart::Kinds, number, detail);
                    }
                }
            }
            Err(error) => self.add_fault(LogPart::Kinds, number, error.to_string()),
        }
    }

    fn check_leaf_index(
        &mut self,
        batch: Option<u64>,
        leaf: &Digest,
        found: Option<u64>,
        expected: u64,
    ) {
        match found {
            Some(found) if found == expected => {}
            Some(found) => {
                let detail = format!("the leaf {leaf} is listed at {found}, but is at {expected}");
                self.add_fault(LogPart::Index, batch, detail);
            }
            None => {
                let detail = format!("the leaf {leaf} at {expected} is not in the index");
                self.add_fault(LogPart::Index, batch, detail);
            }
        }
    }

    /// Checks that the index has as many leaves as the log: otherwise it lists one that is in no
    /// batch, or a leaf is in two batches.
    async fn check_index_size(&mut self, whole: bool) {
        let size = self.report.tree_size;
        match self.request.store.count_indexed_leaves().await {
            Ok(indexed) if indexed == size => {}
            // Leaves that could not be read are still in the index.
            Ok(indexed) if !whole && indexed > size => {}
            Ok(indexed) => {
                let detail = format!("the index has {indexed} leaves, but the log has {size}");
                self.add_fault(LogPart::Index, None, detail);
            }
            Err(error) => self.add_fault(LogPart::Index, None, error.to_string()),
        }
    }
}

impl WalkState {
    /// Forgets the previous head and the tree, after a batch that could not be read.
    fn reset(&mut self) {
        self.previous = None;
        self.edge = None;
        self.is_complete = false;
    }
}

/// The kind that an entry states; decisions state none.
fn entry_kind(content: &[u8]) -> Option<String> {
    let value = canonical::parse_strict(content).ok()?;
    value.get("kind").and_then(Value::as_str).map(str::to_owned)
}

/// Checks an entry by itself: size, hash, canonical form and log. The error continues a sentence that
/// begins with the entry.
pub(crate) fn check_entry(content: &[u8], leaf: &Digest, log_id: &str) -> Result<(), String> {
    if content.len() > MAX_ENTRY_BYTES {
        return Err(format!("has {} bytes; an entry has at most {MAX_ENTRY_BYTES}", content.len()));
    }
    let hash = leaf_hash(content);
    if hash != *leaf {
        return Err(format!("hashes to {hash}, but its leaf is {leaf}"));
    }
    let value = canonical::parse_strict(content).map_err(|e| format!("is not valid JSON: {e}"))?;
    if canonical::value_to_vec(&value).ok().as_deref() != Some(content) {
        return Err("is not in canonical form (RFC 8785)".to_owned());
    }
    match value.get("log").and_then(Value::as_str) {
        Some(log) if log == log_id => Ok(()),
        Some(log) => Err(format!("belongs to another log, {log}")),
        None => Err("does not name its log".to_owned()),
    }
}

/// The batch number that a head states.
fn stated_batch(sth: &[u8]) -> Option<u64> {
    canonical::parse_strict(sth).ok()?.get("batch").and_then(Value::as_u64)
}
