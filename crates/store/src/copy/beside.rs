//! Moving what is kept beside answers. Changes and revocations keep their numbers: a target that
//! has others under the same numbers is refused.

use contract::Timestamp;
use futures_util::stream::{self, StreamExt, TryStreamExt};

use super::log::Target;
use super::{AT_ONCE, CopyReport, PAGE};
use crate::{
    Beside, ChangesAsk, Digest, KeptChange, KeptRevocation, RevocationsAsk, Store, StoreError,
};

/// Put in steps of the target's log, as every change is.
pub(super) async fn copy_changes(
    from: &dyn Store,
    target: &mut Target<'_>,
    report: &mut CopyReport,
) -> Result<(), StoreError> {
    let there = last_change(target.to).await?;
    let ours = match last_change(from).await {
        Ok(ours) => ours,
        // Its end is not known; the copy goes on until it comes there.
        Err(StoreError::Damaged { .. }) => u64::MAX,
        Err(other) => return Err(other),
    };
    let shared = there.min(ours);
    if shared > 0 {
        let of_target = change(target.to, shared).await?;
        match change(from, shared).await {
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
        let ask = ChangesAsk { after: Some(last), limit: PAGE, ..ChangesAsk::default() };
        let page = match from.changes(ask).await {
            Err(damage @ StoreError::Damaged { .. }) => {
                // Numbers follow without a gap, so nothing can come after it.
                report.damaged.push(format!("{damage}; the changes up to {last} were copied"));
                return Ok(());
            }
            page => page?,
        };
        let Some(end) = page.last() else { return Ok(()) };
        last = end.seq;
        let count = page.len() as u64;
        let changes = page.into_iter().map(KeptChange::new_change).collect();
        target.append(None, vec![], Beside { changes, ..Beside::default() }).await?;
        report.changes += count;
    }
}

async fn last_change(store: &dyn Store) -> Result<u64, StoreError> {
    let ask = ChangesAsk { limit: 1, ..ChangesAsk::default() };
    Ok(store.changes(ask).await?.first().map_or(0, |change| change.seq))
}

async fn change(store: &dyn Store, seq: u64) -> Result<Option<KeptChange>, StoreError> {
    let after = Some(seq.saturating_sub(1));
    let ask = ChangesAsk { after, limit: 1, ..ChangesAsk::default() };
    Ok(store.changes(ask).await?.pop())
}

/// The chain goes on where the target's ends, and is the same chain because each digest is made
/// from the one before. What is withheld goes over with it.
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
        let of_target = revocation(to, shared).await?;
        match revocation(from, shared).await {
            Err(damage @ StoreError::Damaged { .. }) => {
                report.damaged.push(damage.to_string());
                return Ok(());
            }
            Err(other) => return Err(other),
            Ok(of_source) if of_source == of_target => {}
            Ok(_) => return Err(another_chain(shared)),
        }
    }
    report.revocations += shared;
    let mut last = shared;
    loop {
        let ask = RevocationsAsk { after: Some(last), limit: PAGE, ..RevocationsAsk::default() };
        let page = match from.revocations(ask).await {
            Err(damage @ StoreError::Damaged { .. }) => {
                report.damaged.push(format!("{damage}; revocations up to {last} were copied"));
                break;
            }
            page => page?,
        };
        let Some(end) = page.last() else { break };
        last = end.seq;
        let entries = page.iter().map(|kept| kept.entry.clone()).collect();
        if to.append_revocations(entries, vec![]).await? != page {
            return Err(another_chain(last));
        }
        report.revocations += page.len() as u64;
    }
    copy_standings(from, to, report).await
}

async fn revocation(store: &dyn Store, seq: u64) -> Result<Option<KeptRevocation>, StoreError> {
    let after = Some(seq.saturating_sub(1));
    let ask = RevocationsAsk { after, limit: 1, ..RevocationsAsk::default() };
    Ok(store.revocations(ask).await?.pop())
}

fn another_chain(seq: u64) -> StoreError {
    StoreError::Duplicate { what: "revocation of another chain", id: seq.to_string() }
}

/// A target that has gone on by itself keeps what it knows better.
async fn copy_standings(
    from: &dyn Store,
    to: &dyn Store,
    report: &mut CopyReport,
) -> Result<(), StoreError> {
    let all = match from.standings(Some(Timestamp::from_millis(i64::MIN))).await {
        Err(damage @ StoreError::Damaged { .. }) => {
            report.damaged.push(damage.to_string());
            return Ok(());
        }
        all => all?,
    };
    let mut newer = Vec::new();
    for standing in all {
        let there = to.standing(&standing.domain).await?;
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

/// Gives back how many it was, or what is damaged.
async fn copy_reading(
    from: &dyn Store,
    to: &dyn Store,
    id: String,
) -> Result<Result<u64, String>, StoreError> {
    match from.reading(&id).await {
        Ok(Some(reading)) => to.put_reading(reading).await.map(|()| Ok(1)),
        // A newer one took its place since it was listed.
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
