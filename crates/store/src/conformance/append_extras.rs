//! Cases for what is written together with answers: changes, revocations and withheld actions.

use bytes::Bytes;
use contract::Timestamp;

use super::harness::{Case, CaseResult, Engine, LogPart, check, check_eq, unexpected_error};
use super::sample_log::{SampleLog, answer, lease};
use super::sample_values::{at, domain, noise, same_as};
use crate::revocations::link_revocation;
use crate::{
    Append, AppendExtras, ChangesQuery, Digest, NewChange, NewRevocation, RevocationsQuery, Store,
    StoreError, StoredChange, StoredRevocation, WithheldActions,
};

pub(super) const CASES: &[(&str, Case)] = &[
    ("changes come back in order and filtered by the query", |e| Box::pin(changes(e))),
    ("an append is written with all its extras or not at all", |e| Box::pin(one_step(e))),
    ("the chain of revocations recomputes, also after reopening", |e| Box::pin(recomputes(e))),
    ("the chain of revocations cannot fork", |e| Box::pin(cannot_fork(e))),
    ("revocations are filtered by the query", |e| Box::pin(filters_by_query(e))),
    ("withheld actions replace each other, and cleared ones are listed", |e| {
        Box::pin(standings(e))
    }),
    ("a damaged revocation is found and never extended", |e| Box::pin(damaged(e))),
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

pub(super) fn standing(name: &str, causes: &[&str], ms: i64) -> Result<WithheldActions, String> {
    Ok(WithheldActions {
        domain: domain(name)?,
        actions: ["connect", "transact"].map(Into::into).into(),
        causes: causes.iter().map(|cause| (*cause).to_owned()).collect(),
        state: String::from("suspended"),
        since: at(0),
        updated_at: at(ms),
    })
}

/// Cycles through the names.
fn one_of<const N: usize>(names: [&str; N], number: u64) -> &str {
    let at = usize::try_from(number).unwrap_or(0).checked_rem(N).unwrap_or(0);
    names.get(at).copied().unwrap_or_default()
}

/// Appends these extras without an answer.
pub(super) async fn put_extras(
    store: &dyn Store,
    extras: AppendExtras,
) -> Result<Result<(), StoreError>, String> {
    let epoch = lease(store).await?;
    let after = store.last_batch().await.map_err(unexpected_error)?.map(|last| last.sth_sha256);
    Ok(store
        .append(Append { epoch, previous_head: after, batch: None, answers: vec![], extras })
        .await)
}

/// The chain that these entries form.
fn chained(entries: Vec<NewRevocation>) -> Result<Vec<StoredRevocation>, String> {
    let mut chain: Vec<StoredRevocation> = Vec::new();
    for entry in entries {
        chain.push(link_revocation(chain.last(), entry).map_err(unexpected_error)?);
    }
    Ok(chain)
}

async fn changes(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    check_eq!(store.first_change().await, Ok(None), "the first of none");
    let mut stored: Vec<StoredChange> = Vec::new();
    for round in 0..5_u64 {
        let mut new = Vec::new();
        for number in round * 10 + 1..=round * 10 + 10 {
            let ms = i64::try_from(number).unwrap_or(0);
            new.push(change(number, one_of(["c.lab", "a.lab", "b.lab"], number), ms)?);
        }
        let first = stored.len() as u64 + 1;
        stored.extend((first..).zip(new.clone()).map(|(seq, new)| new.into_stored(seq)));
        let extras = AppendExtras { changes: new, ..AppendExtras::default() };
        check_eq!(put_extras(store.as_ref(), extras).await?, Ok(()), "round {round}");
    }
    drop(store);
    let store = location.open().await;
    check_eq!(store.first_change().await, Ok(stored.first().cloned()), "the first");
    let b = domain("b.lab")?;
    let asks = [
        ChangesQuery { limit: usize::MAX, ..ChangesQuery::default() },
        ChangesQuery { limit: 7, ..ChangesQuery::default() },
        ChangesQuery { limit: 0, ..ChangesQuery::default() },
        ChangesQuery { after: Some(0), limit: 9, ..ChangesQuery::default() },
        ChangesQuery { after: Some(17), limit: 9, ..ChangesQuery::default() },
        ChangesQuery { after: Some(u64::MAX), limit: 9, ..ChangesQuery::default() },
        ChangesQuery { domain: Some(b.clone()), limit: 99, ..ChangesQuery::default() },
        ChangesQuery {
            domain: Some(b.clone()),
            after: Some(20),
            limit: 3,
            ..ChangesQuery::default()
        },
        ChangesQuery { since: Some(at(40)), limit: 99, ..ChangesQuery::default() },
        ChangesQuery { section: Some("policy".into()), limit: 99, ..ChangesQuery::default() },
        ChangesQuery {
            domain: Some(b),
            section: Some("policy".into()),
            direction: Some("neutral".into()),
            since: Some(at(9)),
            after: Some(5),
            limit: 99,
        },
        ChangesQuery { domain: Some(domain("none.lab")?), limit: 9, ..ChangesQuery::default() },
    ];
    for ask in asks {
        let fits = |change: &&StoredChange| {
            ask.domain.as_ref().is_none_or(|domain| *domain == change.domain)
                && ask.section.as_ref().is_none_or(|section| *section == change.section)
                && ask.direction.as_ref().is_none_or(|direction| *direction == change.direction)
                && ask.since.is_none_or(|since| change.at >= since)
                && change.seq > ask.after.unwrap_or(0)
        };
        let mut expected: Vec<StoredChange> = stored.iter().filter(fits).cloned().collect();
        if ask.after.is_none() {
            expected.reverse();
        }
        expected.truncate(ask.limit);
        same_as(&format!("{ask:?}"), store.changes(ask.clone()).await, &expected)?;
    }
    Ok(())
}

async fn one_step(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let epoch = lease(store.as_ref()).await?;
    let mut chain = SampleLog::new("ours");
    let batch = Some(chain.grow(3));
    let extras = AppendExtras {
        changes: vec![change(1, "shop.lab", 1)?],
        revocations: vec![revocation(1, "shop.lab", 1)?, revocation(2, "shop.lab", 2)?],
        withheld_actions: vec![standing("shop.lab", &["incident"], 3)?],
        ..AppendExtras::default()
    };
    let answers = vec![answer("a", "shop.lab", 0, 0)?];
    let good = Append { epoch, previous_head: None, batch, answers, extras: extras.clone() };
    let mut unfit = extras.clone();
    unfit.revocations.iter_mut().for_each(|r| r.actions = vec![String::from("two words")]);
    let refused: [Append; 3] = [
        Append { previous_head: Some(Digest::of(b"another head")), ..good.clone() },
        Append { answers: vec![answer("a", "shop.lab", 0, 3)?], ..good.clone() },
        Append { extras: unfit, ..good.clone() },
    ];
    for (number, append) in refused.into_iter().enumerate() {
        check!(store.append(append).await.is_err(), "step {number} was taken");
        check_eq!(store.first_change().await, Ok(None), "changes after refused step {number}");
        check_eq!(store.last_revocation().await, Ok(None), "revocations after step {number}");
        check_eq!(store.withheld_actions(None).await, Ok(vec![]), "standings after step {number}");
    }
    store.append(good).await.map_err(unexpected_error)?;
    let stored = chained(extras.revocations.clone())?;
    check_eq!(store.last_revocation().await, Ok(stored.last().cloned()), "the last revocation");
    check_eq!(
        store.withheld_actions(None).await,
        Ok(extras.withheld_actions.clone()),
        "the standings"
    );
    let first = extras.changes.first().map(|change| change.clone().into_stored(1));
    check_eq!(store.first_change().await, Ok(first), "the change");
    Ok(())
}

async fn recomputes(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    check_eq!(store.last_revocation().await, Ok(None), "the last of none");
    check_eq!(store.first_revocation().await, Ok(None), "the first of none");
    check_eq!(store.append_revocations(vec![], vec![]).await, Ok(vec![]), "nothing");
    let mut entries = Vec::new();
    for number in 0..20 {
        entries.push(revocation(number, "shop.lab", i64::try_from(number).unwrap_or(0))?);
    }
    let long = String::from_utf8_lossy(&noise(7, 5_000)).into_owned();
    entries.iter_mut().skip(7).take(1).for_each(|entry| entry.why.clone_from(&long));
    let expected = chained(entries.clone())?;
    let (by_verb, with_append) = entries.split_at(8);
    let stored = store.append_revocations(by_verb.to_vec(), vec![]).await;
    same_as("what was put", stored, expected.get(..8).unwrap_or_default())?;
    let with_append = AppendExtras { revocations: with_append.to_vec(), ..AppendExtras::default() };
    check_eq!(put_extras(store.as_ref(), with_append).await?, Ok(()), "beside a step of the log");
    drop(store);
    let store = location.open().await;
    let ask = RevocationsQuery { after: Some(0), limit: usize::MAX, ..RevocationsQuery::default() };
    let all = store.revocations(ask).await.map_err(unexpected_error)?;
    check_eq!(all, expected, "the chain");
    for (before, next) in all.iter().zip(all.iter().skip(1)) {
        check_eq!(next.prev, Some(before.entry_sha256), "what {} follows", next.seq);
        check_eq!(
            link_revocation(Some(before), next.entry.clone()),
            Ok(next.clone()),
            "entry {}",
            next.seq
        );
    }
    check_eq!(store.first_revocation().await, Ok(expected.first().cloned()), "the first");
    check_eq!(store.last_revocation().await, Ok(expected.last().cloned()), "the last");
    Ok(())
}

async fn cannot_fork(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let mut puts = Vec::new();
    for number in 0..40_u64 {
        let new = vec![revocation(number, "a.lab", 0)?, revocation(number, "b.lab", 0)?];
        puts.push(store.append_revocations(new, vec![]));
    }
    let mut given: Vec<StoredRevocation> = Vec::new();
    for stored in futures_util::future::join_all(puts).await {
        given.extend(stored.map_err(unexpected_error)?);
    }
    given.sort_by_key(|stored| stored.seq);
    let ask = RevocationsQuery { after: Some(0), limit: usize::MAX, ..RevocationsQuery::default() };
    check_eq!(store.revocations(ask).await, Ok(given.clone()), "what was given and what is kept");
    let entries = given.iter().map(|stored| stored.entry.clone()).collect();
    check_eq!(given, chained(entries)?, "the chain");
    check_eq!(given.last().map(|stored| stored.seq), Some(80), "its length");
    Ok(())
}

async fn filters_by_query(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let mut entries = Vec::new();
    for number in 0..40_u64 {
        let name = one_of(["a.lab", "b.lab"], number);
        entries.push(revocation(number, name, i64::try_from(number).unwrap_or(0))?);
    }
    let stored = store.append_revocations(entries, vec![]).await.map_err(unexpected_error)?;
    let b = domain("b.lab")?;
    let none = RevocationsQuery::default();
    let asks = [
        RevocationsQuery { limit: 7, ..none.clone() },
        RevocationsQuery { limit: usize::MAX, ..none.clone() },
        RevocationsQuery { limit: 0, ..none.clone() },
        RevocationsQuery { after: Some(0), limit: 5, ..none.clone() },
        RevocationsQuery { after: Some(38), limit: 5, ..none.clone() },
        RevocationsQuery { after: Some(u64::MAX), limit: 5, ..none.clone() },
        RevocationsQuery { since: Some(at(20)), limit: 5, ..none.clone() },
        RevocationsQuery { domain: Some(b.clone()), limit: 5, ..none.clone() },
        RevocationsQuery { kind: Some("revoked".into()), limit: 99, ..none.clone() },
        RevocationsQuery { target_kind: Some("key".into()), limit: 99, ..none.clone() },
        RevocationsQuery {
            after: Some(3),
            since: Some(at(9)),
            domain: Some(b),
            kind: Some("revoked".into()),
            target_kind: Some("answer".into()),
            limit: 3,
        },
    ];
    for ask in asks {
        let fits = |stored: &&StoredRevocation| {
            ask.domain.is_none_or_is(stored.entry.domain.as_ref())
                && ask.kind.as_ref().is_none_or(|kind| *kind == stored.entry.kind)
                && ask.target_kind.as_ref().is_none_or(|kind| *kind == stored.entry.target_kind)
                && ask.since.is_none_or(|since| stored.entry.at >= since)
                && stored.seq > ask.after.unwrap_or(0)
        };
        let mut expected: Vec<StoredRevocation> = stored.iter().filter(fits).cloned().collect();
        if ask.after.is_none() && ask.since.is_none() {
            expected.drain(..expected.len().saturating_sub(ask.limit));
        } else {
            expected.truncate(ask.limit);
        }
        same_as(&format!("{ask:?}"), store.revocations(ask.clone()).await, &expected)?;
    }
    let of = |stored: &&StoredRevocation| {
        stored.entry.target_kind == "answer" && stored.entry.target_id == "target 2"
    };
    let expected: Vec<StoredRevocation> = stored.iter().filter(of).cloned().collect();
    check!(expected.len() > 2, "a case of {}", expected.len());
    same_as("of a target", store.revocations_of("answer", "target 2").await, &expected)?;
    check_eq!(store.revocations_of("answer", "target").await, Ok(vec![]), "of nothing");
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
    let location = engine.new_location().await;
    let store = location.open().await;
    let (a, b) = (domain("a.lab")?, domain("b.lab")?);
    check_eq!(store.withheld_actions_for(&a).await, Ok(None), "of nothing");
    let first = standing("a.lab", &["impersonation", "incident"], 10)?;
    let other = standing("b.lab", &["high_risk_pending"], 20)?;
    let put = vec![other.clone(), first.clone()];
    store.append_revocations(vec![], put).await.map_err(unexpected_error)?;
    check_eq!(
        store.withheld_actions(None).await,
        Ok(vec![first.clone(), other.clone()]),
        "by domain"
    );
    let cleared = standing("a.lab", &[], 30)?;
    store.append_revocations(vec![], vec![cleared.clone()]).await.map_err(unexpected_error)?;
    drop(store);
    let store = location.open().await;
    check_eq!(store.withheld_actions(None).await, Ok(vec![other.clone()]), "those in force");
    check_eq!(store.withheld_actions_for(&a).await, Ok(Some(cleared.clone())), "the cleared one");
    check_eq!(store.withheld_actions_for(&b).await, Ok(Some(other.clone())), "the other one");
    let since = |ms: i64| store.withheld_actions(Some(at(ms)));
    check_eq!(since(20).await, Ok(vec![cleared.clone(), other.clone()]), "since then");
    check_eq!(since(21).await, Ok(vec![cleared.clone()]), "since a moment later");
    check_eq!(since(31).await, Ok(vec![]), "since the end");
    let beginning = store.withheld_actions(Some(Timestamp::from_millis(i64::MIN))).await;
    check_eq!(beginning, Ok(vec![cleared, other.clone()]), "since ever");
    store.append_revocations(vec![], vec![first.clone()]).await.map_err(unexpected_error)?;
    check_eq!(store.withheld_actions(None).await, Ok(vec![first, other]), "in force again");
    Ok(())
}

async fn damaged(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    for number in 0..3 {
        let new = vec![revocation(number, "shop.lab", 0)?];
        store.append_revocations(new, vec![]).await.map_err(unexpected_error)?;
    }
    drop(store);
    location.damage_log(LogPart::Revocation { seq: 3 }).await;
    let store = location.open().await;
    let read = store.last_revocation().await;
    check!(matches!(read, Err(StoreError::Damaged { .. })), "read: {read:?}");
    let ask = RevocationsQuery { after: Some(1), limit: 9, ..RevocationsQuery::default() };
    let read = store.revocations(ask).await;
    check!(matches!(read, Err(StoreError::Damaged { .. })), "listed: {read:?}");
    let built = store.append_revocations(vec![revocation(9, "shop.lab", 0)?], vec![]).await;
    check!(matches!(built, Err(StoreError::Damaged { .. })), "built upon: {built:?}");
    Ok(())
}
