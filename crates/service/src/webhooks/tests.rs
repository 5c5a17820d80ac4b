use std::collections::BTreeSet;

use bytes::Bytes;
use contract::records::{AnswerRef, ChangeCause, ChangeDirection, ChangeEntry, FieldValue};
use contract::{Domain, Timestamp};
use serde_json::Value;
use store::{
    Delivery, DeliveryState, Digest, Licence, LicensedDomains, NewRevocation, Scan, StoredChange,
    StoredKey, Visibility,
};

use super::*;
use crate::Service;
use crate::testing::{build_service, now};

const URL: &str = "https://hooks.wikipedia.org/in";

fn domain(name: &str) -> Domain {
    serde_json::from_value(name.into()).unwrap()
}

fn only(names: &[&str]) -> LicensedDomains {
    LicensedDomains::Only(names.iter().map(|name| domain(name)).collect::<BTreeSet<_>>())
}

async fn add_licence(service: &Service, id: &str, domains: LicensedDomains) {
    let licence = Licence {
        id: id.to_owned(),
        plan: "unlimited".to_owned(),
        domains,
        label: None,
        mailbox: None,
        created_at: now(),
        expires_at: None,
        revoked_at: None,
        last_used: None,
    };
    let key = StoredKey {
        key_sha256: Digest::of(id.as_bytes()),
        licence_id: id.to_owned(),
        prefix: String::new(),
        created_at: now(),
        expires_at: None,
        revoked_at: None,
    };
    service.store.put_licence(licence, key).await.unwrap();
}

/// A webhook of the licence for all events; returns its id.
async fn add_webhook(service: &Service, licence: &str) -> String {
    let events = EventName::ALL.map(|name| name.as_str().to_owned());
    service.webhooks.register(licence, URL, &events).await.unwrap().id
}

async fn add_change(service: &Service, seq: u64, name: &str) {
    let entry = ChangeEntry {
        seq: None,
        domain: domain(name),
        at: now(),
        section: "delivery".to_owned(),
        field: "delivery.x".to_owned(),
        from: None,
        to: Some(FieldValue::Number(3)),
        happened_between: vec![now(), now()],
        cause: ChangeCause::Site,
        direction: ChangeDirection::Neutral,
        actions_affected: Vec::new(),
        before: AnswerRef { answer_sha256: None },
        after: AnswerRef { answer_sha256: None },
        evidence: None,
    };
    let body = proof::canonical::to_vec(&entry).unwrap();
    add_change_with_body(service, seq, name, body).await;
}

async fn add_change_with_body(service: &Service, seq: u64, name: &str, body: Vec<u8>) {
    let change = StoredChange {
        seq,
        domain: domain(name),
        at: now(),
        section: "delivery".to_owned(),
        direction: "neutral".to_owned(),
        body: Bytes::from(body),
    };
    service.store.import_changes(vec![change]).await.unwrap();
}

async fn add_scan(service: &Service, id: &str, name: &str, licence: &str) {
    let scan = Scan {
        id: id.to_owned(),
        domain: domain(name),
        scanned_at: now(),
        visibility: Visibility::Private,
        score_version: 1,
        grade: Some("B".to_owned()),
        overall: Some(70),
        record: Bytes::from_static(b"{}"),
        evidence: Bytes::from_static(b"{}"),
        artifacts: Vec::new(),
    };
    service.store.put_scan_of_licence(scan, licence.to_owned()).await.unwrap();
}

async fn add_revocation(service: &Service, name: Option<&str>) {
    let entry = NewRevocation {
        at: now(),
        effective_from: now(),
        kind: "revoked".to_owned(),
        target_kind: "key".to_owned(),
        target_id: "k1".to_owned(),
        domain: name.map(domain),
        actions: Vec::new(),
        reason: "key_compromised".to_owned(),
        why: "The key was compromised.".to_owned(),
        replaced_by: None,
    };
    service.store.append_revocations(vec![entry], Vec::new()).await.unwrap();
}

async fn deliveries(service: &Service, webhook: &str) -> Vec<Delivery> {
    let mut found = service.store.deliveries_of(webhook, None, 1_000).await.unwrap();
    found.reverse();
    found
}

/// The events of a webhook in the order of storing: name and domain.
async fn events(service: &Service, webhook: &str) -> Vec<(String, String)> {
    let found = deliveries(service, webhook).await;
    let body = |delivery: &Delivery| serde_json::from_slice::<Value>(&delivery.body).unwrap();
    found
        .iter()
        .map(|delivery| {
            let data = &body(delivery)["data"];
            let domain = data["domain"].as_str().or(data["target"]["domain"].as_str());
            (delivery.event.clone(), domain.unwrap_or("-").to_owned())
        })
        .collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(event, domain)| ((*event).to_owned(), (*domain).to_owned())).collect()
}

#[tokio::test]
async fn webhooks_belong_to_their_licence() {
    let dir = tempfile::tempdir().unwrap();
    let service = build_service(dir.path(), Vec::new());
    let hooks = &service.webhooks;
    add_licence(&service, "a", only(&["shop.lab"])).await;
    add_licence(&service, "b", LicensedDomains::All).await;
    let events = ["revocation".to_owned()];
    let id = hooks.register("a", URL, &events).await.unwrap().id;
    assert_eq!(hooks.list("a").await.unwrap().len(), 1);
    assert_eq!(hooks.list("b").await.unwrap(), []);
    assert_eq!(hooks.find("b", &id).await, Err(WebhookError::NotFound));
    assert_eq!(hooks.delete("b", &id).await, Err(WebhookError::NotFound));
    assert_eq!(hooks.switch_on("b", &id).await, Err(WebhookError::NotFound));
    assert_eq!(hooks.deliveries_of("b", &id, None, 9).await, Err(WebhookError::NotFound));
    assert_eq!(hooks.retry("b", &id, "d").await, Err(WebhookError::NotFound));
    assert_eq!(hooks.retry("a", &id, "d").await, Err(WebhookError::NoSuchDelivery));
    hooks.delete("a", &id).await.unwrap();
    assert_eq!(hooks.delete("a", &id).await, Err(WebhookError::NotFound));

    let refused = hooks.register("nobody", URL, &events).await;
    assert_eq!(refused, Err(WebhookError::UnknownLicence));
    let refused = hooks.register("a", "http://hooks.wikipedia.org/", &events).await;
    assert_eq!(refused, Err(WebhookError::Address(WebhookAddressError::NotHttps)));
    for _ in 0..10 {
        hooks.register("a", URL, &events).await.unwrap();
    }
    let refused = hooks.register("a", URL, &events).await;
    assert_eq!(refused, Err(WebhookError::TooMany { limit: 10 }));
    service.store.revoke_licence("b", now()).await.unwrap();
    let refused = hooks.register("b", URL, &events).await;
    assert_eq!(refused, Err(WebhookError::LicenceEnded));
}

#[tokio::test]
async fn events_go_to_those_who_follow_their_domain() {
    let dir = tempfile::tempdir().unwrap();
    let service = build_service(dir.path(), Vec::new());
    for (id, domains) in [
        ("shop", only(&["shop.lab"])),
        ("all", LicensedDomains::All),
        ("gone", only(&["shop.lab"])),
    ] {
        add_licence(&service, id, domains).await;
    }
    let shop = add_webhook(&service, "shop").await;
    let all = add_webhook(&service, "all").await;
    let gone = add_webhook(&service, "gone").await;
    service.store.revoke_licence("gone", now()).await.unwrap();
    assert_eq!(service.webhooks.fan_out().await, Ok(0), "it starts at the present");

    add_scan(&service, "s1", "blog.lab", "all").await;
    add_change(&service, 1, "shop.lab").await;
    add_change(&service, 2, "blog.lab").await;
    add_change(&service, 3, "eu.shop.lab").await;
    add_revocation(&service, Some("shop.lab")).await;
    add_revocation(&service, None).await;
    assert_eq!(service.webhooks.fan_out().await, Ok(6));
    assert_eq!(service.webhooks.fan_out().await, Ok(0), "each event once");
    let expected =
        pairs(&[("answer.changed", "shop.lab"), ("revocation", "shop.lab"), ("revocation", "-")]);
    assert_eq!(events(&service, &shop).await, expected);
    let expected = pairs(&[
        ("answer.changed", "blog.lab"),
        ("revocation", "-"),
        ("scan.finished", "blog.lab"),
    ]);
    assert_eq!(events(&service, &all).await, expected);
    assert_eq!(events(&service, &gone).await, [], "its licence has ended");

    let scan = deliveries(&service, &all).await.pop().unwrap();
    let body: Value = serde_json::from_slice(&scan.body).unwrap();
    assert_eq!(body["id"], scan.id.as_str());
    assert_eq!(body["link"], "https://svc.example/r/s1.json");
    let data = serde_json::json!({
        "scan_id": "s1",
        "domain": "blog.lab",
        "scanned_at": now().to_string(),
        "visibility": "private",
        "grade": "B",
        "overall": 70,
    });
    assert_eq!(body["data"], data);
    let change = deliveries(&service, &shop).await.remove(0);
    let body: Value = serde_json::from_slice(&change.body).unwrap();
    assert_eq!((&body["data"]["seq"], &body["data"]["to"]), (&1.into(), &3.into()));
    assert_eq!(body["link"], "https://svc.example/api/v1/changes?domain=shop.lab");
}

#[tokio::test]
async fn a_first_run_sends_nothing_of_the_past() {
    let dir = tempfile::tempdir().unwrap();
    let service = build_service(dir.path(), Vec::new());
    add_licence(&service, "shop", only(&["shop.lab"])).await;
    add_change(&service, 1, "shop.lab").await;
    add_revocation(&service, None).await;
    add_scan(&service, "s1", "shop.lab", "shop").await;
    let webhook = add_webhook(&service, "shop").await;
    for _ in 0..2 {
        assert_eq!(service.webhooks.fan_out().await, Ok(0));
    }
    add_change(&service, 2, "shop.lab").await;
    assert_eq!(service.webhooks.fan_out().await, Ok(1));
    // Only what was chosen, and only from then on.
    let events = ["scan.finished".to_owned()];
    let later = service.webhooks.register("shop", URL, &events).await.unwrap().id;
    add_change(&service, 3, "shop.lab").await;
    assert_eq!(service.webhooks.fan_out().await, Ok(1));
    assert_eq!(deliveries(&service, &later).await, []);
    assert_eq!(deliveries(&service, &webhook).await.len(), 2);
}

#[tokio::test]
async fn an_event_that_cannot_be_read_does_not_hold_up_the_next() {
    let dir = tempfile::tempdir().unwrap();
    let service = build_service(dir.path(), Vec::new());
    add_licence(&service, "shop", only(&["shop.lab"])).await;
    let webhook = add_webhook(&service, "shop").await;
    service.webhooks.fan_out().await.unwrap();
    add_change_with_body(&service, 1, "shop.lab", b"{}".to_vec()).await;
    add_change(&service, 2, "shop.lab").await;
    assert_eq!(service.webhooks.fan_out().await, Ok(1));
    let expected = pairs(&[("answer.changed", "shop.lab")]);
    assert_eq!(events(&service, &webhook).await, expected);
    assert_eq!(service.store.fan_out_cursor("changes").await, Ok(2));
}

#[tokio::test]
async fn many_events_are_stored_in_several_steps() {
    let dir = tempfile::tempdir().unwrap();
    let service = build_service(dir.path(), Vec::new());
    add_licence(&service, "shop", only(&["shop.lab"])).await;
    let mut webhooks = Vec::new();
    for _ in 0..10 {
        webhooks.push(add_webhook(&service, "shop").await);
    }
    service.webhooks.fan_out().await.unwrap();
    for seq in 1..=250 {
        add_change(&service, seq, "shop.lab").await;
    }
    assert_eq!(service.webhooks.fan_out().await, Ok(2_500));
    let mut ids = BTreeSet::new();
    for webhook in &webhooks {
        let found = deliveries(&service, webhook).await;
        assert_eq!(found.len(), 250);
        ids.extend(found.into_iter().map(|delivery| delivery.id));
    }
    assert_eq!(ids.len(), 2_500, "every delivery has an id of its own");
}

#[tokio::test]
async fn a_delivery_that_fails_waits_and_one_without_a_licence_is_given_up() {
    let dir = tempfile::tempdir().unwrap();
    // Its resolver does not answer.
    let service = build_service(dir.path(), Vec::new());
    let hooks = &service.webhooks;
    add_licence(&service, "shop", only(&["shop.lab"])).await;
    let id = add_webhook(&service, "shop").await;
    hooks.fan_out().await.unwrap();
    add_change(&service, 1, "shop.lab").await;
    add_change(&service, 2, "shop.lab").await;
    hooks.fan_out().await.unwrap();
    assert_eq!(hooks.count_waiting().await, Ok(2));
    let claim = async || hooks.claim_due(9).await.unwrap();
    let first = claim().await;
    assert_eq!(first.len(), 1, "one at a time");
    assert_eq!(claim().await, [], "it is being sent");
    for delivery in first {
        hooks.deliver(delivery).await;
    }
    let found = deliveries(&service, &id).await.remove(0);
    assert_eq!((found.state, found.tries), (DeliveryState::Waiting, 1));
    assert!(found.last_error.is_some(), "{found:?}");
    let wait = found.next_try_at.as_millis() - now().as_millis();
    assert!((10_000..=11_000).contains(&wait), "{wait}");
    assert_eq!(hooks.find("shop", &id).await.unwrap().failing_since, Some(now()));
    let error = hooks.retry("shop", &id, &found.id).await;
    assert_eq!(error, Err(WebhookError::NotGivenUp));

    service.store.revoke_licence("shop", now()).await.unwrap();
    for delivery in claim().await {
        hooks.deliver(delivery).await;
    }
    let found = deliveries(&service, &id).await.pop().unwrap();
    assert_eq!(found.state, DeliveryState::Dead);
    assert_eq!(found.last_error.as_deref(), Some("The licence of this webhook has ended."));
    hooks.retry("shop", &id, &found.id).await.unwrap();
    assert_eq!(hooks.count_waiting().await, Ok(2));
    hooks.close().await;
    assert_eq!(claim().await, [], "nothing is sent after the end");
}

#[tokio::test]
async fn a_webhook_that_was_switched_off_can_be_switched_on() {
    let dir = tempfile::tempdir().unwrap();
    let service = build_service(dir.path(), Vec::new());
    add_licence(&service, "shop", only(&["shop.lab"])).await;
    let id = add_webhook(&service, "shop").await;
    service.webhooks.fan_out().await.unwrap();
    let on = service.webhooks.find("shop", &id).await.unwrap();
    let off = Webhook {
        failing_since: Some(Timestamp::from_millis(1)),
        disabled_at: Some(now()),
        disabled_why: Some("It failed.".to_owned()),
        ..on.clone()
    };
    service.store.set_webhook_state(off).await.unwrap();
    add_change(&service, 1, "shop.lab").await;
    assert_eq!(service.webhooks.fan_out().await, Ok(0), "it is off");
    assert_eq!(service.webhooks.switch_on("shop", &id).await.unwrap(), on);
    assert_eq!(service.webhooks.find("shop", &id).await.unwrap(), on);
    add_change(&service, 2, "shop.lab").await;
    assert_eq!(service.webhooks.fan_out().await, Ok(1));
}
