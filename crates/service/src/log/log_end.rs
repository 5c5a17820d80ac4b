//! Verifying the end of the log and comparing it with the mark, before anything is signed.

use std::sync::Arc;

use contract::Brand;
use proof::keys::{LogMark, LogPosition};
use proof::merkle_tree::BatchTree;
use proof::tlog::{RightEdge, TILE_WIDTH};
use proof::tree_head::{ChainHead, check_link};
use proof::verify::CheckOutcome;
use proof::{Digest, KeyPolicy, verify_document};
use store::{Store, StoreError, StoredBatch};

use super::errors::LogFault;
use super::snapshot::{LogSnapshot, SignedTreeHead};

/// Heads that are verified, counted from the end. `wayleave log fsck` verifies the rest.
const VERIFIED_HEADS: u64 = 16;

/// The end of the log: verifies its last heads and rebuilds the tree's right edge.
pub(super) async fn verify_log_end(
    store: &dyn Store,
    policy: &KeyPolicy,
    brand: &Brand,
) -> Result<LogSnapshot, LogFault> {
    let Some(last) = store.last_batch().await? else { return Ok(LogSnapshot::default()) };
    let wanted = brand.log_id();
    let first = last.batch.saturating_sub(VERIFIED_HEADS - 1);
    let mut previous: Option<SignedTreeHead> = None;
    for number in first..=last.batch {
        let broken = |why: String| LogFault::Broken { batch: number, why };
        let stored =
            store.batch(number).await?.ok_or_else(|| broken("it is missing".to_owned()))?;
        // Checked first, because the heads of another brand never verify under this one.
        if let Ok(head) = SignedTreeHead::parse(stored.sth.clone())
            && head.chain.log_id != wanted
        {
            return Err(LogFault::WrongLog { found: head.chain.log_id, wanted });
        }
        let head = verify_head(&stored, policy, brand).map_err(broken)?;
        if previous.is_some() || number == 0 {
            check_link(previous.as_ref().map(|head| &head.chain), &head.chain)
                .map_err(|e| broken(e.to_string()))?;
        }
        previous = Some(head);
    }
    let Some(head) = previous else { return Ok(LogSnapshot::default()) };
    let broken = |why: &str| LogFault::Broken { batch: last.batch, why: why.to_owned() };
    let edge = restore_edge(store, head.chain.tree_size).await?;
    let edge = edge.ok_or_else(|| broken("tiles of its tree are missing"))?;
    if head.tree_root != Some(edge.root()) {
        return Err(broken("its tree_root does not match the stored tiles"));
    }
    Ok(LogSnapshot { head: Some(Arc::new(head)), edge })
}

/// Checks a head's digest, signature, sums and batch. A key that was retired or compromised later is
/// accepted here: the head is still ours, and the rotation record tells others what it proves. So is
/// a wrong signing time: a clock that was wrong once must not stop the log.
fn verify_head(
    stored: &StoredBatch,
    policy: &KeyPolicy,
    brand: &Brand,
) -> Result<SignedTreeHead, String> {
    let verdict = verify_document(&stored.sth, policy, brand);
    let bad = verdict.checks.iter().find(|check| {
        check.ok == CheckOutcome::Failed
            && !matches!(check.name.as_str(), "key window" | "signing time" | "sums")
    });
    if let Some(bad) = bad {
        return Err(format!("{}: {}", bad.name, bad.detail));
    }
    let head = SignedTreeHead::parse(stored.sth.clone()).map_err(|e| e.to_string())?;
    let chain = &head.chain;
    if (chain.batch, chain.first_index, chain.sha256)
        != (stored.batch, stored.first_index, stored.sth_sha256)
    {
        return Err("it is stored under a different number, index or digest".to_owned());
    }
    let tree = BatchTree::new(stored.leaves.iter().copied());
    if tree.leaves() != stored.leaves.as_slice() {
        return Err("its leaves are not strictly ascending".to_owned());
    }
    if (tree.size(), tree.root()) != (chain.batch_size, chain.batch_root) {
        return Err("its leaves do not hash to its batch_root".to_owned());
    }
    Ok(head)
}

/// Rebuilds the right edge of a tree of this size: the leaves after the last complete tile, and on
/// each level above the roots of the complete tiles below. `None` if something it needs is missing.
pub(super) async fn restore_edge(
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
    // The tree may end within a batch.
    leaves.truncate(usize::try_from(size % TILE_WIDTH).unwrap_or(usize::MAX));
    partial.push(leaves);
    let mut complete = size / TILE_WIDTH;
    for level in 0_u8.. {
        if complete == 0 {
            break;
        }
        let mut roots: Vec<Digest> = Vec::new();
        for index in (complete - complete % TILE_WIDTH)..complete {
            let Some(tile) = store.tile(level, index).await? else { return Ok(None) };
            let Some(hashes) = proof::tlog::decode_tile_hashes(&tile) else { return Ok(None) };
            roots.push(proof::merkle_tree::root(&hashes));
        }
        partial.push(roots);
        complete /= TILE_WIDTH;
    }
    Ok(RightEdge::restore(size, partial))
}

/// Checks that the log contains the batch that the mark names. Returns the new mark.
pub(super) async fn check_mark(
    store: &dyn Store,
    head: Option<&ChainHead>,
    marked: Option<LogPosition>,
    log_id: &str,
) -> Result<LogPosition, LogFault> {
    let now = LogPosition {
        log_id: log_id.to_owned(),
        tree_size: head.map_or(0, |head| head.tree_size),
        head: head.map(|head| (head.batch, head.sha256)),
    };
    let Some(marked) = marked else {
        return match head {
            None => Ok(now),
            Some(head) => Err(LogFault::MarkMissing { batches: head.batch.saturating_add(1) }),
        };
    };
    if marked.log_id != log_id {
        return Err(LogFault::WrongLog { found: marked.log_id, wanted: log_id.to_owned() });
    }
    let Some((batch, sth_sha256)) = marked.head else { return Ok(now) };
    match store.batch(batch).await? {
        Some(stored) if stored.sth_sha256 == sth_sha256 => Ok(now),
        Some(_) => Err(LogFault::Forked { batch }),
        None => Err(LogFault::RolledBack {
            found: head
                .map_or("entry 0 (it is empty)".to_owned(), |head| format!("batch {}", head.batch)),
            marked: format!("batch {batch} ({} leaves)", marked.tree_size),
        }),
    }
}

/// Checks that the mark is where it was when the log was last opened. A log without a stored place was
/// last opened by an earlier version of this program.
pub(super) fn check_place(mark: &LogMark) -> Result<(), LogFault> {
    let Some(before) = mark.moved_from() else { return Ok(()) };
    let now = mark.place();
    let change = match now.is_same_file(before) {
        true => format!("its mark is still {now}, but the machine is another"),
        false => format!("its mark was {before}, and is {now}"),
    };
    Err(LogFault::Moved { change })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{open_store, seal_builds, start_service, stop_service};

    /// A witness may have a checkpoint of a fork whose batches end elsewhere.
    #[tokio::test]
    async fn the_tree_of_every_size_is_rebuilt_also_within_a_batch() {
        let dir = tempfile::tempdir().unwrap();
        let service = start_service(dir.path(), Vec::new()).await;
        let mut first = 0;
        for batch in [1, 5, 250, 30] {
            seal_builds(&service, first..first + batch).await;
            first += batch;
        }
        stop_service(service).await;
        let store = open_store(dir.path());
        let last = store::Log::last_batch(&store).await.unwrap().unwrap();
        assert!(last.batch < 100 && last.tree_size() > 280, "batches of several leaves");
        let (mut edge, mut full) = (RightEdge::default(), Vec::new());
        for size in 1..=last.tree_size() {
            let batch = store::Log::batch_at(&store, size - 1).await.unwrap().unwrap();
            let within = usize::try_from(size - 1 - batch.first_index).unwrap();
            edge.push(batch.leaves[within], &mut full);
            let rebuilt = restore_edge(&store, size).await.unwrap().unwrap();
            assert_eq!(rebuilt.root(), edge.root(), "{size}");
        }
    }
}
