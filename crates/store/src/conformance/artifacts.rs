//! Cases for artefacts.

use bytes::Bytes;
use contract::Timestamp;
use futures_util::future::join_all;

use super::harness::{Case, CaseResult, Engine, check, check_eq, unexpected_error};
use super::sample_values::{at, noise, scan};
use crate::{ArtifactRow, Digest, MAX_VALUE_BYTES, Scan, Store, StoreError};

pub(super) const CASES: &[(&str, Case)] = &[
    ("an artefact comes back byte for byte, also after reopening", |e| Box::pin(comes_back(e))),
    ("an artefact can be written again, immediately or later", |e| Box::pin(again(e))),
    ("bytes that do not match their digest are refused", |e| Box::pin(wrong_name(e))),
    ("a damaged artefact is an error, and writing it again repairs it", |e| Box::pin(damaged(e))),
    ("the list pages through every artefact", |e| Box::pin(list(e))),
    ("a sweep removes artefacts that are old and unused", |e| Box::pin(sweep(e))),
    ("a sweep keeps artefacts that were received again", |e| Box::pin(received_again(e))),
];

async fn put(store: &dyn Store, bytes: &Bytes, ms: i64) -> Result<Digest, String> {
    let sha256 = Digest::of(bytes);
    store.put_artifact(sha256, bytes.clone(), at(ms)).await.map_err(unexpected_error)?;
    Ok(sha256)
}

async fn comes_back(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let bodies = [
        Bytes::new(),
        Bytes::from_static(b"<!doctype html>"),
        Bytes::from_static(b"\0\xff\r\n"),
        Bytes::from(vec![b'a'; 3_000_000]),
        noise(3, 1024 * 1024),
        noise(4, MAX_VALUE_BYTES),
    ];
    for body in &bodies {
        put(store.as_ref(), body, 0).await?;
    }
    check_eq!(store.artifact(Digest::of(b"never put")).await, Ok(None), "an unknown digest");
    drop(store);
    let store = location.open().await;
    for body in &bodies {
        let got = store.artifact(Digest::of(body)).await.map_err(unexpected_error)?;
        check!(got.as_ref() == Some(body), "{} bytes did not come back as put", body.len());
    }
    Ok(())
}

async fn again(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let body = noise(5, 50_000);
    let sha256 = Digest::of(&body);
    let results = join_all((0..50).map(|n| store.put_artifact(sha256, body.clone(), at(n)))).await;
    for result in results {
        check_eq!(result, Ok(()), "one of many at once");
    }
    put(store.as_ref(), &body, 7).await?;
    check_eq!(store.artifact(sha256).await, Ok(Some(body)), "after putting it often");
    let expected = vec![ArtifactRow { sha256, kept_at: at(49) }];
    check_eq!(
        store.export_artifacts(None, 10).await,
        Ok(expected),
        "kept once, at the latest moment"
    );
    Ok(())
}

async fn wrong_name(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let (named, bytes) = (Digest::of(b"name"), Bytes::from_static(b"other"));
    let expected = StoreError::WrongDigest { named, found: Digest::of(&bytes) };
    check_eq!(store.put_artifact(named, bytes, at(0)).await, Err(expected), "put");
    check_eq!(store.artifact(named).await, Ok(None), "the refused name");
    let long = Bytes::from(vec![0; MAX_VALUE_BYTES + 1]);
    let refused = store.put_artifact(Digest::of(&long), long, at(0)).await;
    check!(matches!(refused, Err(StoreError::TooLarge { .. })), "too large: {refused:?}");
    check_eq!(store.export_artifacts(None, 10).await, Ok(vec![]), "what is kept");
    Ok(())
}

async fn damaged(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    for body in [noise(6, 20_000), Bytes::from_static(b"short")] {
        let sha256 = put(store.as_ref(), &body, 0).await?;
        location.damage_artifact(sha256).await;
        let got = store.artifact(sha256).await;
        check!(matches!(got, Err(StoreError::Damaged { .. })), "damaged: {got:?}");
        put(store.as_ref(), &body, 1).await?;
        check_eq!(store.artifact(sha256).await, Ok(Some(body)), "mended");
    }
    Ok(())
}

async fn list(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let mut expected = Vec::new();
    for number in 0..60_i64 {
        let body = Bytes::from(format!("body {number}"));
        let sha256 = put(store.as_ref(), &body, number).await?;
        expected.push(ArtifactRow { sha256, kept_at: at(number) });
    }
    expected.sort_by_key(|row| row.sha256);
    for page in [1, 7, 60, usize::MAX] {
        let mut got: Vec<ArtifactRow> = Vec::new();
        loop {
            let after = got.last().map(|row| row.sha256);
            let rows = store.export_artifacts(after, page).await.map_err(unexpected_error)?;
            if rows.is_empty() {
                break;
            }
            got.extend(rows);
        }
        check_eq!(got, expected, "pages of {page}");
    }
    Ok(())
}

async fn sweep(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let body = |name: &str| Bytes::from(format!("body {name}"));
    for name in ["unused", "used long ago", "used lately", "used by both"] {
        put(store.as_ref(), &body(name), 0).await?;
    }
    for name in ["new and unused", "just on the border"] {
        put(store.as_ref(), &body(name), 1_000).await?;
    }
    for (id, ms, used) in [
        ("long ago", 999, ["used long ago", "used by both"]),
        ("lately", 1_000, ["used lately", "used by both"]),
        // An older scan that is put later does not make its artefacts older.
        ("late arrival", 5, ["used lately", "used by both"]),
    ] {
        let artifacts = used.map(|name| Digest::of(&body(name))).to_vec();
        store
            .put_scan(Scan { artifacts, ..scan(id, "shop.lab", ms)? })
            .await
            .map_err(unexpected_error)?;
    }

    let nothing = store.sweep_artifacts(at(0)).await.map_err(unexpected_error)?;
    check_eq!((nothing.removed, nothing.kept), (0, 6), "a sweep of nothing");
    let swept = store.sweep_artifacts(at(1_000)).await.map_err(unexpected_error)?;
    check_eq!((swept.removed, swept.kept), (2, 4), "the sweep");
    check!(swept.removed_bytes > 0, "the sweep freed no bytes");
    for (name, stays) in [
        ("unused", false),
        ("used long ago", false),
        ("used lately", true),
        ("used by both", true),
        ("new and unused", true),
        ("just on the border", true),
    ] {
        let got = store.artifact(Digest::of(&body(name))).await;
        check_eq!(got, Ok(stays.then(|| body(name))), "{name}");
    }
    let twice = store.sweep_artifacts(at(1_000)).await.map_err(unexpected_error)?;
    check_eq!((twice.removed, twice.kept), (0, 4), "the same sweep again");
    check!(store.scan("long ago").await.is_ok_and(|s| s.is_some()), "a sweep took a scan");
    let all =
        store.sweep_artifacts(Timestamp::from_millis(i64::MAX)).await.map_err(unexpected_error)?;
    check_eq!((all.removed, all.kept), (4, 0), "a sweep of everything");
    // What was swept can come again.
    put(store.as_ref(), &body("unused"), 2_000).await?;
    check_eq!(store.artifact(Digest::of(&body("unused"))).await, Ok(Some(body("unused"))), "again");
    Ok(())
}

async fn received_again(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let body = Bytes::from_static(b"received twice");
    put(store.as_ref(), &body, 0).await?;
    put(store.as_ref(), &body, 2_000).await?;
    put(store.as_ref(), &body, 1).await?;
    let swept = store.sweep_artifacts(at(1_000)).await.map_err(unexpected_error)?;
    check_eq!((swept.removed, swept.kept), (0, 1), "the sweep");
    Ok(())
}
