//! Moving the log: batch by batch in its order, then what rests on it.

use contract::Clock;

use super::{CopyReport, beside};
use crate::{
    Append, Beside, Digest, KeptAnswer, KeptBatch, Leasing, LogEntry, LogTile, NewBatch, Store,
    StoreError,
};

/// Answers that are read, and written, at a time.
const PAGE: usize = 64;
/// Renewed with every batch and page, so it need only outlive one.
const LEASE_MS: i64 = 60_000;
const HOLDER: &str = "a copy from another store";

/// Refuses a target whose log is not the source's, nor a beginning of it, nor goes on from it. A
/// head names the one before it, so two logs with one head in common have all before in common.
pub(super) async fn compare(from: &dyn Store, to: &dyn Store) -> Result<(), StoreError> {
    let Some(there) = to.last_batch().await? else { return Ok(()) };
    let ours = async {
        let Some(last) = from.last_batch().await? else { return Ok(None) };
        from.batch(last.batch.min(there.batch)).await
    };
    // Damage in the source is told when the copy comes to it.
    let ours = match ours.await {
        Ok(None) | Err(StoreError::Damaged { .. }) => return Ok(()),
        ours => ours?,
    };
    let number = ours.as_ref().map_or(0, |ours| ours.batch);
    if ours == to.batch(number).await? { Ok(()) } else { Err(another_log(number)) }
}

fn another_log(batch: u64) -> StoreError {
    StoreError::Duplicate { what: "batch of another log", id: batch.to_string() }
}

pub(super) async fn copy_log(
    from: &dyn Store,
    to: &dyn Store,
    clock: &dyn Clock,
    report: &mut CopyReport,
    progress: &mut (dyn FnMut(&CopyReport) + Send),
) -> Result<(), StoreError> {
    let mut target = Target { to, clock, epoch: None, last: to.last_batch().await? };
    let done = everything(from, &mut target, report, progress).await;
    // Also after a failure: whoever comes next need not wait for the term to end.
    let given_back = target.give_back().await;
    done.and(given_back)?;
    progress(report);
    Ok(())
}

async fn everything(
    from: &dyn Store,
    target: &mut Target<'_>,
    report: &mut CopyReport,
    progress: &mut (dyn FnMut(&CopyReport) + Send),
) -> Result<(), StoreError> {
    let damage = batches(from, target, report, progress).await?;
    let whole = damage.is_none();
    if let Some(damage) = damage {
        let count = target.last.as_ref().map_or(0, |last| last.batch.saturating_add(1));
        let so_far = format!("of the log, its first {count} batches were copied");
        report.damaged.push(format!("{damage}; {so_far}"));
    }
    answers(from, target, whole, report, progress).await?;
    beside::copy_changes(from, target, report).await?;
    progress(report);
    let mut size = 0;
    loop {
        let sizes = from.cosigned_sizes(size, PAGE).await?;
        let Some(last) = sizes.last() else { break };
        size = last.saturating_add(1);
        for size in sizes {
            let cosignatures = from.cosignatures(size).await?;
            let count = cosignatures.len() as u64;
            target.to.put_cosignatures(cosignatures).await?;
            report.cosignatures += count;
        }
        progress(report);
    }
    for sighting in from.sightings().await? {
        target.to.put_sighting(sighting).await?;
        report.sightings += 1;
    }
    Ok(())
}

/// Gives back what is damaged in the source and ended the copy, if anything did: no batch can
/// follow on one that is not there.
async fn batches(
    from: &dyn Store,
    target: &mut Target<'_>,
    report: &mut CopyReport,
    progress: &mut (dyn FnMut(&CopyReport) + Send),
) -> Result<Option<StoreError>, StoreError> {
    let end = match from.last_batch().await {
        // Its end is not known; the copy goes on until it comes there.
        Err(StoreError::Damaged { .. }) => u64::MAX,
        end => end?.map_or(0, |last| last.batch.saturating_add(1)),
    };
    let there = target.last.as_ref().map_or(0, |last| last.batch.saturating_add(1)).min(end);
    if let Some(number) = there.checked_sub(1) {
        let ours = match from.batch(number).await {
            Err(damage @ StoreError::Damaged { .. }) => return Ok(Some(damage)),
            ours => ours?,
        };
        if ours != target.to.batch(number).await? {
            return Err(another_log(number));
        }
    }
    report.batches += there;
    report.batches_already_there += there;
    for number in there..end {
        let batch = match read(from, number).await {
            Err(damage @ StoreError::Damaged { .. }) => return Ok(Some(damage)),
            batch => batch?,
        };
        target.append(Some(batch), vec![], Beside::default()).await?;
        report.batches += 1;
        progress(report);
    }
    Ok(None)
}

/// A batch with all that was put with it.
async fn read(from: &dyn Store, number: u64) -> Result<NewBatch, StoreError> {
    let missing = |what: String| StoreError::Damaged { what, why: String::from("it is missing") };
    let kept =
        from.batch(number).await?.ok_or_else(|| missing(format!("batch {number} of the log")))?;
    let contents = from.log_entries(kept.first_index, kept.leaves.len()).await?;
    let kinds = from.leaf_kinds(kept.leaves.clone()).await?;
    let mut tiles = Vec::new();
    for (level, index) in completed(kept.first_index, kept.tree_size()) {
        let what = || format!("tile {index} of level {level}");
        let hashes = from.tile(level, index).await?.ok_or_else(|| missing(what()))?;
        tiles.push(LogTile { level, index, hashes });
    }
    let (batch, first_index, sth_sha256) = (kept.batch, kept.first_index, kept.sth_sha256);
    let entries = kept.leaves.into_iter().zip(kinds).zip(contents);
    let entries = entries.map(|((leaf, kind), content)| LogEntry { leaf, kind, content }).collect();
    Ok(NewBatch { batch, first_index, sth_sha256, sth: kept.sth, entries, tiles })
}

/// The tiles that are complete in a tree of `new` leaves and were not in one of `old`.
fn completed(old: u64, new: u64) -> impl Iterator<Item = (u8, u64)> {
    // A level of tiles spans eight of the tree, and a number of leaves has 64 bits.
    (0..7_u8).flat_map(move |level| {
        let shift = (u32::from(level) + 1) * 8;
        (old >> shift..new >> shift).map(move |index| (level, index))
    })
}

async fn answers(
    from: &dyn Store,
    target: &mut Target<'_>,
    log_is_whole: bool,
    report: &mut CopyReport,
    progress: &mut (dyn FnMut(&CopyReport) + Send),
) -> Result<(), StoreError> {
    let size = target.last.as_ref().map_or(0, KeptBatch::tree_size);
    let (mut after, mut left_out) = (None, 0_u64);
    loop {
        let page = from.list_answers(after, PAGE).await?;
        let Some(last) = page.last() else { break };
        if after.is_some_and(|after| *last <= after) {
            // A damaged moment comes back as the last there is, page after page.
            report.damaged.push(format!("answer {} is kept under no moment", last.sha256));
            break;
        }
        after = Some(*last);
        let mut new = Vec::new();
        for listed in page {
            let answer = match from.answer(listed.sha256).await {
                Ok(Some(answer)) => answer,
                Ok(None) => {
                    let sha256 = listed.sha256;
                    report.damaged.push(format!("answer {sha256} is listed and cannot be found"));
                    continue;
                }
                Err(damage @ StoreError::Damaged { .. }) => {
                    report.damaged.push(damage.to_string());
                    continue;
                }
                Err(other) => return Err(other),
            };
            if answer.log_index >= size {
                // Put since the log was copied, unless the log was cut off before its place.
                left_out += 1;
                continue;
            }
            report.answers += 1;
            match target.to.answer(answer.sha256).await? {
                None => new.push(answer),
                Some(there) if there == answer => report.answers_already_there += 1,
                Some(_) => {
                    let id = answer.sha256.to_string();
                    return Err(StoreError::Duplicate { what: "different answer", id });
                }
            }
        }
        if !new.is_empty() {
            target.append(None, new, Beside::default()).await?;
        }
        progress(report);
    }
    if left_out > 0 && !log_is_whole {
        report.damaged.push(format!("{left_out} answers rest on batches that were not copied"));
    }
    Ok(())
}

/// The target's log while it grows.
pub(super) struct Target<'a> {
    pub(super) to: &'a dyn Store,
    clock: &'a dyn Clock,
    /// Nothing while the lease was not needed.
    epoch: Option<u64>,
    last: Option<KeptBatch>,
}

impl Target<'_> {
    pub(super) async fn append(
        &mut self,
        batch: Option<NewBatch>,
        answers: Vec<KeptAnswer>,
        beside: Beside,
    ) -> Result<(), StoreError> {
        let epoch = self.lease(LEASE_MS).await?;
        let kept = batch.as_ref().map(NewBatch::kept);
        let after: Option<Digest> = self.last.as_ref().map(|last| last.sth_sha256);
        self.to.append(Append { epoch, after, batch, answers, beside }).await?;
        self.last = kept.or(self.last.take());
        Ok(())
    }

    async fn lease(&mut self, term_ms: i64) -> Result<u64, StoreError> {
        let now = self.clock.now();
        match self.to.take_log_lease(HOLDER, now, now.plus_millis(term_ms)).await? {
            Leasing::Held { until } => {
                let why = format!("somebody else extends the target's log until {until}");
                Err(StoreError::Moved { why })
            }
            // A lease that was lost between and came back: somebody else may have written.
            Leasing::Taken { epoch } if self.epoch.is_some_and(|had| had != epoch) => {
                let why = String::from("somebody else took the target's lease in between");
                Err(StoreError::Moved { why })
            }
            Leasing::Taken { epoch } => {
                self.epoch = Some(epoch);
                Ok(epoch)
            }
        }
    }

    async fn give_back(&mut self) -> Result<(), StoreError> {
        if self.epoch.is_some() {
            self.lease(0).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_completes_the_tiles_whose_last_leaf_it_has() {
        let all = |old, new| completed(old, new).collect::<Vec<_>>();
        assert_eq!(all(0, 255), []);
        assert_eq!(all(0, 256), [(0, 0)]);
        assert_eq!(all(255, 257), [(0, 0)]);
        assert_eq!(all(256, 511), []);
        assert_eq!(all(100, 800), [(0, 0), (0, 1), (0, 2)]);
        assert_eq!(all(65_500, 65_536), [(0, 255), (1, 0)]);
        for (old, new) in [(0, 70_000), (300, 131_072), (65_535, 65_537)] {
            for (level, index) in all(old, new) {
                assert!(LogTile::is_complete(level, index, new));
                assert!(!LogTile::is_complete(level, index, old));
            }
        }
    }
}
