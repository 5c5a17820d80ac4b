//! Cases for deleting what is stored about the holder of a licence.

use super::deliveries::delivery;
use super::harness::{Case, CaseResult, Engine, check_eq, unexpected_error};
use super::key_requests::request;
use super::licence_scans::put_scan;
use super::sample_values::{at, key, licence, scan};
use super::sessions::session;
use super::webhooks::webhook;
use crate::{
    Day, DeletedLicenceData, Digest, Licence, LicensedDomains, Month, Scan, ScanDeletion, Store,
    Visibility,
};

pub(super) const CASES: &[(&str, Case)] = &[
    ("nothing about the holder of a deleted licence is left", |e| Box::pin(deleted(e))),
    ("the hidden scans of a deleted licence are listed until they are gone", |e| {
        Box::pin(scans(e))
    }),
];

async fn fill(store: &dyn Store, id: &str) -> Result<Licence, String> {
    let put = Licence {
        mailbox: Some(Digest::of(id.as_bytes())),
        last_used: Some(Day::of(at(0))),
        ..licence(id, 0)?
    };
    store.put_licence(put.clone(), key(id, id, 0)).await.map_err(unexpected_error)?;
    store.put_session(session(id, id, 0)).await.map_err(unexpected_error)?;
    store.put_webhook(webhook(id, id, 0)).await.map_err(unexpected_error)?;
    store.put_key_request(request(id, id, 0)).await.map_err(unexpected_error)?;
    store.fan_out(id, 0, 1, vec![delivery(id, id, 0)]).await.map_err(unexpected_error)?;
    store.count_call(id, at(0), "scan", None).await.map_err(unexpected_error)?;
    Ok(put)
}

/// How many things are stored about the licence besides itself.
async fn left(store: &dyn Store, id: &str) -> Result<usize, String> {
    let token = Digest::of(id.as_bytes());
    let found = [
        store.keys_of(id).await.map_err(unexpected_error)?.len(),
        usize::from(store.licence_by_key(token).await.map_err(unexpected_error)?.is_some()),
        usize::from(store.licence_by_mailbox(token).await.map_err(unexpected_error)?.is_some()),
        usize::from(store.session(token).await.map_err(unexpected_error)?.is_some()),
        usize::from(store.key_request(token).await.map_err(unexpected_error)?.is_some()),
        store.webhooks_of(id).await.map_err(unexpected_error)?.len(),
        usize::from(store.delivery(id).await.map_err(unexpected_error)?.is_some()),
        usize::from(store.used_in_month(id, Month::of(at(0))).await.map_err(unexpected_error)? > 0),
        store.usage_of(id, Day::of(at(0)), Day::of(at(0))).await.map_err(unexpected_error)?.len(),
    ];
    Ok(found.iter().sum())
}

async fn deleted(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let put = fill(store.as_ref(), "gone").await?;
    let kept = fill(store.as_ref(), "kept").await?;
    check_eq!(left(store.as_ref(), "gone").await, Ok(9), "before");
    check_eq!(store.delete_licence_data("unknown", at(5)).await, Ok(None), "an unknown id");
    let licence = Licence {
        label: None,
        mailbox: None,
        domains: LicensedDomains::Only([].into()),
        last_used: None,
        revoked_at: Some(at(5)),
        ..put
    };
    let expected = Ok(Some(DeletedLicenceData { licence: licence.clone(), hidden_scans: vec![] }));
    check_eq!(store.delete_licence_data("gone", at(5)).await, expected, "deleted");
    check_eq!(store.delete_licence_data("gone", at(6)).await, expected, "deleted again");
    drop(store);
    let store = location.open().await;
    check_eq!(left(store.as_ref(), "gone").await, Ok(0), "what is left");
    check_eq!(store.licence("gone").await, Ok(Some(licence)), "the licence");
    check_eq!(left(store.as_ref(), "kept").await, Ok(9), "of another licence");
    check_eq!(store.licence("kept").await, Ok(Some(kept)), "the other licence");
    Ok(())
}

async fn scans(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    fill(store.as_ref(), "l").await?;
    put_scan(store.as_ref(), "private", "l", 0).await?;
    put_scan(store.as_ref(), "of another", "m", 0).await?;
    for (id, visibility) in [("unlisted", Visibility::Unlisted), ("public", Visibility::Public)] {
        let put = Scan { visibility, ..scan(id, "shop.lab", 1)? };
        let stored = store.put_scan_of_licence(put, String::from("l")).await;
        stored.map_err(unexpected_error)?;
    }
    let hidden = || async {
        let done = store.delete_licence_data("l", at(5)).await.map_err(unexpected_error)?;
        Ok::<_, String>(done.map(|done| done.hidden_scans).unwrap_or_default())
    };
    for _ in 0..2 {
        check_eq!(hidden().await?, ["private", "unlisted"], "what the caller deletes");
    }
    check_eq!(store.owner_of_scan("public").await, Ok(None), "whose the public one was");
    check_eq!(store.scan("public").await.map(|scan| scan.is_some()), Ok(true), "it stays");
    for id in ["private", "unlisted"] {
        let deletion =
            ScanDeletion { id: id.into(), deleted_at: at(6), reason: None, dry_run: false };
        store.delete_scan(deletion).await.map_err(unexpected_error)?;
    }
    check_eq!(hidden().await?, Vec::<String>::new(), "when they are gone");
    let other = store.owner_of_scan("of another").await;
    check_eq!(other, Ok(Some(String::from("m"))), "a scan of another licence");
    Ok(())
}
