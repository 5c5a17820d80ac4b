//! Cases for what is kept in one step with answers: changes, revocations and standings.

use bytes::Bytes;
use contract::Timestamp;

use super::chain::{Chain, answer, lease};
use super::samples::{at, domain, noise, same_as};
use super::{Case, CaseResult, Engine, LogPart, holds, same, text};
use crate::revocations::link;
use crate::{
    Append, Beside, ChangesAsk, Digest, KeptChange, KeptRevocation, NewChange, NewRevocation,
    RevocationsAsk, Standing, Store, StoreError,
};

pub(super) const CASES: &[(&str, Case)] = &[
    ("changes come back in order, by what is asked", |e| Box::pin(changes(e))),
    ("a step of the log is kept with all beside it or not at all", |e| Box::pin(one_step(e))),
    ("the chain of revocations recomputes, also after reopening", |e| Box::pin(recomputes(e))),
    ("the chain of revocations cannot fork", |e| Box::pin(cannot_fork(e))),
    ("revocations are given by what is asked", |e| Box::pin(asked(e))),
    ("standings replace each other, and cleared ones are told", |e| Box::pin(standings(e))),
    ("a damaged revocation is found and not built upon", |e| Box::pin(damaged(e))),
];

pub(super) fn change(number: u64, name: &str, ms: i64) -> Result<NewChange, String> {
    Ok(NewChange {
        domain: domain(name)?,
        at: at(ms),
        section: String::from(if number.is_multiple_of(2) { "policy" } else { "identity" }),
        direction: String::from(if number.is_multiple_of(3) { "tightened" } else { "neutral" }),
        body: Bytes::from(format!("{{\"change\":{number}}}")),
    })
}

pub(super) fn revocation(number: u64, name: &str, ms: i64) -> Result<NewRevocation, String> {
    Ok(NewRevocation {
        at: at(ms),
        effective_from: at(ms - 1),
        kind: String::from(if number.is_multiple_of(2) { "tightened" } else { "revoked" }),
        target_kind: String::from(if number.is_multiple_of(3) { "key" } else { "answer" }),
        target_id: format!("target {}", number % 5),
        domain: if number.is_multiple_of(3) { None } else { Some(domain(name)?) },
        actions: ["read", "cite"].into_iter().take(number as usize % 3).map(Into::into).collect(),
        reason: String::from("site_changed"),
        why: format!("It changed: ü {number}"),
        replaced_by: number.is_multiple_of(2).then(|| Digest::of(&number.to_be_bytes())),
    })
}

pub(super) fn standing(name: &str, causes: &[&str], ms: i64) -> Result<Standing, String> {
    Ok(Standing {
        domain: domain(name)?,
        actions: ["connect", "transact"].map(Into::into).into(),
        causes: causes.iter().map(|cause| (*cause).to_owned()).collect(),
        state: String::from("suspended"),
        since: at(0),
        updated_at: at(ms),
    })
}

/// One name after the other.
fn one_of<const N: usize>(names: [&str; N], number: u64) -> &str {
    let at = usize::try_from(number).unwrap_or(0).checked_rem(N).unwrap_or(0);
    names.get(at).copied().unwrap_or_default()
}

/// Puts this beside no answer at all.
async fn put(store: &dyn Store, beside: Beside) -> Result<Result<(), StoreError>, String> {
    let epoch = lease(store).await?;
    let after = store.last_batch().await.map_err(text)?.map(|last| last.sth_sha256);
    Ok(store.append(Append { epoch, after, batch: None, answers: vec![], beside }).await)
}

/// The chain that these entries make.
fn chained(entries: Vec<NewRevocation>) -> Result<Vec<KeptRevocation>, String> {
    let mut chain: Vec<KeptRevocation> = Vec::new();
    for entry in entries {
        chain.push(link(chain.last(), entry).map_err(text)?);
    }
    Ok(chain)
}

async fn changes(engine: &dyn Engine) -> CaseResult {
    let place = engine.new_place().await;
    let store = place.open().await;
    same!(store.first_change().await, Ok(None), "the first of none");
    let mut kept: Vec<KeptChange> = Vec::new();
    for round in 0..5_u64 {
        let mut new = Vec::new();
        for number in round * 10 + 1..=round * 10 + 10 {
            let ms = i64::try_from(number).unwrap_or(0);
            new.push(change(number, one_of(["c.lab", "a.lab", "b.lab"], number), ms)?);
        }
        let first = kept.len() as u64 + 1;
        kept.extend((first..).zip(new.clone()).map(|(seq, new)| new.kept(seq)));
        let beside = Beside { changes: new, ..Beside::default() };
        same!(put(store.as_ref(), beside).await?, Ok(()), "round {round}");
    }
    drop(store);
    let store = place.open().await;
    same!(store.first_change().await, Ok(kept.first().cloned()), "the first");
    let b = domain("b.lab")?;
    let asks = [
        ChangesAsk { limit: usize::MAX, ..ChangesAsk::default() },
        ChangesAsk { limit: 7, ..ChangesAsk::default() },
        ChangesAsk { limit: 0, ..ChangesAsk::default() },
        ChangesAsk { after: Some(0), limit: 9, ..ChangesAsk::default() },
        ChangesAsk { after: Some(17), limit: 9, ..ChangesAsk::default() },
        ChangesAsk { after: Some(u64::MAX), limit: 9, ..ChangesAsk::default() },
        ChangesAsk { domain: Some(b.clone()), limit: 99, ..ChangesAsk::default() },
        ChangesAsk { domain: Some(b.clone()), after: Some(20), limit: 3, ..ChangesAsk::default() },
        ChangesAsk { since: Some(at(40)), limit: 99, ..ChangesAsk::default() },
        ChangesAsk { section: Some("policy".into()), limit: 99, ..ChangesAsk::default() },
        ChangesAsk {
            domain: Some(b),
            section: Some("policy".into()),
            direction: Some("neutral".into()),
            since: Some(at(9)),
            after: Some(5),
            limit: 99,
        },
        ChangesAsk { domain: Some(domain("none.lab")?), limit: 9, ..ChangesAsk::default() },
    ];
    for ask in asks {
        let fits = |change: &&KeptChange| {
            ask.domain.as_ref().is_none_or(|domain| *domain == change.domain)
                && ask.section.as_ref().is_none_or(|section| *section == change.section)
                && ask.direction.as_ref().is_none_or(|direction| *direction == change.direction)
                && ask.since.is_none_or(|since| change.at >= since)
                && change.seq > ask.after.unwrap_or(0)
        };
        let mut expected: Vec<KeptChange> = kept.iter().filter(fits).cloned().collect();
        if ask.after.is_none() {
            expected.reverse();
        }
        expected.truncate(ask.limit);
        same_as(&format!("{ask:?}"), store.changes(ask.clone()).await, &expected)?;
    }
    Ok(())
}

async fn one_step(engine: &dyn Engine) -> CaseResult {
    let place = engine.new_place().await;
    let store = place.open().await;
    let epoch = lease(store.as_ref()).await?;
    let mut chain = Chain::new("ours");
    let batch = Some(chain.grow(3));
    let beside = Beside {
        changes: vec![change(1, "shop.lab", 1)?],
        revocations: vec![revocation(1, "shop.lab", 1)?, revocation(2, "shop.lab", 2)?],
        standings: vec![standing("shop.lab", &["incident"], 3)?],
    };
    let answers = vec![answer("a", "shop.lab", 0, 0)?];
    let good = Append { epoch, after: None, batch, answers, beside: beside.clone() };
    let mut unfit = beside.clone();
    unfit.revocations.iter_mut().for_each(|r| r.actions = vec![String::from("two words")]);
    let refused: [Append; 3] = [
        Append { after: Some(Digest::of(b"another head")), ..good.clone() },
        Append { answers: vec![answer("a", "shop.lab", 0, 3)?], ..good.clone() },
        Append { beside: unfit, ..good.clone() },
    ];
    for (number, append) in refused.into_iter().enumerate() {
        holds!(store.append(append).await.is_err(), "step {number} was taken");
        same!(store.first_change().await, Ok(None), "changes after refused step {number}");
        same!(store.last_revocation().await, Ok(None), "revocations after step {number}");
        same!(store.standings(None).await, Ok(vec![]), "standings after step {number}");
    }
    store.append(good).await.map_err(text)?;
    let kept = chained(beside.revocations.clone())?;
    same!(store.last_revocation().await, Ok(kept.last().cloned()), "the last revocation");
    same!(store.standings(None).await, Ok(beside.standings.clone()), "the standings");
    let first = beside.changes.first().map(|change| change.clone().kept(1));
    same!(store.first_change().await, Ok(first), "the change");
    Ok(())
}

async fn recomputes(engine: &dyn Engine) -> CaseResult {
    let place = engine.new_place().await;
    let store = place.open().await;
    same!(store.last_revocation().await, Ok(None), "the last of none");
    same!(store.first_revocation().await, Ok(None), "the first of none");
    same!(store.append_revocations(vec![], vec![]).await, Ok(vec![]), "nothing");
    let mut entries = Vec::new();
    for number in 0..20 {
        entries.push(revocation(number, "shop.lab", i64::try_from(number).unwrap_or(0))?);
    }
    let long = String::from_utf8_lossy(&noise(7, 5_000)).into_owned();
    entries.iter_mut().skip(7).take(1).for_each(|entry| entry.why.clone_from(&long));
    let expected = chained(entries.clone())?;
    let (by_verb, beside) = entries.split_at(8);
    let kept = store.append_revocations(by_verb.to_vec(), vec![]).await;
    same_as("what was put", kept, expected.get(..8).unwrap_or_default())?;
    let beside = Beside { revocations: beside.to_vec(), ..Beside::default() };
    same!(put(store.as_ref(), beside).await?, Ok(()), "beside a step of the log");
    drop(store);
    let store = place.open().await;
    let ask = RevocationsAsk { after: Some(0), limit: usize::MAX, ..RevocationsAsk::default() };
    let all = store.revocations(ask).await.map_err(text)?;
    same!(all, expected, "the chain");
    for (before, next) in all.iter().zip(all.iter().skip(1)) {
        same!(next.prev, Some(before.entry_sha256), "what {} follows", next.seq);
        same!(link(Some(before), next.entry.clone()), Ok(next.clone()), "entry {}", next.seq);
    }
    same!(store.first_revocation().await, Ok(expected.first().cloned()), "the first");
    same!(store.last_revocation().await, Ok(expected.last().cloned()), "the last");
    Ok(())
}

async fn cannot_fork(engine: &dyn Engine) -> CaseResult {
    let place = engine.new_place().await;
    let store = place.open().await;
    let mut puts = Vec::new();
    for number in 0..40_u64 {
        let new = vec![revocation(number, "a.lab", 0)?, revocation(number, "b.lab", 0)?];
        puts.push(store.append_revocations(new, vec![]));
    }
    let mut given: Vec<KeptRevocation> = Vec::new();
    for kept in futures_util::future::join_all(puts).await {
        given.extend(kept.map_err(text)?);
    }
    given.sort_by_key(|kept| kept.seq);
    let ask = RevocationsAsk { after: Some(0), limit: usize::MAX, ..RevocationsAsk::default() };
    same!(store.revocations(ask).await, Ok(given.clone()), "what was given and what is kept");
    let entries = given.iter().map(|kept| kept.entry.clone()).collect();
    same!(given, chained(entries)?, "the chain");
    same!(given.last().map(|kept| kept.seq), Some(80), "its length");
    Ok(())
}

async fn asked(engine: &dyn Engine) -> CaseResult {
    let place = engine.new_place().await;
    let store = place.open().await;
    let mut entries = Vec::new();
    for number in 0..40_u64 {
        let name = one_of(["a.lab", "b.lab"], number);
        entries.push(revocation(number, name, i64::try_from(number).unwrap_or(0))?);
    }
    let kept = store.append_revocations(entries, vec![]).await.map_err(text)?;
    let b = domain("b.lab")?;
    let none = RevocationsAsk::default();
    let asks = [
        RevocationsAsk { limit: 7, ..none.clone() },
        RevocationsAsk { limit: usize::MAX, ..none.clone() },
        RevocationsAsk { limit: 0, ..none.clone() },
        RevocationsAsk { after: Some(0), limit: 5, ..none.clone() },
        RevocationsAsk { after: Some(38), limit: 5, ..none.clone() },
        RevocationsAsk { after: Some(u64::MAX), limit: 5, ..none.clone() },
        RevocationsAsk { since: Some(at(20)), limit: 5, ..none.clone() },
        RevocationsAsk { domain: Some(b.clone()), limit: 5, ..none.clone() },
        RevocationsAsk { kind: Some("revoked".into()), limit: 99, ..none.clone() },
        RevocationsAsk { target_kind: Some("key".into()), limit: 99, ..none.clone() },
        RevocationsAsk {
            after: Some(3),
            since: Some(at(9)),
            domain: Some(b),
            kind: Some("revoked".into()),
            target_kind: Some("answer".into()),
            limit: 3,
        },
    ];
    for ask in asks {
        let fits = |kept: &&KeptRevocation| {
            ask.domain.is_none_or_is(kept.entry.domain.as_ref())
                && ask.kind.as_ref().is_none_or(|kind| *kind == kept.entry.kind)
                && ask.target_kind.as_ref().is_none_or(|kind| *kind == kept.entry.target_kind)
                && ask.since.is_none_or(|since| kept.entry.at >= since)
                && kept.seq > ask.after.unwrap_or(0)
        };
        let mut expected: Vec<KeptRevocation> = kept.iter().filter(fits).cloned().collect();
        if ask.after.is_none() && ask.since.is_none() {
            expected.drain(..expected.len().saturating_sub(ask.limit));
        } else {
            expected.truncate(ask.limit);
        }
        same_as(&format!("{ask:?}"), store.revocations(ask.clone()).await, &expected)?;
    }
    let of = |kept: &&KeptRevocation| {
        kept.entry.target_kind == "answer" && kept.entry.target_id == "target 2"
    };
    let expected: Vec<KeptRevocation> = kept.iter().filter(of).cloned().collect();
    holds!(expected.len() > 2, "a case of {}", expected.len());
    same_as("of a target", store.revocations_of("answer", "target 2").await, &expected)?;
    same!(store.revocations_of("answer", "target").await, Ok(vec![]), "of nothing");
    Ok(())
}

trait IsNoneOrIs<T> {
    fn is_none_or_is(&self, other: Option<&T>) -> bool;
}

impl<T: PartialEq> IsNoneOrIs<T> for Option<T> {
    fn is_none_or_is(&self, other: Option<&T>) -> bool {
        self.is_none() || self.as_ref() == other
    }
}

async fn standings(engine: &dyn Engine) -> CaseResult {
    let place = engine.new_place().await;
    let store = place.open().await;
    let (a, b) = (domain("a.lab")?, domain("b.lab")?);
    same!(store.standing(&a).await, Ok(None), "of nothing");
    let first = standing("a.lab", &["impersonation", "incident"], 10)?;
    let other = standing("b.lab", &["high_risk_pending"], 20)?;
    let put = vec![other.clone(), first.clone()];
    store.append_revocations(vec![], put).await.map_err(text)?;
    same!(store.standings(None).await, Ok(vec![first.clone(), other.clone()]), "by domain");
    let cleared = standing("a.lab", &[], 30)?;
    store.append_revocations(vec![], vec![cleared.clone()]).await.map_err(text)?;
    drop(store);
    let store = place.open().await;
    same!(store.standings(None).await, Ok(vec![other.clone()]), "those in force");
    same!(store.standing(&a).await, Ok(Some(cleared.clone())), "the cleared one");
    same!(store.standing(&b).await, Ok(Some(other.clone())), "the other one");
    let since = |ms: i64| store.standings(Some(at(ms)));
    same!(since(20).await, Ok(vec![cleared.clone(), other.clone()]), "since then");
    same!(since(21).await, Ok(vec![cleared.clone()]), "since a moment later");
    same!(since(31).await, Ok(vec![]), "since the end");
    let beginning = store.standings(Some(Timestamp::from_millis(i64::MIN))).await;
    same!(beginning, Ok(vec![cleared, other.clone()]), "since ever");
    store.append_revocations(vec![], vec![first.clone()]).await.map_err(text)?;
    same!(store.standings(None).await, Ok(vec![first, other]), "in force again");
    Ok(())
}

async fn damaged(engine: &dyn Engine) -> CaseResult {
    let place = engine.new_place().await;
    let store = place.open().await;
    for number in 0..3 {
        let new = vec![revocation(number, "shop.lab", 0)?];
        store.append_revocations(new, vec![]).await.map_err(text)?;
    }
    drop(store);
    place.damage_log(LogPart::Revocation { seq: 3 }).await;
    let store = place.open().await;
    let read = store.last_revocation().await;
    holds!(matches!(read, Err(StoreError::Damaged { .. })), "read: {read:?}");
    let ask = RevocationsAsk { after: Some(1), limit: 9, ..RevocationsAsk::default() };
    let read = store.revocations(ask).await;
    holds!(matches!(read, Err(StoreError::Damaged { .. })), "listed: {read:?}");
    let built = store.append_revocations(vec![revocation(9, "shop.lab", 0)?], vec![]).await;
    holds!(matches!(built, Err(StoreError::Damaged { .. })), "built upon: {built:?}");
    Ok(())
}
