//! For whoever runs the service: is it alive, can it work, how is it doing.

use std::sync::Arc;

use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use contract::errors::{ErrorCode, ErrorV1};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use serde_json::json;
use service::{NotReady, Service};

use crate::{documents::NOT_AT_ALL, errors::ApiError, telemetry};

/// Is the process alive
///
/// Answered whatever the load.
#[utoipa::path(
    get,
    path = "/healthz",
    operation_id = "healthz",
    tag = "operators",
    responses((status = 200, description = "It is.", body = Object,
        content_type = "application/json")),
)]
pub(crate) async fn healthz() -> Response {
    ([(CACHE_CONTROL, NOT_AT_ALL)], Json(json!({ "status": "ok" }))).into_response()
}

/// Can the process do its work
///
/// Tries the store the way a request would, and asks whether the log takes entries: where nothing
/// can be sealed, no answer can be given. Heads shown to us that contradict the log
/// (`log.contradictions`) do not keep the process from its work; they are an incident.
#[utoipa::path(
    get,
    path = "/readyz",
    operation_id = "readyz",
    tag = "operators",
    responses(
        (status = 200, description = "It can.", body = Object, content_type = "application/json"),
        (status = 503, description = "It cannot now: `store_unreadable`; the log is halted or not \
            open, and why: `signing_unavailable`.", body = ErrorV1),
    )
)]
pub(crate) async fn readyz(State(service): State<Arc<Service>>) -> Result<Response, ApiError> {
    let ready = service.ready().await.map_err(|why| match &why {
        NotReady::Store(_) => {
            ApiError::new(ErrorCode::StoreUnreadable, "The service cannot do its work now.")
                .retry_after(5)
                .because(why.to_string())
        }
        // This address is for operators, and they have to know.
        NotReady::Log(fault) => {
            let sentence = format!("Nothing can be sealed into the log: {fault}.");
            ApiError::new(ErrorCode::SigningUnavailable, sentence)
                .retry_after(30)
                .because(why.to_string())
        }
    })?;
    let body = json!({
        "status": "ready",
        "log": {
            "state": "open",
            "tree_size": ready.tree_size,
            "contradictions": ready.contradictions,
        },
    });
    Ok(([(CACHE_CONTROL, NOT_AT_ALL)], Json(body)).into_response())
}

/// Read the metrics
///
/// In Prometheus' text format. Holds counts and times, never who asked.
#[utoipa::path(
    get,
    path = "/metrics",
    operation_id = "metrics",
    tag = "operators",
    responses((status = 200, description = "The metrics.", body = String,
        content_type = "text/plain")),
)]
pub(crate) async fn metrics() -> Response {
    let headers =
        [(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8"), (CACHE_CONTROL, NOT_AT_ALL)];
    (headers, telemetry::render()).into_response()
}
