//! Copying the log: batches in order, then answers, changes, cosignatures and contradicting heads.

use contract::Clock;

use super::answer_records;
use super::report::CopyReport;
use super::target_log::TargetLog;
use crate::{AppendExtras, LogEntry, LogTile, NewBatch, Store, StoreError, StoredBatch};

/// How many answers are read and written at a time.
const ANSWERS_PER_STEP: usize = 64;

/// Refuses a target whose log is not the same log: equal to the source's, a beginning of it, or a
/// continuation of it. Each head contains the digest of the previous one, so two logs that share a
/// head share everything before it.
pub(super) async fn check_same_log(from: &dyn Store, to: &dyn Store) -> Result<(), StoreError> {
    let Some(there) = to.last_batch().await? else { return Ok(()) };
    let ours = async {
        let Some(last) = from.last_batch().await? else { return Ok(None) };
        from.batch(last.batch.min(there.batch)).await
    };
    // Damage in the source is reported when the copy reaches it.
    let ours = match ours.await {
        Ok(None) | Err(StoreError::Damaged { .. }) => return Ok(()),
        ours => ours?,
    };
    let number = ours.as_ref().map_or(0, |ours| ours.batch);
    if ours == to.batch(number).await? { Ok(()) } else { Err(different_log_error(number)) }
}

fn different_log_error(batch: u64) -> StoreError {
    StoreError::Duplicate { what: "batch of another log", id: batch.to_string() }
}

pub(super) async fn copy_log(
    from: &dyn Store,
    to: &dyn Store,
    clock: &dyn Clock,
    report: &mut CopyReport,
    progress: &mut (dyn FnMut(&CopyReport) + Send),
) -> Result<(), StoreError> {
    let mut target = TargetLog::open(to, clock).await?;
    let done = copy_log_records(from, &mut target, report, progress).await;
    // Also after a failure, so that the next writer need not wait for the lease to expire.
    let released = target.release_lease().await;
    done.and(released)?;
    progress(report);
    Ok(())
}

async fn copy_log_records(
    from: &dyn Store,
    target: &mut TargetLog<'_>,
    report: &mut CopyReport,
    progress: &mut (dyn FnMut(&CopyReport) + Send),
) -> Result<(), StoreError> {
    let damage = copy_batches(from, target, report, progress).await?;
    let whole = damage.is_none();
    if let Some(damage) = damage {
        let count = target.last().map_or(0, |last| last.batch.saturating_add(1));
        let so_far = format!("the first {count} batches of the log were copied");
        report.damaged.push(format!("{damage}; {so_far}"));
    }
    copy_answers(from, target, whole, report, progress).await?;
    answer_records::copy_changes(from, target.to, report).await?;
    progress(report);
    let mut size = 0;
    loop {
        let sizes = from.cosigned_sizes(size, ANSWERS_PER_STEP).await?;
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
    for sighting in from.contradicting_heads().await? {
        target.to.put_contradicting_head(sighting).await?;
        report.contradicting_heads += 1;
    }
    Ok(())
}

/// Copies batches. Returns the damage in the source that stopped the copy, if any: batches after a
/// damaged one cannot be copied.
async fn copy_batches(
    from: &dyn Store,
    target: &mut TargetLog<'_>,
    report: &mut CopyReport,
    progress: &mut (dyn FnMut(&CopyReport) + Send),
) -> Result<Option<StoreError>, StoreError> {
    let end = match from.last_batch().await {
        // The last number is unknown because the last batch is damaged; copy until that point.
        Err(StoreError::Damaged { .. }) => u64::MAX,
        end => end?.map_or(0, |last| last.batch.saturating_add(1)),
    };
    let there = target.last().map_or(0, |last| last.batch.saturating_add(1)).min(end);
    if let Some(number) = there.checked_sub(1) {
        let ours = match from.batch(number).await {
            Err(damage @ StoreError::Damaged { .. }) => return Ok(Some(damage)),
            ours => ours?,
        };
        if ours != target.to.batch(number).await? {
            return Err(different_log_error(number));
        }
    }
    report.batches += there;
    report.batches_already_there += there;
    for number in there..end {
        let batch = match read_batch(from, number).await {
            Err(damage @ StoreError::Damaged { .. }) => return Ok(Some(damage)),
            batch => batch?,
        };
        target.append(Some(batch), vec![], AppendExtras::default()).await?;
        report.batches += 1;
        progress(report);
    }
    Ok(None)
}

/// Reads a batch with its entries and tiles, in the form in which it is appended.
async fn read_batch(from: &dyn Store, number: u64) -> Result<NewBatch, StoreError> {
    let missing = |what: String| StoreError::Damaged { what, why: String::from("it is missing") };
    let kept =
        from.batch(number).await?.ok_or_else(|| missing(format!("batch {number} of the log")))?;
    let contents = from.log_entries(kept.first_index, kept.leaves.len()).await?;
    let kinds = from.leaf_kinds(kept.leaves.clone()).await?;
    let mut tiles = Vec::new();
    for (level, index) in completed_tiles(kept.first_index, kept.tree_size()) {
        let what = || format!("tile {index} of level {level}");
        let hashes = from.tile(level, index).await?.ok_or_else(|| missing(what()))?;
        tiles.push(LogTile { level, index, hashes });
    }
    let (batch, first_index, sth_sha256) = (kept.batch, kept.first_index, kept.sth_sha256);
    let entries = kept.leaves.into_iter().zip(kinds).zip(contents);
    let entries = entries.map(|((leaf, kind), content)| LogEntry { leaf, kind, content }).collect();
    Ok(NewBatch { batch, first_index, sth_sha256, sth: kept.sth, entries, tiles })
}

/// The tiles that are complete in a tree of `new` leaves but not in one of `old`.
fn completed_tiles(old: u64, new: u64) -> impl Iterator<Item = (u8, u64)> {
    // One tile level covers eight tree levels, and the number of leaves has 64 bits.
    (0..7_u8).flat_map(move |level| {
        let shift = (u32::from(level) + 1) * 8;
        (old >> shift..new >> shift).map(move |index| (level, index))
    })
}

async fn copy_answers(
    from: &dyn Store,
    target: &mut TargetLog<'_>,
    log_is_whole: bool,
    report: &mut CopyReport,
    progress: &mut (dyn FnMut(&CopyReport) + Send),
) -> Result<(), StoreError> {
    let size = target.last().map_or(0, StoredBatch::tree_size);
    let (mut after, mut left_out) = (None, 0_u64);
    loop {
        let page = from.list_answers(after, ANSWERS_PER_STEP).await?;
        let Some(last) = page.last() else { break };
        if after.is_some_and(|after| *last <= after) {
            // A damaged position sorts last, so the same answer would be listed on every page.
            report.damaged.push(format!("answer {} has a damaged position", last.sha256));
            break;
        }
        after = Some(*last);
        let mut new = Vec::new();
        for listed in page {
            let answer = match from.answer(listed.sha256).await {
                Ok(Some(answer)) => answer,
                Ok(None) => {
                    let sha256 = listed.sha256;
                    report.damaged.push(format!("answer {sha256} is listed but cannot be found"));
                    continue;
                }
                Err(damage @ StoreError::Damaged { .. }) => {
                    report.damaged.push(damage.to_string());
                    continue;
                }
                Err(other) => return Err(other),
            };
            if answer.log_index >= size {
                // Written since the log was copied, or its batch could not be copied.
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
            target.append(None, new, AppendExtras::default()).await?;
        }
        progress(report);
    }
    if left_out > 0 && !log_is_whole {
        report.damaged.push(format!("{left_out} answers belong to batches that were not copied"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_completes_the_tiles_whose_last_leaf_it_has() {
        let all = |old, new| completed_tiles(old, new).collect::<Vec<_>>();
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
