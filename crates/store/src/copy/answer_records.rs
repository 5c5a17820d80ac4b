//! Copying changes, revocations, withheld actions, readings and decisions. Changes and revocations
//! keep their numbers: a target that has different ones under the same numbers is refused.

use contract::Timestamp;
use futures_util::stream::{self, StreamExt, TryStreamExt};

use super::report::{AT_ONCE, CopyReport, PAGE};
use crate::{
    ChangesQuery, Digest, RevocationsQuery, Store, StoreError, StoredChange, StoredRevocation,
};

/// Copies changes under their numbers. The first ones may have been removed from the source.
pub(super) async fn copy_changes(
    from: &dyn Store,
    to: &dyn Store,
    report: &mut CopyReport,
) -> Result<(), StoreError> {
    let there = last_change_seq(to).await?;
    let ours = match last_change_seq(from).await {
        Ok(ours) => ours,
        // The last number is unknown because the last change is damaged; copy until that point.
        Err(StoreError::Damaged { .. }) => u64::MAX,
        Err(other) => return Err(other),
    };
    let shared = there.min(ours);
    if shared > 0 {
        let of_target = change_with_seq(to, shared).await?;
        match change_with_seq(from, shared).await {
            Err(damage @ StoreError::Damaged { .. }) => {
                report.damaged.push(damage.to_string());
                return Ok(());
            }
            Err(other) => return Err(other),
            Ok(of_source) if of_source == of_target => {}
            Ok(_) => {
                let id = shared.to_string();
                return Err(StoreError::Duplicate { what: "different change", id });
            }
        }
    }
    report.changes += shared;
    let mut last = shared;
    loop {
        let ask = ChangesQuery { after: Some(last), limit: PAGE, ..ChangesQuery::default() };
        let page = match from.changes(ask).await {
            Err(damage @ StoreError::Damaged { .. }) => {
                // Numbers have no gaps, so nothing after a damaged change can be copied.
                report.damaged.push(format!("{damage}; the changes up to {last} were copied"));
                return Ok(());
            }
            page => page?,
        };
        let Some(end) = page.last() else { return Ok(()) };
        last = end.seq;
        let count = page.len() as u64;
        to.import_changes(page).await?;
        report.changes += count;
    }
}

async fn last_change_seq(store: &dyn Store) -> Result<u64, StoreError> {
    let ask = ChangesQuery { limit: 1, ..ChangesQuery::default() };
    Ok(store.changes(ask).await?.first().map_or(0, |change| change.seq))
}

async fn change_with_seq(store: &dyn Store, seq: u64) -> Result<Option<StoredChange>, StoreError> {
    let after = Some(seq.saturating_sub(1));
    let ask = ChangesQuery { after, limit: 1, ..ChangesQuery::default() };
    Ok(store.changes(ask).await?.pop())
}

/// Continues the target's chain with the source's entries. The first ones may have been removed from
/// the source. Withheld actions are copied too.
pub(super) async fn copy_revocations(
    from: &dyn Store,
    to: &dyn Store,
    report: &mut CopyReport,
) -> Result<(), StoreError> {
    let there = to.last_revocation().await?.map_or(0, |last| last.seq);
    let ours = match from.last_revocation().await {
        Ok(last) => last.map_or(0, |last| last.seq),
        Err(StoreError::Damaged { .. }) => u64::MAX,
        Err(other) => return Err(other),
    };
    let shared = there.min(ours);
    if shared > 0 {
        let of_target = revocation_with_seq(to, shared).await?;
        match revocation_with_seq(from, shared).await {
            Err(damage @ StoreError::Damaged { .. }) => {
                report.damaged.push(damage.to_string());
                return Ok(());
            }
            Err(other) => return Err(other),
            Ok(of_source) if of_source == of_target => {}
            Ok(_) => return Err(different_chain_error(shared)),
        }
    }
    report.revocations += shared;
    let mut last = shared;
    loop {
        let ask =
            RevocationsQuery { after: Some(last), limit: PAGE, ..RevocationsQuery::default() };
        let page = match from.revocations(ask).await {
            Err(damage @ StoreError::Damaged { .. }) => {
                report.damaged.push(format!("{damage}; revocations up to {last} were copied"));
                break;
            }
            page => page?,
        };
        let Some(end) = page.last() else { break };
        last = end.seq;
        let count = page.len() as u64;
        to.import_revocations(page).await?;
        report.revocations += count;
    }
    copy_withheld_actions(from, to, report).await
}

async fn revocation_with_seq(
    store: &dyn Store,
    seq: u64,
) -> Result<Option<StoredRevocation>, StoreError> {
    let after = Some(seq.saturating_sub(1));
    let ask = RevocationsQuery { after, limit: 1, ..RevocationsQuery::default() };
    Ok(store.revocations(ask).await?.pop())
}

fn different_chain_error(seq: u64) -> StoreError {
    StoreError::Duplicate { what: "revocation of another chain", id: seq.to_string() }
}

/// Copies withheld actions. Newer ones in the target are kept.
async fn copy_withheld_actions(
    from: &dyn Store,
    to: &dyn Store,
    report: &mut CopyReport,
) -> Result<(), StoreError> {
    let all = match from.withheld_actions(Some(Timestamp::from_millis(i64::MIN))).await {
        Err(damage @ StoreError::Damaged { .. }) => {
            report.damaged.push(damage.to_string());
            return Ok(());
        }
        all => all?,
    };
    let mut newer = Vec::new();
    for standing in all {
        let there = to.withheld_actions_for(&standing.domain).await?;
        if there.is_none_or(|there| there.updated_at < standing.updated_at) {
            newer.push(standing);
        }
    }
    if !newer.is_empty() {
        to.append_revocations(vec![], newer).await?;
    }
    Ok(())
}

pub(super) async fn copy_readings(
    from: &dyn Store,
    to: &dyn Store,
    report: &mut CopyReport,
) -> Result<(), StoreError> {
    let mut after: Option<String> = None;
    loop {
        let page = from.list_readings(after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(()) };
        after = Some(last.clone());
        let copied: Vec<Result<u64, String>> = stream::iter(page)
            .map(|id| copy_reading(from, to, id))
            .buffer_unordered(AT_ONCE)
            .try_collect()
            .await?;
        for reading in copied {
            match reading {
                Ok(count) => report.readings += count,
                Err(damage) => report.damaged.push(damage),
            }
        }
    }
}

/// Returns 1 when the reading was copied, 0 when it no longer exists, or a description of the
/// damage.
async fn copy_reading(
    from: &dyn Store,
    to: &dyn Store,
    id: String,
) -> Result<Result<u64, String>, StoreError> {
    match from.reading(&id).await {
        Ok(Some(reading)) => to.put_reading(reading).await.map(|()| Ok(1)),
        // A newer reading replaced it since it was listed.
        Ok(None) => Ok(Ok(0)),
        Err(damage @ StoreError::Damaged { .. }) => Ok(Err(damage.to_string())),
        Err(other) => Err(other),
    }
}

pub(super) async fn copy_decisions(
    from: &dyn Store,
    to: &dyn Store,
    report: &mut CopyReport,
) -> Result<(), StoreError> {
    let mut after: Option<Digest> = None;
    loop {
        let page = from.list_decisions(after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(()) };
        after = Some(*last);
        let mut decisions = Vec::new();
        for lookup in page {
            match from.decision(lookup).await {
                Ok(found) => decisions.extend(found),
                Err(damage @ StoreError::Damaged { .. }) => report.damaged.push(damage.to_string()),
                Err(other) => return Err(other),
            }
        }
        let count = decisions.len() as u64;
        to.put_decisions(decisions).await?;
        report.decisions += count;
    }
}
