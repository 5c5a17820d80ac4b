//! Cases for idempotent requests.

use bytes::Bytes;
use futures_util::future::join_all;

use super::harness::{Case, CaseResult, Engine, check_eq, unexpected_error};
use super::sample_values::at;
use crate::{Digest, IdempotencyStart, StoredReply};

pub(super) const CASES: &[(&str, Case)] = &[
    ("repeated requests get the first reply until it expires", |e| Box::pin(replayed(e))),
    ("of many concurrent requests one is the first", |e| Box::pin(one_first(e))),
    ("the key of a request that died is released after its timeout", |e| Box::pin(died(e))),
    ("an abandoned request releases its key at once, and a stored reply stays", |e| {
        Box::pin(abandoned(e))
    }),
];

fn key(name: &str) -> Digest {
    Digest::of(name.as_bytes())
}

fn reply(status: u16) -> StoredReply {
    let bytes = Bytes::from(format!("reply {status}"));
    StoredReply { status, content_type: String::from("application/json"), bytes }
}

async fn replayed(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let (a, body, other) = (key("a"), key("body"), key("other body"));
    check_eq!(
        store.begin_idempotent(a, body, at(0), at(10)).await,
        Ok(IdempotencyStart::New),
        "the first"
    );
    check_eq!(
        store.begin_idempotent(a, body, at(1), at(10)).await,
        Ok(IdempotencyStart::InFlight),
        "meanwhile"
    );
    check_eq!(
        store.begin_idempotent(a, other, at(1), at(10)).await,
        Ok(IdempotencyStart::Reused),
        "another body"
    );
    check_eq!(
        store.begin_idempotent(key("b"), body, at(1), at(10)).await,
        Ok(IdempotencyStart::New),
        "another key"
    );
    store.finish_idempotent(a, reply(202), at(100)).await.map_err(unexpected_error)?;
    drop(store);
    let store = location.open().await;
    let done = Ok(IdempotencyStart::Done(reply(202)));
    check_eq!(store.begin_idempotent(a, body, at(99), at(200)).await, done, "after reopening");
    check_eq!(
        store.begin_idempotent(a, other, at(99), at(200)).await,
        Ok(IdempotencyStart::Reused),
        "another body"
    );
    store.finish_idempotent(a, reply(500), at(900)).await.map_err(unexpected_error)?;
    check_eq!(
        store.begin_idempotent(a, body, at(99), at(200)).await,
        done,
        "the first reply stands"
    );
    check_eq!(store.delete_expired_replies(at(99)).await, Ok(1), "the one that never ended");
    check_eq!(
        store.begin_idempotent(a, other, at(100), at(200)).await,
        Ok(IdempotencyStart::New),
        "its time is over"
    );
    check_eq!(store.delete_expired_replies(at(200)).await, Ok(1), "forgotten");
    check_eq!(store.delete_expired_replies(at(200)).await, Ok(0), "forgotten again");
    check_eq!(
        store.finish_idempotent(key("none"), reply(200), at(900)).await,
        Ok(()),
        "of nothing begun"
    );
    check_eq!(
        store.begin_idempotent(key("none"), body, at(1), at(2)).await,
        Ok(IdempotencyStart::New),
        "still nothing"
    );
    Ok(())
}

async fn one_first(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let asks = (0..30).map(|_| store.begin_idempotent(key("a"), key("body"), at(0), at(10)));
    let mut first = 0;
    for begun in join_all(asks).await {
        match begun.map_err(unexpected_error)? {
            IdempotencyStart::New => first += 1,
            other => check_eq!(other, IdempotencyStart::InFlight, "the others"),
        }
    }
    check_eq!(first, 1, "the first");
    Ok(())
}

async fn died(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let (a, body) = (key("a"), key("body"));
    check_eq!(
        store.begin_idempotent(a, body, at(0), at(10)).await,
        Ok(IdempotencyStart::New),
        "the first"
    );
    drop(store);
    let store = location.open().await;
    check_eq!(
        store.begin_idempotent(a, body, at(9), at(20)).await,
        Ok(IdempotencyStart::InFlight),
        "at first"
    );
    check_eq!(
        store.begin_idempotent(a, body, at(10), at(20)).await,
        Ok(IdempotencyStart::New),
        "then"
    );
    Ok(())
}

async fn abandoned(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let (a, body) = (key("a"), key("body"));
    store.begin_idempotent(a, body, at(0), at(10)).await.map_err(unexpected_error)?;
    store.abandon_idempotent(a).await.map_err(unexpected_error)?;
    check_eq!(
        store.begin_idempotent(a, key("other"), at(1), at(10)).await,
        Ok(IdempotencyStart::New),
        "again"
    );
    store.finish_idempotent(a, reply(200), at(100)).await.map_err(unexpected_error)?;
    store.abandon_idempotent(a).await.map_err(unexpected_error)?;
    let done = Ok(IdempotencyStart::Done(reply(200)));
    check_eq!(
        store.begin_idempotent(a, key("other"), at(1), at(10)).await,
        done,
        "what has ended stays"
    );
    Ok(())
}
