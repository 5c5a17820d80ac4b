//! Cases for daily seals and their timestamps.

use bytes::Bytes;

use super::harness::{Case, CaseResult, Engine, check, check_eq, unexpected_error};
use super::sample_values::{at, noise};
use crate::seals::{Anchor, AnchorStage, SealPosition, StoredSeal};
use crate::{Day, Digest, StoreError};

pub(super) const CASES: &[(&str, Case)] = &[
    ("a seal comes back as written, also after reopening", |e| Box::pin(round_trip(e))),
    ("a day is sealed once", |e| Box::pin(once(e))),
    ("seals are listed by day, newest first, in pages", |e| Box::pin(pages(e))),
    ("a digest leads to the day it was first sealed", |e| Box::pin(places(e))),
    ("a damaged seal is found and never served", |e| Box::pin(damaged(e))),
    ("a timestamp's new state replaces the old one", |e| Box::pin(progress(e))),
    ("timestamps are due by stage and time", |e| Box::pin(due(e))),
];

pub(super) fn day(number: i64) -> Day {
    Day::from_number(20_000 + number)
}

/// A seal whose content depends on its day.
pub(super) fn seal(number: i64, records: u64) -> StoredSeal {
    let seed = number.unsigned_abs();
    StoredSeal {
        day: day(number),
        sha256: Digest::of(&noise(seed, 40)),
        root: Digest::of(&noise(seed + 1, 41)),
        sealed_at: at(number),
        statement: noise(seed + 2, 700),
        digests: (0..records).map(|n| Digest::of(&noise(seed * 1_000 + n, 16))).collect(),
    }
}

pub(super) fn anchor(number: i64, calendar: &str) -> Anchor {
    Anchor {
        day: day(number),
        calendar: calendar.to_owned(),
        stage: AnchorStage::Waiting,
        submitted_at: None,
        upgraded_at: None,
        verified_at: None,
        block_height: None,
        timestamp: Bytes::new(),
        tries: 0,
        next_try_at: at(number),
        last_error: None,
    }
}

async fn round_trip(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    check_eq!(store.seal(day(1)).await, Ok(None), "before it is sealed");
    check_eq!(store.first_sealed_day().await, Ok(None), "the first day of none");
    check_eq!(store.seals(None, 9).await, Ok(vec![]), "the list of none");
    let (full, empty) = (seal(1, 300), seal(2, 0));
    store.put_seal(full.clone()).await.map_err(unexpected_error)?;
    store.put_seal(empty.clone()).await.map_err(unexpected_error)?;
    drop(store);
    let store = location.open().await;
    check_eq!(store.seal(day(1)).await, Ok(Some(full)), "a day with records");
    check_eq!(store.seal(day(2)).await, Ok(Some(empty)), "a day without");
    check_eq!(store.first_sealed_day().await, Ok(Some(day(1))), "the first day");
    Ok(())
}

async fn once(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let first = seal(1, 3);
    store.put_seal(first.clone()).await.map_err(unexpected_error)?;
    check_eq!(store.put_seal(first.clone()).await, Ok(()), "the same again");
    for other in [
        StoredSeal { statement: Bytes::from_static(b"another"), ..first.clone() },
        StoredSeal { digests: vec![Digest::of(b"another")], ..first.clone() },
        StoredSeal { sha256: Digest::of(b"another"), ..first.clone() },
    ] {
        let refused = store.put_seal(other).await;
        check!(matches!(refused, Err(StoreError::Duplicate { .. })), "another: {refused:?}");
    }
    check_eq!(store.seal(day(1)).await, Ok(Some(first)), "what was kept");
    check_eq!(store.seal_position(Digest::of(b"another")).await, Ok(None), "what was refused");
    Ok(())
}

async fn pages(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    for number in [3, 1, 5, 2, 4] {
        store.put_seal(seal(number, number.unsigned_abs())).await.map_err(unexpected_error)?;
    }
    let rows = |numbers: &[i64]| {
        let rows = numbers.iter().map(|number| seal(*number, number.unsigned_abs()).row());
        rows.collect::<Vec<_>>()
    };
    check_eq!(store.seals(None, 2).await, Ok(rows(&[5, 4])), "the first page");
    check_eq!(store.seals(Some(day(4)), 2).await, Ok(rows(&[3, 2])), "the second");
    check_eq!(store.seals(Some(day(2)), 2).await, Ok(rows(&[1])), "the third");
    check_eq!(store.seals(Some(day(1)), 2).await, Ok(vec![]), "beyond the end");
    check_eq!(store.seals(None, usize::MAX).await, Ok(rows(&[5, 4, 3, 2, 1])), "all of them");
    Ok(())
}

async fn places(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let (first, mut second) = (seal(1, 5), seal(2, 5));
    let shared = first.digests.get(4).copied().ok_or("five digests")?;
    second.digests.insert(0, shared);
    // Put in the wrong order of days, as a copy that was broken off might be.
    store.put_seal(second.clone()).await.map_err(unexpected_error)?;
    store.put_seal(first.clone()).await.map_err(unexpected_error)?;
    for (index, digest) in (0..).zip(&first.digests) {
        let expected = Ok(Some(SealPosition { day: day(1), index }));
        check_eq!(store.seal_position(*digest).await, expected, "digest {index}");
    }
    let last = second.digests.last().copied().ok_or("six digests")?;
    check_eq!(
        store.seal_position(last).await,
        Ok(Some(SealPosition { day: day(2), index: 5 })),
        "of the second day"
    );
    check_eq!(store.seal_position(Digest::of(b"none")).await, Ok(None), "one that nobody sealed");
    Ok(())
}

async fn damaged(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    store.put_seal(seal(1, 3)).await.map_err(unexpected_error)?;
    drop(store);
    location.damage_seal(day(1)).await;
    let store = location.open().await;
    let read = store.seal(day(1)).await;
    check!(matches!(read, Err(StoreError::Damaged { .. })), "a damaged seal: {read:?}");
    Ok(())
}

async fn progress(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let (one, two) = (anchor(1, "https://a.example"), anchor(1, "https://b.example"));
    store.put_anchor(two.clone()).await.map_err(unexpected_error)?;
    store.put_anchor(one.clone()).await.map_err(unexpected_error)?;
    store.put_anchor(anchor(2, "https://a.example")).await.map_err(unexpected_error)?;
    check_eq!(store.anchors(day(1)).await, Ok(vec![one.clone(), two.clone()]), "by calendar");
    let further = Anchor {
        stage: AnchorStage::Verified,
        submitted_at: Some(at(1)),
        upgraded_at: Some(at(2)),
        verified_at: Some(at(3)),
        block_height: Some(923_118),
        timestamp: noise(1, 900),
        tries: 4,
        next_try_at: at(9),
        last_error: Some(String::from("it was down")),
        ..one
    };
    store.put_anchor(further.clone()).await.map_err(unexpected_error)?;
    drop(store);
    let store = location.open().await;
    check_eq!(store.anchors(day(1)).await, Ok(vec![further, two]), "after reopening");
    check_eq!(store.anchors(day(9)).await, Ok(vec![]), "of a day without");
    Ok(())
}

async fn due(engine: &dyn Engine) -> CaseResult {
    use AnchorStage::{Failed, Pending, Verified, Waiting};
    let location = engine.new_location().await;
    let store = location.open().await;
    for (number, stage, ms) in
        [(1, Waiting, 30), (2, Pending, 20), (3, Verified, 10), (4, Failed, 15), (5, Waiting, 99)]
    {
        let put = Anchor { stage, next_try_at: at(ms), ..anchor(number, "https://a.example") };
        store.put_anchor(put).await.map_err(unexpected_error)?;
    }
    let days = |found: Vec<Anchor>| found.into_iter().map(|a| a.day).collect::<Vec<_>>();
    let open = vec![Waiting, Pending, Failed];
    let found = store.due_anchors(open.clone(), at(50), 9).await.map_err(unexpected_error)?;
    check_eq!(days(found), [day(4), day(2), day(1)], "the longest due first");
    let found = store.due_anchors(open.clone(), at(50), 2).await.map_err(unexpected_error)?;
    check_eq!(days(found), [day(4), day(2)], "no more than asked for");
    let found = store.due_anchors(vec![Pending], at(20), 9).await.map_err(unexpected_error)?;
    check_eq!(days(found), [day(2)], "one stage, due at that very moment");
    check_eq!(store.due_anchors(open, at(14), 9).await, Ok(vec![]), "before any is due");
    check_eq!(store.due_anchors(vec![], at(50), 9).await, Ok(vec![]), "of no stage");
    Ok(())
}
