//! Cases for requests for free keys.

use futures_util::future::join_all;

use super::harness::{Case, CaseResult, Engine, check, check_eq, unexpected_error};
use super::sample_values::{at, key, licence};
use crate::key_requests::MAX_REQUESTS_OF_MAILBOX;
use crate::{Digest, KeyRequest, KeyRequestOutcome, Licence, Store, StoreError};

pub(super) const CASES: &[(&str, Case)] = &[
    ("a request for a key is found and expires", |e| Box::pin(expires(e))),
    ("a request for a key is taken once, and a mailbox gets one licence", |e| Box::pin(taken(e))),
    ("of concurrent takers of a request one gets the key", |e| Box::pin(at_once(e))),
    ("the requests of a mailbox are bounded, and the oldest goes", |e| Box::pin(bounded(e))),
];

pub(super) fn request(token: &str, mailbox: &str, ms: i64) -> KeyRequest {
    KeyRequest {
        token_sha256: Digest::of(token.as_bytes()),
        mailbox: Digest::of(mailbox.as_bytes()),
        created_at: at(ms),
        expires_at: at(ms + 100),
    }
}

async fn take(
    store: &dyn Store,
    token: &str,
    ms: i64,
    id: &str,
) -> Result<KeyRequestOutcome, StoreError> {
    let failed = |why| StoreError::Failed { doing: "making a licence", why };
    let new = licence(id, ms).map_err(failed)?;
    store.take_key_request(Digest::of(token.as_bytes()), at(ms), new, key(id, id, ms)).await
}

async fn expires(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let put = request("t", "m", 0);
    check_eq!(store.key_request(put.token_sha256).await, Ok(None), "before");
    store.put_key_request(put.clone()).await.map_err(unexpected_error)?;
    let again = store.put_key_request(request("t", "other", 0)).await;
    check!(matches!(again, Err(StoreError::Duplicate { .. })), "the same token: {again:?}");
    drop(store);
    let store = location.open().await;
    check_eq!(store.key_request(put.token_sha256).await, Ok(Some(put.clone())), "after reopening");
    let late = take(store.as_ref(), "t", 100, "l").await;
    check_eq!(late, Ok(KeyRequestOutcome::Expired), "too late");
    check_eq!(store.licence("l").await, Ok(None), "no licence");
    check_eq!(store.delete_expired_key_requests(at(99)).await, Ok(0), "too early");
    check_eq!(store.delete_expired_key_requests(at(100)).await, Ok(1), "removed");
    check_eq!(store.key_request(put.token_sha256).await, Ok(None), "afterwards");
    Ok(())
}

async fn taken(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    for (token, mailbox) in [("a", "m"), ("b", "m"), ("c", "other")] {
        store.put_key_request(request(token, mailbox, 0)).await.map_err(unexpected_error)?;
    }
    let unknown = take(store.as_ref(), "x", 1, "l").await;
    check_eq!(unknown, Ok(KeyRequestOutcome::Unknown), "an unknown token");
    check_eq!(take(store.as_ref(), "a", 1, "l").await, Ok(KeyRequestOutcome::Taken), "taken");
    let mailbox = Digest::of(b"m");
    let expected = Licence { mailbox: Some(mailbox), ..licence("l", 1)? };
    check_eq!(
        store.licence_by_key(Digest::of(b"l")).await,
        Ok(Some((expected, key("l", "l", 1)))),
        "what was stored"
    );
    for token in ["a", "b"] {
        let again = take(store.as_ref(), token, 2, "l2").await;
        check_eq!(again, Ok(KeyRequestOutcome::Unknown), "all requests of the mailbox are gone");
    }
    store.put_key_request(request("d", "m", 0)).await.map_err(unexpected_error)?;
    let second = take(store.as_ref(), "d", 2, "l2").await;
    check_eq!(second, Ok(KeyRequestOutcome::HasLicence), "a second licence");
    store.revoke_licence("l", at(3)).await.map_err(unexpected_error)?;
    let second = take(store.as_ref(), "d", 4, "l2").await;
    check_eq!(second, Ok(KeyRequestOutcome::Taken), "after the first was revoked");
    // An id that is stored: nothing is changed, and the request can be taken with another.
    let same_id = take(store.as_ref(), "c", 4, "l2").await;
    check!(matches!(same_id, Err(StoreError::Duplicate { .. })), "the same id: {same_id:?}");
    check_eq!(take(store.as_ref(), "c", 4, "l3").await, Ok(KeyRequestOutcome::Taken), "another");
    Ok(())
}

async fn at_once(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    for token in ["a", "b"] {
        store.put_key_request(request(token, "m", 0)).await.map_err(unexpected_error)?;
    }
    let names: Vec<String> = (0..20).map(|number| format!("l{number}")).collect();
    let takers = names.iter().zip(["a", "b"].into_iter().cycle());
    let takers = takers.map(|(id, token)| take(store.as_ref(), token, 1, id));
    let mut granted = 0;
    for outcome in join_all(takers).await {
        let outcome = outcome.map_err(unexpected_error)?;
        granted += u32::from(outcome == KeyRequestOutcome::Taken);
    }
    check_eq!(granted, 1, "how many got a key");
    let licences = store.licences(None, 99).await.map_err(unexpected_error)?;
    check_eq!(licences.len(), 1, "licences");
    Ok(())
}

async fn bounded(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    store.put_key_request(request("other", "o", 0)).await.map_err(unexpected_error)?;
    for (token, ms) in ["0", "1", "2", "3", "4", "5", "6"].into_iter().zip(0..) {
        store.put_key_request(request(token, "m", ms)).await.map_err(unexpected_error)?;
    }
    let mut kept = Vec::new();
    for token in ["0", "1", "2", "3", "4", "5", "6", "other"] {
        let found = store.key_request(Digest::of(token.as_bytes())).await;
        kept.extend(found.map_err(unexpected_error)?.map(|_| token));
    }
    check_eq!(kept, ["2", "3", "4", "5", "6", "other"], "the newest {MAX_REQUESTS_OF_MAILBOX}");
    Ok(())
}
