//! A document's head against a copy of the log: is it the log's own, is it one chain from there to
//! the newest head, and did the log only grow?
//!
//! The copy is read elsewhere, from files or from a service, and handed in piece by piece: heads
//! first, then either every leaf ([`LeafWalk`]) or a consistency proof for each head that is asked
//! about. What was read is looked at once, however many documents are held against it.

use std::collections::BTreeMap;

use contract::Brand;
use serde_json::{Map, Value};

use super::{Check, Checks, KeyPolicy, Outcome, Verdict, log, seal};
use crate::canonical;
use crate::digest::Digest;
use crate::head::{ChainHead, check_link};
use crate::tlog::RightEdge;
use crate::tree::verify_consistency;

/// Hashes in a full tile of the log's tree (C2SP tlog-tiles).
pub const TILE_WIDTH: u64 = 256;

/// What was read of a log.
#[derive(Debug)]
pub struct LogCopy {
    pub heads: LogHeads,
    pub growth: Growth,
}

/// By what it is told whether the log only grew.
#[derive(Debug)]
pub enum Growth {
    /// Every leaf was read, and this came of it.
    Leaves(Finding),
    /// For each tree size that was asked about, the proof from there to the newest head.
    Proofs(BTreeMap<u64, Result<Vec<Digest>, String>>),
}

/// An outcome and what it rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub ok: Outcome,
    pub detail: String,
}

impl Finding {
    fn new(ok: Outcome, detail: impl Into<String>) -> Self {
        Self { ok, detail: detail.into() }
    }
}

/// The heads of a log by their place, without a gap, the first of them that of batch `first`. Each
/// is verified when it is added.
#[derive(Debug)]
pub struct LogHeads {
    policy: KeyPolicy,
    brand: Brand,
    first: u64,
    list: Vec<Seen>,
}

/// A head as it was found at its place.
#[derive(Debug)]
struct Seen {
    head: Option<ChainHead>,
    tree_root: Option<Digest>,
    /// Of the head by itself; why, unless it passed.
    ok: Outcome,
    why: String,
}

impl LogHeads {
    /// No heads yet; the next to be added is that of batch `first`.
    #[must_use]
    pub fn new(policy: KeyPolicy, brand: Brand, first: u64) -> Self {
        Self { policy, brand, first, list: Vec::new() }
    }

    /// Adds the head at the next place, as bytes.
    pub fn push_bytes(&mut self, bytes: &[u8]) {
        match canonical::parse_strict(bytes) {
            Ok(head) => self.push(Some(&head)),
            Err(error) => {
                let seen = self.failed(error.to_string());
                self.list.push(seen);
            }
        }
    }

    /// Adds the head at the next place, or that there was none.
    pub fn push(&mut self, head: Option<&Value>) {
        let seen = self.look(head);
        self.list.push(seen);
    }

    /// Says that what the log tells of its newest head and what it lists as such differ.
    pub fn contradict_newest(&mut self) {
        let batch = self.end().saturating_sub(1);
        if let Some(newest) = self.list.last_mut() {
            newest.ok = Outcome::Failed;
            newest.why = format!("batch {batch}: the log names one newest head and lists another");
        }
    }

    /// The batch after the newest.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.first.saturating_add(self.list.len() as u64)
    }

    /// The newest head, if it can be read.
    #[must_use]
    pub fn newest(&self) -> Option<&ChainHead> {
        self.list.last().and_then(|seen| seen.head.as_ref())
    }

    fn at(&self, batch: u64) -> Option<&Seen> {
        let place = usize::try_from(batch.checked_sub(self.first)?).ok()?;
        self.list.get(place)
    }

    fn failed(&self, why: impl std::fmt::Display) -> Seen {
        let why = format!("batch {}: {why}", self.end());
        Seen { head: None, tree_root: None, ok: Outcome::Failed, why }
    }

    fn look(&self, head: Option<&Value>) -> Seen {
        let batch = self.end();
        let Some((value, members)) = head.and_then(|head| Some((head, head.as_object()?))) else {
            return self.failed("there is no head");
        };
        if members.get("kind").and_then(Value::as_str) != Some(&self.brand.kind("log-sth")) {
            return self.failed("it is not a tree head");
        }
        let mut checks = Checks::default();
        seal::check(members, &self.policy, &self.brand, &mut checks);
        let head = log::check_head(value, &self.brand, &mut checks);
        let tree_root = tree_root(members);
        if head.is_some() && members.contains_key("tree_root") && tree_root.is_none() {
            checks.failed("tree_root", "it is not a digest");
        }
        let telling = |ok| checks.list.iter().find(|check: &&Check| check.ok == ok);
        let bad = telling(Outcome::Failed).or_else(|| telling(Outcome::NotChecked));
        let mut seen = Seen {
            ok: bad.map_or(Outcome::Passed, |check| check.ok),
            why: bad.map_or_else(String::new, |check| {
                format!("batch {batch}: {}: {}", check.name, check.detail)
            }),
            head,
            tree_root,
        };
        let stated = seen.head.as_ref().map(|head| head.batch);
        if let (Some(stated), true) = (stated, seen.ok != Outcome::Failed)
            && stated != batch
        {
            seen.ok = Outcome::Failed;
            seen.why =
                format!("batch {batch}: the head that stands here is that of batch {stated}");
        }
        seen
    }

    /// The heads from this batch to the newest: each by itself, and each as the next of the last.
    fn chain_from(&self, batch: u64) -> Finding {
        let mut doubt = None;
        let mut before: Option<&Seen> = None;
        for at in batch..self.end() {
            let Some(seen) = self.at(at) else { continue };
            if seen.ok == Outcome::Failed {
                return Finding::new(Outcome::Failed, &*seen.why);
            }
            if let Some(before) = before
                && let Err(why) = link(before, seen)
            {
                return Finding::new(Outcome::Failed, why);
            }
            if seen.ok == Outcome::NotChecked && doubt.is_none() {
                doubt = Some(&seen.why);
            }
            before = Some(seen);
        }
        match doubt {
            Some(doubt) => Finding::new(Outcome::NotChecked, doubt),
            None => Finding::new(
                Outcome::Passed,
                format!(
                    "{} heads, from batch {batch} to batch {}, are one chain",
                    self.end().saturating_sub(batch),
                    self.end().saturating_sub(1)
                ),
            ),
        }
    }

    /// How many leaves the heads say there are, or why they do not agree on it.
    fn tree_size(&self) -> Result<u64, String> {
        let mut size = 0;
        for (batch, seen) in (self.first..).zip(&self.list) {
            let head = seen.head.as_ref().ok_or_else(|| seen.why.clone())?;
            if head.first_index != size {
                return Err(format!(
                    "batch {batch}: first_index is not the tree_size of the head before"
                ));
            }
            size = head.tree_size;
        }
        Ok(size)
    }
}

fn link(before: &Seen, next: &Seen) -> Result<(), String> {
    match (&before.head, &next.head) {
        (Some(before), Some(next)) => {
            check_link(Some(before), next).map_err(|error| error.to_string())
        }
        _ => Err("there is no head to link".to_owned()),
    }
}

fn tree_root(head: &Map<String, Value>) -> Option<Digest> {
    head.get("tree_root").and_then(Value::as_str).and_then(|hex| hex.parse().ok())
}

/// Leaf by leaf through a whole log, from batch 0: both roots of every head are made again. Takes
/// the tiles of level 0 in their order, and no more room than the tree is high.
#[derive(Debug)]
pub struct LeafWalk<'a> {
    heads: &'a LogHeads,
    size: u64,
    /// Leaves taken so far.
    taken: u64,
    /// The batch the next leaf is of.
    batch: u64,
    whole: RightEdge,
    of_batch: RightEdge,
    last: Option<Digest>,
    trouble: Option<String>,
    rootless: Option<String>,
}

impl<'a> LeafWalk<'a> {
    #[must_use]
    pub fn new(heads: &'a LogHeads) -> Self {
        let size = heads.tree_size();
        Self {
            heads,
            size: *size.as_ref().unwrap_or(&0),
            taken: 0,
            batch: 0,
            whole: RightEdge::new(),
            of_batch: RightEdge::new(),
            last: None,
            trouble: size.err(),
            rootless: None,
        }
    }

    /// How many leaves the log has by its heads.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The next tile that is wanted and how many of its hashes belong to the tree; nothing when
    /// all have been taken, or when it is clear that they do not fit.
    #[must_use]
    pub fn wants(&self) -> Option<(u64, u64)> {
        let left = self.size.saturating_sub(self.taken);
        (left > 0 && self.trouble.is_none())
            .then(|| (self.taken / TILE_WIDTH, left.min(TILE_WIDTH)))
    }

    /// Takes the tile that was wanted, or that there is none.
    pub fn take(&mut self, tile: Option<&[u8]>) {
        let Some((number, width)) = self.wants() else { return };
        let (hashes, rest) = tile.unwrap_or_default().as_chunks::<32>();
        if !rest.is_empty() || hashes.len() as u64 != width {
            self.trouble =
                Some(format!("tile {number} of level 0 is not there with {width} hashes"));
            return;
        }
        for hash in hashes {
            if let Err(why) = self.take_leaf(Digest(*hash)) {
                self.trouble = Some(format!("batch {}: {why}", self.batch));
                return;
            }
        }
    }

    fn take_leaf(&mut self, leaf: Digest) -> Result<(), &'static str> {
        if self.last.is_some_and(|last| last >= leaf) {
            return Err("its leaves do not stand in ascending order");
        }
        self.last = Some(leaf);
        // The tiles were read to get here; nobody needs them again.
        self.whole.push(leaf, &mut Vec::new());
        self.of_batch.push(leaf, &mut Vec::new());
        self.taken += 1;
        let seen = self.heads.at(self.batch);
        let Some((seen, head)) = seen.and_then(|seen| Some((seen, seen.head.as_ref()?))) else {
            return Err("it has no head");
        };
        if self.taken < head.tree_size {
            return Ok(());
        }
        if self.of_batch.root() != head.batch_root {
            return Err("its leaves do not give its batch_root");
        }
        match seen.tree_root {
            None if self.rootless.is_none() => {
                self.rootless = Some(format!("batch {}: its head has no tree_root", self.batch));
            }
            Some(root) if self.whole.root() != root => {
                return Err("all leaves up to it do not give its tree_root");
            }
            _ => {}
        }
        self.batch += 1;
        self.of_batch = RightEdge::new();
        self.last = None;
        Ok(())
    }

    /// What came of it.
    #[must_use]
    pub fn finish(self) -> Finding {
        if let Some(trouble) = self.trouble {
            Finding::new(Outcome::Failed, trouble)
        } else if self.taken < self.size {
            Finding::new(Outcome::NotChecked, "not all leaves were read")
        } else if let Some(rootless) = self.rootless {
            Finding::new(Outcome::NotChecked, rootless)
        } else {
            let heads = self.heads.end();
            let detail = format!("{} leaves give both roots of all {heads} heads", self.size);
            Finding::new(Outcome::Passed, detail)
        }
    }
}

/// The head a document stands on, as it states it: an answer's, or the document itself. What a
/// reader of a log needs to know which part of it to read.
#[must_use]
pub fn head_named_by(document: &[u8], brand: &Brand) -> Option<ChainHead> {
    let document = canonical::parse_strict(document).ok()?;
    ChainHead::read(&Value::Object(named(document.as_object()?, brand)?.clone())).ok()
}

fn named<'a>(members: &'a Map<String, Value>, brand: &Brand) -> Option<&'a Map<String, Value>> {
    let kind = members.get("kind").and_then(Value::as_str)?;
    if kind == brand.kind("log-sth") {
        return Some(members);
    }
    let place = members.get("transparency").filter(|_| kind == brand.kind("resolve"))?;
    let included = place.get("state").and_then(Value::as_str) == Some("included");
    place.get("sth").filter(|_| included)?.as_object()
}

impl Verdict {
    /// Adds what a copy of the log says: the checks `log head`, `chain` and `consistency`. A
    /// document that is not an object has been refused already, and nothing is added.
    pub fn hold_against(&mut self, document: &[u8], copy: &LogCopy, brand: &Brand) {
        let Ok(Value::Object(members)) = canonical::parse_strict(document) else { return };
        let mut checks = Checks::default();
        check(&members, copy, brand, &mut checks);
        self.checks.append(&mut checks.list);
    }
}

fn check(members: &Map<String, Value>, copy: &LogCopy, brand: &Brand, checks: &mut Checks) {
    let Some(named) = named(members, brand) else {
        checks.not_checked("log head", "this document names no head of the log");
        return;
    };
    let head = match ChainHead::read(&Value::Object(named.clone())) {
        Ok(head) => head,
        Err(error) => {
            checks.failed("log head", error.to_string());
            return;
        }
    };
    let heads = &copy.heads;
    if head.batch >= heads.end() {
        let end = match heads.end() {
            0 => "holds no heads".to_owned(),
            end => format!("ends with batch {}", end - 1),
        };
        checks.not_checked(
            "log head",
            format!(
                "the log as it was read {end}: this copy is older than the document, or the log \
                 was cut back"
            ),
        );
        return;
    }
    let theirs = heads.at(head.batch).and_then(|seen| seen.head.as_ref());
    let batch = head.batch;
    checks.note(
        "log head",
        if theirs.is_some_and(|theirs| theirs.sha256 == head.sha256) {
            Ok(format!("batch {batch} has this very head in the log"))
        } else {
            Err(format!("batch {batch} has another head in the log"))
        },
    );
    let chain = heads.chain_from(batch);
    checks.push("chain", chain.ok, chain.detail);
    let grown = match &copy.growth {
        Growth::Leaves(finding) => finding.clone(),
        Growth::Proofs(proofs) => by_proof(&head, tree_root(named), heads, proofs),
    };
    checks.push("consistency", grown.ok, grown.detail);
}

/// Whether the tree of the newest head begins with the tree of this one.
fn by_proof(
    head: &ChainHead,
    root: Option<Digest>,
    heads: &LogHeads,
    proofs: &BTreeMap<u64, Result<Vec<Digest>, String>>,
) -> Finding {
    let newest = heads.list.last().and_then(|seen| Some((seen.head.as_ref()?, seen.tree_root?)));
    let (Some(root), Some((newest, newest_root))) = (root, newest) else {
        return Finding::new(Outcome::NotChecked, "a head without tree_root cannot be compared");
    };
    let (from, to) = (head.tree_size, newest.tree_size);
    let none = Ok(Vec::new());
    let proof = if from == to { Some(&none) } else { proofs.get(&from) };
    match proof {
        None => Finding::new(
            Outcome::Failed,
            format!("the log gave no proof from {from} to {to} leaves"),
        ),
        Some(Err(why)) => Finding::new(Outcome::Failed, why),
        Some(Ok(proof)) if verify_consistency(from, to, &root, &newest_root, proof) => {
            let detail = format!("the tree of {to} leaves begins with the tree of {from}");
            Finding::new(Outcome::Passed, detail)
        }
        Some(Ok(_)) => Finding::new(
            Outcome::Failed,
            format!("the tree of {to} leaves is not shown to begin with the tree of {from}"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sha256;

    #[test]
    fn a_document_that_stands_on_no_head_names_none() {
        let brand = Brand::default();
        for text in ["", "[]", "{}", r#"{"kind":"svc-scan"}"#, r#"{"kind":"svc-log-sth"}"#] {
            assert_eq!(head_named_by(text.as_bytes(), &brand), None, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn whatever_is_read_is_told_of_and_never_a_panic(
            heads in proptest::collection::vec(".{0,40}", 0..4),
            batch in proptest::prelude::any::<u64>(),
            size in proptest::prelude::any::<u64>(),
            tile in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..80),
        ) {
            let brand = Brand::default();
            let mut read = LogHeads::new(KeyPolicy::without_directory(), brand.clone(), 0);
            for head in &heads {
                read.push_bytes(head.as_bytes());
            }
            let root = sha256(b"root").to_string();
            let head = serde_json::json!({
                "kind": "svc-log-sth", "log_id": brand.log_id(), "batch": batch, "first_index": 0,
                "batch_size": size, "tree_size": size, "batch_root": root, "tree_root": root,
                "prev_sth_sha256": null, "created_at": "2026-11-15T00:00:00Z", "sha256": root,
            });
            read.push(Some(&head));
            let mut walk = LeafWalk::new(&read);
            walk.take(Some(&tile));
            walk.take(None);
            let growth = Growth::Leaves(walk.finish());
            let copy = LogCopy { heads: read, growth };
            let bytes = serde_json::to_vec(&head).unwrap();
            let mut verdict = crate::verify_document(&bytes, &KeyPolicy::without_directory(), &brand);
            let before = verdict.checks.len();
            verdict.hold_against(&bytes, &copy, &brand);
            let parsed = canonical::parse_strict(&bytes).is_ok();
            proptest::prop_assert_eq!(verdict.checks.len() > before, parsed);
            proptest::prop_assert!(!verdict.accepted());
        }
    }
}
