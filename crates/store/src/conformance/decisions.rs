//! Cases for encrypted decision receipts.

use super::harness::{Case, CaseResult, Engine, check, check_eq, unexpected_error};
use super::sample_values::{at, domain, noise, same_as};
use crate::{Digest, StoreError, StoredDecision};

pub(super) const CASES: &[(&str, Case)] = &[
    ("a decision comes back as written, also after reopening", |e| Box::pin(comes_back(e))),
    ("decisions are stored all or none", |e| Box::pin(all_or_none(e))),
    ("decisions are listed in pages", |e| Box::pin(listed(e))),
];

/// A decision that expires after `ends`.
pub(super) fn decision(number: u64, ends: i64) -> Result<StoredDecision, String> {
    Ok(StoredDecision {
        lookup: StoredDecision::lookup_of(&Digest::of(&number.to_be_bytes())),
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
    let location = engine.new_location().await;
    let store = location.open().await;
    let (one, two) = (decision(1, 5)?, decision(2, 6)?);
    check_eq!(store.decision(one.lookup).await, Ok(None), "before it was put");
    store.put_decisions(vec![one.clone(), two.clone()]).await.map_err(unexpected_error)?;
    check_eq!(store.put_decisions(vec![]).await, Ok(()), "none");
    drop(store);
    let store = location.open().await;
    check_eq!(store.decision(one.lookup).await, Ok(Some(one.clone())), "one");
    check_eq!(store.decision(two.lookup).await, Ok(Some(two)), "two");
    // A receipt is not stored under its own digest.
    check_eq!(store.decision(Digest::of(&1_u64.to_be_bytes())).await, Ok(None), "by the digest");
    Ok(())
}

async fn all_or_none(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let one = decision(1, 5)?;
    store.put_decisions(vec![one.clone()]).await.map_err(unexpected_error)?;
    check_eq!(store.put_decisions(vec![one.clone()]).await, Ok(()), "the same again");
    let other = StoredDecision { decision: String::from("block"), ..one.clone() };
    let new = decision(2, 5)?;
    let refused = store.put_decisions(vec![new.clone(), other]).await;
    check!(matches!(refused, Err(StoreError::Duplicate { .. })), "another: {refused:?}");
    check_eq!(store.decision(new.lookup).await, Ok(None), "what was put with it");
    check_eq!(store.decision(one.lookup).await, Ok(Some(one)), "what was kept");
    Ok(())
}

async fn listed(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let all = (0..9).map(|number| decision(number, 1)).collect::<Result<Vec<_>, _>>()?;
    store.put_decisions(all.clone()).await.map_err(unexpected_error)?;
    let mut lookups: Vec<Digest> = all.iter().map(|decision| decision.lookup).collect();
    lookups.sort_unstable();
    let (first, others) = lookups.split_at(4);
    same_as("the first page", store.list_decisions(None, 4).await, first)?;
    let rest = store.list_decisions(first.last().copied(), usize::MAX).await;
    same_as("the rest", rest, others)?;
    Ok(())
}
