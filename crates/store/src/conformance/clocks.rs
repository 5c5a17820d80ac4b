//! Cases for content clocks.

use bytes::Bytes;

use super::harness::{Case, CaseResult, Engine, check, check_eq, unexpected_error};
use super::sample_values::{at, domain};
use crate::clocks::MAX_CLOCK_VERSIONS;
use crate::{ClockVersion, Digest, StoredClock};

pub(super) const CASES: &[(&str, Case)] = &[
    ("a clock and its versions come back whole", |e| Box::pin(whole(e))),
    ("the newest versions of a page stay stored", |e| Box::pin(newest(e))),
    ("clocks are returned when they are due", |e| Box::pin(due(e))),
    ("an expired clock is deleted with its versions", |e| Box::pin(forgotten(e))),
];

pub(super) fn clock(url: &str, name: &str, next: i64) -> Result<StoredClock, String> {
    Ok(StoredClock {
        url: url.to_owned(),
        domain: domain(name)?,
        state: String::from("watching"),
        why: None,
        started_at: at(0),
        checks: 1,
        last_checked_at: Some(at(1)),
        next_check_at: at(next),
        expires_at: at(1_000),
        declared: Bytes::from_static(b"{}"),
    })
}

pub(super) fn version(n: u32) -> ClockVersion {
    ClockVersion {
        n,
        seen_from: at(i64::from(n)),
        seen_to: at(i64::from(n) + 1),
        status: Some(200),
        bytes: Some(12_345),
        body_sha256: Some(Digest::of(&n.to_be_bytes())),
        text_sha256: None,
        etag: Some(String::from("\"x\"")),
        last_modified: None,
        change: Bytes::from(format!("{{\"n\":{n}}}")),
    }
}

const PAGE: &str = "https://shop.lab/";

async fn whole(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let first = clock(PAGE, "shop.lab", 5)?;
    check_eq!(store.clock(PAGE).await, Ok(None), "before");
    store.put_clock(first.clone(), None).await.map_err(unexpected_error)?;
    check_eq!(store.clock(PAGE).await, Ok(Some((first.clone(), vec![]))), "without a version");
    store.put_clock(first.clone(), Some(version(1))).await.map_err(unexpected_error)?;
    let later = StoredClock {
        state: String::from("unreachable"),
        why: Some(String::from("it was down")),
        checks: 2,
        last_checked_at: None,
        next_check_at: at(9),
        declared: Bytes::from_static(b"{\"x\":1}"),
        ..first
    };
    let none = ClockVersion {
        status: None,
        bytes: None,
        body_sha256: None,
        text_sha256: Some(Digest::of(b"text")),
        etag: None,
        last_modified: Some(String::from("x")),
        ..version(2)
    };
    store.put_clock(later.clone(), Some(none.clone())).await.map_err(unexpected_error)?;
    let longer = ClockVersion { seen_to: at(77), ..version(1) };
    store.put_clock(later.clone(), Some(longer.clone())).await.map_err(unexpected_error)?;
    drop(store);
    let store = location.open().await;
    check_eq!(store.clock(PAGE).await, Ok(Some((later.clone(), vec![none, longer]))), "reopened");
    let other = clock("https://shop.lab/b", "shop.lab", 5)?;
    store.put_clock(other.clone(), None).await.map_err(unexpected_error)?;
    store.put_clock(clock("https://a.lab/", "a.lab", 5)?, None).await.map_err(unexpected_error)?;
    let shop = domain("shop.lab")?;
    check_eq!(store.clocks_of(&shop, 9).await, Ok(vec![later.clone(), other.clone()]), "its pages");
    check_eq!(store.clocks_of(&shop, 1).await, Ok(vec![later]), "no more than asked for");
    check_eq!(store.count_clocks().await, Ok(3), "how many there are");
    let after = Some(String::from(PAGE));
    check_eq!(store.export_clocks(after, 9).await, Ok(vec![other]), "after one");
    Ok(())
}

async fn newest(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let most = u32::try_from(MAX_CLOCK_VERSIONS).unwrap_or(0);
    for n in 1..=most + 5 {
        store
            .put_clock(clock(PAGE, "shop.lab", 5)?, Some(version(n)))
            .await
            .map_err(unexpected_error)?;
    }
    let stored = store.clock(PAGE).await.map_err(unexpected_error)?;
    let numbers: Vec<u32> =
        stored.map(|(_, versions)| versions.iter().map(|v| v.n).collect()).unwrap_or_default();
    check_eq!(numbers, (6..=most + 5).rev().collect::<Vec<_>>(), "the versions");
    Ok(())
}

async fn due(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    for (page, next) in [("c", 30), ("a", 20), ("b", 10), ("d", 99)] {
        store.put_clock(clock(page, "shop.lab", next)?, None).await.map_err(unexpected_error)?;
    }
    let expired = StoredClock { expires_at: at(30), ..clock("e", "shop.lab", 1)? };
    store.put_clock(expired, None).await.map_err(unexpected_error)?;
    let pages = |found: Vec<StoredClock>| found.into_iter().map(|c| c.url).collect::<Vec<_>>();
    let found = store.due_clocks(at(30), 9).await.map_err(unexpected_error)?;
    check_eq!(pages(found), ["b", "a", "c"], "the longest due first, and none that has expired");
    check_eq!(
        store.due_clocks(at(30), 2).await.map(pages),
        Ok(vec!["b".into(), "a".into()]),
        "two"
    );
    check_eq!(store.due_clocks(at(0), 9).await, Ok(vec![]), "before any is due");
    Ok(())
}

async fn forgotten(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let early = StoredClock { expires_at: at(10), ..clock("a", "shop.lab", 1)? };
    store.put_clock(early.clone(), Some(version(1))).await.map_err(unexpected_error)?;
    store
        .put_clock(clock("b", "shop.lab", 1)?, Some(version(1)))
        .await
        .map_err(unexpected_error)?;
    check_eq!(store.delete_expired_clocks(at(9)).await, Ok(0), "before its time");
    check_eq!(store.delete_expired_clocks(at(10)).await, Ok(1), "at its time");
    check_eq!(store.clock("a").await, Ok(None), "the forgotten one");
    check!(store.clock("b").await.map_err(unexpected_error)?.is_some(), "the other one is gone");
    store.put_clock(early.clone(), None).await.map_err(unexpected_error)?;
    check_eq!(store.clock("a").await, Ok(Some((early, vec![]))), "begun anew, without a past");
    Ok(())
}
