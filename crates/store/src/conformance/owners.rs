//! Cases for claims of control, their events, incidents and disputes.

use bytes::Bytes;
use contract::clock::FixedClock;

use super::harness::{Case, CaseResult, Engine, check, check_eq, unexpected_error};
use super::sample_values::{at, domain, scan};
use crate::control::{MAX_CLAIMS_OF_DOMAIN, MAX_CONTROL_EVENTS};
use crate::{
    Digest, Dispute, DisputeCounts, NewControlEvent, OwnerIncident, Prunable, Store, StoreError,
    StoredClaim, copy,
};

pub(super) const CASES: &[(&str, Case)] = &[
    ("a claim is stored with its events, and only over the one that was read", |e| {
        Box::pin(claims(e))
    }),
    ("claims and events of a domain are bounded, and held claims stay", |e| Box::pin(bounded(e))),
    ("an incident is open until it ends or somebody ends it", |e| Box::pin(incidents(e))),
    ("a dispute is closed once, and its scans are kept", |e| Box::pin(disputes(e))),
    ("a copy contains what belongs to owners", |e| Box::pin(copied(e))),
];

pub(super) fn claim(id: &str, name: &str, next: Option<i64>) -> Result<StoredClaim, String> {
    Ok(StoredClaim {
        id: id.to_owned(),
        domain: domain(name)?,
        secret_sha256: Digest::of(id.as_bytes()),
        next_check_at: next.map(at),
        body: Bytes::from(format!("{{\"claim\":\"{id}\"}}")),
    })
}

pub(super) fn event(number: i64) -> NewControlEvent {
    NewControlEvent { at: at(number), body: Bytes::from(format!("{{\"event\":{number}}}")) }
}

pub(super) fn incident(id: &str, name: &str, ms: i64) -> Result<OwnerIncident, String> {
    Ok(OwnerIncident {
        id: id.to_owned(),
        domain: domain(name)?,
        claim_id: String::from("c"),
        what: String::from("the shop was broken into"),
        since: at(ms - 5),
        reported_at: at(ms),
        ends_at: at(ms + 100),
        ended_at: None,
        ended_by: None,
    })
}

fn dispute(id: &str, name: &str, scan_id: &str) -> Result<Dispute, String> {
    Ok(Dispute {
        id: id.to_owned(),
        domain: domain(name)?,
        claim_id: String::from("c"),
        scan_id: scan_id.to_owned(),
        reason: String::from("that was our test server"),
        filed_at: at(1),
        fresh_scan_id: None,
        closed_at: None,
        changed: None,
        outcome: None,
    })
}

async fn claims(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    check_eq!(store.last_control_event().await, Ok(0), "no events");
    let first = claim("a", "shop.lab", Some(10))?;
    let put = store.put_claim(first.clone(), None, vec![event(1), event(2)]).await;
    check_eq!(put, Ok(true), "a new claim");
    let again = store.put_claim(first.clone(), None, vec![event(9)]).await;
    check_eq!(again, Ok(false), "a claim that is there already");
    let mut later = first.clone();
    later.next_check_at = Some(at(40));
    later.body = Bytes::from_static(b"{}");
    let stale = store.put_claim(later.clone(), Some(Digest::of(b"other")), vec![event(9)]).await;
    check_eq!(stale, Ok(false), "over another claim than the stored one");
    check_eq!(store.claim("a").await, Ok(Some(first.clone())), "unchanged");
    let changed = store.put_claim(later.clone(), Some(first.fingerprint()), vec![event(3)]).await;
    check_eq!(changed, Ok(true), "over the one that was read");
    drop(store);
    let store = location.open().await;
    check_eq!(store.claim("a").await, Ok(Some(later.clone())), "after reopening");
    check_eq!(store.claim("b").await, Ok(None), "no such claim");
    let by_secret = store.claim_by_secret(Digest::of(b"a")).await;
    check_eq!(by_secret, Ok(Some(later.clone())), "by its secret");
    check_eq!(store.claim_by_secret(Digest::of(b"x")).await, Ok(None), "no such secret");
    let second = claim("b", "shop.lab", None)?;
    let put = store.put_claim(second.clone(), None, vec![event(4)]).await;
    check_eq!(put, Ok(true), "a second claim");
    let third = claim("c", "other.lab", Some(20))?;
    let put = store.put_claim(third.clone(), None, vec![event(5)]).await;
    check_eq!(put, Ok(true), "of another domain");
    let shop = domain("shop.lab")?;
    let both = vec![later.clone(), second.clone()];
    check_eq!(store.claims_of(&shop).await, Ok(both), "the claims of a domain");
    let rest = vec![second, third.clone()];
    check_eq!(store.claims(Some("a".to_owned()), 9).await, Ok(rest), "a page");
    check_eq!(store.due_claims(at(19), 9).await, Ok(vec![]), "none is due");
    let due = vec![third, later];
    check_eq!(store.due_claims(at(40), 9).await, Ok(due.clone()), "two are due");
    let first: Vec<_> = due.into_iter().take(1).collect();
    check_eq!(store.due_claims(at(40), 1).await, Ok(first), "the first");
    let events = store.control_events_of(&shop, None, 9).await.map_err(unexpected_error)?;
    let times: Vec<_> = events.iter().map(|event| (event.seq, event.at)).collect();
    let expected = [(4, at(4)), (3, at(3)), (2, at(2)), (1, at(1))];
    check_eq!(times, expected, "the events of a domain, newest first");
    let page = store.control_events_of(&shop, Some(3), 1).await.map_err(unexpected_error)?;
    check_eq!(page.iter().map(|event| event.seq).collect::<Vec<_>>(), [2], "a page of events");
    let after = store.control_events_after(3, 9).await.map_err(unexpected_error)?;
    check_eq!(after.iter().map(|event| event.seq).collect::<Vec<_>>(), [4, 5], "the last events");
    check_eq!(store.last_control_event().await, Ok(5), "the last number");
    Ok(())
}

async fn bounded(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let shop = domain("shop.lab")?;
    let mut last = None;
    for number in 0..=MAX_CLAIMS_OF_DOMAIN {
        // The first is held, all others have ended.
        let next = (number == 0).then_some(5);
        let new = claim(&format!("c{number:03}"), "shop.lab", next)?;
        let put = store.put_claim(new.clone(), None, vec![]).await;
        check_eq!(put, Ok(true), "claim {number}");
        last = Some(new);
    }
    let stored = store.claims_of(&shop).await.map_err(unexpected_error)?;
    check_eq!(stored.len(), MAX_CLAIMS_OF_DOMAIN, "as many as a domain may have");
    let ids: Vec<&str> = stored.iter().map(|claim| claim.id.as_str()).collect();
    check!(ids.first() == Some(&"c000") && ids.get(1) == Some(&"c002"), "the oldest went: {ids:?}");
    for held in stored {
        let next = StoredClaim { next_check_at: Some(at(7)), ..held.clone() };
        let put = store.put_claim(next, Some(held.fingerprint()), vec![]).await;
        check_eq!(put, Ok(true), "held again");
    }
    let refused = store.put_claim(claim("new", "shop.lab", Some(5))?, None, vec![event(1)]).await;
    check!(matches!(refused, Err(StoreError::LimitReached { .. })), "all are held: {refused:?}");
    check_eq!(store.last_control_event().await, Ok(0), "nothing was stored");
    let Some(last) = last else { return Err(String::from("no claim")) };
    let held = StoredClaim { next_check_at: Some(at(7)), ..last };
    let many = (0..=MAX_CONTROL_EVENTS as i64).map(event).collect();
    let put = store.put_claim(held.clone(), Some(held.fingerprint()), many).await;
    check_eq!(put, Ok(true), "many events");
    let events =
        store.control_events_of(&shop, None, usize::MAX).await.map_err(unexpected_error)?;
    check_eq!(events.len(), MAX_CONTROL_EVENTS, "as many as a domain may have");
    check_eq!(events.last().map(|event| event.seq), Some(2), "the oldest went");
    Ok(())
}

async fn incidents(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let shop = domain("shop.lab")?;
    let first = incident("i1", "shop.lab", 10)?;
    store.put_incident(first.clone(), event(1)).await.map_err(unexpected_error)?;
    let second = store.put_incident(incident("i2", "shop.lab", 20)?, event(9)).await;
    check!(matches!(second, Err(StoreError::LimitReached { .. })), "a second one: {second:?}");
    store
        .put_incident(incident("i3", "other.lab", 20)?, event(2))
        .await
        .map_err(unexpected_error)?;
    drop(store);
    let store = location.open().await;
    check_eq!(store.open_incident(&shop, at(109)).await, Ok(Some(first.clone())), "open");
    check_eq!(store.open_incident(&shop, at(110)).await, Ok(None), "over by itself");
    check_eq!(store.overdue_incidents(at(109), 9).await, Ok(vec![]), "none is overdue");
    let overdue = store.overdue_incidents(at(110), 9).await;
    check_eq!(overdue, Ok(vec![first.clone()]), "one is overdue");
    check_eq!(store.end_incident("i1", at(50), "its owner", event(3)).await, Ok(true), "ended");
    check_eq!(store.end_incident("i1", at(51), "another", event(9)).await, Ok(false), "ended once");
    check_eq!(
        store.end_incident("none", at(51), "another", event(9)).await,
        Ok(false),
        "no such incident"
    );
    check_eq!(store.open_incident(&shop, at(60)).await, Ok(None), "ended by its owner");
    let ended = OwnerIncident {
        ended_at: Some(at(50)),
        ended_by: Some(String::from("its owner")),
        ..first
    };
    let next = incident("i4", "shop.lab", 60)?;
    store.put_incident(next.clone(), event(4)).await.map_err(unexpected_error)?;
    check_eq!(store.incidents_of(&shop, 9).await, Ok(vec![next, ended]), "all of a domain");
    let events = store.control_events_of(&shop, None, 9).await.map_err(unexpected_error)?;
    let times: Vec<_> = events.iter().map(|event| event.at).collect();
    check_eq!(times, [at(4), at(3), at(1)], "an event for each change");
    let ids = store.incidents(Some(String::from("i1")), 9).await.map_err(unexpected_error)?;
    check_eq!(ids.iter().map(|i| i.id.as_str()).collect::<Vec<_>>(), ["i3", "i4"], "a page");
    Ok(())
}

async fn disputes(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let shop = domain("shop.lab")?;
    for (id, ms) in [("s1", 1), ("s2", 2), ("s3", 3)] {
        store.put_scan(scan(id, "shop.lab", ms)?).await.map_err(unexpected_error)?;
    }
    let open = dispute("d1", "shop.lab", "s1")?;
    store.put_dispute(open.clone()).await.map_err(unexpected_error)?;
    let second = store.put_dispute(dispute("d2", "shop.lab", "s2")?).await;
    check!(matches!(second, Err(StoreError::LimitReached { .. })), "a second one: {second:?}");
    check_eq!(store.open_disputes(9).await, Ok(vec![open.clone()]), "open");
    let closed = Dispute {
        fresh_scan_id: Some(String::from("s2")),
        closed_at: Some(at(9)),
        changed: Some(true),
        outcome: Some(String::from("the grade was F and is B+")),
        ..open
    };
    check_eq!(store.close_dispute(closed.clone()).await, Ok(true), "closed");
    check_eq!(store.close_dispute(closed.clone()).await, Ok(false), "closed once");
    check_eq!(store.close_dispute(dispute("d9", "shop.lab", "s1")?).await, Ok(false), "none");
    drop(store);
    let store = location.open().await;
    check_eq!(store.dispute("d1").await, Ok(Some(closed.clone())), "after reopening");
    check_eq!(store.open_disputes(9).await, Ok(vec![]), "none is open");
    check_eq!(store.disputes_of(&shop, 9).await, Ok(vec![closed]), "of the domain");
    store.put_dispute(dispute("d2", "shop.lab", "s1")?).await.map_err(unexpected_error)?;
    let counts = DisputeCounts { filed: 2, read_again: 1, changed: 1 };
    check_eq!(store.dispute_counts().await, Ok(counts), "the counts");
    check_eq!(store.prune(Prunable::Scans, at(100), 99).await, Ok(1), "only the scan of none");
    check_eq!(store.scan("s3").await.map(|scan| scan.is_some()), Ok(false), "is gone");
    Ok(())
}

async fn copied(engine: &dyn Engine) -> CaseResult {
    let (from, to) = (engine.new_location().await, engine.new_location().await);
    let (from, to) = (from.open().await, to.open().await);
    let events = vec![event(1), event(2), event(3)];
    from.put_claim(claim("a", "shop.lab", Some(1))?, None, events)
        .await
        .map_err(unexpected_error)?;
    from.put_incident(incident("i", "shop.lab", 1)?, event(4)).await.map_err(unexpected_error)?;
    from.put_dispute(dispute("d", "shop.lab", "s")?).await.map_err(unexpected_error)?;
    for round in 0..2 {
        let clock = FixedClock(at(0));
        let report = copy(&*from, &*to, &clock, &mut |_| {}).await.map_err(unexpected_error)?;
        let counts = (report.claims, report.control_events, report.incidents, report.disputes);
        check_eq!(counts, (1, 4, 1, 1), "round {round}");
    }
    same(&*from, &*to).await?;
    let claim = claim("b", "shop.lab", None)?;
    to.put_claim(claim, None, vec![event(9)]).await.map_err(unexpected_error)?;
    check_eq!(to.last_control_event().await, Ok(5), "numbers go on");
    Ok(())
}

async fn same(from: &dyn Store, to: &dyn Store) -> CaseResult {
    check_eq!(to.claims(None, 9).await, from.claims(None, 9).await, "claims");
    let expected = from.control_events_after(0, 9).await;
    check_eq!(to.control_events_after(0, 9).await, expected, "events");
    check_eq!(to.incidents(None, 9).await, from.incidents(None, 9).await, "incidents");
    check_eq!(to.disputes(None, 9).await, from.disputes(None, 9).await, "disputes");
    check_eq!(to.last_control_event().await, from.last_control_event().await, "the last number");
    Ok(())
}
