//! Cases for copying licences and what belongs to them to another store.

use contract::clock::FixedClock;
use futures_util::future::try_join_all;

use super::audit::entry;
use super::deliveries::delivery;
use super::harness::{Case, CaseResult, Engine, check, check_eq, unexpected_error};
use super::licence_scans::put_scan;
use super::sample_values::{at, key, licence, put_licence, same_as};
use super::webhooks::webhook;
use crate::{Day, Digest, Month, Store, StoreError, copy};

pub(super) const CASES: &[(&str, Case)] = &[
    ("a copy contains what belongs to licences", |e| Box::pin(everything(e))),
    ("a repeated copy includes licences revoked since", |e| Box::pin(revoked_since(e))),
];

fn clock() -> FixedClock {
    FixedClock(at(0))
}

const LICENCES: u64 = 300;
const LICENCE_SCANS: u64 = 300;
const USAGE_ROWS: u64 = 300;
const AUDIT_ENTRIES: i64 = 300;

/// Licences and what belongs to them, with more than one page of those that are paged.
async fn fill(store: &dyn Store) -> CaseResult {
    // At once, so that they share commits.
    let ids: Vec<String> = (0..LICENCES).map(|number| format!("l{number}")).collect();
    try_join_all(ids.iter().map(|id| put_licence(store, id, 1))).await?;
    store.add_key(key("again", "l1", 2), Some(at(9))).await.map_err(unexpected_error)?;
    store.mark_licence_used("l1", Day::of(at(0))).await.map_err(unexpected_error)?;
    let ids: Vec<String> = (0..LICENCE_SCANS).map(|number| format!("s{number}")).collect();
    let owners = ["l3", "l1", "l1"].into_iter().cycle();
    try_join_all(ids.iter().zip(owners).map(|(id, of)| put_scan(store, id, of, 70))).await?;
    let names: Vec<String> = (0..USAGE_ROWS).map(|number| format!("operation {number}")).collect();
    let calls = names.iter().map(|operation| store.count_call("l1", at(0), operation, None));
    try_join_all(calls).await.map_err(unexpected_error)?;
    let entries = (0..AUDIT_ENTRIES).map(|number| store.append_audit(entry(number)));
    try_join_all(entries).await.map_err(unexpected_error)?;
    for id in ["w1", "w2"] {
        store.put_webhook(webhook(id, "l3", 0)).await.map_err(unexpected_error)?;
    }
    let moved = store.fan_out("scans", 0, 7, vec![delivery("d", "w1", 0)]).await;
    check_eq!(moved, Ok(true), "the events");
    Ok(())
}

/// Fails unless both stores have the same of what belongs to licences.
async fn compare(original: &dyn Store, copy: &dyn Store) -> CaseResult {
    let licences = original.licences(None, usize::MAX).await.map_err(unexpected_error)?;
    same_as("licences", copy.licences(None, usize::MAX).await, &licences)?;
    for licence in licences {
        let id = &licence.id;
        check_eq!(copy.keys_of(id).await, original.keys_of(id).await, "the keys of {id}");
        let expected = original.webhooks_of(id).await;
        check_eq!(copy.webhooks_of(id).await, expected, "the webhooks of {id}");
        let expected = original.used_in_month(id, Month::of(at(0))).await;
        check_eq!(copy.used_in_month(id, Month::of(at(0))).await, expected, "the calls of {id}");
    }
    let expected = original.export_usage(None, usize::MAX).await.map_err(unexpected_error)?;
    same_as("calls", copy.export_usage(None, usize::MAX).await, &expected)?;
    let expected = original.licence_scans_after(0, usize::MAX).await.map_err(unexpected_error)?;
    same_as("scans of licences", copy.licence_scans_after(0, usize::MAX).await, &expected)?;
    let expected = original.last_licence_scan().await;
    check_eq!(copy.last_licence_scan().await, expected, "the last number of these scans");
    let expected = original.export_audit(0, usize::MAX).await.map_err(unexpected_error)?;
    same_as("audit entries", copy.export_audit(0, usize::MAX).await, &expected)?;
    check_eq!(copy.fan_out_cursors().await, original.fan_out_cursors().await, "the cursors");
    Ok(())
}

async fn everything(engine: &dyn Engine) -> CaseResult {
    let (from_place, to_place) = (engine.new_location().await, engine.new_location().await);
    let (from, to) = (from_place.open().await, to_place.open().await);
    fill(from.as_ref()).await?;
    for _ in 0..2 {
        let copied = copy(from.as_ref(), to.as_ref(), &clock(), &mut |_| {}).await;
        let report = copied.map_err(unexpected_error)?;
        check_eq!(
            (report.licences, report.licence_scans, report.usage_rows, report.audit_entries),
            (LICENCES, LICENCE_SCANS, USAGE_ROWS, AUDIT_ENTRIES.unsigned_abs()),
            "copied"
        );
        check_eq!(report.webhooks, 2, "webhooks copied");
        compare(from.as_ref(), to.as_ref()).await?;
    }
    check_eq!(to.delivery("d").await, Ok(None), "what waits is sent from where it waits");
    // What is deleted about a holder is deleted in the copy as well.
    from.delete_licence_data("l3", at(8)).await.map_err(unexpected_error)?;
    from.add_key(key("third", "l1", 3), None).await.map_err(unexpected_error)?;
    // Both go on where they were.
    from.count_call("l1", at(1), "operation 0", None).await.map_err(unexpected_error)?;
    from.append_audit(entry(999)).await.map_err(unexpected_error)?;
    from.fan_out("scans", 7, 9, vec![]).await.map_err(unexpected_error)?;
    copy(from.as_ref(), to.as_ref(), &clock(), &mut |_| {}).await.map_err(unexpected_error)?;
    check_eq!(to.webhook("w1").await, Ok(None), "a webhook of the deleted one");
    compare(from.as_ref(), to.as_ref()).await
}

async fn revoked_since(engine: &dyn Engine) -> CaseResult {
    let (from_place, to_place) = (engine.new_location().await, engine.new_location().await);
    let (from, to) = (from_place.open().await, to_place.open().await);
    put_licence(from.as_ref(), "l", 1).await?;
    put_licence(from.as_ref(), "m", 1).await?;
    copy(from.as_ref(), to.as_ref(), &clock(), &mut |_| {}).await.map_err(unexpected_error)?;
    from.revoke_licence("l", at(5)).await.map_err(unexpected_error)?;
    from.add_key(key("m2", "m", 6), Some(at(7))).await.map_err(unexpected_error)?;
    to.revoke_licence("m", at(6)).await.map_err(unexpected_error)?;
    let report =
        copy(from.as_ref(), to.as_ref(), &clock(), &mut |_| {}).await.map_err(unexpected_error)?;
    check_eq!(report.licences, 2, "licences copied");
    let copied = to.licence("l").await.map_err(unexpected_error)?;
    check_eq!(copied.and_then(|l| l.revoked_at), Some(at(5)), "what was revoked since");
    let kept = to.licence("m").await.map_err(unexpected_error)?;
    check_eq!(kept.and_then(|l| l.revoked_at), Some(at(6)), "what was revoked in the copy");
    check_eq!(to.keys_of("m").await, from.keys_of("m").await, "the keys");

    // The same key under another id is another licence.
    let other_place = engine.new_location().await;
    let other = other_place.open().await;
    other.put_licence(licence("x", 1)?, key("l", "x", 1)).await.map_err(unexpected_error)?;
    let refused = copy(from.as_ref(), other.as_ref(), &clock(), &mut |_| {}).await;
    check!(matches!(refused, Err(StoreError::Duplicate { .. })), "a conflict: {refused:?}");
    let stored = other.licence_by_key(Digest::of(b"l")).await.map_err(unexpected_error)?;
    check_eq!(
        stored.map(|(stored, _)| (stored.id, stored.revoked_at)),
        Some(("x".into(), None)),
        "the other"
    );
    check_eq!(other.licence("l").await, Ok(None), "the one that was refused");
    Ok(())
}
