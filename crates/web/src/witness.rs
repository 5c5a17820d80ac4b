//! The HTTP side of a witness (C2SP tlog-witness): two routes, each bounded, and nothing else.

use std::{sync::Arc, time::Duration};

use axum::{
    Router,
    body::Body,
    extract::{Path, State},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use bytes::Bytes;
use http::{
    StatusCode,
    header::{CACHE_CONTROL, CONTENT_TYPE},
};
use http_body_util::{BodyExt, Limited};
use proof::tlog::witness::MAX_REQUEST_BYTES;
use service::witness::{Witness, WitnessReply};
use tokio::sync::Semaphore;

const PLAIN: &str = "text/plain; charset=utf-8";
/// For a request to come in whole.
const PATIENCE: Duration = Duration::from_secs(5);
/// Requests at work; each waits for the disk in a thread of its own.
const AT_ONCE: usize = 32;

#[derive(Clone)]
struct House {
    witness: Arc<Witness>,
    places: Arc<Semaphore>,
}

/// What a witness serves, below whatever prefix its address has.
pub fn witness_app(witness: Arc<Witness>) -> Router {
    Router::new()
        .route("/add-checkpoint", post(add_checkpoint))
        .route("/{origin}/checkpoint", get(checkpoint))
        .with_state(House { witness, places: Arc::new(Semaphore::new(AT_ONCE)) })
}

async fn add_checkpoint(State(house): State<House>, body: Body) -> Response {
    let Ok(place) = Arc::clone(&house.places).try_acquire_owned() else {
        return plain(StatusCode::SERVICE_UNAVAILABLE, "too many requests are at work\n");
    };
    let read = Limited::new(body, MAX_REQUEST_BYTES).collect();
    let body: Bytes = match tokio::time::timeout(PATIENCE, read).await {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(_)) => return plain(StatusCode::PAYLOAD_TOO_LARGE, "the request is too long\n"),
        Err(_) => return plain(StatusCode::REQUEST_TIMEOUT, "the request came too slowly\n"),
    };
    let decided = tokio::task::spawn_blocking(move || {
        let reply = house.witness.add_checkpoint(&body);
        drop(place);
        reply
    });
    match decided.await {
        Ok(reply) => respond(reply),
        Err(_) => plain(StatusCode::INTERNAL_SERVER_ERROR, "the witness failed\n"),
    }
}

async fn checkpoint(State(house): State<House>, Path(origin): Path<String>) -> Response {
    // The ledger may be held by whoever waits for the disk.
    let found = tokio::task::spawn_blocking(move || house.witness.checkpoint(&origin)).await;
    match found {
        Ok(Some(note)) => plain(StatusCode::OK, note),
        Ok(None) => plain(StatusCode::NOT_FOUND, "no checkpoint of such a log was cosigned\n"),
        Err(_) => plain(StatusCode::INTERNAL_SERVER_ERROR, "the witness failed\n"),
    }
}

fn respond(reply: WitnessReply) -> Response {
    let status = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = [(CONTENT_TYPE, reply.media_type), (CACHE_CONTROL, "no-store")];
    (status, headers, reply.body).into_response()
}

fn plain(status: StatusCode, text: impl Into<String>) -> Response {
    let headers = [(CONTENT_TYPE, PLAIN), (CACHE_CONTROL, "no-store")];
    (status, headers, text.into()).into_response()
}
