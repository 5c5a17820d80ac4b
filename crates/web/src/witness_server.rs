//! The HTTP server of a log witness (C2SP tlog-witness): two routes, bounded in time and size.

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
use service::log::witness::{Witness, WitnessReply};
use tokio::sync::Semaphore;

use crate::response::{NO_STORE, TEXT};

/// How long a request body may take to arrive.
const BODY_TIMEOUT: Duration = Duration::from_secs(5);
/// Requests handled at a time; each waits for the disk in its own thread.
const MAX_CONCURRENT_REQUESTS: usize = 32;

/// Shared by all requests. The witness guards its own ledger; the semaphore bounds concurrency.
#[derive(Clone)]
struct WitnessState {
    witness: Arc<Witness>,
    permits: Arc<Semaphore>,
}

/// The routes of a witness, relative to the prefix of its address.
pub fn witness_app(witness: Arc<Witness>) -> Router {
    Router::new()
        .route("/add-checkpoint", post(add_checkpoint))
        .route("/{origin}/checkpoint", get(checkpoint))
        .with_state(WitnessState {
            witness,
            permits: Arc::new(Semaphore::new(MAX_CONCURRENT_REQUESTS)),
        })
}

async fn add_checkpoint(State(state): State<WitnessState>, body: Body) -> Response {
    let Ok(permit) = Arc::clone(&state.permits).try_acquire_owned() else {
        return plain_text_response(
            StatusCode::SERVICE_UNAVAILABLE,
            "too many requests; try again\n",
        );
    };
    let read = Limited::new(body, MAX_REQUEST_BYTES).collect();
    let body: Bytes = match tokio::time::timeout(BODY_TIMEOUT, read).await {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(_)) => {
            return plain_text_response(
                StatusCode::PAYLOAD_TOO_LARGE,
                "the request body is too large\n",
            );
        }
        Err(_) => {
            return plain_text_response(
                StatusCode::REQUEST_TIMEOUT,
                "the request body was not received in time\n",
            );
        }
    };
    let decided = tokio::task::spawn_blocking(move || {
        let reply = state.witness.add_checkpoint(&body);
        drop(permit);
        reply
    });
    match decided.await {
        Ok(reply) => to_response(reply),
        Err(_) => plain_text_response(StatusCode::INTERNAL_SERVER_ERROR, "internal error\n"),
    }
}

async fn checkpoint(State(state): State<WitnessState>, Path(origin): Path<String>) -> Response {
    // Blocking: another request may hold the ledger while it waits for the disk.
    let found = tokio::task::spawn_blocking(move || state.witness.checkpoint(&origin)).await;
    match found {
        Ok(Some(note)) => plain_text_response(StatusCode::OK, note),
        Ok(None) => plain_text_response(
            StatusCode::NOT_FOUND,
            "this witness has not cosigned a checkpoint of this log\n",
        ),
        Err(_) => plain_text_response(StatusCode::INTERNAL_SERVER_ERROR, "internal error\n"),
    }
}

fn to_response(reply: WitnessReply) -> Response {
    let status = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = [(CONTENT_TYPE, reply.media_type), (CACHE_CONTROL, NO_STORE)];
    (status, headers, reply.body).into_response()
}

fn plain_text_response(status: StatusCode, text: impl Into<String>) -> Response {
    let headers = [(CONTENT_TYPE, TEXT), (CACHE_CONTROL, NO_STORE)];
    (status, headers, text.into()).into_response()
}
