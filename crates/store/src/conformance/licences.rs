//! Cases for licences.

use futures_util::future::join_all;

use super::harness::{Case, CaseResult, Engine, check, check_eq, unexpected_error};
use super::sample_values::{at, domain, licence};
use crate::{Digest, Licence, LicensedDomains, StoreError};

pub(super) const CASES: &[(&str, Case)] = &[
    ("a licence is found by its key, also after reopening", |e| Box::pin(by_key(e))),
    ("licences are listed by age, with every form of domains", |e| Box::pin(listed(e))),
    ("an id or key that is already stored is refused", |e| Box::pin(duplicate(e))),
    ("a licence is revoked once and stays revoked", |e| Box::pin(revoked(e))),
];

async fn by_key(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let put = licence("one", 0)?;
    check_eq!(store.licence_by_key(put.key_sha256).await, Ok(None), "before it is put");
    store.put_licence(put.clone()).await.map_err(unexpected_error)?;
    check_eq!(store.licence_by_key(put.key_sha256).await, Ok(Some(put.clone())), "just put");
    check_eq!(store.licence_by_key(Digest::of(b"another")).await, Ok(None), "another key");
    drop(store);
    let store = location.open().await;
    check_eq!(store.licence_by_key(put.key_sha256).await, Ok(Some(put)), "after reopening");
    Ok(())
}

async fn listed(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    check_eq!(store.licences().await, Ok(vec![]), "of a new store");
    let many: Result<_, _> = (0..50).map(|number| domain(&format!("d{number}.lab"))).collect();
    let all = [
        Licence { domains: LicensedDomains::All, label: None, ..licence("b", 1)? },
        licence("c", 1)?,
        Licence { domains: LicensedDomains::Only([].into()), ..licence("a", 2)? },
        Licence {
            domains: LicensedDomains::Only(many?),
            label: Some(String::from("' ü\n\u{202e}")),
            ..licence("z", 3)?
        },
    ];
    for put in all.iter().rev() {
        store.put_licence(put.clone()).await.map_err(unexpected_error)?;
    }
    check_eq!(store.licences().await, Ok(all.to_vec()), "the list");
    Ok(())
}

async fn duplicate(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let first = licence("one", 0)?;
    store.put_licence(first.clone()).await.map_err(unexpected_error)?;
    let same_id = Licence { key_sha256: Digest::of(b"other key"), ..licence("one", 5)? };
    let same_key = Licence { id: String::from("two"), ..licence("one", 5)? };
    for put in [same_id, same_key] {
        let refused = store.put_licence(put).await;
        check!(matches!(refused, Err(StoreError::Duplicate { .. })), "refused: {refused:?}");
    }
    check_eq!(store.licences().await, Ok(vec![first]), "what is kept");
    Ok(())
}

async fn revoked(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let (active, ended) = (licence("kept", 0)?, licence("ended", 1)?);
    store.put_licence(active.clone()).await.map_err(unexpected_error)?;
    store.put_licence(ended.clone()).await.map_err(unexpected_error)?;
    check_eq!(store.revoke_licence("unknown", at(2)).await, Ok(None), "an unknown id");
    let expected = Licence { revoked_at: Some(at(2)), ..ended.clone() };
    check_eq!(store.revoke_licence("ended", at(2)).await, Ok(Some(expected.clone())), "revoked");
    let again = join_all((3..9).map(|ms| store.revoke_licence("ended", at(ms)))).await;
    for result in again {
        check_eq!(result, Ok(Some(expected.clone())), "revoked again");
    }
    drop(store);
    let store = location.open().await;
    check_eq!(store.licence_by_key(ended.key_sha256).await, Ok(Some(expected)), "after reopening");
    check_eq!(store.licence_by_key(active.key_sha256).await, Ok(Some(active)), "its neighbour");
    Ok(())
}
