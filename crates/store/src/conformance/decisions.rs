//! Cases for sealed decisions.

use super::samples::{at, domain, noise, same_as};
use super::{Case, CaseResult, Engine, holds, same, text};
use crate::{Digest, KeptDecision, StoreError};

pub(super) const CASES: &[(&str, Case)] = &[
    ("a decision comes back as it was put, also after reopening", |e| Box::pin(comes_back(e))),
    ("decisions are kept all or none", |e| Box::pin(all_or_none(e))),
    ("decisions are forgotten after their end", |e| Box::pin(forgotten(e))),
    ("decisions are listed in pages", |e| Box::pin(listed(e))),
];

/// One that ends a while after it was taken.
pub(super) fn decision(number: u64, ends: i64) -> Result<KeptDecision, String> {
    Ok(KeptDecision {
        lookup: KeptDecision::lookup_of(&Digest::of(&number.to_be_bytes())),
        domain: domain("shop.lab")?,
        action: String::from("read"),
        decision: String::from("allow"),
        answer_sha256: Digest::of(b"answer"),
        decided_at: at(0),
        expires_at: at(ends),
        sealed: noise(number, 700),
    })
}

async fn comes_back(engine: &dyn Engine) -> CaseResult {
    let place = engine.new_place().await;
    let store = place.open().await;
    let (one, two) = (decision(1, 5)?, decision(2, 6)?);
    same!(store.decision(one.lookup).await, Ok(None), "before it was put");
    store.put_decisions(vec![one.clone(), two.clone()]).await.map_err(text)?;
    same!(store.put_decisions(vec![]).await, Ok(()), "none");
    drop(store);
    let store = place.open().await;
    same!(store.decision(one.lookup).await, Ok(Some(one.clone())), "one");
    same!(store.decision(two.lookup).await, Ok(Some(two)), "two");
    // The digest of a receipt is not where it is kept.
    same!(store.decision(Digest::of(&1_u64.to_be_bytes())).await, Ok(None), "by the digest");
    Ok(())
}

async fn all_or_none(engine: &dyn Engine) -> CaseResult {
    let place = engine.new_place().await;
    let store = place.open().await;
    let one = decision(1, 5)?;
    store.put_decisions(vec![one.clone()]).await.map_err(text)?;
    same!(store.put_decisions(vec![one.clone()]).await, Ok(()), "the same again");
    let other = KeptDecision { decision: String::from("block"), ..one.clone() };
    let new = decision(2, 5)?;
    let refused = store.put_decisions(vec![new.clone(), other]).await;
    holds!(matches!(refused, Err(StoreError::Duplicate { .. })), "another: {refused:?}");
    same!(store.decision(new.lookup).await, Ok(None), "what was put with it");
    same!(store.decision(one.lookup).await, Ok(Some(one)), "what was kept");
    Ok(())
}

async fn forgotten(engine: &dyn Engine) -> CaseResult {
    let place = engine.new_place().await;
    let store = place.open().await;
    let all = (0..6).map(|number| decision(number, 10 * i64::try_from(number).unwrap_or(0)));
    let all = all.collect::<Result<Vec<_>, _>>()?;
    store.put_decisions(all.clone()).await.map_err(text)?;
    same!(store.forget_decisions(at(0)).await, Ok(0), "before any ended");
    same!(store.forget_decisions(at(30)).await, Ok(3), "those that ended before");
    for (number, decision) in all.into_iter().enumerate() {
        let expected = (number >= 3).then(|| decision.clone());
        same!(store.decision(decision.lookup).await, Ok(expected), "decision {number}");
    }
    same!(store.forget_decisions(at(30)).await, Ok(0), "once more");
    Ok(())
}

async fn listed(engine: &dyn Engine) -> CaseResult {
    let place = engine.new_place().await;
    let store = place.open().await;
    let all = (0..9).map(|number| decision(number, 1)).collect::<Result<Vec<_>, _>>()?;
    store.put_decisions(all.clone()).await.map_err(text)?;
    let mut lookups: Vec<Digest> = all.iter().map(|decision| decision.lookup).collect();
    lookups.sort_unstable();
    let (first, others) = lookups.split_at(4);
    same_as("the first page", store.list_decisions(None, 4).await, first)?;
    let rest = store.list_decisions(first.last().copied(), usize::MAX).await;
    same_as("the rest", rest, others)?;
    Ok(())
}
