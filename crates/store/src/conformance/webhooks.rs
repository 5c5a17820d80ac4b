//! Cases for webhooks.

use super::harness::{Case, CaseResult, Engine, check, check_eq, unexpected_error};
use super::sample_values::at;
use crate::webhooks::MAX_WEBHOOKS;
use crate::{StoreError, Webhook};

pub(super) const CASES: &[(&str, Case)] = &[
    ("a webhook is found, listed and deleted", |e| Box::pin(found(e))),
    ("the webhooks of a licence are bounded", |e| Box::pin(bounded(e))),
    ("a webhook that is disabled is not listed as active", |e| Box::pin(disabled(e))),
    ("a webhook of another store is stored or replaced", |e| Box::pin(imported(e))),
];

pub(super) fn webhook(id: &str, licence: &str, ms: i64) -> Webhook {
    Webhook {
        id: id.to_owned(),
        licence_id: licence.to_owned(),
        url: format!("https://{id}.lab/hook?a=1"),
        events: vec![String::from("change"), String::from("scan.finished")],
        created_at: at(ms),
        failing_since: None,
        disabled_at: None,
        disabled_why: None,
    }
}

async fn found(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let (one, two) = (webhook("one", "l", 2), webhook("two", "l", 1));
    let without = Webhook { events: vec![], ..webhook("three", "m", 0) };
    for put in [&one, &two, &without] {
        store.put_webhook(put.clone()).await.map_err(unexpected_error)?;
    }
    let again = store.put_webhook(webhook("one", "m", 0)).await;
    check!(matches!(again, Err(StoreError::Duplicate { .. })), "the same id: {again:?}");
    drop(store);
    let store = location.open().await;
    check_eq!(store.webhook("one").await, Ok(Some(one.clone())), "by its id");
    check_eq!(store.webhook("four").await, Ok(None), "an unknown id");
    check_eq!(store.webhooks_of("l").await, Ok(vec![two.clone(), one]), "by age");
    check_eq!(store.webhooks_of("m").await, Ok(vec![without]), "without events");
    check!(two.wants("change") && !two.wants("chang"), "the events that it gets");
    check_eq!(store.delete_webhook("one").await, Ok(true), "deleted");
    check_eq!(store.delete_webhook("one").await, Ok(false), "deleted again");
    check_eq!(store.webhooks_of("l").await, Ok(vec![two]), "what is left");
    Ok(())
}

async fn bounded(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    for number in 0..MAX_WEBHOOKS {
        let put = webhook(&format!("w{number}"), "l", 0);
        store.put_webhook(put).await.map_err(unexpected_error)?;
    }
    let one_more = store.put_webhook(webhook("more", "l", 0)).await;
    check!(matches!(one_more, Err(StoreError::LimitReached { .. })), "one more: {one_more:?}");
    store.put_webhook(webhook("other", "m", 0)).await.map_err(unexpected_error)?;
    store.delete_webhook("w3").await.map_err(unexpected_error)?;
    store.put_webhook(webhook("more", "l", 0)).await.map_err(unexpected_error)?;
    Ok(())
}

async fn disabled(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    for id in ["b", "a", "c"] {
        store.put_webhook(webhook(id, "l", 0)).await.map_err(unexpected_error)?;
    }
    let state = Webhook {
        failing_since: Some(at(1)),
        disabled_at: Some(at(9)),
        disabled_why: Some(String::from("it failed for a week")),
        // Not part of the state.
        url: String::from("https://other.lab/"),
        ..webhook("b", "l", 0)
    };
    check_eq!(store.set_webhook_state(state.clone()).await, Ok(true), "disabled");
    let gone = store.set_webhook_state(webhook("gone", "l", 0)).await;
    check_eq!(gone, Ok(false), "one that is gone");
    let expected = Webhook { url: webhook("b", "l", 0).url, ..state };
    check!(expected.is_disabled(), "its state");
    check_eq!(store.webhook("b").await, Ok(Some(expected)), "its state");
    let first = store.active_webhooks(None, 1).await;
    check_eq!(first, Ok(vec![webhook("a", "l", 0)]), "the first that is active");
    let rest = store.active_webhooks(Some(String::from("a")), 9).await;
    check_eq!(rest, Ok(vec![webhook("c", "l", 0)]), "the rest");
    store.set_webhook_state(webhook("b", "l", 0)).await.map_err(unexpected_error)?;
    let all = store.active_webhooks(None, 9).await.map_err(unexpected_error)?;
    check_eq!(all.len(), 3, "switched on again");
    Ok(())
}

async fn imported(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let old = webhook("w", "l", 0);
    let new = Webhook { failing_since: Some(at(5)), ..old.clone() };
    for put in [old, new.clone(), new.clone()] {
        store.import_webhook(put).await.map_err(unexpected_error)?;
    }
    check_eq!(store.webhooks_of("l").await, Ok(vec![new]), "what is stored");
    Ok(())
}
