//! Cases for the transparency log.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::{join, join_all};
use proof::tree::leaf_hash;

use super::chain::{Chain, LEASE_MS, answer, lease, same_log};
use super::samples::{at, noise, same_as};
use super::{Case, CaseResult, Engine, LogPart, Place, holds, same, text};
use crate::{
    Append, Beside, Cosignature, Digest, Leasing, LogEntry, LogTile, NewBatch, Sighting, Store,
    StoreError,
};

pub(super) const CASES: &[(&str, Case)] = &[
    ("a log comes back byte for byte, also after reopening", |e| Box::pin(comes_back(e))),
    ("an empty log has nothing", |e| Box::pin(empty(e))),
    ("the log's lease is one holder's at a time", |e| Box::pin(leasing(e))),
    ("whoever lost the lease cannot append", |e| Box::pin(fenced(e))),
    ("an append that does not follow on the log leaves nothing", |e| Box::pin(moved(e))),
    ("a leaf that is in the log already is refused with its batch", |e| Box::pin(twice(e))),
    ("what could not be read again is refused", |e| Box::pin(unreadable(e))),
    ("of two appends after the same head, one wins", |e| Box::pin(one_winner(e))),
    ("a log that grows is whole to whoever reads it", |e| Box::pin(growing(e))),
    ("leaves are found in the order asked", |e| Box::pin(places(e))),
    ("entries are cut at every place", |e| Box::pin(entries(e))),
    ("heads page through the log", |e| Box::pin(heads(e))),
    ("kinds and tiles are kept as they were given", |e| Box::pin(kinds_and_tiles(e))),
    ("a witness speaks of a size once", |e| Box::pin(cosignatures(e))),
    ("a sighting is kept once", |e| Box::pin(sightings(e))),
    ("a damaged log is an error", |e| Box::pin(damaged(e))),
];

async fn opened(engine: &dyn Engine) -> (Box<dyn Place>, Arc<dyn Store>) {
    let place = engine.new_place().await;
    let store = place.open().await;
    (place, store)
}

fn is_moved<T>(result: &Result<T, StoreError>) -> bool {
    matches!(result, Err(StoreError::Moved { .. }))
}

async fn comes_back(engine: &dyn Engine) -> CaseResult {
    let (place, store) = opened(engine).await;
    let mut chain = Chain::new("ours");
    let epoch = lease(store.as_ref()).await?;
    // Around the borders of tiles, and more than one of them in a batch.
    for leaves in [1, 4, 250, 1, 1, 255, 600, 2] {
        chain.put(store.as_ref(), epoch, leaves).await?;
    }
    let tiles: usize = chain.batches.iter().map(|batch| batch.tiles.len()).sum();
    same!(tiles, 4, "the case has tiles");
    same_log(store.as_ref(), &chain.batches).await?;
    drop(store);
    let store = place.open().await;
    same_log(store.as_ref(), &chain.batches).await?;
    // And it goes on from there.
    let epoch = lease(store.as_ref()).await?;
    chain.put(store.as_ref(), epoch, 9).await?;
    same_log(store.as_ref(), &chain.batches).await
}

async fn empty(engine: &dyn Engine) -> CaseResult {
    let (_place, store) = opened(engine).await;
    same_log(store.as_ref(), &[]).await?;
    same!(store.log_entries(7, 7).await, Ok(vec![]), "entries");
    same!(store.heads(7, 7).await, Ok(vec![]), "heads");
    same!(store.leaf_places(vec![Digest::of(b"x")]).await, Ok(vec![None]), "places");
    same!(store.leaf_kinds(vec![Digest::of(b"x")]).await, Ok(vec![None]), "kinds");
    same!(store.entries_of_kind("build").await, Ok(vec![]), "entries of a kind");
    same!(store.tile(0, 0).await, Ok(None), "a tile");
    same!(store.cosignatures(0).await, Ok(vec![]), "cosignatures");
    same!(store.cosigned_sizes(0, 9).await, Ok(vec![]), "cosigned sizes");
    same!(store.last_cosigned().await, Ok(None), "the last cosigned size");
    same!(store.sightings().await, Ok(vec![]), "sightings");
    Ok(())
}

async fn leasing(engine: &dyn Engine) -> CaseResult {
    let (place, store) = opened(engine).await;
    let take = |holder: &'static str, now: i64, until: i64| {
        let store = Arc::clone(&store);
        async move { store.take_log_lease(holder, at(now), at(until)).await.map_err(text) }
    };
    let epoch_of = |leasing: Leasing| match leasing {
        Leasing::Taken { epoch } => Ok(epoch),
        held @ Leasing::Held { .. } => Err(format!("refused: {held:?}")),
    };
    let first = epoch_of(take("one", 0, 100).await?)?;
    same!(epoch_of(take("one", 50, 200).await?)?, first, "the number after renewing");
    let held = Leasing::Held { until: at(200) };
    same!(take("two", 100, 900).await?, held, "when the first term was over");
    same!(take("two", 199, 900).await?, held, "a moment before it runs out");
    let second = epoch_of(take("two", 200, 300).await?)?;
    holds!(second > first, "the number {second} after {first}");
    same!(take("one", 250, 900).await?, Leasing::Held { until: at(300) }, "by who lost it");
    let third = epoch_of(take("one", 300, 1_000_000).await?)?;
    holds!(third > second, "the number {third} after {second}");
    // Given back by taking it for no time at all.
    same!(epoch_of(take("one", 400, 400).await?)?, third, "the number after giving it back");
    let fourth = epoch_of(take("two", 400, 1_000_000).await?)?;
    holds!(fourth > third, "the number {fourth} after {third}");
    drop(store);
    // Whether the engine knows that the holder is gone, or waits until the lease runs out.
    let store = place.open().await;
    let again = store.take_log_lease("three", at(500), at(600)).await.map_err(text)?;
    let again = match again {
        Leasing::Taken { epoch } => epoch,
        Leasing::Held { until } => {
            same!(until, at(1_000_000), "the end of the lease after reopening");
            let later = store.take_log_lease("three", at(1_000_000), at(1_000_001)).await;
            epoch_of(later.map_err(text)?)?
        }
    };
    holds!(again > fourth, "the number {again} after {fourth}, reopened");
    Ok(())
}

async fn fenced(engine: &dyn Engine) -> CaseResult {
    let (_place, store) = opened(engine).await;
    let mut chain = Chain::new("ours");
    let lost = lease(store.as_ref()).await?;
    chain.put(store.as_ref(), lost, 3).await?;
    let leasing = store.take_log_lease("they", at(LEASE_MS), at(2 * LEASE_MS)).await;
    let Ok(Leasing::Taken { epoch }) = leasing else { return Err(format!("{leasing:?}")) };
    let after = chain.last();
    let mut late = Chain::new("ours");
    late.grow(3);
    let late = late.grow(300);
    let late_answer = answer("late", "shop.lab", 0, 0)?;
    for epoch in [lost, 0, epoch + 1, u64::MAX] {
        let append = Append {
            epoch,
            after,
            batch: Some(late.clone()),
            answers: vec![late_answer.clone()],
            beside: Beside::default(),
        };
        let refused = store.append(append.clone()).await;
        holds!(is_moved(&refused), "under {epoch}: {refused:?}");
        let refused = store.append(Append { batch: None, ..append }).await;
        holds!(is_moved(&refused), "answers alone, under {epoch}: {refused:?}");
    }
    same_log(store.as_ref(), &chain.batches).await?;
    same!(store.tile(0, 0).await, Ok(None), "a tile of a refused batch");
    same!(store.answer(late_answer.sha256).await, Ok(None), "an answer of a refused batch");
    // The same batch by who has the lease.
    let (batch, answers) = (Some(late.clone()), vec![late_answer.clone()]);
    store
        .append(Append { epoch, after, batch, answers, beside: Beside::default() })
        .await
        .map_err(text)?;
    chain.batches.push(late);
    same_log(store.as_ref(), &chain.batches).await?;
    same!(store.answer(late_answer.sha256).await, Ok(Some(late_answer)), "its answer");
    Ok(())
}

async fn moved(engine: &dyn Engine) -> CaseResult {
    let (_place, store) = opened(engine).await;
    let mut chain = Chain::new("ours");
    let epoch = lease(store.as_ref()).await?;
    let wrong: [fn(&mut Append); 7] = [
        |a| a.after = Some(Digest::of(b"another head")),
        |a| a.batch.iter_mut().for_each(|b| b.batch += 1),
        |a| a.batch.iter_mut().for_each(|b| b.batch = b.batch.wrapping_sub(1)),
        |a| a.batch.iter_mut().for_each(|b| b.batch = u64::MAX),
        |a| a.batch.iter_mut().for_each(|b| b.first_index += 1),
        |a| a.batch.iter_mut().for_each(|b| b.first_index = b.first_index.wrapping_sub(1)),
        |a| a.batch.iter_mut().for_each(|b| b.first_index = u64::MAX),
    ];
    for round in 0..3 {
        let mut next = Chain::new("ours");
        (0..round).for_each(|_| drop(next.grow(5)));
        let good = Append {
            epoch,
            after: chain.last(),
            batch: Some(next.grow(260)),
            answers: vec![answer("a", "shop.lab", 0, 0)?],
            beside: Beside::default(),
        };
        for (number, change) in wrong.iter().enumerate() {
            let mut append = good.clone();
            change(&mut append);
            let refused = store.append(append).await;
            holds!(is_moved(&refused), "round {round}, change {number}: {refused:?}");
        }
        // Heads of the past are not the last one, and nothing follows on nothing.
        for after in [None].into_iter().chain(chain.batches.iter().map(|b| Some(b.sth_sha256))) {
            if after != chain.last() {
                let refused = store.append(Append { after, ..good.clone() }).await;
                holds!(is_moved(&refused), "round {round}, after {after:?}: {refused:?}");
            }
        }
        same_log(store.as_ref(), &chain.batches).await?;
        same!(store.tile(0, 0).await, Ok(None), "a tile of a refused batch");
        same!(store.export_answers(None, 9).await, Ok(vec![]), "answers of refused batches");
        chain.put(store.as_ref(), epoch, 5).await?;
    }
    same_log(store.as_ref(), &chain.batches).await
}

async fn twice(engine: &dyn Engine) -> CaseResult {
    let (_place, store) = opened(engine).await;
    let mut chain = Chain::new("ours");
    let epoch = lease(store.as_ref()).await?;
    for _ in 0..3 {
        chain.put(store.as_ref(), epoch, 6).await?;
    }
    for earlier in chain.batches.clone() {
        for again in [earlier.entries.first(), earlier.entries.last()].into_iter().flatten() {
            let mut next = Chain::new("ours");
            (0..3).for_each(|_| drop(next.grow(6)));
            let mut batch = next.grow(300);
            batch.entries.push(again.clone());
            batch.entries.sort_by_key(|entry| entry.leaf);
            let answers = vec![answer("a", "shop.lab", 0, 0)?];
            let append = Append {
                epoch,
                after: chain.last(),
                batch: Some(batch),
                answers,
                beside: Beside::default(),
            };
            let refused = store.append(append).await;
            holds!(is_moved(&refused), "a leaf of batch {}: {refused:?}", earlier.batch);
        }
    }
    same!(store.tile(0, 0).await, Ok(None), "a tile of a refused batch");
    same!(store.export_answers(None, 9).await, Ok(vec![]), "answers of refused batches");
    same_log(store.as_ref(), &chain.batches).await?;
    chain.put(store.as_ref(), epoch, 6).await?;
    same_log(store.as_ref(), &chain.batches).await
}

async fn unreadable(engine: &dyn Engine) -> CaseResult {
    let (_place, store) = opened(engine).await;
    let mut chain = Chain::new("ours");
    let epoch = lease(store.as_ref()).await?;
    let good = Chain::new("ours").grow(4);
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
            after: None,
            batch: Some(batch),
            answers: vec![],
            beside: Beside::default(),
        };
        let refused = store.append(append).await;
        holds!(refused.is_err() && !is_moved(&refused), "number {number}: {refused:?}");
    }
    same_log(store.as_ref(), &[]).await?;
    // The longest that is allowed comes back.
    let mut batch = chain.grow(1);
    batch.entries = long(65_535);
    let append = Append {
        epoch,
        after: None,
        batch: Some(batch.clone()),
        answers: vec![],
        beside: Beside::default(),
    };
    store.append(append).await.map_err(text)?;
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
                let mut chain = Chain::new(name);
                (0..round).for_each(|_| drop(chain.grow(2)));
                NewBatch { tiles: vec![], first_index: size, ..chain.grow(2) }
            })
            .collect();
        let appends = contenders.iter().map(|batch| {
            let batch = Some(batch.clone());
            store.append(Append { epoch, after, batch, answers: vec![], beside: Beside::default() })
        });
        let results = join_all(appends).await;
        let winners: Vec<&NewBatch> = contenders
            .iter()
            .zip(&results)
            .filter(|(_, result)| result.is_ok())
            .map(|(batch, _)| batch)
            .collect();
        let [winner] = winners[..] else { return Err(format!("round {round}: {results:?}")) };
        holds!(
            results.iter().all(|result| result.is_ok() || is_moved(result)),
            "round {round}: {results:?}"
        );
        size += 2;
        batches.push(winner.clone());
    }
    same_log(store.as_ref(), &batches).await
}

const GROWTH: u64 = 40;

/// Readers ask while the log grows. What they are given may be of before or after an append, and
/// is never taken for damage.
async fn growing(engine: &dyn Engine) -> CaseResult {
    let (_place, store) = opened(engine).await;
    let epoch = lease(store.as_ref()).await?;
    let mut chain = Chain::new("ours");
    let mut whole = Chain::new("ours");
    (0..GROWTH).for_each(|_| drop(whole.grow(8)));
    let write = async {
        for _ in 0..GROWTH {
            chain.put(store.as_ref(), epoch, 8).await?;
        }
        Ok::<(), String>(())
    };
    let read = async {
        loop {
            let last = store.last_batch().await.map_err(text)?;
            let next = last.as_ref().map_or(0, |last| last.batch + 1);
            let size = last.as_ref().map_or(0, |last| last.tree_size());
            // Just beyond the end, where an append may come between two questions.
            let (batch, at) = join(store.batch(next), store.batch_at(size)).await;
            let (entries, tile) = join(store.log_entries(size, 9), store.tile(0, size / 256)).await;
            for found in [batch.map_err(text)?, at.map_err(text)?].into_iter().flatten() {
                same!(Some(&found.leaves), leaves(&whole, found.batch).as_ref(), "a batch");
            }
            let found = entries.map_err(text)?.len();
            holds!(found == 0 || found >= 8, "{found} entries of whole batches");
            tile.map_err(text)?;
            if next >= GROWTH {
                return Ok::<(), String>(());
            }
        }
    };
    let (written, seen) = join(write, read).await;
    written.and(seen)?;
    same_log(store.as_ref(), &whole.batches).await
}

fn leaves(chain: &Chain, batch: u64) -> Option<Vec<Digest>> {
    let batch = chain.batches.get(usize::try_from(batch).ok()?)?;
    Some(batch.kept().leaves)
}

async fn places(engine: &dyn Engine) -> CaseResult {
    let (_place, store) = opened(engine).await;
    let epoch = lease(store.as_ref()).await?;
    let mut chain = Chain::new("ours");
    for count in [5, 1, 7] {
        chain.put(store.as_ref(), epoch, count).await?;
    }
    let other = Chain::new("other").grow(6).kept().leaves;
    let own: Vec<Digest> = chain.batches.iter().flat_map(|batch| batch.kept().leaves).collect();
    // Backwards, with strangers between, and one of them twice.
    let mut asked = Vec::new();
    let mut expected = Vec::new();
    for (place, leaf) in own.iter().enumerate().rev() {
        asked.push(*leaf);
        expected.push(Some(place as u64));
        if let Some(stranger) = other.get(place) {
            asked.push(*stranger);
            expected.push(None);
        }
    }
    asked.extend(own.first());
    expected.push(Some(0));
    same_as("places", store.leaf_places(asked).await, &expected)?;
    same!(store.leaf_places(vec![]).await, Ok(vec![]), "places of nothing");
    for (batch, index) in [(0, 0), (0, 4), (1, 5), (2, 6), (2, 12)] {
        let found = store.batch_at(index).await.map_err(text)?;
        same!(found.map(|found| found.batch), Some(batch), "the batch at {index}");
    }
    same!(store.batch_at(13).await, Ok(None), "the batch past the end");
    Ok(())
}

async fn entries(engine: &dyn Engine) -> CaseResult {
    let (_place, store) = opened(engine).await;
    let epoch = lease(store.as_ref()).await?;
    let mut chain = Chain::new("ours");
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
    same!(store.log_entries(u64::MAX, usize::MAX).await, Ok(vec![]), "far past the end");
    Ok(())
}

async fn heads(engine: &dyn Engine) -> CaseResult {
    let (_place, store) = opened(engine).await;
    let epoch = lease(store.as_ref()).await?;
    let mut chain = Chain::new("ours");
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
    same!(store.heads(u64::MAX, usize::MAX).await, Ok(vec![]), "far past the end");
    Ok(())
}

async fn kinds_and_tiles(engine: &dyn Engine) -> CaseResult {
    let (place, store) = opened(engine).await;
    let epoch = lease(store.as_ref()).await?;
    let mut batch = Chain::new("ours").grow(120);
    // A tile that no tree of this size has: an engine keeps what it is given.
    let high = LogTile { level: 5, index: 1 << 40, hashes: noise(3, LogTile::BYTES) };
    batch.tiles.push(high.clone());
    let append = Append {
        epoch,
        after: None,
        batch: Some(batch.clone()),
        answers: vec![],
        beside: Beside::default(),
    };
    store.append(append).await.map_err(text)?;
    drop(store);
    let store = place.open().await;
    same_log(store.as_ref(), &[batch]).await?;
    for kind in ["", "buil", "BUILD", "build ", "' OR 1=1 --", "%"] {
        same!(store.entries_of_kind(kind).await, Ok(vec![]), "kind {kind:?}");
    }
    let builds = store.entries_of_kind("build").await.map_err(text)?;
    same!(builds.len(), 3, "entries of a kind");
    holds!(builds.is_sorted(), "entries of a kind, oldest first: {builds:?}");
    for (level, index) in [(5, (1 << 40) + 1), (4, 1 << 40), (0, 0), (u8::MAX, u64::MAX)] {
        same!(store.tile(level, index).await, Ok(None), "tile {index} of level {level}");
    }
    Ok(())
}

async fn cosignatures(engine: &dyn Engine) -> CaseResult {
    let (place, store) = opened(engine).await;
    let cosigned = |tree_size: u64, witness: &str, line: &str| Cosignature {
        tree_size,
        witness: witness.to_owned(),
        line: line.to_owned(),
        at: at(i64::try_from(tree_size).unwrap_or(0)),
    };
    let first = vec![cosigned(5, "b.lab", "— b.lab eins\n"), cosigned(5, "a.lab", "— a.lab one")];
    store.put_cosignatures(first.clone()).await.map_err(text)?;
    same!(store.last_cosigned().await, Ok(Some(5)), "the last size");
    // One is new, one is said again in other words: what was said first stays.
    let second = vec![cosigned(5, "a.lab", "other words"), cosigned(9, "a.lab", "of nine")];
    store.put_cosignatures(second.clone()).await.map_err(text)?;
    store.put_cosignatures(second.clone()).await.map_err(text)?;
    store.put_cosignatures(vec![]).await.map_err(text)?;
    store.put_cosignatures(vec![cosigned(2, "c.lab", "of two")]).await.map_err(text)?;
    drop(store);
    let store = place.open().await;
    let by_name: Vec<Cosignature> = first.into_iter().rev().collect();
    same!(store.cosignatures(5).await, Ok(by_name), "of five");
    let nine: Vec<Cosignature> = second.into_iter().skip(1).collect();
    same!(store.cosignatures(9).await, Ok(nine), "of nine");
    same!(store.cosignatures(6).await, Ok(vec![]), "of a size between");
    same!(store.last_cosigned().await, Ok(Some(9)), "the last size");
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
    let (place, store) = opened(engine).await;
    let sighting = |sth: &'static str, ms: i64| Sighting {
        sth_sha256: Digest::of(sth.as_bytes()),
        batch: 7,
        seen_at: at(ms),
        sth: Bytes::from_static(sth.as_bytes()),
        why: format!("{sth} is not our 'batch' 7"),
    };
    store.put_sighting(sighting("later", 2)).await.map_err(text)?;
    store.put_sighting(sighting("earlier", 1)).await.map_err(text)?;
    store.put_sighting(sighting("later", 9)).await.map_err(text)?;
    drop(store);
    let store = place.open().await;
    let expected = vec![sighting("earlier", 1), sighting("later", 2)];
    same!(store.sightings().await, Ok(expected), "sightings");
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
        let (place, store) = opened(engine).await;
        let epoch = lease(store.as_ref()).await?;
        let mut chain = Chain::new("ours");
        for count in [3, 260, 4] {
            chain.put(store.as_ref(), epoch, count).await?;
        }
        let kept = answer("a", "shop.lab", 0, 1)?;
        let append = Append {
            epoch,
            after: chain.last(),
            batch: None,
            answers: vec![kept.clone()],
            beside: Beside::default(),
        };
        store.append(append).await.map_err(text)?;
        drop(store);
        place.damage_log(part).await;
        let store = place.open().await;
        let batch = chain.batches.get(1).ok_or("no batch")?;
        let in_batch = matches!(part, LogPart::Head { .. } | LogPart::Leaves { .. });
        let in_entries = in_batch || matches!(part, LogPart::Contents { .. });
        let by_number = store.batch(1).await;
        let by_index = store.batch_at(5).await;
        for got in [by_number, by_index] {
            let right = if in_batch { is_damage(&got) } else { got == Ok(Some(batch.kept())) };
            holds!(right, "{part:?}, the batch: {got:?}");
        }
        let got = store.log_entries(3, 9).await;
        let expected: Vec<Bytes> =
            batch.entries.iter().take(9).map(|entry| entry.content.clone()).collect();
        let right = if in_entries { is_damage(&got) } else { got == Ok(expected) };
        holds!(right, "{part:?}, its entries: {got:?}");
        // Its neighbours are as they were.
        let first = chain.batches.first().map(NewBatch::kept);
        same!(store.batch(0).await, Ok(first), "{part:?}, the batch before");
        same!(store.last_batch().await.map(|l| l.map(|l| l.batch)), Ok(Some(2)), "the last");

        let tile = batch.tiles.first().ok_or("no tile")?;
        let got = store.tile(0, 0).await;
        let hit = matches!(part, LogPart::Tile { .. });
        let right = if hit { is_damage(&got) } else { got == Ok(Some(tile.hashes.clone())) };
        holds!(right, "{part:?}, the tile: {got:?}");

        let hit = matches!(part, LogPart::Answer { .. });
        let by_digest = store.answer(kept.sha256).await;
        let by_domain = store.latest_answer(&kept.domain).await;
        for got in [by_digest, by_domain] {
            let right = if hit { is_damage(&got) } else { got == Ok(Some(kept.clone())) };
            holds!(right, "{part:?}, the answer: {got:?}");
        }
        let got = store.export_answers(None, 9).await;
        let right = if hit { is_damage(&got) } else { got == Ok(vec![kept]) };
        holds!(right, "{part:?}, all answers: {got:?}");
        // `heads` is not asked: it gives bytes as they lie on the disk, and whoever is given a
        // head checks its digest and signature.
    }
    Ok(())
}

fn is_damage<T>(result: &Result<T, StoreError>) -> bool {
    matches!(result, Err(StoreError::Damaged { .. }))
}
