//! Cases for requests that are done once.

use bytes::Bytes;
use futures_util::future::join_all;

use super::samples::at;
use super::{Case, CaseResult, Engine, same, text};
use crate::{Begun, Digest, KeptReply};

pub(super) const CASES: &[(&str, Case)] = &[
    ("the first reply is given to those that follow, until its time is over", |e| {
        Box::pin(replayed(e))
    }),
    ("of many at once one is the first", |e| Box::pin(one_first(e))),
    ("a request that died frees its key after a while", |e| Box::pin(died(e))),
    ("an abandoned request frees its key at once, and a kept reply stays", |e| {
        Box::pin(abandoned(e))
    }),
];

fn key(name: &str) -> Digest {
    Digest::of(name.as_bytes())
}

fn reply(status: u16) -> KeptReply {
    let bytes = Bytes::from(format!("reply {status}"));
    KeptReply { status, content_type: String::from("application/json"), bytes }
}

async fn replayed(engine: &dyn Engine) -> CaseResult {
    let place = engine.new_place().await;
    let store = place.open().await;
    let (a, body, other) = (key("a"), key("body"), key("other body"));
    same!(store.begin_once(a, body, at(0), at(10)).await, Ok(Begun::New), "the first");
    same!(store.begin_once(a, body, at(1), at(10)).await, Ok(Begun::InFlight), "meanwhile");
    same!(store.begin_once(a, other, at(1), at(10)).await, Ok(Begun::Reused), "another body");
    same!(store.begin_once(key("b"), body, at(1), at(10)).await, Ok(Begun::New), "another key");
    store.end_once(a, reply(202), at(100)).await.map_err(text)?;
    drop(store);
    let store = place.open().await;
    let done = Ok(Begun::Done(reply(202)));
    same!(store.begin_once(a, body, at(99), at(200)).await, done, "after reopening");
    same!(store.begin_once(a, other, at(99), at(200)).await, Ok(Begun::Reused), "another body");
    store.end_once(a, reply(500), at(900)).await.map_err(text)?;
    same!(store.begin_once(a, body, at(99), at(200)).await, done, "the first reply stands");
    same!(store.forget_replies(at(99)).await, Ok(1), "the one that never ended");
    same!(store.begin_once(a, other, at(100), at(200)).await, Ok(Begun::New), "its time is over");
    same!(store.forget_replies(at(200)).await, Ok(1), "forgotten");
    same!(store.forget_replies(at(200)).await, Ok(0), "forgotten again");
    same!(store.end_once(key("none"), reply(200), at(900)).await, Ok(()), "of nothing begun");
    same!(store.begin_once(key("none"), body, at(1), at(2)).await, Ok(Begun::New), "still nothing");
    Ok(())
}

async fn one_first(engine: &dyn Engine) -> CaseResult {
    let place = engine.new_place().await;
    let store = place.open().await;
    let asks = (0..30).map(|_| store.begin_once(key("a"), key("body"), at(0), at(10)));
    let mut first = 0;
    for begun in join_all(asks).await {
        match begun.map_err(text)? {
            Begun::New => first += 1,
            other => same!(other, Begun::InFlight, "the others"),
        }
    }
    same!(first, 1, "the first");
    Ok(())
}

async fn died(engine: &dyn Engine) -> CaseResult {
    let place = engine.new_place().await;
    let store = place.open().await;
    let (a, body) = (key("a"), key("body"));
    same!(store.begin_once(a, body, at(0), at(10)).await, Ok(Begun::New), "the first");
    drop(store);
    let store = place.open().await;
    same!(store.begin_once(a, body, at(9), at(20)).await, Ok(Begun::InFlight), "at first");
    same!(store.begin_once(a, body, at(10), at(20)).await, Ok(Begun::New), "then");
    Ok(())
}

async fn abandoned(engine: &dyn Engine) -> CaseResult {
    let place = engine.new_place().await;
    let store = place.open().await;
    let (a, body) = (key("a"), key("body"));
    store.begin_once(a, body, at(0), at(10)).await.map_err(text)?;
    store.abandon_once(a).await.map_err(text)?;
    same!(store.begin_once(a, key("other"), at(1), at(10)).await, Ok(Begun::New), "again");
    store.end_once(a, reply(200), at(100)).await.map_err(text)?;
    store.abandon_once(a).await.map_err(text)?;
    let done = Ok(Begun::Done(reply(200)));
    same!(store.begin_once(a, key("other"), at(1), at(10)).await, done, "what has ended stays");
    Ok(())
}
