//! Cases for the transparency log.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::{join, join_all};
use proof::merkle_tree::leaf_hash;

use super::harness::{
    Case, CaseResult, Engine, LogPart, StoreLocation, check, check_eq, unexpected_error,
};
use super::sample_log::{LEASE_MS, SampleLog, answer, lease, same_log};
use super::sample_values::{at, noise, same_as};
use crate::{
    Append, AppendExtras, ContradictingHead, Cosignature, Digest, LogEntry, LogLease, LogTile,
    NewBatch, Store, StoreError,
};

pub(super) const CASES: &[(&str, Case)] = &[
    ("a log comes back byte for byte, also after reopening", |e| Box::pin(comes_back(e))),
    ("an empty log has nothing", |e| Box::pin(empty(e))),
    ("only one holder has the log's lease at a time", |e| Box::pin(leasing(e))),
    ("a holder that lost the lease cannot append", |e| Box::pin(fenced(e))),
    ("an append that does not follow the last head changes nothing", |e| Box::pin(moved(e))),
    ("a batch with a leaf that is already in the log is refused", |e| Box::pin(twice(e))),
    ("values that could not be read back are refused", |e| Box::pin(unreadable(e))),
    ("of two appends after the same head, one succeeds", |e| Box::pin(one_winner(e))),
    ("readers of a growing log always see complete batches", |e| Box::pin(growing(e))),
    ("leaves are found in the given order", |e| Box::pin(places(e))),
    ("entries can be read from every index", |e| Box::pin(entries(e))),
    ("heads page through the log", |e| Box::pin(heads(e))),
    ("kinds and tiles come back as written", |e| Box::pin(kinds_and_tiles(e))),
    ("one cosignature per witness and size is stored", |e| Box::pin(cosignatures(e))),
    ("a contradicting head is stored once", |e| Box::pin(sightings(e))),
    ("a damaged log is an error", |e| Box::pin(damaged(e))),
];

async fn opened(engine: &dyn Engine) -> (Box<dyn StoreLocation>, Arc<dyn Store>) {
    let location = engine.new_location().await;
    let store = location.open().await;
    (location, store)
}

fn is_moved<T>(result: &Result<T, StoreError>) -> bool {
    matches!(result, Err(StoreError::LogConflict { .. }))
}

async fn comes_back(engine: &dyn Engine) -> CaseResult {
    let (location, store) = opened(engine).await;
    let mut chain = SampleLog::new("ours");
    let epoch = lease(store.as_ref()).await?;
    // Around the borders of tiles, and more than one of them in a batch.
    for leaves in [1, 4, 250, 1, 1, 255, 600, 2] {
        chain.put(store.as_ref(), epoch, leaves).await?;
    }
    let tiles: usize = chain.batches.iter().map(|batch| batch.tiles.len()).sum();
    check_eq!(tiles, 4, "the case has tiles");
    same_log(store.as_ref(), &chain.batches).await?;
    drop(store);
    let store = location.open().await;
    same_log(store.as_ref(), &chain.batches).await?;
    // And it goes on from there.
    let epoch = lease(store.as_ref()).await?;
    chain.put(store.as_ref(), epoch, 9).await?;
    same_log(store.as_ref(), &chain.batches).await
}

async fn empty(engine: &dyn Engine) -> CaseResult {
    let (_place, store) = opened(engine).await;
    same_log(store.as_ref(), &[]).await?;
    check_eq!(store.log_entries(7, 7).await, Ok(vec![]), "entries");
    check_eq!(store.heads(7, 7).await, Ok(vec![]), "heads");
    check_eq!(store.leaf_indexes(vec![Digest::of(b"x")]).await, Ok(vec![None]), "places");
    check_eq!(store.leaf_kinds(vec![Digest::of(b"x")]).await, Ok(vec![None]), "kinds");
    check_eq!(store.entries_of_kind("build").await, Ok(vec![]), "entries of a kind");
    check_eq!(store.tile(0, 0).await, Ok(None), "a tile");
    check_eq!(store.cosignatures(0).await, Ok(vec![]), "cosignatures");
    check_eq!(store.cosigned_sizes(0, 9).await, Ok(vec![]), "cosigned sizes");
    check_eq!(store.last_cosigned().await, Ok(None), "the last cosigned size");
    check_eq!(store.contradicting_heads().await, Ok(vec![]), "sightings");
    Ok(())
}

async fn leasing(engine: &dyn Engine) -> CaseResult {
    let (location, store) = opened(engine).await;
    let take = |holder: &'static str, now: i64, until: i64| {
        let store = Arc::clone(&store);
        async move {
            store.acquire_log_lease(holder, at(now), at(until)).await.map_err(unexpected_error)
        }
    };
    let epoch_of = |leasing: LogLease| match leasing {
        LogLease::Granted { epoch } => Ok(epoch),
        held @ LogLease::HeldByOther { .. } => Err(format!("refused: {held:?}")),
    };
    let first = epoch_of(take("one", 0, 100).await?)?;
    check_eq!(epoch_of(take("one", 50, 200).await?)?, first, "the number after renewing");
    let held = LogLease::HeldByOther { until: at(200) };
    check_eq!(take("two", 100, 900).await?, held, "when the first term was over");
    check_eq!(take("two", 199, 900).await?, held, "a moment before it runs out");
    let second = epoch_of(take("two", 200, 300).await?)?;
    check!(second > first, "the number {second} after {first}");
    check_eq!(
        take("one", 250, 900).await?,
        LogLease::HeldByOther { until: at(300) },
        "by who lost it"
    );
    let third = epoch_of(take("one", 300, 1_000_000).await?)?;
    check!(third > second, "the number {third} after {second}");
    // Given back by taking it for no time at all.
    check_eq!(epoch_of(take("one", 400, 400).await?)?, third, "the number after giving it back");
    let fourth = epoch_of(take("two", 400, 1_000_000).await?)?;
    check!(fourth > third, "the number {fourth} after {third}");
    drop(store);
    // Whether the engine knows that the holder is gone, or waits until the lease runs out.
    let store = location.open().await;
    let again =
        store.acquire_log_lease("three", at(500), at(600)).await.map_err(unexpected_error)?;
    let again = match again {
        LogLease::Granted { epoch } => epoch,
        LogLease::HeldByOther { until } => {
            check_eq!(until, at(1_000_000), "the end of the lease after reopening");
            let later = store.acquire_log_lease("three", at(1_000_000), at(1_000_001)).await;
            epoch_of(later.map_err(unexpected_error)?)?
        }
    };
    check!(again > fourth, "the number {again} after {fourth}, reopened");
    Ok(())
}

async fn fenced(engine: &dyn Engine) -> CaseResult {
    let (_place, store) = opened(engine).await;
    let mut chain = SampleLog::new("ours");
    let lost = lease(store.as_ref()).await?;
    chain.put(store.as_ref(), lost, 3).await?;
    let leasing = store.acquire_log_lease("they", at(LEASE_MS), at(2 * LEASE_MS)).await;
    let Ok(LogLease::Granted { epoch }) = leasing else { return Err(format!("{leasing:?}")) };
    let after = chain.last();
    let mut late = SampleLog::new("ours");
    late.grow(3);
    let late = late.grow(300);
    let late_answer = answer("late", "shop.lab", 0, 0)?;
    for epoch in [lost, 0, epoch + 1, u64::MAX] {
        let append = Append {
            epoch,
            previous_head: after,
            batch: Some(late.clone()),
            answers: vec![late_answer.clone()],
            extras: AppendExtras::default(),
        };
        let refused = store.append(append.clone()).await;
        check!(is_moved(&refused), "under {epoch}: {refused:?}");
        let refused = store.append(Append { batch: None, ..append }).await;
        check!(is_moved(&refused), "answers alone, under {epoch}: {refused:?}");
    }
    same_log(store.as_ref(), &chain.batches).await?;
    check_eq!(store.tile(0, 0).await, Ok(None), "a tile of a refused batch");
    check_eq!(store.answer(late_answer.sha256).await, Ok(None), "an answer of a refused batch");
    // The same batch by who has the lease.
    let (batch, answers) = (Some(late.clone()), vec![late_answer.clone()]);
    store
        .append(Append {
            epoch,
            previous_head: after,
            batch,
            answers,
            extras: AppendExtras::default(),
        })
        .await
        .map_err(unexpected_error)?;
    chain.batches.push(late);
    same_log(store.as_ref(), &chain.batches).await?;
    check_eq!(store.answer(late_answer.sha256).await, Ok(Some(late_answer)), "its answer");
    Ok(())
}

async fn moved(engine: &dyn Engine) -> CaseResult {
    let (_place, store) = opened(engine).await;
    let mut chain = SampleLog::new("ours");
    let epoch = lease(store.as_ref()).await?;
    let wrong: [fn(&mut Append); 7] = [
        |a| a.previous_head = Some(Digest::of(b"another head")),
        |a| a.batch.iter_mut().for_each(|b| b.batch += 1),
        |a| a.batch.iter_mut().for_each(|b| b.batch = b.batch.wrapping_sub(1)),
        |a| a.batch.iter_mut().for_each(|b| b.batch = u64::MAX),
        |a| a.batch.iter_mut().for_each(|b| b.first_index += 1),
        |a| a.batch.iter_mut().for_each(|b| b.first_index = b.first_index.wrapping_sub(1)),
        |a| a.batch.iter_mut().for_each(|b| b.first_index = u64::MAX),
    ];
    for round in 0..3 {
        let mut next = SampleLog::new("ours");
        (0..round).for_each(|_| drop(next.grow(5)));
        let good = Append {
            epoch,
            previous_head: chain.last(),
            batch: Some(next.grow(260)),
            answers: vec![answer("a", "shop.lab", 0, 0)?],
            extras: AppendExtras::default(),
        };
        for (number, change) in wrong.iter().enumerate() {
            let mut append = good.clone();
            change(&mut append);
            let refused = store.append(append).await;
            check!(is_moved(&refused), "round {round}, change {number}: {refused:?}");
        }
        // Heads of the past are not the last one, and nothing follows on nothing.
        for after in [None].into_iter().chain(chain.batches.iter().map(|b| Some(b.sth_sha256))) {
            if after != chain.last() {
                let refused = store.append(Append { previous_head: after, ..good.clone() }).await;
                check!(is_moved(&refused), "round {round}, after {after:?}: {refused:?}");
            }
        }
        same_log(store.as_ref(), &chain.batches).await?;
        check_eq!(store.tile(0, 0).await, Ok(None), "a tile of a refused batch");
        check_eq!(store.export_answers(None, 9).await, Ok(vec![]), "answers of refused batches");
        chain.put(store.as_ref(), epoch, 5).await?;
    }
    same_log(store.as_ref(), &chain.batches).await
}

async fn twice(engine: &dyn Engine) -> CaseResult {
    let (_place, store) = opened(engine).await;
    let mut chain = SampleLog::new("ours");
    let epoch = lease(store.as_ref()).await?;
    for _ in 0..3 {
        chain.put(store.as_ref(), epoch, 6).await?;
    }
    for earlier in chain.batches.clone() {
        for again in [earlier.entries.first(), earlier.entries.last()].into_iter().flatten() {
            let mut next = SampleLog::new("ours");
            (0..3).for_each(|_| drop(next.grow(6)));
            let mut batch = next.grow(300);
            batch.entries.push(again.clone());
            batch.entries.sort_by_key(|entry| entry.leaf);
            let answers = vec![answer("a", "shop.lab", 0, 0)?];
            let append = Append {
                epoch,
                previous_head: chain.last(),
                batch: Some(batch),
                answers,
                extras: AppendExtras::default(),
            };
            let refused = store.append(append).await;
            check!(is_moved(&refused), "a leaf of batch {}: {refused:?}", earlier.batch);
        }
    }
    check_eq!(store.tile(0, 0).await, Ok(None), "a tile of a refused batch");
    check_eq!(store.export_answers(None, 9).await, Ok(vec![]), "answers of refused batches");
    same_log(store.as_ref(), &chain.batches).await?;
    chain.put(store.as_ref(), epoch, 6).await?;
    same_log(store.as_ref(), &chain.batches).await
}

async fn unreadable(engine: &dyn Engine) -> CaseResult {
    let (_place, store) = opened(engine).await;
    let mut chain = SampleLog::new("ours");
    let epoch = lease(store.as_ref()).await?;
    let good = SampleLog::new("ours").grow(4);
    let long = |bytes: usize| {
        let content = noise(1, bytes);
        vec![LogEntry { leaf: leaf_hash(&content), kind: None, content }]
    };
    let mut wrong = vec![
        NewBatch { entries: vec![], ..good.clone() },
        NewBatch { entries: good.entries.iter().rev().cloned().collect(), ..good.clone() },
        NewBatch { entries: long(65_536), ..good.clone() },
    ];
    let mut other = good.clone();
    for entry in other.entries.iter_mut().take(1) {
        entry.content = Bytes::from_static(b"not what the leaf is of");
    }
    wrong.push(other);
    let hashes = Bytes::from(vec![0; LogTile::BYTES - 1]);
    wrong.push(NewBatch { tiles: vec![LogTile { level: 0, index: 0, hashes }], ..good.clone() });
    // Each entry fits, and together they are more than any store gives back.
    let mut large: Vec<LogEntry> = (0..257_u32)
        .map(|number| {
            let mut content = vec![b' '; 65_535];
            content.extend_from_slice(&number.to_be_bytes());
            let content = Bytes::from(content).slice(4..);
            LogEntry { leaf: leaf_hash(&content), kind: None, content }
        })
        .collect();
    large.sort_by_key(|entry| entry.leaf);
    wrong.push(NewBatch { entries: large, ..good });
    for (number, batch) in wrong.into_iter().enumerate() {
        let append = Append {
            epoch,
            previous_head: None,
            batch: Some(batch),
            answers: vec![],
            extras: AppendExtras::default(),
        };
        let refused = store.append(append).await;
        check!(refused.is_err() && !is_moved(&refused), "number {number}: {refused:?}");
    }
    same_log(store.as_ref(), &[]).await?;
    // The longest that is allowed comes back.
    let mut batch = chain.grow(1);
    batch.entries = long(65_535);
    let append = Append {
        epoch,
        previous_head: None,
        batch: Some(batch.clone()),
        answers: vec![],
        extras: AppendExtras::default(),
    };
    store.append(append).await.map_err(unexpected_error)?;
    same_log(store.as_ref(), &[batch]).await
}

async fn one_winner(engine: &dyn Engine) -> CaseResult {
    let (_place, store) = opened(engine).await;
    let epoch = lease(store.as_ref()).await?;
    let mut batches: Vec<NewBatch> = Vec::new();
    let mut size = 0;
    for round in 0..40 {
        let after = batches.last().map(|batch| batch.sth_sha256);
        let contenders: Vec<NewBatch> = ["left", "middle", "right"]
            .into_iter()
            .map(|name| {
                let mut chain = SampleLog::new(name);
                (0..round).for_each(|_| drop(chain.grow(2)));
                NewBatch { tiles: vec![], first_index: size, ..chain.grow(2) }
            })
            .collect();
        let appends = contenders.iter().map(|batch| {
            let batch = Some(batch.clone());
            store.append(Append {
                epoch,
                previous_head: after,
                batch,
                answers: vec![],
                extras: AppendExtras::default(),
            })
        });
        let results = join_all(appends).await;
        let winners: Vec<&NewBatch> = contenders
            .iter()
            .zip(&results)
            .filter(|(_, result)| result.is_ok())
            .map(|(batch, _)| batch)
            .collect();
        let [winner] = winners[..] else { return Err(format!("round {round}: {results:?}")) };
        check!(
            results.iter().all(|result| result.is_ok() || is_moved(result)),
            "round {round}: {results:?}"
        );
        size += 2;
        batches.push(winner.clone());
    }
    same_log(store.as_ref(), &batches).await
}

const GROWTH: u64 = 40;

/// Readers read while the log grows. They may see the state before or after an append, but never an
/// error.
async fn growing(engine: &dyn Engine) -> CaseResult {
    let (_place, store) = opened(engine).await;
    let epoch = lease(store.as_ref()).await?;
    let mut chain = SampleLog::new("ours");
    let mut whole = SampleLog::new("ours");
    (0..GROWTH).for_each(|_| drop(whole.grow(8)));
    let write = async {
        for _ in 0..GROWTH {
            chain.put(store.as_ref(), epoch, 8).await?;
        }
        Ok::<(), String>(())
    };
    let read = async {
        loop {
            let last = store.last_batch().await.map_err(unexpected_error)?;
            let next = last.as_ref().map_or(0, |last| last.batch + 1);
            let size = last.as_ref().map_or(0, |last| last.tree_size());
            // Just beyond the end, where an append may come between two questions.
            let (batch, at) = join(store.batch(next), store.batch_at(size)).await;
            let (entries, tile) = join(store.log_entries(size, 9), store.tile(0, size / 256)).await;
            for found in [batch.map_err(unexpected_error)?, at.map_err(unexpected_error)?]
                .into_iter()
                .flatten()
            {
                check_eq!(Some(&found.leaves), leaves(&whole, found.batch).as_ref(), "a batch");
            }
            let found = entries.map_err(unexpected_error)?.len();
            check!(found == 0 || found >= 8, "{found} entries of whole batches");
            tile.map_err(unexpected_error)?;
            if next >= GROWTH {
                return Ok::<(), String>(());
            }
        }
    };
    let (written, seen) = join(write, read).await;
    written.and(seen)?;
    same_log(store.as_ref(), &whole.batches).await
}

fn leaves(chain: &SampleLog, batch: u64) -> Option<Vec<Digest>> {
    let batch = chain.batches.get(usize::try_from(batch).ok()?)?;
    Some(batch.to_stored().leaves)
}

async fn places(engine: &dyn Engine) -> CaseResult {
    let (_place, store) = opened(engine).await;
    let epoch = lease(store.as_ref()).await?;
    let mut chain = SampleLog::new("ours");
    for count in [5, 1, 7] {
        chain.put(store.as_ref(), epoch, count).await?;
    }
    let other = SampleLog::new("other").grow(6).to_stored().leaves;
    let own: Vec<Digest> =
        chain.batches.iter().flat_map(|batch| batch.to_stored().leaves).collect();
    // Backwards, with strangers between, and one of them twice.
    let mut leaves = Vec::new();
    let mut expected = Vec::new();
    for (index, leaf) in own.iter().enumerate().rev() {
        leaves.push(*leaf);
        expected.push(Some(index as u64));
        if let Some(stranger) = other.get(index) {
            leaves.push(*stranger);
            expected.push(None);
        }
    }
    leaves.extend(own.first());
    expected.push(Some(0));
    same_as("places", store.leaf_indexes(leaves).await, &expected)?;
    check_eq!(store.leaf_indexes(vec![]).await, Ok(vec![]), "places of nothing");
    for (batch, index) in [(0, 0), (0, 4), (1, 5), (2, 6), (2, 12)] {
        let found = store.batch_at(index).await.map_err(unexpected_error)?;
        check_eq!(found.map(|found| found.batch), Some(batch), "the batch at {index}");
    }
    check_eq!(store.batch_at(13).await, Ok(None), "the batch past the end");
    Ok(())
}

async fn entries(engine: &dyn Engine) -> CaseResult {
    let (_place, store) = opened(engine).await;
    let epoch = lease(store.as_ref()).await?;
    let mut chain = SampleLog::new("ours");
    for count in [3, 1, 4, 2] {
        chain.put(store.as_ref(), epoch, count).await?;
    }
    let all: Vec<Bytes> =
        chain.batches.iter().flat_map(|b| &b.entries).map(|e| e.content.clone()).collect();
    for from in 0..=all.len() + 1 {
        for limit in 0..=all.len() + 1 {
            let expected: Vec<Bytes> = all.iter().skip(from).take(limit).cloned().collect();
            let got = store.log_entries(from as u64, limit).await;
            same_as(&format!("{limit} entries from {from}"), got, &expected)?;
        }
    }
    check_eq!(store.log_entries(u64::MAX, usize::MAX).await, Ok(vec![]), "far past the end");
    Ok(())
}

async fn heads(engine: &dyn Engine) -> CaseResult {
    let (_place, store) = opened(engine).await;
    let epoch = lease(store.as_ref()).await?;
    let mut chain = SampleLog::new("ours");
    for _ in 0..7 {
        chain.put(store.as_ref(), epoch, 2).await?;
    }
    let all: Vec<Bytes> = chain.batches.iter().map(|batch| batch.sth.clone()).collect();
    for from in 0..9 {
        for limit in 0..9 {
            let expected: Vec<Bytes> = all.iter().skip(from).take(limit).cloned().collect();
            let got = store.heads(from as u64, limit).await;
            same_as(&format!("{limit} heads from {from}"), got, &expected)?;
        }
    }
    check_eq!(store.heads(u64::MAX, usize::MAX).await, Ok(vec![]), "far past the end");
    Ok(())
}

async fn kinds_and_tiles(engine: &dyn Engine) -> CaseResult {
    let (location, store) = opened(engine).await;
    let epoch = lease(store.as_ref()).await?;
    let mut batch = SampleLog::new("ours").grow(120);
    // A tile that no tree of this size has: engines store tiles unchecked.
    let high = LogTile { level: 5, index: 1 << 40, hashes: noise(3, LogTile::BYTES) };
    batch.tiles.push(high.clone());
    let append = Append {
        epoch,
        previous_head: None,
        batch: Some(batch.clone()),
        answers: vec![],
        extras: AppendExtras::default(),
    };
    store.append(append).await.map_err(unexpected_error)?;
    drop(store);
    let store = location.open().await;
    same_log(store.as_ref(), &[batch]).await?;
    for kind in ["", "buil", "BUILD", "build ", "' OR 1=1 --", "%"] {
        check_eq!(store.entries_of_kind(kind).await, Ok(vec![]), "kind {kind:?}");
    }
    let builds = store.entries_of_kind("build").await.map_err(unexpected_error)?;
    check_eq!(builds.len(), 3, "entries of a kind");
    check!(builds.is_sorted(), "entries of a kind, oldest first: {builds:?}");
    for (level, index) in [(5, (1 << 40) + 1), (4, 1 << 40), (0, 0), (u8::MAX, u64::MAX)] {
        check_eq!(store.tile(level, index).await, Ok(None), "tile {index} of level {level}");
    }
    Ok(())
}

async fn cosignatures(engine: &dyn Engine) -> CaseResult {
    let (location, store) = opened(engine).await;
    let cosigned = |tree_size: u64, witness: &str, line: &str| Cosignature {
        tree_size,
        witness: witness.to_owned(),
        line: line.to_owned(),
        at: at(i64::try_from(tree_size).unwrap_or(0)),
    };
    let first = vec![cosigned(5, "b.lab", "— b.lab eins\n"), cosigned(5, "a.lab", "— a.lab one")];
    store.put_cosignatures(first.clone()).await.map_err(unexpected_error)?;
    check_eq!(store.last_cosigned().await, Ok(Some(5)), "the last size");
    // One is new, one is said again in other words: what was said first stays.
    let second = vec![cosigned(5, "a.lab", "other words"), cosigned(9, "a.lab", "of nine")];
    store.put_cosignatures(second.clone()).await.map_err(unexpected_error)?;
    store.put_cosignatures(second.clone()).await.map_err(unexpected_error)?;
    store.put_cosignatures(vec![]).await.map_err(unexpected_error)?;
    store.put_cosignatures(vec![cosigned(2, "c.lab", "of two")]).await.map_err(unexpected_error)?;
    drop(store);
    let store = location.open().await;
    let by_name: Vec<Cosignature> = first.into_iter().rev().collect();
    check_eq!(store.cosignatures(5).await, Ok(by_name), "of five");
    let nine: Vec<Cosignature> = second.into_iter().skip(1).collect();
    check_eq!(store.cosignatures(9).await, Ok(nine), "of nine");
    check_eq!(store.cosignatures(6).await, Ok(vec![]), "of a size between");
    check_eq!(store.last_cosigned().await, Ok(Some(9)), "the last size");
    for (from, limit, expected) in [
        (0, 9, &[2, 5, 9][..]),
        (0, 2, &[2, 5]),
        (2, 1, &[2]),
        (3, 9, &[5, 9]),
        (10, 9, &[]),
        (u64::MAX, 9, &[]),
    ] {
        same_as("cosigned sizes", store.cosigned_sizes(from, limit).await, expected)?;
    }
    Ok(())
}

async fn sightings(engine: &dyn Engine) -> CaseResult {
    let (location, store) = opened(engine).await;
    let sighting = |sth: &'static str, ms: i64| ContradictingHead {
        sth_sha256: Digest::of(sth.as_bytes()),
        batch: 7,
        seen_at: at(ms),
        sth: Bytes::from_static(sth.as_bytes()),
        why: format!("{sth} is not our 'batch' 7"),
    };
    store.put_contradicting_head(sighting("later", 2)).await.map_err(unexpected_error)?;
    store.put_contradicting_head(sighting("earlier", 1)).await.map_err(unexpected_error)?;
    store.put_contradicting_head(sighting("later", 9)).await.map_err(unexpected_error)?;
    drop(store);
    let store = location.open().await;
    let expected = vec![sighting("earlier", 1), sighting("later", 2)];
    check_eq!(store.contradicting_heads().await, Ok(expected), "sightings");
    Ok(())
}

async fn damaged(engine: &dyn Engine) -> CaseResult {
    let parts = [
        LogPart::Head { batch: 1 },
        LogPart::Leaves { batch: 1 },
        LogPart::Contents { batch: 1 },
        LogPart::Tile { level: 0, index: 0 },
        LogPart::Answer { sha256: Digest::of(b"a") },
    ];
    for part in parts {
        let (location, store) = opened(engine).await;
        let epoch = lease(store.as_ref()).await?;
        let mut chain = SampleLog::new("ours");
        for count in [3, 260, 4] {
            chain.put(store.as_ref(), epoch, count).await?;
        }
        let stored = answer("a", "shop.lab", 0, 1)?;
        let append = Append {
            epoch,
            previous_head: chain.last(),
            batch: None,
            answers: vec![stored.clone()],
            extras: AppendExtras::default(),
        };
        store.append(append).await.map_err(unexpected_error)?;
        drop(store);
        location.damage_log(part).await;
        let store = location.open().await;
        let batch = chain.batches.get(1).ok_or("no batch")?;
        let in_batch = matches!(part, LogPart::Head { .. } | LogPart::Leaves { .. });
        let in_entries = in_batch || matches!(part, LogPart::Contents { .. });
        let by_number = store.batch(1).await;
        let by_index = store.batch_at(5).await;
        for got in [by_number, by_index] {
            let right = if in_batch { is_damage(&got) } else { got == Ok(Some(batch.to_stored())) };
            check!(right, "{part:?}, the batch: {got:?}");
        }
        let got = store.log_entries(3, 9).await;
        let expected: Vec<Bytes> =
            batch.entries.iter().take(9).map(|entry| entry.content.clone()).collect();
        let right = if in_entries { is_damage(&got) } else { got == Ok(expected) };
        check!(right, "{part:?}, its entries: {got:?}");
        // Its neighbours are as they were.
        let first = chain.batches.first().map(NewBatch::to_stored);
        check_eq!(store.batch(0).await, Ok(first), "{part:?}, the batch before");
        check_eq!(store.last_batch().await.map(|l| l.map(|l| l.batch)), Ok(Some(2)), "the last");

        let tile = batch.tiles.first().ok_or("no tile")?;
        let got = store.tile(0, 0).await;
        let hit = matches!(part, LogPart::Tile { .. });
        let right = if hit { is_damage(&got) } else { got == Ok(Some(tile.hashes.clone())) };
        check!(right, "{part:?}, the tile: {got:?}");

        let hit = matches!(part, LogPart::Answer { .. });
        let by_digest = store.answer(stored.sha256).await;
        let by_domain = store.latest_answer(&stored.domain).await;
        for got in [by_digest, by_domain] {
            let right = if hit { is_damage(&got) } else { got == Ok(Some(stored.clone())) };
            check!(right, "{part:?}, the answer: {got:?}");
        }
        let got = store.export_answers(None, 9).await;
        let right = if hit { is_damage(&got) } else { got == Ok(vec![stored]) };
        check!(right, "{part:?}, all answers: {got:?}");
        // `heads` is not tested: it returns stored bytes unchecked, and callers verify each head's
        // digest and signature.
    }
    Ok(())
}

fn is_damage<T>(result: &Result<T, StoreError>) -> bool {
    matches!(result, Err(StoreError::Damaged { .. }))
}
