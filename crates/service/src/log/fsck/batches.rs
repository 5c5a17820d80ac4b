//! Checks heads, leaves, contents, index, kinds and tiles, batch by batch.

use std::collections::VecDeque;

use bytes::Bytes;
use proof::merkle_tree::{self, leaf_hash};
use proof::tlog::{MAX_ENTRY_BYTES, RightEdge, TILE_WIDTH};
use proof::tree_head::{ChainHead, check_link};
use proof::{Digest, canonical};
use serde_json::Value;
use store::{StoreError, StoredBatch};

use super::parallel::{map_on_all_cores, read_all};
use super::{BatchEnd, FsckRequest, FsckRun, StorePart};
use crate::log::log_end::restore_edge;
use crate::log::snapshot::SignedTreeHead;

/// Batches that are read and checked together.
const BATCHES_AT_ONCE: u64 = 32;

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

/// A batch with all that is stored of it.
struct ReadBatch {
    stored: StoredBatch,
    contents: Result<Vec<Bytes>, StoreError>,
    /// Leaf by leaf.
    indexes: Vec<Result<Option<u64>, StoreError>>,
    kinds: Result<Vec<Option<String>>, StoreError>,
}

/// What was found in a batch by itself.
#[derive(Default)]
struct BatchChecks {
    /// `None` if the head cannot be parsed.
    head: Option<SignedTreeHead>,
    entries: u64,
    faults: Vec<(StorePart, String)>,
    wrong_time: Option<String>,
}

struct CheckedBatch {
    read: ReadBatch,
    checks: BatchChecks,
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
        let mut ahead = VecDeque::new();
        let mut unreadable: Option<Bytes> = None;
        loop {
            if number % 64 == 0 {
                self.report_progress("batches", number, of);
            }
            if ahead.is_empty() {
                ahead = self.request.read_batches(number).await;
            }
            if let Some(batch) = ahead.pop_front() {
                self.add_batch(batch, &mut walk).await;
                number += 1;
                continue;
            }
            match store.batch(number).await {
                Ok(Some(stored)) => {
                    let read = self.request.read_rest_of_batch(stored).await;
                    let checks = self.request.check_batch_alone(&read);
                    self.add_batch(CheckedBatch { read, checks }, &mut walk).await;
                }
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
                        _ => self.add_fault(StorePart::Head, Some(number), error.to_string()),
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
        self.add_fault(StorePart::Chain, Some(first), detail);
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
                self.add_fault(StorePart::Chain, Some(number), detail);
                Ok(None)
            }
        }
    }

    /// Takes over what was found in a batch, and checks what depends on the batches before it.
    async fn add_batch(&mut self, batch: CheckedBatch, walk: &mut WalkState) {
        let CheckedBatch { read: ReadBatch { stored, .. }, checks } = batch;
        self.report.batches += 1;
        self.report.entries += checks.entries;
        self.count_wrong_time(checks.wrong_time);
        for (part, detail) in checks.faults {
            self.add_fault(part, Some(stored.batch), detail);
        }
        let Some(head) = checks.head else { return walk.reset() };
        self.check_head(&stored, &head, walk);
        self.check_tree(&stored, &head, walk).await;
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
                StorePart::Head,
                number,
                format!("its head belongs to another log, {}", chain.log_id),
            );
        }
        if (chain.batch, chain.first_index, chain.sha256)
            != (stored.batch, stored.first_index, stored.sth_sha256)
        {
            let detail =
                "its head is stored under a different number, index or digest than it states";
            self.add_fault(StorePart::Head, number, detail);
        }
        if head.tree_root.is_none() {
            self.add_fault(StorePart::Tree, number, "its head states no root over the whole log");
        }
        let linked = match &walk.previous {
            Some(previous) => check_link(Some(previous), chain),
            None if stored.batch == 0 => check_link(None, chain),
            // The fault of the previous head is reported already.
            None => Ok(()),
        };
        if let Err(error) = linked {
            self.add_fault(StorePart::Chain, number, error.to_string());
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
                self.add_fault(StorePart::Tree, number, detail);
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
                    self.add_fault(StorePart::Tiles, number, format!("{name} has wrong hashes"))
                }
                Ok(None) => self.add_fault(StorePart::Tiles, number, format!("{name} is missing")),
                Err(error) => self.add_fault(StorePart::Tiles, number, format!("{name}: {error}")),
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
                self.add_fault(StorePart::Index, None, detail);
            }
            Err(error) => self.add_fault(StorePart::Index, None, error.to_string()),
        }
    }
}

impl FsckRequest<'_> {
    /// Reads the next batches and checks each by itself, up to the first that is missing or cannot be
    /// read.
    async fn read_batches(self, first: u64) -> VecDeque<CheckedBatch> {
        let numbers = first..first.saturating_add(BATCHES_AT_ONCE);
        let read: Vec<Option<ReadBatch>> =
            read_all(numbers, |number| self.read_batch(number)).await;
        let read: Vec<ReadBatch> = read.into_iter().map_while(|read| read).collect();
        let checked = map_on_all_cores(&read, |read| self.check_batch_alone(read));
        read.into_iter().zip(checked).map(|(read, checks)| CheckedBatch { read, checks }).collect()
    }

    async fn read_batch(&self, number: u64) -> Option<ReadBatch> {
        let stored = self.store.batch(number).await.ok()??;
        Some(self.read_rest_of_batch(stored).await)
    }

    async fn read_rest_of_batch(&self, stored: StoredBatch) -> ReadBatch {
        let store = self.store;
        let contents = store.log_entries(stored.first_index, stored.leaves.len()).await;
        let kinds = store.leaf_kinds(stored.leaves.clone()).await;
        let indexes = match store.leaf_indexes(stored.leaves.clone()).await {
            Ok(indexes) => indexes.into_iter().map(Ok).collect(),
            // One by one, so that one damaged row does not hide the others.
            Err(_) => {
                let mut indexes = Vec::new();
                for leaf in &stored.leaves {
                    let found = store.leaf_indexes(vec![*leaf]).await;
                    indexes.push(found.map(|found| found.into_iter().next().flatten()));
                }
                indexes
            }
        };
        ReadBatch { stored, contents, indexes, kinds }
    }

    /// The checks that need nothing but the batch.
    fn check_batch_alone(&self, read: &ReadBatch) -> BatchChecks {
        let stored = &read.stored;
        let verified = self.verify(&stored.sth, &format!("the head of batch {}", stored.batch));
        let mut checks = BatchChecks {
            wrong_time: verified.wrong_time,
            faults: verified.failed.into_iter().map(|why| (StorePart::Head, why)).collect(),
            ..BatchChecks::default()
        };
        match SignedTreeHead::parse(stored.sth.clone()) {
            Ok(head) => {
                check_leaves(stored, &head.chain, &mut checks.faults);
                let log_id = self.brand.log_id();
                let contents = check_contents(read, &log_id, &mut checks);
                check_index(read, contents, &mut checks.faults);
                checks.head = Some(head);
            }
            Err(error) => checks.faults.push((StorePart::Head, error.to_string())),
        }
        checks
    }
}

fn check_leaves(stored: &StoredBatch, head: &ChainHead, faults: &mut Vec<(StorePart, String)>) {
    let mut add = |detail: String| faults.push((StorePart::Leaves, detail));
    if stored.leaves.len() as u64 != head.batch_size {
        let stored = stored.leaves.len();
        add(format!("batch_size is {}, but {stored} leaves are stored", head.batch_size));
    }
    if stored.leaves.iter().zip(stored.leaves.iter().skip(1)).any(|(a, b)| a >= b) {
        add("its leaves are not strictly ascending".to_owned());
    }
    let root = merkle_tree::root(&stored.leaves);
    if root != head.batch_root {
        add(format!("batch_root is {}, but its leaves hash to {root}", head.batch_root));
    }
}

/// The contents of a batch, after checking that each hashes to its leaf.
fn check_contents<'a>(
    read: &'a ReadBatch,
    log_id: &str,
    checks: &mut BatchChecks,
) -> Option<&'a [Bytes]> {
    let leaves = &read.stored.leaves;
    let contents = match &read.contents {
        Ok(contents) => contents,
        Err(error) => {
            checks.faults.push((StorePart::Entries, error.to_string()));
            return None;
        }
    };
    if contents.len() != leaves.len() {
        let detail = format!("{} entries are stored for {} leaves", contents.len(), leaves.len());
        checks.faults.push((StorePart::Entries, detail));
        return None;
    }
    for (index, (content, leaf)) in contents.iter().zip(leaves).enumerate() {
        checks.entries += 1;
        if let Err(why) = check_entry(content, leaf, log_id) {
            checks.faults.push((StorePart::Entries, format!("entry {index} {why}")));
        }
    }
    Some(contents)
}

/// Checks that the index lists every leaf at its position and under the kind of its content.
fn check_index(
    read: &ReadBatch,
    contents: Option<&[Bytes]>,
    faults: &mut Vec<(StorePart, String)>,
) {
    let leaves = &read.stored.leaves;
    for ((leaf, found), expected) in leaves.iter().zip(&read.indexes).zip(read.stored.first_index..)
    {
        let detail = match found {
            Ok(Some(found)) if *found == expected => continue,
            Ok(Some(found)) => {
                format!("the leaf {leaf} is listed at {found}, but is at {expected}")
            }
            Ok(None) => format!("the leaf {leaf} at {expected} is not in the index"),
            Err(error) => error.to_string(),
        };
        faults.push((StorePart::Index, detail));
    }
    let Some(contents) = contents else { return };
    let kinds = match &read.kinds {
        Ok(kinds) => kinds,
        Err(error) => return faults.push((StorePart::Kinds, error.to_string())),
    };
    for ((leaf, content), kind) in leaves.iter().zip(contents).zip(kinds) {
        let stated = entry_kind(content);
        if stated != *kind {
            let text = |kind: &Option<String>| kind.clone().unwrap_or("no kind".to_owned());
            let detail = format!(
                "the leaf {leaf} is listed under {}, but its content states {}",
                text(kind),
                text(&stated)
            );
            faults.push((StorePart::Kinds, detail));
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
