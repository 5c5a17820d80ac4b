//! The audit itself: checks batch after batch.

use contract::Brand;
use serde::Serialize;
use serde_json::Value;

use super::fault::{AuditFault, FaultKind};
use crate::digest::Digest;
use crate::merkle_tree::{self, leaf_hash};
use crate::tlog::{
    Checkpoint, FullTile, MAX_ENTRY_BYTES, Note, RightEdge, SignatureType, VerifierKey,
};
use crate::tree_head::{ChainHead, check_link};
use crate::verify::{Check, CheckOutcome};
use crate::{KeyPolicy, canonical, verify_document};

/// The longest head that is accepted. A head has about two kilobytes.
pub const MAX_HEAD_BYTES: usize = 64 * 1024;

/// An audit in progress: what is known of the log so far.
#[derive(Debug, Clone)]
pub struct LogAudit {
    pub(super) policy: KeyPolicy,
    pub(super) brand: Brand,
    pub(super) last: Option<VerifiedHead>,
    pub(super) edge: RightEdge,
    pub(super) counts: AuditCounts,
}

/// A head that passed every check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct VerifiedHead {
    pub(super) head: ChainHead,
    pub(super) tree_root: Option<Digest>,
}

/// What this audit has checked since it began or was resumed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct AuditCounts {
    pub batches: u64,
    pub leaves: u64,
    /// Leaves whose content was given and hashes to the leaf.
    pub entries: u64,
    /// Heads with a check that could not be made, for example because no key directory was given.
    pub heads_not_fully_checked: u64,
    /// Heads without a `tree_root`, so the root over the whole log could not be compared.
    pub heads_without_tree_root: u64,
}

/// The result of an audit that found no fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditReport {
    pub log_id: String,
    /// The first batch that was checked; `None` if the log is empty.
    pub from_batch: Option<u64>,
    /// The last batch that was checked.
    pub to_batch: Option<u64>,
    pub tree_size: u64,
    /// The recomputed root over all leaves.
    pub tree_root: Digest,
    /// The digest of the last head.
    pub head_sha256: Option<Digest>,
    #[serde(flatten)]
    pub counts: AuditCounts,
}

impl LogAudit {
    /// Starts at batch 0.
    #[must_use]
    pub fn new(policy: KeyPolicy, brand: Brand) -> Self {
        let counts = AuditCounts::default();
        Self { policy, brand, last: None, edge: RightEdge::new(), counts }
    }

    /// Checks the next batch: its head, its leaves in log order, and their contents if given. After
    /// a fault the audit is unchanged.
    pub fn check_batch<E: AsRef<[u8]>>(
        &mut self,
        head: &[u8],
        leaves: &[Digest],
        entries: Option<&[E]>,
    ) -> Result<(), AuditFault> {
        self.check_batch_with_tiles(head, leaves, entries, &mut Vec::new())
    }

    /// Like [`Self::check_batch`], and adds the tiles that became complete to `full`, so that the
    /// caller can compare files with them.
    pub fn check_batch_with_tiles<E: AsRef<[u8]>>(
        &mut self,
        head: &[u8],
        leaves: &[Digest],
        entries: Option<&[E]>,
        full: &mut Vec<FullTile>,
    ) -> Result<(), AuditFault> {
        let (known, complete) = self.verify_head(head)?;
        let fault = |kind, detail: String| AuditFault::new(Some(known.head.batch), kind, detail);
        check_link(self.last.as_ref().map(|last| &last.head), &known.head)
            .map_err(|error| fault(FaultKind::Link, error.to_string()))?;
        check_leaves(leaves, &known.head)?;
        if let Some(entries) = entries {
            check_entries(entries, leaves, known.head.batch)?;
        }
        let mut edge = self.edge.clone();
        let mut tiles = Vec::new();
        leaves.iter().for_each(|leaf| edge.push(*leaf, &mut tiles));
        let root = edge.root();
        if let Some(stated) = known.tree_root.filter(|stated| *stated != root) {
            let detail = format!("the head states {stated}, the leaves hash to {root}");
            return Err(fault(FaultKind::TreeRoot, detail));
        }
        self.counts.batches += 1;
        self.counts.leaves += leaves.len() as u64;
        self.counts.entries += entries.map_or(0, |entries| entries.len() as u64);
        self.counts.heads_not_fully_checked += u64::from(!complete);
        self.counts.heads_without_tree_root += u64::from(known.tree_root.is_none());
        self.edge = edge;
        self.last = Some(known);
        full.append(&mut tiles);
        Ok(())
    }

    /// Checks that a checkpoint is from this log, is signed by one of these keys, and states the
    /// recomputed size and root.
    pub fn check_checkpoint(
        &self,
        note: &[u8],
        origin: &str,
        keys: &[VerifierKey],
    ) -> Result<(), AuditFault> {
        let batch = self.last_head().map(|head| head.batch);
        let fault = |detail: String| AuditFault::new(batch, FaultKind::Checkpoint, detail);
        let note = Note::parse(note).map_err(|error| fault(error.to_string()))?;
        let checkpoint =
            Checkpoint::parse(note.text()).map_err(|error| fault(error.to_string()))?;
        let signed = note.verify(keys).map_err(|error| fault(error.to_string()))?;
        // A witness's signature does not count as the log's.
        if !signed.iter().any(|by| by.key.kind() == SignatureType::Ed25519) {
            return Err(fault("no known key of the log signed it".to_owned()));
        }
        if checkpoint.origin() != origin {
            return Err(fault(format!("its origin is not {origin}")));
        }
        let (size, root) = (self.edge.size(), self.edge.root());
        if checkpoint.size() != size {
            return Err(fault(format!(
                "it states {} leaves, the log has {size}",
                checkpoint.size()
            )));
        }
        if checkpoint.root() != root {
            let detail =
                format!("it states the root {}, the leaves hash to {root}", checkpoint.root());
            return Err(fault(detail));
        }
        Ok(())
    }

    /// The last head that passed.
    #[must_use]
    pub fn last_head(&self) -> Option<&ChainHead> {
        self.last.as_ref().map(|last| &last.head)
    }

    /// The right edge of the tree over all leaves so far.
    #[must_use]
    pub fn right_edge(&self) -> &RightEdge {
        &self.edge
    }

    #[must_use]
    pub fn counts(&self) -> AuditCounts {
        self.counts
    }

    /// The result, once the caller has no more heads.
    #[must_use]
    pub fn report(&self) -> AuditReport {
        let last = self.last_head();
        let from_batch = last
            .filter(|_| self.counts.batches > 0)
            .and_then(|last| (last.batch + 1).checked_sub(self.counts.batches));
        AuditReport {
            log_id: self.brand.log_id(),
            from_batch,
            to_batch: last.map(|last| last.batch),
            tree_size: self.edge.size(),
            tree_root: self.edge.root(),
            head_sha256: last.map(|last| last.sha256),
            counts: self.counts,
        }
    }

    /// Verifies a head alone: form, digest, signature, key and numbers. The flag says whether all
    /// of that could be checked.
    pub(super) fn verify_head(&self, bytes: &[u8]) -> Result<(VerifiedHead, bool), AuditFault> {
        let expected = self.last.as_ref().map_or(0, |last| last.head.batch.saturating_add(1));
        if bytes.len() > MAX_HEAD_BYTES {
            let detail = format!("it is longer than {MAX_HEAD_BYTES} bytes");
            return Err(AuditFault::new(Some(expected), FaultKind::Form, detail));
        }
        let document = canonical::parse_strict(bytes).unwrap_or_default();
        // A head without a batch number is reported under the batch that was expected.
        let batch = document.get("batch").and_then(Value::as_u64).unwrap_or(expected);
        let fault = |kind, detail: String| AuditFault::new(Some(batch), kind, detail);
        let verdict = verify_document(bytes, &self.policy, &self.brand);
        // An honest log whose clock was wrong can show a wrong signing time.
        let failed =
            |check: &&Check| check.ok == CheckOutcome::Failed && check.name != "signing time";
        if let Some(check) = verdict.checks.iter().find(failed) {
            let detail = format!("{}: {}", check.name, check.detail);
            return Err(fault(FaultKind::from_check_name(&check.name), detail));
        }
        if verdict.kind != Some(self.brand.kind("log-sth")) {
            return Err(fault(FaultKind::Form, "it is not a tree head".to_owned()));
        }
        let head = ChainHead::parse(&document)
            .map_err(|error| fault(FaultKind::Sums, error.to_string()))?;
        let tree_root = match document.get("tree_root") {
            None => None,
            Some(stated) => Some(
                stated
                    .as_str()
                    .and_then(|hex| hex.parse().ok())
                    .ok_or_else(|| fault(FaultKind::TreeRoot, "it is not a digest".to_owned()))?,
            ),
        };
        Ok((VerifiedHead { head, tree_root }, verdict.accepted()))
    }
}

fn check_leaves(leaves: &[Digest], head: &ChainHead) -> Result<(), AuditFault> {
    let fault = |kind, detail| Err(AuditFault::new(Some(head.batch), kind, detail));
    if leaves.len() as u64 != head.batch_size {
        let detail =
            format!("batch_size is {}, but {} leaves were given", head.batch_size, leaves.len());
        return fault(FaultKind::LeafCount, detail);
    }
    let pairs = leaves.iter().zip(leaves.iter().skip(1));
    if let Some(place) = pairs.into_iter().position(|(a, b)| a >= b) {
        let detail = format!("leaf {} is not greater than leaf {place}", place + 1);
        return fault(FaultKind::LeafOrder, detail);
    }
    let root = merkle_tree::root(leaves);
    if root != head.batch_root {
        let detail = format!("the head states {}, the leaves hash to {root}", head.batch_root);
        return fault(FaultKind::BatchRoot, detail);
    }
    Ok(())
}

fn check_entries<E: AsRef<[u8]>>(
    entries: &[E],
    leaves: &[Digest],
    batch: u64,
) -> Result<(), AuditFault> {
    let fault = |kind, detail| Err(AuditFault::new(Some(batch), kind, detail));
    if entries.len() != leaves.len() {
        let detail = format!("{} entries for {} leaves", entries.len(), leaves.len());
        return fault(FaultKind::EntryCount, detail);
    }
    for (place, (entry, leaf)) in entries.iter().zip(leaves).enumerate() {
        let entry = entry.as_ref();
        if entry.len() > MAX_ENTRY_BYTES {
            let detail = format!("entry {place} has {} bytes", entry.len());
            return fault(FaultKind::EntryLength, detail);
        }
        let made = leaf_hash(entry);
        if made != *leaf {
            let detail = format!("entry {place} hashes to {made}, its leaf is {leaf}");
            return fault(FaultKind::EntryHash, detail);
        }
        let written =
            canonical::parse_strict(entry).and_then(|value| canonical::value_to_vec(&value));
        match written {
            Ok(written) if written == entry => {}
            Ok(_) => {
                let detail = format!("entry {place} is JSON, but not in canonical form");
                return fault(FaultKind::EntryForm, detail);
            }
            Err(error) => return fault(FaultKind::EntryForm, format!("entry {place}: {error}")),
        }
    }
    Ok(())
}
