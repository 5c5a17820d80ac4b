//! Cases for scans of licences.

use super::harness::{Case, CaseResult, Engine, check, check_eq, unexpected_error};
use super::sample_values::{at, scan};
use crate::{LicenceScan, Prunable, Scan, ScanDeletion, Store, StoreError, Visibility};

pub(super) const CASES: &[(&str, Case)] = &[
    ("a scan is stored together with its licence", |e| Box::pin(stored(e))),
    ("scans of licences are listed in both directions, in pages", |e| Box::pin(listed(e))),
    ("what is known about a scan goes with it, and its number is not used again", |e| {
        Box::pin(removed(e))
    }),
];

/// Stores a private scan of a licence and returns it.
pub(super) async fn put_scan(
    store: &dyn Store,
    id: &str,
    licence: &str,
    ms: i64,
) -> Result<Scan, String> {
    let put = Scan { visibility: Visibility::Private, ..scan(id, "shop.lab", ms)? };
    let stored = store.put_scan_of_licence(put.clone(), licence.to_owned()).await;
    stored.map_err(unexpected_error)?;
    Ok(put)
}

fn ids(found: Result<Vec<LicenceScan>, StoreError>) -> Result<Vec<String>, String> {
    let found = found.map_err(unexpected_error)?;
    Ok(found.into_iter().map(|found| found.scan.id).collect())
}

async fn stored(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    check_eq!(store.last_licence_scan().await, Ok(0), "of a new store");
    let put = put_scan(store.as_ref(), "one", "l", 0).await?;
    store.put_scan(scan("of nobody", "shop.lab", 1)?).await.map_err(unexpected_error)?;
    let refused = store.put_scan_of_licence(put.clone(), String::from("m")).await;
    check!(matches!(refused, Err(StoreError::Duplicate { .. })), "the same id: {refused:?}");
    drop(store);
    let store = location.open().await;
    check_eq!(store.scan("one").await, Ok(Some(put.clone())), "the scan");
    check_eq!(store.owner_of_scan("one").await, Ok(Some(String::from("l"))), "its licence");
    check_eq!(store.owner_of_scan("of nobody").await, Ok(None), "a scan without a licence");
    check_eq!(store.owner_of_scan("unknown").await, Ok(None), "an unknown scan");
    let found = store.scans_of_licence("l", None, 9).await.map_err(unexpected_error)?;
    check_eq!(found.len(), 1, "the scans of the licence");
    check_eq!(found.first().map(|found| found.scan.clone()), Some(put.row()), "as it is listed");
    check_eq!(store.scans_of_licence("m", None, 9).await, Ok(vec![]), "of the refused one");
    Ok(())
}

async fn listed(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    // Not in the order of their times.
    for (number, licence) in [(0, "l"), (1, "m"), (2, "l"), (3, "l")] {
        put_scan(store.as_ref(), &format!("s{number}"), licence, -number).await?;
    }
    let first = store.scans_of_licence("l", None, 2).await.map_err(unexpected_error)?;
    check_eq!(ids(Ok(first.clone()))?, ["s3", "s2"], "the newest");
    let before = first.last().map(|last| last.seq);
    check_eq!(ids(store.scans_of_licence("l", before, 2).await)?, ["s0"], "the next page");
    let first = store.licence_scans_after(0, 3).await.map_err(unexpected_error)?;
    check_eq!(ids(Ok(first.clone()))?, ["s0", "s1", "s2"], "of all licences");
    let after = first.last().map_or(0, |last| last.seq);
    let rest = store.licence_scans_after(after, 3).await.map_err(unexpected_error)?;
    check_eq!(ids(Ok(rest.clone()))?, ["s3"], "the rest");
    check_eq!(Ok(rest.last().map_or(0, |last| last.seq)), store.last_licence_scan().await, "last");
    Ok(())
}

async fn removed(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    for number in 0..3 {
        put_scan(store.as_ref(), &format!("s{number}"), "l", number).await?;
    }
    let last = store.last_licence_scan().await.map_err(unexpected_error)?;
    let deletion =
        |dry_run| ScanDeletion { id: String::from("s2"), deleted_at: at(9), reason: None, dry_run };
    store.delete_scan(deletion(true)).await.map_err(unexpected_error)?;
    check_eq!(store.owner_of_scan("s2").await, Ok(Some(String::from("l"))), "only looked at");
    store.delete_scan(deletion(false)).await.map_err(unexpected_error)?;
    check_eq!(store.prune(Prunable::Scans, at(1), 9).await, Ok(1), "the oldest");
    check_eq!(ids(store.scans_of_licence("l", None, 9).await)?, ["s1"], "what is left");
    check_eq!(store.owner_of_scan("s2").await, Ok(None), "of the deleted one");
    check_eq!(store.last_licence_scan().await, Ok(last), "the last number");
    put_scan(store.as_ref(), "s3", "l", 3).await?;
    let newest = store.licence_scans_after(last, 9).await;
    check_eq!(ids(newest)?, ["s3"], "the next one is after all numbers before");

    // A copy keeps the numbers, also that of a scan that is gone.
    store.delete_scan(ScanDeletion { id: String::from("s3"), ..deletion(false) }).await.ok();
    let all = store.licence_scans_after(0, 9).await.map_err(unexpected_error)?;
    let last = store.last_licence_scan().await.map_err(unexpected_error)?;
    let other_place = engine.new_location().await;
    let other = other_place.open().await;
    other.import_licence_scans(vec![], last).await.map_err(unexpected_error)?;
    check_eq!(other.last_licence_scan().await, Ok(last), "in a store without any");
    other.put_scan(scan("s1", "shop.lab", 1)?).await.map_err(unexpected_error)?;
    for _ in 0..2 {
        other.import_licence_scans(all.clone(), last).await.map_err(unexpected_error)?;
    }
    check_eq!(ids(other.licence_scans_after(0, 9).await)?, ["s1"], "what was copied");
    put_scan(other.as_ref(), "new", "l", 9).await?;
    check_eq!(ids(other.licence_scans_after(last, 9).await)?, ["new"], "after the copy");
    Ok(())
}
