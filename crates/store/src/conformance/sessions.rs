//! Cases for sessions.

use super::harness::{Case, CaseResult, Engine, check, check_eq, unexpected_error};
use super::sample_values::at;
use crate::sessions::MAX_SESSIONS;
use crate::{Digest, Session, StoreError};

pub(super) const CASES: &[(&str, Case)] = &[
    ("a session is found by its token until it is ended", |e| Box::pin(found(e))),
    ("a session that is used moves its idle end", |e| Box::pin(touched(e))),
    ("all sessions of a licence but one are ended", |e| Box::pin(all_but_one(e))),
    ("the sessions of a licence are bounded, and the oldest goes", |e| Box::pin(bounded(e))),
    ("sessions that have ended are removed", |e| Box::pin(expired(e))),
];

pub(super) fn session(token: &str, licence: &str, ms: i64) -> Session {
    Session {
        token_sha256: Digest::of(token.as_bytes()),
        licence_id: licence.to_owned(),
        key_sha256: Digest::of(b"key"),
        created_at: at(ms),
        last_seen_at: at(ms),
        idle_until: at(ms + 100),
        expires_at: at(ms + 1_000),
        client: String::from("Firefox on Linux"),
    }
}

async fn found(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let put = session("a", "l", 0);
    check_eq!(store.session(put.token_sha256).await, Ok(None), "before");
    store.put_session(put.clone()).await.map_err(unexpected_error)?;
    let again = store.put_session(session("a", "m", 1)).await;
    check!(matches!(again, Err(StoreError::Duplicate { .. })), "the same token: {again:?}");
    drop(store);
    let store = location.open().await;
    check_eq!(store.session(put.token_sha256).await, Ok(Some(put.clone())), "after reopening");
    check_eq!(store.session(Digest::of(b"b")).await, Ok(None), "another token");
    check_eq!(store.end_session(put.token_sha256).await, Ok(true), "ended");
    check_eq!(store.end_session(put.token_sha256).await, Ok(false), "ended again");
    check_eq!(store.session(put.token_sha256).await, Ok(None), "afterwards");
    check_eq!(store.touch_session(put.token_sha256, at(5), at(9)).await, Ok(false), "used again");
    check_eq!(store.session(put.token_sha256).await, Ok(None), "it does not come back");
    Ok(())
}

async fn touched(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    for token in ["a", "b"] {
        store.put_session(session(token, "l", 0)).await.map_err(unexpected_error)?;
    }
    let put = session("a", "l", 0);
    check_eq!(store.touch_session(put.token_sha256, at(50), at(150)).await, Ok(true), "used");
    let expected = Session { last_seen_at: at(50), idle_until: at(150), ..put };
    let listed = vec![expected, session("b", "l", 0)];
    check_eq!(store.sessions_of("l").await, Ok(listed), "the last used one first");
    Ok(())
}

async fn all_but_one(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    for (token, licence) in [("a", "l"), ("b", "l"), ("c", "l"), ("d", "m")] {
        store.put_session(session(token, licence, 0)).await.map_err(unexpected_error)?;
    }
    check_eq!(store.end_sessions("l", Some(Digest::of(b"b"))).await, Ok(2), "the others");
    check_eq!(store.sessions_of("l").await, Ok(vec![session("b", "l", 0)]), "what is left");
    // The session of somebody else is no exception.
    check_eq!(store.end_sessions("l", Some(Digest::of(b"d"))).await, Ok(1), "the last one");
    check_eq!(store.end_sessions("l", None).await, Ok(0), "nothing more");
    check_eq!(store.sessions_of("m").await, Ok(vec![session("d", "m", 0)]), "of another licence");
    Ok(())
}

async fn bounded(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    store.put_session(session("other", "m", 0)).await.map_err(unexpected_error)?;
    let number_of = |number: usize| i64::try_from(number).unwrap_or(0);
    for number in 0..MAX_SESSIONS + 3 {
        let put = session(&number.to_string(), "l", number_of(number));
        store.put_session(put).await.map_err(unexpected_error)?;
    }
    let listed = store.sessions_of("l").await.map_err(unexpected_error)?;
    check_eq!(listed.len(), MAX_SESSIONS, "how many are kept");
    check_eq!(listed.last().map(|oldest| oldest.created_at), Some(at(3)), "the oldest");
    check_eq!(store.session(Digest::of(b"2")).await, Ok(None), "one that went");
    check_eq!(store.sessions_of("m").await.map(|all| all.len()), Ok(1), "of another licence");
    Ok(())
}

async fn expired(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    for (token, idle_until, expires_at) in [("a", 10, 99), ("b", 99, 10), ("c", 11, 11)] {
        let put = Session {
            idle_until: at(idle_until),
            expires_at: at(expires_at),
            ..session(token, "l", 0)
        };
        check_eq!(put.is_active(at(9)), true, "{token} before");
        check_eq!(put.is_active(at(10)), token == "c", "{token} at its end");
        store.put_session(put).await.map_err(unexpected_error)?;
    }
    check_eq!(store.delete_expired_sessions(at(9)).await, Ok(0), "too early");
    check_eq!(store.delete_expired_sessions(at(10)).await, Ok(2), "both ends");
    let left = store.sessions_of("l").await.map_err(unexpected_error)?;
    check_eq!(left.len(), 1, "what is left");
    Ok(())
}
