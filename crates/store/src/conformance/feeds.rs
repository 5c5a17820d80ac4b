//! Cases for feeds of address ranges.

use bytes::Bytes;
use futures_util::future::try_join_all;

use super::harness::{Case, CaseResult, Engine, check, check_eq, unexpected_error};
use super::sample_values::{at, noise, same_as};
use crate::feeds::MAX_FEEDS;
use crate::{MAX_VALUE_BYTES, Store, StoreError, StoredFeed};

pub(super) const CASES: &[(&str, Case)] = &[
    ("a feed comes back as written, also after reopening", |e| Box::pin(comes_back(e))),
    ("a feed's new state replaces the old one", |e| Box::pin(replaced(e))),
    ("feeds are ordered by id", |e| Box::pin(ordered(e))),
    ("a feed may be large, but not too large", |e| Box::pin(large(e))),
    ("a deleted feed is gone and can begin anew", |e| Box::pin(deleted(e))),
    ("feeds beyond the maximum are refused", |e| Box::pin(maximum(e))),
    ("a damaged feed is found, never served, and replaced", |e| Box::pin(damaged(e))),
];

/// A fetched feed whose content depends on its seed, with a value in every field.
pub(super) fn feed(id: &str, seed: u64) -> StoredFeed {
    let ms = i64::try_from(seed).unwrap_or(0);
    StoredFeed {
        id: id.to_owned(),
        url: format!("https://{id}.example/ranges.json"),
        fetched_at: Some(at(ms)),
        changed_at: Some(at(ms - 5)),
        etag: Some(format!("W/\"{seed}\"")),
        last_modified: Some(String::from("Sun, 15 Nov 2026 02:16:20 GMT")),
        prefixes: Bytes::from(format!("192.0.2.0/24\n2001:db8:{seed:x}::/48\n")),
        prefix_count: 2,
        attempted_at: at(ms + 1),
        failures: 1,
        last_fault: Some(String::from("the list is empty")),
        next_attempt_at: at(ms + 60_000),
    }
}

/// A feed that was asked for and never received.
fn never_fetched(id: &str) -> StoredFeed {
    StoredFeed {
        fetched_at: None,
        changed_at: None,
        etag: None,
        last_modified: None,
        prefixes: Bytes::new(),
        prefix_count: 0,
        failures: u32::MAX,
        ..feed(id, 1)
    }
}

async fn put(store: &dyn Store, feed: &StoredFeed) -> CaseResult {
    store.put_feed(feed.clone()).await.map_err(unexpected_error)
}

async fn comes_back(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    check_eq!(store.feed("bot").await, Ok(None), "before it was put");
    check_eq!(store.feeds().await, Ok(vec![]), "the list of none");
    check_eq!(store.feed_ids().await, Ok(vec![]), "the ids of none");
    let (full, empty) = (feed("bot", 7), never_fetched("offline"));
    put(store.as_ref(), &full).await?;
    put(store.as_ref(), &empty).await?;
    check_eq!(store.feed("bot").await, Ok(Some(full.clone())), "at once");
    drop(store);
    let store = location.open().await;
    check_eq!(store.feed("bot").await, Ok(Some(full.clone())), "with content");
    check_eq!(store.feed("offline").await, Ok(Some(empty.clone())), "without content");
    check_eq!(store.feed("Bot").await, Ok(None), "an id in another case");
    check_eq!(store.feeds().await, Ok(vec![full, empty]), "both");
    Ok(())
}

async fn replaced(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let other = feed("other", 3);
    put(store.as_ref(), &other).await?;
    put(store.as_ref(), &never_fetched("bot")).await?;
    let fetched =
        StoredFeed { failures: 0, last_fault: None, prefix_count: u32::MAX, ..feed("bot", 7) };
    put(store.as_ref(), &fetched).await?;
    check_eq!(store.feed("bot").await, Ok(Some(fetched.clone())), "the first content");
    // The content stays while attempts fail.
    let failed = StoredFeed {
        attempted_at: at(900),
        failures: 1,
        last_fault: Some(String::from("it answered 503")),
        next_attempt_at: at(1_900),
        ..fetched
    };
    put(store.as_ref(), &failed).await?;
    put(store.as_ref(), &failed).await?;
    drop(store);
    let store = location.open().await;
    check_eq!(store.feeds().await, Ok(vec![failed, other.clone()]), "after a failure");
    let moved = StoredFeed { url: String::from("https://new.example/"), ..feed("bot", 9) };
    put(store.as_ref(), &moved).await?;
    check_eq!(store.feeds().await, Ok(vec![moved, other]), "new content from another address");
    Ok(())
}

async fn ordered(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let order = ["A", "B-2", "a", "a-b", "aa", "b", "ä"];
    for number in [3, 0, 5, 1, 6, 4, 2] {
        let id = order.get(number).ok_or("there is no such id")?;
        put(store.as_ref(), &feed(id, number as u64)).await?;
    }
    let expected: Vec<StoredFeed> =
        order.iter().zip(0..).map(|(id, seed)| feed(id, seed)).collect();
    same_as("all feeds", store.feeds().await, &expected)?;
    same_as("their ids", store.feed_ids().await, &order.map(String::from))
}

async fn large(engine: &dyn Engine) -> CaseResult {
    const LARGE: usize = 4_000_000;
    let location = engine.new_location().await;
    let store = location.open().await;
    let lines = (0..u32::MAX)
        .map(|number| format!("{}/32\n", std::net::Ipv4Addr::from(number.wrapping_mul(2_654_435))))
        .scan(0, |bytes, line| {
            *bytes += line.len();
            (*bytes <= LARGE).then_some(line)
        });
    let text: String = lines.collect();
    check!(text.len() > LARGE - 30, "the sample has only {} bytes", text.len());
    let text = StoredFeed { prefixes: Bytes::from(text), ..feed("text", 1) };
    // Hardly compresses, so that this much is really stored.
    let bytes = StoredFeed { prefixes: noise(5, LARGE), ..feed("bytes", 2) };
    put(store.as_ref(), &text).await?;
    put(store.as_ref(), &bytes).await?;
    let too_large =
        StoredFeed { prefixes: Bytes::from(vec![b'\n'; MAX_VALUE_BYTES + 1]), ..text.clone() };
    let refused = store.put_feed(too_large).await;
    check!(matches!(refused, Err(StoreError::TooLarge { .. })), "too large: {refused:?}");
    drop(store);
    let store = location.open().await;
    check!(store.feed("text").await == Ok(Some(text.clone())), "the text is another one");
    check!(store.feeds().await == Ok(vec![bytes, text]), "the list has another content");
    Ok(())
}

async fn deleted(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    check_eq!(store.delete_feed("bot").await, Ok(false), "one that is not stored");
    let other = feed("other", 3);
    put(store.as_ref(), &other).await?;
    put(store.as_ref(), &feed("bot", 7)).await?;
    check_eq!(store.delete_feed("bot").await, Ok(true), "one that is stored");
    check_eq!(store.delete_feed("bot").await, Ok(false), "again");
    drop(store);
    let store = location.open().await;
    check_eq!(store.feed("bot").await, Ok(None), "the deleted one");
    check_eq!(store.feeds().await, Ok(vec![other.clone()]), "the rest");
    let anew = never_fetched("bot");
    put(store.as_ref(), &anew).await?;
    check_eq!(store.feeds().await, Ok(vec![anew, other]), "begun anew, without a past");
    Ok(())
}

async fn maximum(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let id = |number: usize| format!("f{number:04}");
    let all = (0..MAX_FEEDS).map(|number| store.put_feed(feed(&id(number), 1)));
    try_join_all(all).await.map_err(unexpected_error)?;
    let refused = store.put_feed(feed("one more", 1)).await;
    check!(matches!(refused, Err(StoreError::Failed { .. })), "one more: {refused:?}");
    check_eq!(store.feed("one more").await, Ok(None), "the refused one");
    let renewed = feed(&id(0), 2);
    put(store.as_ref(), &renewed).await?;
    let expected: Vec<String> = (0..MAX_FEEDS).map(id).collect();
    same_as("their ids", store.feed_ids().await, &expected)?;
    let listed = store.feeds().await.map_err(unexpected_error)?;
    check_eq!((listed.len(), listed.first()), (MAX_FEEDS, Some(&renewed)), "the feeds");
    check_eq!(store.delete_feed(&id(9)).await, Ok(true), "making room");
    put(store.as_ref(), &feed("one more", 1)).await
}

async fn damaged(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let (sound, broken) = (feed("a", 1), feed("b", 2));
    for feed in [&sound, &broken, &feed("c", 3)] {
        put(store.as_ref(), feed).await?;
    }
    drop(store);
    location.damage_feed("b").await;
    location.damage_feed("c").await;
    let store = location.open().await;
    let read = store.feed("b").await;
    check!(matches!(read, Err(StoreError::Damaged { .. })), "the damaged one: {read:?}");
    let read = store.feeds().await;
    check!(matches!(read, Err(StoreError::Damaged { .. })), "all of them: {read:?}");
    same_as("the ids", store.feed_ids().await, &["a", "b", "c"].map(String::from))?;
    check_eq!(store.feed("a").await, Ok(Some(sound.clone())), "a sound one");
    put(store.as_ref(), &broken).await?;
    check_eq!(store.delete_feed("c").await, Ok(true), "deleting a damaged one");
    check_eq!(store.feeds().await, Ok(vec![sound, broken]), "after it was fetched again");
    Ok(())
}
