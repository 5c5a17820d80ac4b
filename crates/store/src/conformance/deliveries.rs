//! Cases for deliveries to webhooks.

use bytes::Bytes;
use futures_util::future::join_all;

use super::harness::{Case, CaseResult, Engine, check, check_eq, unexpected_error};
use super::sample_values::at;
use super::webhooks::webhook;
use crate::deliveries::{MAX_ENDED_DELIVERIES, MAX_WAITING_DELIVERIES};
use crate::{
    Delivery, DeliveryState, DeliveryTry, NewDelivery, Prunable, Store, StoreError, Webhook,
};

pub(super) const CASES: &[(&str, Case)] = &[
    ("events are fanned out once, whoever tries", |e| Box::pin(fanned_out(e))),
    ("a webhook has one claimed delivery at a time", |e| Box::pin(claimed(e))),
    ("a delivery that fails is tried again, and then given up", |e| Box::pin(failed(e))),
    ("a delivery that arrived stays delivered", |e| Box::pin(delivered(e))),
    ("a webhook that is disabled or deleted gets nothing", |e| Box::pin(switched_off(e))),
    ("deliveries are listed in pages and removed after their time", |e| Box::pin(listed(e))),
    ("the deliveries of a webhook are bounded", |e| Box::pin(bounded(e))),
];

pub(super) fn delivery(id: &str, webhook: &str, ms: i64) -> NewDelivery {
    NewDelivery {
        id: id.to_owned(),
        webhook_id: webhook.to_owned(),
        event: String::from("change"),
        body: Bytes::from(format!("{{\"id\":\"{id}\"}}")),
        created_at: at(ms),
        next_try_at: at(ms),
    }
}

fn ids(found: &[Delivery]) -> Vec<&str> {
    found.iter().map(|found| found.id.as_str()).collect()
}

/// A store with webhooks and their deliveries.
async fn fill(
    store: &dyn Store,
    webhooks: &[&str],
    deliveries: &[(&str, &str, i64)],
) -> CaseResult {
    for id in webhooks {
        store.put_webhook(webhook(id, "l", 0)).await.map_err(unexpected_error)?;
    }
    let new = deliveries.iter().map(|(id, of, ms)| delivery(id, of, *ms)).collect();
    check_eq!(store.fan_out("test", 0, 1, new).await, Ok(true), "the deliveries");
    Ok(())
}

async fn fanned_out(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    for id in ["w", "v"] {
        store.put_webhook(webhook(id, "l", 0)).await.map_err(unexpected_error)?;
    }
    check_eq!(store.fan_out_cursor("changes").await, Ok(0), "at the beginning");
    // Several jobs that read the same events.
    let tries = (0..8).map(|_| {
        let new = vec![delivery("a", "w", 0), delivery("b", "v", 0), delivery("c", "gone", 0)];
        store.fan_out("changes", 0, 7, new)
    });
    let mut done = 0;
    for moved in join_all(tries).await {
        done += u32::from(moved.map_err(unexpected_error)?);
    }
    check_eq!(done, 1, "how many moved the cursor");
    drop(store);
    let store = location.open().await;
    check_eq!(store.fan_out_cursor("changes").await, Ok(7), "after reopening");
    check_eq!(store.fan_out_cursor("scans").await, Ok(0), "another source");
    let stored = store.deliveries_of("w", None, 9).await.map_err(unexpected_error)?;
    check_eq!(ids(&stored), ["a"], "of one webhook");
    let first = stored.first().ok_or("nothing is stored")?;
    let expected = Delivery {
        seq: first.seq,
        id: String::from("a"),
        webhook_id: String::from("w"),
        event: String::from("change"),
        body: delivery("a", "w", 0).body,
        created_at: at(0),
        next_try_at: at(0),
        tries: 0,
        state: DeliveryState::Waiting,
        last_status: None,
        last_error: None,
        ended_at: None,
    };
    check_eq!(first, &expected, "as it was given");
    check_eq!(store.delivery("c").await, Ok(None), "for a webhook that is gone");
    let again = store.fan_out("changes", 7, 9, vec![delivery("a", "v", 5)]).await;
    check_eq!(again, Ok(true), "an id that is stored");
    check_eq!(store.delivery("a").await, Ok(Some(expected)), "it stays as it is");
    let large = NewDelivery { body: Bytes::from(vec![b'x'; 300_000]), ..delivery("x", "w", 0) };
    let refused = store.fan_out("changes", 9, 10, vec![large]).await;
    check!(matches!(refused, Err(StoreError::TooLarge { .. })), "too large: {refused:?}");
    check_eq!(store.fan_out_cursor("changes").await, Ok(9), "the cursor stays");
    Ok(())
}

async fn claimed(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let all = [("w1", "w", 0), ("w2", "w", 1), ("v1", "v", 5), ("u1", "u", 50)];
    fill(store.as_ref(), &["w", "v", "u"], &all).await?;
    let claim = |now, until| store.claim_deliveries(at(now), at(until), 9);
    check_eq!(claim(-1, 10).await, Ok(vec![]), "before anything is due");
    let first = store.claim_deliveries(at(9), at(20), 1).await.map_err(unexpected_error)?;
    check_eq!(ids(&first), ["w1"], "the longest due");
    check_eq!(first.first().map(|first| first.tries), Some(1), "its tries");
    let mut rest = Vec::new();
    for found in join_all((0..5).map(|_| claim(9, 20))).await {
        rest.extend(found.map_err(unexpected_error)?);
    }
    check_eq!(ids(&rest), ["v1"], "of the others, once");
    drop(store);
    let store = location.open().await;
    let claim = |now, until| store.claim_deliveries(at(now), at(until), 9);
    check_eq!(claim(19, 30).await, Ok(vec![]), "while they are claimed");
    let again = claim(20, 40).await.map_err(unexpected_error)?;
    check_eq!(ids(&again), ["w1", "v1"], "after the end of the claim");
    check_eq!(again.first().map(|first| first.tries), Some(2), "its tries");
    Ok(())
}

fn failure(ms: i64, next: Option<i64>) -> DeliveryTry {
    DeliveryTry {
        at: at(ms),
        status: Some(500),
        error: Some("ü".repeat(400)),
        next_try_at: next.map(at),
    }
}

fn success(ms: i64) -> DeliveryTry {
    DeliveryTry { at: at(ms), status: Some(204), error: None, next_try_at: None }
}

async fn failed(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    fill(store.as_ref(), &["w"], &[("a", "w", 0), ("b", "w", 1)]).await?;
    store.claim_deliveries(at(1), at(9), 9).await.map_err(unexpected_error)?;
    check_eq!(store.record_delivery("unknown", failure(2, None)).await, Ok(None), "unknown");
    let tried = store.record_delivery("a", failure(2, Some(10))).await.map_err(unexpected_error)?;
    let tried = tried.ok_or("it is gone")?;
    check_eq!((tried.state, tried.next_try_at), (DeliveryState::Waiting, at(10)), "again later");
    check_eq!(tried.last_status, Some(500), "its status");
    check_eq!(tried.last_error, Some("ü".repeat(250)), "its error, cut");
    let next = store.claim_deliveries(at(3), at(9), 9).await.map_err(unexpected_error)?;
    check_eq!(ids(&next), ["b"], "the next one need not wait for it");
    store.record_delivery("b", success(4)).await.map_err(unexpected_error)?;
    let next = store.claim_deliveries(at(10), at(20), 9).await.map_err(unexpected_error)?;
    check_eq!(ids(&next), ["a"], "when it is due again");
    let dead = store.record_delivery("a", failure(11, None)).await.map_err(unexpected_error)?;
    let dead = dead.ok_or("it is gone")?;
    check_eq!((dead.state, dead.ended_at), (DeliveryState::Dead, Some(at(11))), "given up");
    check_eq!(store.claim_deliveries(at(99), at(100), 9).await, Ok(vec![]), "nothing is left");
    check_eq!(store.count_waiting_deliveries().await, Ok(0), "how many wait");
    check_eq!(store.retry_delivery("b", at(30)).await, Ok(false), "one that was delivered");
    check_eq!(store.retry_delivery("a", at(30)).await, Ok(true), "one that was given up");
    check_eq!(store.retry_delivery("a", at(31)).await, Ok(false), "it waits already");
    check_eq!(store.count_waiting_deliveries().await, Ok(1), "how many wait now");
    let next = store.claim_deliveries(at(30), at(40), 9).await.map_err(unexpected_error)?;
    check_eq!(ids(&next), ["a"], "again");
    check_eq!(next.first().map(|next| (next.tries, next.ended_at)), Some((1, None)), "from anew");
    Ok(())
}

async fn delivered(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    fill(store.as_ref(), &["w"], &[("a", "w", 0)]).await?;
    // Two workers, because the claim of the first one ended.
    store.claim_deliveries(at(0), at(1), 9).await.map_err(unexpected_error)?;
    store.claim_deliveries(at(1), at(9), 9).await.map_err(unexpected_error)?;
    let done = store.record_delivery("a", success(2)).await.map_err(unexpected_error)?;
    let done = done.ok_or("it is gone")?;
    check_eq!((done.state, done.ended_at), (DeliveryState::Delivered, Some(at(2))), "delivered");
    check_eq!((done.last_status, done.last_error.clone()), (Some(204), None), "how");
    for late in [failure(3, Some(5)), failure(3, None), success(4)] {
        let after = store.record_delivery("a", late).await;
        check_eq!(after, Ok(Some(done.clone())), "what the other one says");
    }
    // One that was given up arrived after all.
    let more = vec![delivery("b", "w", 0)];
    store.fan_out("test", 1, 2, more).await.map_err(unexpected_error)?;
    store.record_delivery("b", failure(5, None)).await.map_err(unexpected_error)?;
    let after = store.record_delivery("b", success(6)).await.map_err(unexpected_error)?;
    check_eq!(after.map(|after| after.state), Some(DeliveryState::Delivered), "after all");
    Ok(())
}

async fn switched_off(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    fill(store.as_ref(), &["w", "v"], &[("a", "w", 0), ("b", "v", 0)]).await?;
    let off = Webhook { disabled_at: Some(at(1)), ..webhook("w", "l", 0) };
    store.set_webhook_state(off).await.map_err(unexpected_error)?;
    store.delete_webhook("v").await.map_err(unexpected_error)?;
    check_eq!(store.delivery("b").await, Ok(None), "it went with its webhook");
    check_eq!(store.claim_deliveries(at(5), at(9), 9).await, Ok(vec![]), "while it is off");
    store.set_webhook_state(webhook("w", "l", 0)).await.map_err(unexpected_error)?;
    let on = store.claim_deliveries(at(5), at(9), 9).await.map_err(unexpected_error)?;
    check_eq!(ids(&on), ["a"], "when it is on again");
    let recorded = store.record_delivery("b", success(6)).await;
    check_eq!(recorded, Ok(None), "what arrived for the deleted one");
    Ok(())
}

async fn listed(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let all = [("a", "w", 0), ("x", "v", 0), ("b", "w", 0), ("c", "w", 0)];
    fill(store.as_ref(), &["w", "v"], &all).await?;
    let first = store.deliveries_of("w", None, 2).await.map_err(unexpected_error)?;
    check_eq!(ids(&first), ["c", "b"], "the newest");
    let before = first.last().map(|last| last.seq);
    let rest = store.deliveries_of("w", before, 2).await.map_err(unexpected_error)?;
    check_eq!(ids(&rest), ["a"], "the rest");
    store.record_delivery("a", success(5)).await.map_err(unexpected_error)?;
    store.record_delivery("b", failure(6, None)).await.map_err(unexpected_error)?;
    check_eq!(store.prune(Prunable::Deliveries, at(5), 9).await, Ok(0), "too early");
    check_eq!(store.prune(Prunable::Deliveries, at(99), 1).await, Ok(1), "one step");
    check_eq!(store.delivery("a").await, Ok(None), "the first that ended");
    check_eq!(store.prune(Prunable::Deliveries, at(99), 9).await, Ok(1), "the rest");
    let left = store.deliveries_of("w", None, 9).await.map_err(unexpected_error)?;
    check_eq!(ids(&left), ["c"], "what waits stays");
    Ok(())
}

async fn bounded(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    fill(store.as_ref(), &["w", "v"], &[("other", "v", 0)]).await?;
    let many = |from: usize, count: usize| -> Vec<NewDelivery> {
        (from..from + count).map(|number| delivery(&format!("d{number}"), "w", 0)).collect()
    };
    let put =
        |expected: u64, new: Vec<NewDelivery>| store.fan_out("test", expected, expected + 1, new);
    check_eq!(put(1, many(0, MAX_WAITING_DELIVERIES)).await, Ok(true), "as many as may wait");
    check_eq!(put(2, vec![delivery("last", "w", 9)]).await, Ok(true), "one more");
    let oldest = store.delivery("d0").await.map_err(unexpected_error)?.ok_or("it is gone")?;
    check_eq!((oldest.state, oldest.ended_at), (DeliveryState::Dead, Some(at(9))), "the oldest");
    check!(oldest.last_error.is_some(), "the reason");
    let refused = store.retry_delivery("d0", at(10)).await;
    check!(matches!(refused, Err(StoreError::LimitReached { .. })), "no room: {refused:?}");
    let next = store.delivery("d1").await.map_err(unexpected_error)?;
    check_eq!(next.map(|next| next.state), Some(DeliveryState::Waiting), "the next one");
    for step in 0..3 {
        let from = (step + 1) * 10_000;
        let new = many(from, MAX_WAITING_DELIVERIES);
        check_eq!(put(3 + step as u64, new).await, Ok(true), "more and more");
    }
    let all = store.deliveries_of("w", None, usize::MAX).await.map_err(unexpected_error)?;
    let waiting = all.iter().filter(|d| d.state == DeliveryState::Waiting).count();
    check_eq!(waiting, MAX_WAITING_DELIVERIES, "what waits");
    check_eq!(all.len() - waiting, MAX_ENDED_DELIVERIES, "what ended");
    let other = store.delivery("other").await.map_err(unexpected_error)?;
    check_eq!(other.map(|o| o.state), Some(DeliveryState::Waiting), "of another webhook");
    Ok(())
}
