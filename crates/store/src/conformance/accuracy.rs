//! Cases for what AI engines say about businesses.

use bytes::Bytes;
use contract::clock::FixedClock;
use futures_util::future::try_join_all;

use super::append_extras::change;
use super::harness::{Case, CaseResult, Engine, check, check_eq, unexpected_error};
use super::sample_values::{at, domain, noise, same_as};
use crate::accuracy::MAX_ENGINE_BYTES;
use crate::{
    ChangesQuery, Day, Digest, MAX_VALUE_BYTES, NewChange, Prunable, Store, StoreError,
    StoredAccuracy, StoredChange, copy,
};

pub(super) const CASES: &[(&str, Case)] = &[
    ("an AI-accuracy record comes back as written, also after reopening", |e| {
        Box::pin(comes_back(e))
    }),
    ("there is one AI-accuracy record of a domain, engine and day", |e| Box::pin(one_a_day(e))),
    ("AI-accuracy records of a domain are returned newest first", |e| Box::pin(newest_first(e))),
    ("the digests of a day's AI-accuracy records are listed", |e| Box::pin(days(e))),
    ("an AI-accuracy record is written with its changes or not at all", |e| {
        Box::pin(with_changes(e))
    }),
    ("AI-accuracy records are listed in pages, in the order of storing", |e| Box::pin(listed(e))),
    ("AI-accuracy records go by the end of their day, a few at a time", |e| Box::pin(pruned(e))),
    ("a damaged AI-accuracy record is found, never served, and replaced", |e| Box::pin(damaged(e))),
    ("a copy never replaces a different AI-accuracy record of the same day", |e| {
        Box::pin(copy_conflict(e))
    }),
];

const DAY_MS: i64 = 24 * 3_600_000;

/// A record of a day, counted from the start of the cases, that was made some milliseconds into it.
pub(super) fn accuracy(
    name: &str,
    engine: &str,
    day: i64,
    ms: i64,
) -> Result<StoredAccuracy, String> {
    let checked_at = Day::of(at(day.saturating_mul(DAY_MS))).begins_at().plus_millis(ms);
    let text = format!("{name} {engine} {day} {ms}");
    Ok(StoredAccuracy {
        domain: domain(name)?,
        engine: engine.to_owned(),
        checked_at,
        sha256: Digest::of(text.as_bytes()),
        record: Bytes::from(format!("{{\"record\":\"{text}\"}}")),
        evidence: Bytes::from(format!("{{\"evidence\":\"{text}\"}}")),
    })
}

fn bare(accuracy: &StoredAccuracy) -> StoredAccuracy {
    StoredAccuracy { evidence: Bytes::new(), ..accuracy.clone() }
}

async fn put(store: &dyn Store, accuracy: &StoredAccuracy) -> CaseResult {
    check_eq!(store.put_accuracy(accuracy.clone(), vec![]).await, Ok(true), "{accuracy:?}");
    Ok(())
}

async fn stored_changes(store: &dyn Store) -> Result<Vec<NewChange>, String> {
    let all = ChangesQuery { limit: usize::MAX, ..ChangesQuery::default() };
    let changes = store.changes(all).await.map_err(unexpected_error)?;
    Ok(changes.into_iter().rev().map(StoredChange::into_new).collect())
}

async fn digests(store: &dyn Store) -> Result<Vec<Digest>, String> {
    let listed = store.list_accuracy(None, usize::MAX).await.map_err(unexpected_error)?;
    Ok(listed.iter().map(|listed| listed.sha256).collect())
}

/// Stores this many records of several domains, one a day.
pub(super) async fn fill_accuracy(store: &dyn Store, records: i64) -> CaseResult {
    let records: Vec<StoredAccuracy> = (0..records)
        .map(|number| accuracy(&format!("d{}.lab", number % 7), "oracle", number, 0))
        .collect::<Result<_, _>>()?;
    // At once, so that they share commits.
    let puts = records.into_iter().map(|record| store.put_accuracy(record, vec![]));
    try_join_all(puts).await.map(drop).map_err(unexpected_error)
}

/// Fails unless both stores have the same AI-accuracy records.
pub(super) async fn compare_accuracy(original: &dyn Store, copy: &dyn Store) -> CaseResult {
    let listed = digests(original).await?;
    check_eq!(digests(copy).await?, listed, "the order of the AI-accuracy records");
    for sha256 in listed {
        let expected = original.accuracy_by_digest(sha256).await;
        check_eq!(copy.accuracy_by_digest(sha256).await, expected, "record {sha256}");
    }
    Ok(())
}

async fn comes_back(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let full = StoredAccuracy {
        record: noise(1, 300_000),
        evidence: Bytes::from("a text that compresses well ".repeat(100_000)),
        ..accuracy("xn--bcher-kva.lab", "ü oracle", 0, 7)?
    };
    let empty =
        StoredAccuracy { record: Bytes::new(), ..bare(&accuracy("b.lab", "oracle", 0, 7)?) };
    check_eq!(store.newest_accuracy(&full.domain, None).await, Ok(None), "the newest of none");
    check_eq!(store.accuracy_by_digest(full.sha256).await, Ok(None), "before it was put");
    check_eq!(store.list_accuracy(None, 9).await, Ok(vec![]), "a list of none");
    check_eq!(store.first_accuracy_day().await, Ok(None), "the first day of none");
    for accuracy in [&full, &empty] {
        put(&*store, accuracy).await?;
    }
    drop(store);
    let store = location.open().await;
    for accuracy in [&full, &empty] {
        let expected = Ok(Some(accuracy.clone()));
        check_eq!(store.accuracy_by_digest(accuracy.sha256).await, expected, "by its digest");
        check_eq!(store.newest_accuracy(&accuracy.domain, None).await, expected, "the newest");
        let of_engine = store.newest_accuracy(&accuracy.domain, Some(&accuracy.engine)).await;
        check_eq!(of_engine, expected, "the newest of its engine");
        let of_other = store.newest_accuracy(&accuracy.domain, Some("another")).await;
        check_eq!(of_other, Ok(None), "the newest of another engine");
    }
    let large = Bytes::from(vec![0; MAX_VALUE_BYTES + 1]);
    let next = accuracy("c.lab", "oracle", 0, 0)?;
    for refused in [
        StoredAccuracy { engine: "e".repeat(MAX_ENGINE_BYTES + 1), ..next.clone() },
        StoredAccuracy { record: large.clone(), ..next.clone() },
        StoredAccuracy { evidence: large, ..next },
    ] {
        let refused = store.put_accuracy(refused, vec![]).await;
        check!(matches!(refused, Err(StoreError::TooLarge { .. })), "too large: {refused:?}");
    }
    check_eq!(digests(&*store).await?, [full.sha256, empty.sha256], "what is stored");
    Ok(())
}

async fn one_a_day(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let first = accuracy("a.lab", "oracle", 0, DAY_MS - 1)?;
    put(&*store, &first).await?;
    for again in [first.clone(), accuracy("a.lab", "oracle", 0, 0)?] {
        let refused = store.put_accuracy(again, vec![change(1, "a.lab", 1)?]).await;
        check_eq!(refused, Ok(false), "the same day again");
    }
    check_eq!(store.first_change().await, Ok(None), "changes of what was refused");
    check_eq!(store.newest_accuracy(&first.domain, None).await, Ok(Some(first.clone())), "kept");
    for other in [
        accuracy("a.lab", "oracle", 1, 0)?,
        accuracy("a.lab", "oracle", -1, DAY_MS - 1)?,
        accuracy("a.lab", "sibyl", 0, 0)?,
        accuracy("b.lab", "oracle", 0, 0)?,
    ] {
        put(&*store, &other).await?;
    }
    let stolen = StoredAccuracy { sha256: first.sha256, ..accuracy("c.lab", "oracle", 0, 0)? };
    let refused = store.put_accuracy(stolen, vec![]).await;
    check!(matches!(refused, Err(StoreError::Duplicate { .. })), "its digest: {refused:?}");
    check_eq!(digests(&*store).await?.len(), 5, "how many there are");
    // Many at once, of the same day.
    let many: Vec<StoredAccuracy> =
        (0..32).map(|ms| accuracy("d.lab", "oracle", 0, ms)).collect::<Result<_, _>>()?;
    let all = many.iter().map(|one| store.put_accuracy(one.clone(), vec![]));
    let stored = try_join_all(all).await.map_err(unexpected_error)?;
    check_eq!(stored.iter().filter(|stored| **stored).count(), 1, "how many were stored");
    Ok(())
}

async fn newest_first(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let (one, two) = ("oracle", "sibyl");
    let old = accuracy("a.lab", one, 0, 5)?;
    let middle = accuracy("a.lab", two, 1, 5)?;
    let same_time = accuracy("a.lab", one, 1, 5)?;
    let last = accuracy("a.lab", one, 3, 0)?;
    // The clock was set back after the first one; another domain lies between.
    for accuracy in [&last, &old, &accuracy("b.lab", one, 2, 0)?, &middle, &same_time] {
        put(&*store, accuracy).await?;
    }
    let (name, other) = (&old.domain, domain("c.lab")?);
    check_eq!(store.newest_accuracy(name, None).await, Ok(Some(last.clone())), "the newest");
    check_eq!(store.newest_accuracy(name, Some(one)).await, Ok(Some(last.clone())), "of one");
    check_eq!(store.newest_accuracy(name, Some(two)).await, Ok(Some(middle.clone())), "of two");
    let all = [&last, &same_time, &middle, &old].map(bare);
    let of = |engine, since, limit| store.accuracy_of(name, engine, since, limit);
    same_as("all", of(None, old.day(), 9).await, &all)?;
    same_as("the first two", of(None, old.day(), 2).await, all.get(..2).unwrap_or_default())?;
    same_as("since a day", of(None, middle.day(), 9).await, all.get(..3).unwrap_or_default())?;
    same_as("since later", of(None, last.day().next(), 9).await, &[])?;
    let of_one = [&last, &same_time, &old].map(bare);
    same_as("of one engine", of(Some(one), old.day(), 9).await, &of_one)?;
    let since = of(Some(one), middle.day(), 1).await;
    same_as("of one engine since a day", since, of_one.get(..1).unwrap_or_default())?;
    same_as("of another engine", of(Some("another"), old.day(), 9).await, &[])?;
    same_as("of another domain", store.accuracy_of(&other, None, old.day(), 9).await, &[])
}

async fn days(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let mut of_day = Vec::new();
    for number in 0..20 {
        let put_now = accuracy(&format!("d{number}.lab"), "oracle", 1, number)?;
        put(&*store, &put_now).await?;
        of_day.push(put_now.sha256);
    }
    let (before, after) =
        (accuracy("a.lab", "oracle", 0, DAY_MS - 1)?, accuracy("a.lab", "oracle", 2, 0)?);
    put(&*store, &after).await?;
    check_eq!(store.first_accuracy_day().await, Ok(Some(before.day().next())), "the first day");
    put(&*store, &before).await?;
    of_day.sort();
    same_as("a day", store.accuracy_digests(before.day().next()).await, &of_day)?;
    same_as("the day before", store.accuracy_digests(before.day()).await, &[before.sha256])?;
    same_as("the day after", store.accuracy_digests(after.day()).await, &[after.sha256])?;
    same_as("a later day", store.accuracy_digests(after.day().next()).await, &[])?;
    check_eq!(store.first_accuracy_day().await, Ok(Some(before.day())), "the first day then");
    Ok(())
}

async fn with_changes(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let (first, second) = (accuracy("a.lab", "oracle", 0, 0)?, accuracy("a.lab", "oracle", 1, 0)?);
    let changes = vec![change(1, "a.lab", 1)?, change(2, "a.lab", 1)?];
    // A value that cannot be read back: nothing of it is written.
    let large = Bytes::from(vec![0; MAX_VALUE_BYTES + 1]);
    let bad = vec![change(1, "a.lab", 1)?, NewChange { body: large, ..change(2, "a.lab", 1)? }];
    let refused = store.put_accuracy(first.clone(), bad).await;
    check!(matches!(refused, Err(StoreError::TooLarge { .. })), "too large: {refused:?}");
    // Its digest is taken, which shows only when it is written.
    put(&*store, &first).await?;
    let stolen = StoredAccuracy { sha256: first.sha256, ..second.clone() };
    let refused = store.put_accuracy(stolen, changes.clone()).await;
    check!(matches!(refused, Err(StoreError::Duplicate { .. })), "its digest: {refused:?}");
    check_eq!(stored_changes(&*store).await?, [], "changes of what was refused");
    let stored = store.put_accuracy(second.clone(), changes.clone()).await;
    check_eq!(stored, Ok(true), "with changes");
    // Repeated by a caller that did not get the answer.
    check_eq!(store.put_accuracy(second, changes.clone()).await, Ok(false), "again");
    drop(store);
    let store = location.open().await;
    check_eq!(stored_changes(&*store).await?, changes, "the changes");
    Ok(())
}

async fn listed(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let mut expected = Vec::new();
    for (name, day) in [("c.lab", 3), ("a.lab", 1), ("b.lab", 2)] {
        let accuracy = accuracy(name, "oracle", day, 0)?;
        put(&*store, &accuracy).await?;
        expected.push(accuracy.sha256);
    }
    let first = store.list_accuracy(None, 2).await.map_err(unexpected_error)?;
    let after = first.last().map(|last| last.position);
    let rest = store.list_accuracy(after, 2).await.map_err(unexpected_error)?;
    let found: Vec<Digest> = first.iter().chain(&rest).map(|listed| listed.sha256).collect();
    check_eq!((first.len(), found), (2, expected), "in pages");
    let after = rest.last().map(|last| last.position);
    check_eq!(store.list_accuracy(after, 2).await, Ok(vec![]), "the end");
    Ok(())
}

async fn pruned(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let mut all = Vec::new();
    for day in 0..4 {
        for engine in ["oracle", "sibyl"] {
            let accuracy = accuracy("a.lab", engine, day, 5)?;
            put(&*store, &accuracy).await?;
            all.push(accuracy);
        }
    }
    let prune = |before, limit| store.prune(Prunable::Accuracy, before, limit);
    let third = accuracy("a.lab", "oracle", 2, 0)?.day();
    let first = third.previous().previous();
    let before_its_end = first.ends_at().plus_millis(-1);
    check_eq!(prune(before_its_end, 9).await, Ok(0), "before the end of the first day");
    check_eq!(prune(third.begins_at(), 3).await, Ok(3), "a step");
    check_eq!(prune(third.begins_at(), 3).await, Ok(1), "the next");
    check_eq!(prune(third.ends_at().plus_millis(-1), 3).await, Ok(0), "no more");
    drop(store);
    let store = location.open().await;
    let expected: Vec<Digest> = all.iter().skip(4).map(|accuracy| accuracy.sha256).collect();
    check_eq!(digests(&*store).await?, expected, "what stays");
    check_eq!(store.first_accuracy_day().await, Ok(Some(third)), "the first day that stays");
    Ok(())
}

async fn damaged(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let (sound, broken) = (accuracy("a.lab", "oracle", 0, 0)?, accuracy("a.lab", "oracle", 1, 0)?);
    for accuracy in [&sound, &broken] {
        put(&*store, accuracy).await?;
    }
    drop(store);
    location.damage_accuracy(broken.sha256).await;
    let store = location.open().await;
    for read in [
        store.accuracy_by_digest(broken.sha256).await,
        store.newest_accuracy(&broken.domain, None).await,
        store.newest_accuracy(&broken.domain, Some("oracle")).await,
    ] {
        check!(matches!(read, Err(StoreError::Damaged { .. })), "the damaged one: {read:?}");
    }
    let read = store.accuracy_of(&broken.domain, None, sound.day(), 9).await;
    check!(matches!(read, Err(StoreError::Damaged { .. })), "among others: {read:?}");
    check_eq!(store.accuracy_by_digest(sound.sha256).await, Ok(Some(sound.clone())), "a sound one");
    check_eq!(digests(&*store).await?, [sound.sha256, broken.sha256], "the list of all");
    same_as("its day", store.accuracy_digests(broken.day()).await, &[broken.sha256])?;
    // Also another record of the same day can take its place.
    let other = accuracy("a.lab", "oracle", 1, 9)?;
    put(&*store, &other).await?;
    check_eq!(
        store.newest_accuracy(&other.domain, None).await,
        Ok(Some(other.clone())),
        "replaced"
    );
    check_eq!(digests(&*store).await?, [sound.sha256, other.sha256], "the list then");
    Ok(())
}

async fn copy_conflict(engine: &dyn Engine) -> CaseResult {
    let (from_place, to_place) = (engine.new_location().await, engine.new_location().await);
    let (from, to) = (from_place.open().await, to_place.open().await);
    let (original, other) =
        (accuracy("a.lab", "oracle", 0, 1)?, accuracy("a.lab", "oracle", 0, 2)?);
    check_eq!(from.put_accuracy(original, vec![]).await, Ok(true), "the original");
    check_eq!(to.put_accuracy(other.clone(), vec![]).await, Ok(true), "another of the same day");
    let refused = copy(from.as_ref(), to.as_ref(), &FixedClock(at(0)), &mut |_| {}).await;
    check!(matches!(refused, Err(StoreError::Duplicate { .. })), "a conflict: {refused:?}");
    let held = to.newest_accuracy(&other.domain, None).await;
    check_eq!(held, Ok(Some(other)), "what the target held");
    Ok(())
}
