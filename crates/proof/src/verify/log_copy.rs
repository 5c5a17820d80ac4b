//! Checks a document's tree head against a copy of the log: does the log have this head, do the
//! heads from there to the newest form one chain, and did the log only grow?
//!
//! The caller reads the copy, from files or from a service, and passes it in piece by piece: heads
//! first, then either every leaf ([`LeafWalk`]) or a consistency proof for each head in question.
//! Each piece is checked once, however many documents are compared with the copy.

use std::collections::BTreeMap;

use contract::Brand;
use serde_json::Value;

use super::checks::Checks;
use super::key_policy::KeyPolicy;
use super::verdict::{Check, CheckOutcome, Verdict};
use super::{document_checks, log_checks};
use crate::canonical;
use crate::digest::Digest;
use crate::json_view::{Members, ParsedDocument, View};
use crate::merkle_tree::verify_consistency;
use crate::tlog::RightEdge;
pub use crate::tlog::TILE_WIDTH;
use crate::tree_head::{ChainHead, check_link};

/// A copy of a log, or of the part that is needed, as the caller read it.
#[derive(Debug)]
pub struct LogCopy {
    pub heads: LogHeads,
    pub growth: GrowthEvidence,
}

/// The evidence by which the `consistency` check decides whether the log only grew.
#[derive(Debug)]
pub enum GrowthEvidence {
    /// Every leaf was read, with this result.
    Leaves(CheckResult),
    /// For each tree size in question, the consistency proof from there to the newest head, or why
    /// there is none.
    Proofs(BTreeMap<u64, Result<Vec<Digest>, String>>),
}

/// The outcome of a check and its explanation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckResult {
    pub ok: CheckOutcome,
    pub detail: String,
}

impl CheckResult {
    fn new(ok: CheckOutcome, detail: impl Into<String>) -> Self {
        Self { ok, detail: detail.into() }
    }
}

/// The heads of a log from batch `first` on, in order and without a gap. Each is verified when it
/// is added.
#[derive(Debug)]
pub struct LogHeads {
    policy: KeyPolicy,
    brand: Brand,
    first: u64,
    list: Vec<CheckedHead>,
}

/// One head of the copy, with the result of its own checks.
#[derive(Debug)]
struct CheckedHead {
    head: Option<ChainHead>,
    tree_root: Option<Digest>,
    /// The outcome of checking this head alone; `why` is empty if it passed.
    ok: CheckOutcome,
    why: String,
}

impl LogHeads {
    /// No heads yet; the next to be added is that of batch `first`.
    #[must_use]
    pub fn new(policy: KeyPolicy, brand: Brand, first: u64) -> Self {
        Self { policy, brand, first, list: Vec::new() }
    }

    /// Adds the next head, as bytes.
    pub fn push_bytes(&mut self, bytes: &[u8]) {
        match canonical::parse_strict(bytes) {
            Ok(head) => self.push(Some(&head)),
            Err(error) => {
                let checked = self.failed_head(error.to_string());
                self.list.push(checked);
            }
        }
    }

    /// Adds the next head, or records that it is missing.
    pub fn push(&mut self, head: Option<&Value>) {
        let checked = self.check_head(head);
        self.list.push(checked);
    }

    /// Records that the log reports one newest head but lists another.
    pub fn mark_newest_contradicted(&mut self) {
        let batch = self.end().saturating_sub(1);
        if let Some(newest) = self.list.last_mut() {
            newest.ok = CheckOutcome::Failed;
            newest.why =
                format!("batch {batch}: the log reports one newest head but lists another");
        }
    }

    /// The batch after the newest.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.first.saturating_add(self.list.len() as u64)
    }

    /// The newest head, if it could be parsed.
    #[must_use]
    pub fn newest(&self) -> Option<&ChainHead> {
        self.list.last().and_then(|checked| checked.head.as_ref())
    }

    fn head_at(&self, batch: u64) -> Option<&CheckedHead> {
        let index = usize::try_from(batch.checked_sub(self.first)?).ok()?;
        self.list.get(index)
    }

    fn failed_head(&self, why: impl std::fmt::Display) -> CheckedHead {
        let why = format!("batch {}: {why}", self.end());
        CheckedHead { head: None, tree_root: None, ok: CheckOutcome::Failed, why }
    }

    fn check_head(&self, head: Option<&Value>) -> CheckedHead {
        let batch = self.end();
        let Some(members) = head.and_then(Value::as_object).map(Members::Map) else {
            return self.failed_head("the head is missing");
        };
        if members.text("kind") != Some(&self.brand.kind("log-sth")) {
            return self.failed_head("it is not a tree head");
        }
        let mut checks = Checks::default();
        document_checks::check_document(members, &self.policy, &self.brand, &mut checks);
        let head = log_checks::check_head(members, &self.brand, &mut checks);
        let tree_root = tree_root(members);
        if head.is_some() && members.get("tree_root").is_some() && tree_root.is_none() {
            checks.failed("tree_root", "it is not a digest");
        }
        let first_with = |ok| checks.list.iter().find(|check: &&Check| check.ok == ok);
        let bad = first_with(CheckOutcome::Failed).or_else(|| first_with(CheckOutcome::NotChecked));
        let mut checked = CheckedHead {
            ok: bad.map_or(CheckOutcome::Passed, |check| check.ok),
            why: bad.map_or_else(String::new, |check| {
                format!("batch {batch}: {}: {}", check.name, check.detail)
            }),
            head,
            tree_root,
        };
        let stated = checked.head.as_ref().map(|head| head.batch);
        if let (Some(stated), true) = (stated, checked.ok != CheckOutcome::Failed)
            && stated != batch
        {
            checked.ok = CheckOutcome::Failed;
            checked.why = format!("batch {batch}: the log lists the head of batch {stated} here");
        }
        checked
    }

    /// Checks the heads from this batch to the newest: each alone, and each link to the previous
    /// one.
    fn chain_from(&self, batch: u64) -> CheckResult {
        let mut unchecked = None;
        let mut previous: Option<&CheckedHead> = None;
        for at in batch..self.end() {
            let Some(checked) = self.head_at(at) else { continue };
            if checked.ok == CheckOutcome::Failed {
                return CheckResult::new(CheckOutcome::Failed, &*checked.why);
            }
            if let Some(previous) = previous
                && let Err(why) = check_heads_link(previous, checked)
            {
                return CheckResult::new(CheckOutcome::Failed, why);
            }
            if checked.ok == CheckOutcome::NotChecked && unchecked.is_none() {
                unchecked = Some(&checked.why);
            }
            previous = Some(checked);
        }
        match unchecked {
            Some(unchecked) => CheckResult::new(CheckOutcome::NotChecked, unchecked),
            None => CheckResult::new(
                CheckOutcome::Passed,
                format!(
                    "{} heads from batch {batch} to batch {} form one chain",
                    self.end().saturating_sub(batch),
                    self.end().saturating_sub(1)
                ),
            ),
        }
    }

    /// How many leaves the log has according to its heads, or why they contradict each other.
    fn tree_size(&self) -> Result<u64, String> {
        let mut size = 0;
        for (batch, checked) in (self.first..).zip(&self.list) {
            let head = checked.head.as_ref().ok_or_else(|| checked.why.clone())?;
            if head.first_index != size {
                return Err(format!(
                    "batch {batch}: first_index is not the previous head's tree_size"
                ));
            }
            size = head.tree_size;
        }
        Ok(size)
    }
}

fn check_heads_link(previous: &CheckedHead, next: &CheckedHead) -> Result<(), String> {
    match (&previous.head, &next.head) {
        (Some(previous), Some(next)) => {
            check_link(Some(previous), next).map_err(|error| error.to_string())
        }
        _ => Err("a head is missing, so the link cannot be checked".to_owned()),
    }
}

fn tree_root(head: Members<'_>) -> Option<Digest> {
    head.text("tree_root").and_then(|hex| hex.parse().ok())
}

/// Goes through all leaves of a log, from batch 0, and recomputes both roots of every head. The
/// caller adds the tiles of level 0 in order. Needs memory only for the right edge of the tree.
#[derive(Debug)]
pub struct LeafWalk<'a> {
    heads: &'a LogHeads,
    size: u64,
    /// Leaves added so far.
    leaves_read: u64,
    /// The batch that the next leaf belongs to.
    batch: u64,
    log_tree: RightEdge,
    batch_tree: RightEdge,
    previous_leaf: Option<Digest>,
    failure: Option<String>,
    head_without_root: Option<String>,
}

impl<'a> LeafWalk<'a> {
    #[must_use]
    pub fn new(heads: &'a LogHeads) -> Self {
        let size = heads.tree_size();
        Self {
            heads,
            size: *size.as_ref().unwrap_or(&0),
            leaves_read: 0,
            batch: 0,
            log_tree: RightEdge::new(),
            batch_tree: RightEdge::new(),
            previous_leaf: None,
            failure: size.err(),
            head_without_root: None,
        }
    }

    /// How many leaves the log has according to its heads.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The number of the next tile to add and how many of its hashes belong to the tree. `None`
    /// when all tiles were added or a check has failed.
    #[must_use]
    pub fn next_tile(&self) -> Option<(u64, u64)> {
        let left = self.size.saturating_sub(self.leaves_read);
        (left > 0 && self.failure.is_none())
            .then(|| (self.leaves_read / TILE_WIDTH, left.min(TILE_WIDTH)))
    }

    /// Adds the next tile, or records that it is missing.
    pub fn add_tile(&mut self, tile: Option<&[u8]>) {
        let Some((number, width)) = self.next_tile() else { return };
        let (hashes, rest) = tile.unwrap_or_default().as_chunks::<32>();
        if !rest.is_empty() || hashes.len() as u64 != width {
            self.failure = Some(format!(
                "tile {number} of level 0 is missing or does not have {width} hashes"
            ));
            return;
        }
        for hash in hashes {
            if let Err(why) = self.add_leaf(Digest(*hash)) {
                self.failure = Some(format!("batch {}: {why}", self.batch));
                return;
            }
        }
    }

    fn add_leaf(&mut self, leaf: Digest) -> Result<(), &'static str> {
        if self.previous_leaf.is_some_and(|last| last >= leaf) {
            return Err("its leaves are not in ascending order");
        }
        self.previous_leaf = Some(leaf);
        // The completed tiles are not needed: they were just read.
        self.log_tree.push(leaf, &mut Vec::new());
        self.batch_tree.push(leaf, &mut Vec::new());
        self.leaves_read += 1;
        let checked = self.heads.head_at(self.batch);
        let Some((checked, head)) =
            checked.and_then(|checked| Some((checked, checked.head.as_ref()?)))
        else {
            return Err("its head is missing");
        };
        if self.leaves_read < head.tree_size {
            return Ok(());
        }
        if self.batch_tree.root() != head.batch_root {
            return Err("its leaves do not hash to its batch_root");
        }
        match checked.tree_root {
            None if self.head_without_root.is_none() => {
                self.head_without_root =
                    Some(format!("batch {}: its head has no tree_root", self.batch));
            }
            Some(root) if self.log_tree.root() != root => {
                return Err("the leaves up to its end do not hash to its tree_root");
            }
            _ => {}
        }
        self.batch += 1;
        self.batch_tree = RightEdge::new();
        self.previous_leaf = None;
        Ok(())
    }

    /// The result of the `consistency` check.
    #[must_use]
    pub fn finish(self) -> CheckResult {
        if let Some(trouble) = self.failure {
            CheckResult::new(CheckOutcome::Failed, trouble)
        } else if self.leaves_read < self.size {
            CheckResult::new(CheckOutcome::NotChecked, "not all leaves were read")
        } else if let Some(rootless) = self.head_without_root {
            CheckResult::new(CheckOutcome::NotChecked, rootless)
        } else {
            let heads = self.heads.end();
            let detail = format!("{} leaves reproduce both roots of all {heads} heads", self.size);
            CheckResult::new(CheckOutcome::Passed, detail)
        }
    }
}

/// The unverified head that a document refers to: the one in an answer, or the document itself. It
/// tells the reader of a log which part of the log to read.
#[must_use]
pub fn head_of_document(document: &[u8], brand: &Brand) -> Option<ChainHead> {
    let document = ParsedDocument::parse(document).ok()?;
    ChainHead::from_members(head_members(document.members()?, brand)?).ok()
}

fn head_members<'a>(members: Members<'a>, brand: &Brand) -> Option<Members<'a>> {
    let kind = members.text("kind")?;
    if kind == brand.kind("log-sth") {
        return Some(members);
    }
    let transparency = members.get("transparency").filter(|_| kind == brand.kind("resolve"))?;
    let included = transparency.get("state").and_then(View::as_str) == Some("included");
    transparency.get("sth").filter(|_| included)?.as_object()
}

impl Verdict {
    /// Compares the document with a copy of the log and adds the checks `log head`, `chain` and
    /// `consistency`. Adds nothing for a document that is not an object, which is refused already.
    pub fn check_against_log(&mut self, document: &[u8], copy: &LogCopy, brand: &Brand) {
        let Ok(document) = ParsedDocument::parse(document) else { return };
        let Some(members) = document.members() else { return };
        let mut checks = Checks::default();
        check_head_against_log(members, copy, brand, &mut checks);
        self.checks.append(&mut checks.list);
    }
}

fn check_head_against_log(
    members: Members<'_>,
    copy: &LogCopy,
    brand: &Brand,
    checks: &mut Checks,
) {
    let Some(named) = head_members(members, brand) else {
        checks.not_checked("log head", "this document does not refer to a log head");
        return;
    };
    let head = match ChainHead::from_members(named) {
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
                "the copy of the log {end}: the copy is older than the document, or the log was \
                 truncated"
            ),
        );
        return;
    }
    let logged = heads.head_at(head.batch).and_then(|checked| checked.head.as_ref());
    let batch = head.batch;
    checks.push_result(
        "log head",
        if logged.is_some_and(|logged| logged.sha256 == head.sha256) {
            Ok(format!("the log has the same head for batch {batch}"))
        } else {
            Err(format!("the log has another head for batch {batch}"))
        },
    );
    let chain = heads.chain_from(batch);
    checks.push("chain", chain.ok, chain.detail);
    let growth = match &copy.growth {
        GrowthEvidence::Leaves(finding) => finding.clone(),
        GrowthEvidence::Proofs(proofs) => {
            check_consistency_proof(&head, tree_root(named), heads, proofs)
        }
    };
    checks.push("consistency", growth.ok, growth.detail);
}

/// Checks by a consistency proof that the tree of the newest head extends the tree of this one.
fn check_consistency_proof(
    head: &ChainHead,
    root: Option<Digest>,
    heads: &LogHeads,
    proofs: &BTreeMap<u64, Result<Vec<Digest>, String>>,
) -> CheckResult {
    let newest =
        heads.list.last().and_then(|checked| Some((checked.head.as_ref()?, checked.tree_root?)));
    let (Some(root), Some((newest, newest_root))) = (root, newest) else {
        return CheckResult::new(
            CheckOutcome::NotChecked,
            "a head without tree_root cannot be compared",
        );
    };
    let (from, to) = (head.tree_size, newest.tree_size);
    let none = Ok(Vec::new());
    let proof = if from == to { Some(&none) } else { proofs.get(&from) };
    match proof {
        None => CheckResult::new(
            CheckOutcome::Failed,
            format!("the log gave no consistency proof from {from} to {to} leaves"),
        ),
        Some(Err(why)) => CheckResult::new(CheckOutcome::Failed, why),
        Some(Ok(proof)) if verify_consistency(from, to, &root, &newest_root, proof) => {
            let detail = format!("the tree of {to} leaves extends the tree of {from}");
            CheckResult::new(CheckOutcome::Passed, detail)
        }
        Some(Ok(_)) => CheckResult::new(
            CheckOutcome::Failed,
            format!(
                "the proof does not show that the tree of {to} leaves extends the tree of {from}"
            ),
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
            assert_eq!(head_of_document(text.as_bytes(), &brand), None, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_reported_without_a_panic(
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
            walk.add_tile(Some(&tile));
            walk.add_tile(None);
            let growth = GrowthEvidence::Leaves(walk.finish());
            let copy = LogCopy { heads: read, growth };
            let bytes = serde_json::to_vec(&head).unwrap();
            let mut verdict = crate::verify_document(&bytes, &KeyPolicy::without_directory(), &brand);
            let before = verdict.checks.len();
            verdict.check_against_log(&bytes, &copy, &brand);
            let parsed = canonical::parse_strict(&bytes).is_ok();
            proptest::prop_assert_eq!(verdict.checks.len() > before, parsed);
            proptest::prop_assert!(!verdict.accepted());
        }
    }
}
