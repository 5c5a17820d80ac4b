//! Opening the log: its end is verified and compared with the mark before anything is signed.

use std::sync::Arc;

use proof::head::{ChainHead, check_link};
use proof::keys::{LogMark, Marked};
use proof::tlog::{RightEdge, TILE_WIDTH};
use proof::tree::BatchTree;
use proof::verify::Outcome;
use proof::{Digest, KeyPolicy, ProofError, verify_document};
use store::{KeptBatch, Leasing, Store, StoreError};

use super::sequencer::{Parts, Running, millis};
use super::view::{LogView, SealedHead};
use crate::Service;

/// Heads that are verified from the end. The rest is `wayleave log fsck`'s work.
const TAIL: u64 = 16;

/// Why the log is not extended. Each says what an operator has to look at.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LogFault {
    #[error("the log cannot be read: {0}")]
    Unreadable(StoreError),
    #[error("the chain is broken at batch {batch}: {why}")]
    Broken { batch: u64, why: String },
    #[error(
        "the store holds the log {found}, and this brand's is {wanted}: a changed brand needs a store of its own"
    )]
    AnotherLog { found: String, wanted: String },
    #[error(
        "the log ends at {found}, and {marked} was acknowledged: it was put back from an old copy, or \
         cut. Nothing is signed, because it would contradict what was signed before. Put the newer \
         copy back"
    )]
    RolledBack { found: String, marked: String },
    #[error(
        "batch {batch} of the log is not the one that was acknowledged: it was replaced by another \
         history. Nothing is signed"
    )]
    Forked { batch: u64 },
    #[error(
        "the log has {batches} batches and its mark in the key directory is gone. If this is the \
         newest copy of the log, say so with `wayleave log mark --accept`"
    )]
    NoMark { batches: u64 },
    #[error("the log's mark cannot be used: {0}")]
    Mark(ProofError),
    #[error("another process extends the log until {0}")]
    Leased(contract::Timestamp),
    #[error("the log cannot be started: {why}")]
    CannotStart { why: String },
}

impl From<StoreError> for LogFault {
    fn from(error: StoreError) -> Self {
        Self::Unreadable(error)
    }
}

pub(super) async fn open(
    service: &Service,
    mut mark: LogMark,
    marked: Option<Marked>,
) -> Result<Running, LogFault> {
    let store = service.store.as_ref();
    let holder = service.ids.unguessable();
    let holder = holder.map_err(|e| LogFault::CannotStart { why: e.to_string() })?;
    let now = service.clock.now();
    let until = now.plus_millis(millis(service.settings.log.lease));
    let epoch = match store.take_log_lease(&holder, now, until).await? {
        Leasing::Taken { epoch } => epoch,
        Leasing::Held { until } => return Err(LogFault::Leased(until)),
    };
    let tip = verified_tip(service).await?;
    let end = tip.head.as_deref().map(|head| &head.chain);
    let marked_now = compare(store, end, marked, &service.settings.brand.log_id()).await?;
    mark.put(&marked_now).map_err(LogFault::Mark)?;
    Running::start(Parts {
        store: Arc::clone(&service.store),
        signer: service.signer(),
        clock: Arc::clone(&service.clock),
        brand: service.settings.brand.clone(),
        settings: service.settings.log.clone(),
        holder,
        epoch,
        tip: Arc::new(tip),
        mark,
        extras: Arc::clone(&service.head_extras),
    })
}

/// The end of the log, with its last heads verified and the tree's edge put together again.
async fn verified_tip(service: &Service) -> Result<LogView, LogFault> {
    let store = service.store.as_ref();
    let Some(last) = store.last_batch().await? else { return Ok(LogView::default()) };
    let wanted = service.settings.brand.log_id();
    let policy = service.key_policy().map_err(LogFault::Mark)?;
    let first = last.batch.saturating_sub(TAIL - 1);
    let mut previous: Option<SealedHead> = None;
    for number in first..=last.batch {
        let broken = |why: String| LogFault::Broken { batch: number, why };
        let kept = store.batch(number).await?.ok_or_else(|| broken("it is missing".to_owned()))?;
        // First, because another brand's heads do not verify under this one at all.
        if let Ok(head) = SealedHead::read(kept.sth.clone())
            && head.chain.log_id != wanted
        {
            return Err(LogFault::AnotherLog { found: head.chain.log_id, wanted });
        }
        let head = verified_head(&kept, &policy, service).map_err(broken)?;
        if previous.is_some() || number == 0 {
            check_link(previous.as_ref().map(|head| &head.chain), &head.chain)
                .map_err(|e| broken(e.to_string()))?;
        }
        previous = Some(head);
    }
    let Some(head) = previous else { return Ok(LogView::default()) };
    let broken = |why: &str| LogFault::Broken { batch: last.batch, why: why.to_owned() };
    let edge = restored_edge(store, head.chain.tree_size).await?;
    let edge = edge.ok_or_else(|| broken("the tiles of the tree under it are not all there"))?;
    if head.tree_root != Some(edge.root()) {
        return Err(broken("its tree_root is not that of the kept tiles"));
    }
    Ok(LogView { head: Some(Arc::new(head)), edge })
}

/// A head whose digest, signature, sums and batch hold. A key that was retired or compromised since
/// has still made it: what that proves to others is said in the rotation record.
fn verified_head(
    kept: &KeptBatch,
    policy: &KeyPolicy,
    service: &Service,
) -> Result<SealedHead, String> {
    let verdict = verify_document(&kept.sth, policy, &service.settings.brand);
    let bad = verdict.checks.iter().find(|check| {
        check.ok == Outcome::Failed && !matches!(check.name.as_str(), "key window" | "sums")
    });
    if let Some(bad) = bad {
        return Err(format!("{}: {}", bad.name, bad.detail));
    }
    let head = SealedHead::read(kept.sth.clone()).map_err(|e| e.to_string())?;
    let chain = &head.chain;
    if (chain.batch, chain.first_index, chain.sha256)
        != (kept.batch, kept.first_index, kept.sth_sha256)
    {
        return Err("it is kept under another number, index or digest".to_owned());
    }
    let tree = BatchTree::new(kept.leaves.iter().copied());
    if tree.leaves() != kept.leaves.as_slice() {
        return Err("its leaves are not strictly ascending".to_owned());
    }
    if (tree.size(), tree.root()) != (chain.batch_size, chain.batch_root) {
        return Err("its leaves do not give its batch_root".to_owned());
    }
    Ok(head)
}

/// The right edge of a tree of this size: the leaves behind the last complete tile, and on each
/// level above the roots of the complete tiles below.
pub(super) async fn restored_edge(
    store: &dyn Store,
    size: u64,
) -> Result<Option<RightEdge>, StoreError> {
    let mut partial = Vec::new();
    let mut from = size - size % TILE_WIDTH;
    let mut leaves = Vec::new();
    while from < size {
        let Some(batch) = store.batch_at(from).await? else { return Ok(None) };
        let skip = usize::try_from(from - batch.first_index).unwrap_or(usize::MAX);
        leaves.extend(batch.leaves.iter().skip(skip));
        from = batch.tree_size();
    }
    partial.push(leaves);
    let mut complete = size / TILE_WIDTH;
    for level in 0_u8.. {
        if complete == 0 {
            break;
        }
        let mut roots: Vec<Digest> = Vec::new();
        for index in (complete - complete % TILE_WIDTH)..complete {
            let Some(tile) = store.tile(level, index).await? else { return Ok(None) };
            let Some(hashes) = proof::tlog::decode_hashes(&tile) else { return Ok(None) };
            roots.push(proof::tree::root(&hashes));
        }
        partial.push(roots);
        complete /= TILE_WIDTH;
    }
    Ok(RightEdge::restore(size, partial))
}

/// What the mark is to say from now on, if the log is not behind it and not beside it.
pub(super) async fn compare(
    store: &dyn Store,
    head: Option<&ChainHead>,
    marked: Option<Marked>,
    log_id: &str,
) -> Result<Marked, LogFault> {
    let now = Marked {
        log_id: log_id.to_owned(),
        tree_size: head.map_or(0, |head| head.tree_size),
        head: head.map(|head| (head.batch, head.sha256)),
    };
    let Some(marked) = marked else {
        return match head {
            None => Ok(now),
            Some(head) => Err(LogFault::NoMark { batches: head.batch.saturating_add(1) }),
        };
    };
    if marked.log_id != log_id {
        return Err(LogFault::AnotherLog { found: marked.log_id, wanted: log_id.to_owned() });
    }
    let Some((batch, sth_sha256)) = marked.head else { return Ok(now) };
    match store.batch(batch).await? {
        Some(kept) if kept.sth_sha256 == sth_sha256 => Ok(now),
        Some(_) => Err(LogFault::Forked { batch }),
        None => Err(LogFault::RolledBack {
            found: head.map_or("nothing".to_owned(), |head| format!("batch {}", head.batch)),
            marked: format!("batch {batch} ({} leaves)", marked.tree_size),
        }),
    }
}
