//! For operators: liveness, readiness and metrics.

use std::sync::Arc;

use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use contract::errors::{ErrorCode, ErrorV1};
use http::header::CACHE_CONTROL;
use serde_json::json;
use service::{ReadinessError, Service};

use crate::{
    metrics_server::metrics_response,
    rate_limits::{MetricsLimit, ReadinessLimit},
    response::{ApiError, NO_STORE},
    state::ServiceInfo,
};

/// Check that the process is alive
///
/// Answers under any load.
#[utoipa::path(
    get,
    path = "/healthz",
    operation_id = "healthz",
    tag = "operators",
    responses((status = 200, description = "The process is alive.", body = Object,
        content_type = "application/json")),
)]
pub(crate) async fn healthz() -> Response {
    ([(CACHE_CONTROL, NO_STORE)], Json(json!({ "status": "ok" }))).into_response()
}

/// Check that the process can serve requests
///
/// Writes to the store and reads it back, and checks that the log accepts entries and has the entry of
/// the running build: without the log, no answer can be served. If a thread or task of the server has
/// ended, the error names it, and the process ends within 10 s. A head with our signature that
/// contradicts the log stops signing: 503 `signing_unavailable` until the operator decides.
/// `log.contradictions` counts all such heads, including those that the operator decided about and
/// those of a compromised key.
#[utoipa::path(
    get,
    path = "/readyz",
    operation_id = "readyz",
    tag = "operators",
    responses(
        (status = 200, description = "The process is ready.", body = Object,
            content_type = "application/json"),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "The store cannot be written or read: `store_unreadable`; the log is \
            halted or not open, or a part of the server failed: `signing_unavailable`, with the \
            reason.", body = ErrorV1),
    )
)]
pub(crate) async fn readyz(
    State(service): State<Arc<Service>>,
    _: ReadinessLimit,
) -> Result<Response, ApiError> {
    let ready = service.check_readiness().await.map_err(|why| match &why {
        // This address is for operators, so the reason is not hidden.
        ReadinessError::Failed(failure) => {
            let sentence = format!(
                "A part of the server failed ({failure}). It stops within 10 s and must be restarted."
            );
            ApiError::new(ErrorCode::SigningUnavailable, sentence)
                .retry_after(10)
                .with_internal_message(why.to_string())
        }
        ReadinessError::Store(_) => {
            ApiError::new(ErrorCode::StoreUnreadable, "The store cannot be read at the moment.")
                .retry_after(5)
                .with_internal_message(why.to_string())
        }
        ReadinessError::Log(fault) => {
            let sentence = format!("The log does not accept entries: {fault}.");
            ApiError::new(ErrorCode::SigningUnavailable, sentence)
                .retry_after(30)
                .with_internal_message(why.to_string())
        }
        ReadinessError::Halted(reason) => {
            let sentence = format!("The log does not accept entries: {reason}.");
            ApiError::new(ErrorCode::SigningUnavailable, sentence)
                .not_retryable()
                .with_internal_message(why.to_string())
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
    Ok(([(CACHE_CONTROL, NO_STORE)], Json(body)).into_response())
}

/// Read the metrics
///
/// In the Prometheus text format. Has counts and durations, nothing about clients. 404 if the operator
/// serves them on another address (`server.metrics_listen`).
#[utoipa::path(
    get,
    path = "/metrics",
    operation_id = "metrics",
    tag = "operators",
    responses(
        (status = 200, description = "The metrics.", body = String, content_type = "text/plain"),
        (status = 404, description = "They are on another address: `not_found`.", body = ErrorV1),
    )
)]
pub(crate) async fn metrics(
    _: MetricsLimit,
    State(service_info): State<Arc<ServiceInfo>>,
) -> Result<Response, ApiError> {
    if service_info.metrics_elsewhere {
        return Err(ApiError::not_found());
    }
    Ok(metrics_response())
}
