//! Heads, leaves, contents, index, kinds and tiles, batch by batch.

use bytes::Bytes;
use proof::head::{ChainHead, check_link};
use proof::tlog::{MAX_ENTRY_BYTES, RightEdge, TILE_WIDTH};
use proof::tree::{self, leaf_hash};
use proof::{Digest, canonical, verify_document};
use serde_json::Value;
use store::{KeptBatch, StoreError};

use super::super::chain::restored_edge;
use super::super::view::SealedHead;
use super::{End, Look, Part};

/// What is known where the walk stands.
struct Walk {
    /// The head before; nothing behind a batch whose head could not be read.
    previous: Option<ChainHead>,
    /// The tree so far; nothing behind leaves that could not be read.
    edge: Option<RightEdge>,
    /// Where the tree was last looked for in the tiles, by the number of the tile.
    restored_at: Option<u64>,
    /// Whether every batch so far could be read.
    whole: bool,
}

impl Look<'_> {
    pub(super) async fn batches(&mut self) -> Result<(), StoreError> {
        let store = self.ask.store;
        let of = match store.last_batch().await {
            Ok(last) => last.map(|last| last.batch.saturating_add(1)),
            // Told when it is come to.
            Err(_) => None,
        };
        let edge = Some(RightEdge::new());
        let mut walk = Walk { previous: None, edge, restored_at: None, whole: true };
        let mut number = 0;
        let mut unreadable: Option<Bytes> = None;
        loop {
            if number % 64 == 0 {
                self.tell("batches", number, of);
            }
            match store.batch(number).await {
                Ok(Some(kept)) => self.batch(&kept, &mut walk).await,
                Ok(None) => match self.next_number(number).await? {
                    None => break,
                    Some(next) => {
                        self.missing(number, next - 1);
                        walk.lose();
                        number = next;
                        continue;
                    }
                },
                Err(error) => {
                    // Whether anything can be read at all is told by this.
                    let Some(sth) = store.heads(number, 1).await?.into_iter().next() else { break };
                    walk.lose();
                    match stated_batch(&sth) {
                        Some(next) if next > number => {
                            self.missing(number, next - 1);
                            number = next;
                            continue;
                        }
                        // The same row again, under a number that is not its own.
                        _ if unreadable.as_ref() == Some(&sth) => break,
                        _ => self.fault(Part::Head, Some(number), error.to_string()),
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
        self.index_size(walk.whole).await;
        Ok(())
    }

    fn missing(&mut self, first: u64, last: u64) {
        let detail = if last == first {
            "it is missing".to_owned()
        } else {
            format!("it and the batches up to {last} are missing")
        };
        self.fault(Part::Chain, Some(first), detail);
    }

    /// The next batch behind a missing one, by what the head there says of itself.
    async fn next_number(&mut self, number: u64) -> Result<Option<u64>, StoreError> {
        let Some(sth) = self.ask.store.heads(number, 1).await?.into_iter().next() else {
            return Ok(None);
        };
        match stated_batch(&sth) {
            Some(next) if next > number => Ok(Some(next)),
            stated => {
                let stated = stated.map_or("none".to_owned(), |number| number.to_string());
                let detail = format!(
                    "it is missing, and behind it stands a head that says it is of batch {stated}"
                );
                self.fault(Part::Chain, Some(number), detail);
                Ok(None)
            }
        }
    }

    async fn batch(&mut self, kept: &KeptBatch, walk: &mut Walk) {
        self.report.batches += 1;
        let number = Some(kept.batch);
        let verdict = verify_document(&kept.sth, self.ask.policy, self.ask.brand);
        for failed in self.failed_checks(&verdict, &format!("the head of batch {}", kept.batch)) {
            self.fault(Part::Head, number, failed);
        }
        let head = match SealedHead::read(kept.sth.clone()) {
            Ok(head) => head,
            Err(error) => {
                self.fault(Part::Head, number, error.to_string());
                walk.lose();
                return;
            }
        };
        self.head(kept, &head, walk);
        self.leaves(kept, &head.chain);
        self.tree(kept, &head, walk).await;
        let contents = self.contents(kept).await;
        self.index(kept, contents.as_deref()).await;
        self.ends.push(End {
            batch: kept.batch,
            tree_size: head.chain.tree_size,
            tree_root: head.tree_root,
            sth_sha256: kept.sth_sha256,
        });
        walk.previous = Some(head.chain);
    }

    fn head(&mut self, kept: &KeptBatch, head: &SealedHead, walk: &Walk) {
        let number = Some(kept.batch);
        let chain = &head.chain;
        if chain.log_id != self.ask.brand.log_id() {
            self.fault(Part::Head, number, format!("it is of another log, {}", chain.log_id));
        }
        if (chain.batch, chain.first_index, chain.sha256)
            != (kept.batch, kept.first_index, kept.sth_sha256)
        {
            let detail = "its head is kept under another number, index or digest than it states";
            self.fault(Part::Head, number, detail);
        }
        if head.tree_root.is_none() {
            self.fault(Part::Tree, number, "its head states no root over the whole log");
        }
        let linked = match &walk.previous {
            Some(previous) => check_link(Some(previous), chain),
            None if kept.batch == 0 => check_link(None, chain),
            // The head before was told already.
            None => Ok(()),
        };
        if let Err(error) = linked {
            self.fault(Part::Chain, number, error.to_string());
        }
    }

    fn leaves(&mut self, kept: &KeptBatch, head: &ChainHead) {
        let number = Some(kept.batch);
        if kept.leaves.len() as u64 != head.batch_size {
            let detail =
                format!("batch_size is {}, {} leaves are kept", head.batch_size, kept.leaves.len());
            self.fault(Part::Leaves, number, detail);
        }
        if kept.leaves.iter().zip(kept.leaves.iter().skip(1)).any(|(a, b)| a >= b) {
            self.fault(Part::Leaves, number, "its leaves are not strictly ascending");
        }
        let root = tree::root(&kept.leaves);
        if root != head.batch_root {
            let detail = format!("batch_root is {}, the leaves give {root}", head.batch_root);
            self.fault(Part::Leaves, number, detail);
        }
    }

    /// The tree over all leaves, its root as it was signed, and the tiles it has completed.
    async fn tree(&mut self, kept: &KeptBatch, head: &SealedHead, walk: &mut Walk) {
        if walk.edge.is_none() {
            walk.edge = self.tree_from_tiles(kept.first_index, walk).await;
        }
        let Some(mut edge) = walk.edge.take() else { return };
        let mut full = Vec::new();
        kept.leaves.iter().for_each(|leaf| edge.push(*leaf, &mut full));
        let number = Some(kept.batch);
        let root = edge.root();
        match head.tree_root {
            Some(stated) if stated != root => {
                let detail = format!("tree_root is {stated}, the leaves up to here give {root}");
                self.fault(Part::Tree, number, detail);
                // Every later root would be another one too: the tree is taken up again from the
                // tiles, if they are the better ones.
                walk.edge = None;
            }
            _ => walk.edge = Some(edge),
        }
        for tile in full {
            self.report.tiles += 1;
            let name = format!("tile {} of level {}", tile.index, tile.level);
            match self.ask.store.tile(tile.level, tile.index).await {
                Ok(Some(bytes)) if bytes == tile.hashes => {}
                Ok(Some(_)) => self.fault(Part::Tiles, number, format!("{name} has other hashes")),
                Ok(None) => self.fault(Part::Tiles, number, format!("{name} is missing")),
                Err(error) => self.fault(Part::Tiles, number, format!("{name}: {error}")),
            }
        }
    }

    /// The tree behind leaves that could not be read. It is held against the next root that was
    /// signed, so a wrong one is not taken for right.
    async fn tree_from_tiles(&mut self, size: u64, walk: &mut Walk) -> Option<RightEdge> {
        let tile = size / TILE_WIDTH;
        // Before the next tile is complete the answer is the same.
        if walk.restored_at.replace(tile) == Some(tile) {
            return None;
        }
        restored_edge(self.ask.store, size).await.ok().flatten()
    }

    /// The contents of a batch, if they are those of its leaves.
    async fn contents(&mut self, kept: &KeptBatch) -> Option<Vec<Bytes>> {
        let number = Some(kept.batch);
        let read = self.ask.store.log_entries(kept.first_index, kept.leaves.len()).await;
        let contents = match read {
            Ok(contents) => contents,
            Err(error) => {
                self.fault(Part::Entries, number, error.to_string());
                return None;
            }
        };
        if contents.len() != kept.leaves.len() {
            let detail = format!("{} entries for {} leaves", contents.len(), kept.leaves.len());
            self.fault(Part::Entries, number, detail);
            return None;
        }
        for (place, (content, leaf)) in contents.iter().zip(&kept.leaves).enumerate() {
            self.report.entries += 1;
            if let Err(why) = entry_fault(content, leaf, &self.ask.brand.log_id()) {
                self.fault(Part::Entries, number, format!("entry {place} {why}"));
            }
        }
        Some(contents)
    }

    /// Every leaf is found by its hash, at its place, under the kind that its content names.
    async fn index(&mut self, kept: &KeptBatch, contents: Option<&[Bytes]>) {
        let number = Some(kept.batch);
        let store = self.ask.store;
        let wanted = kept.first_index..;
        match store.leaf_places(kept.leaves.clone()).await {
            Ok(places) => {
                for ((leaf, place), wanted) in kept.leaves.iter().zip(places).zip(wanted) {
                    self.place(number, leaf, place, wanted);
                }
            }
            // One by one, so that the good ones do not hide behind a bad one.
            Err(_) => {
                for (leaf, wanted) in kept.leaves.iter().zip(wanted) {
                    match store.leaf_places(vec![*leaf]).await {
                        Ok(places) => {
                            self.place(number, leaf, places.into_iter().next().flatten(), wanted);
                        }
                        Err(error) => self.fault(Part::Index, number, error.to_string()),
                    }
                }
            }
        }
        let Some(contents) = contents else { return };
        match store.leaf_kinds(kept.leaves.clone()).await {
            Ok(kinds) => {
                for ((leaf, content), kind) in kept.leaves.iter().zip(contents).zip(kinds) {
                    let named = kind_of(content);
                    if named != kind {
                        let say = |kind: Option<String>| kind.unwrap_or("no kind".to_owned());
                        let detail = format!(
                            "the leaf {leaf} is listed under {}, its content names {}",
                            say(kind),
                            say(named)
                        );
                        self.fault(Part::Kinds, number, detail);
                    }
                }
            }
            Err(error) => self.fault(Part::Kinds, number, error.to_string()),
        }
    }

    fn place(&mut self, batch: Option<u64>, leaf: &Digest, found: Option<u64>, wanted: u64) {
        match found {
            Some(place) if place == wanted => {}
            Some(place) => {
                let detail = format!("the leaf {leaf} is listed at {place}, it stands at {wanted}");
                self.fault(Part::Index, batch, detail);
            }
            None => {
                let detail = format!("the leaf {leaf} at {wanted} is not found by its hash");
                self.fault(Part::Index, batch, detail);
            }
        }
    }

    /// A leaf more in the index than in the batches stands in two of them, or in none.
    async fn index_size(&mut self, whole: bool) {
        let size = self.report.tree_size;
        match self.ask.store.indexed_leaves().await {
            Ok(indexed) if indexed == size => {}
            // What could not be read is in the index all the same.
            Ok(indexed) if !whole && indexed > size => {}
            Ok(indexed) => {
                let detail = format!("{indexed} leaves can be found, the log has {size}");
                self.fault(Part::Index, None, detail);
            }
            Err(error) => self.fault(Part::Index, None, error.to_string()),
        }
    }
}

impl Walk {
    /// Behind a batch that could not be read.
    fn lose(&mut self) {
        self.previous = None;
        self.edge = None;
        self.whole = false;
    }
}

/// The kind that an entry names; decisions name none.
fn kind_of(content: &[u8]) -> Option<String> {
    let value = canonical::parse_strict(content).ok()?;
    value.get("kind").and_then(Value::as_str).map(str::to_owned)
}

/// What is wrong with an entry by itself.
pub(crate) fn entry_fault(content: &[u8], leaf: &Digest, log_id: &str) -> Result<(), String> {
    if content.len() > MAX_ENTRY_BYTES {
        return Err(format!("has {} bytes, more than an entry may have", content.len()));
    }
    let made = leaf_hash(content);
    if made != *leaf {
        return Err(format!("hashes to {made}, its leaf is {leaf}"));
    }
    let value = canonical::parse_strict(content).map_err(|e| format!("is not JSON: {e}"))?;
    if canonical::value_to_vec(&value).ok().as_deref() != Some(content) {
        return Err("is JSON, but not in its one canonical form".to_owned());
    }
    match value.get("log").and_then(Value::as_str) {
        Some(log) if log == log_id => Ok(()),
        Some(log) => Err(format!("is of the log {log}")),
        None => Err("names no log".to_owned()),
    }
}

/// The number that a head gives itself.
fn stated_batch(sth: &[u8]) -> Option<u64> {
    canonical::parse_strict(sth).ok()?.get("batch").and_then(Value::as_u64)
}
