//! The newest head that witnesses cosigned, and the checkpoint for witnesses.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{
    errors::{ErrorCode, ErrorV1},
    records::LogWitnessedHead,
};
use http::{HeaderMap, Uri};
use service::Service;

use crate::{
    handlers::error_mapping::log_to_api_error,
    rate_limits::FeedLimit,
    request::query_parameters,
    response::{ApiError, CACHE_FIVE_SECONDS, CACHE_THIRTY_SECONDS, HttpDocument, TEXT},
};

/// Read the newest witnessed head
///
/// The newest head whose tree size a witness has cosigned, as a checkpoint with all cosignatures.
#[utoipa::path(
    get,
    path = "/api/v1/log/witness/latest",
    operation_id = "getLogWitness",
    tag = "log",
    responses(
        (status = 200, description = "The head.", body = LogWitnessedHead,
            content_type = "application/json"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 400, description = "`unknown_field`.", body = ErrorV1),
        (status = 404, description = "No witness has cosigned the log yet: `not_found`.",
            body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_log_witness(
    State(service): State<Arc<Service>>,
    _: FeedLimit,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    query_parameters(&uri, &[])?;
    let witnessed: Option<LogWitnessedHead> =
        service.log.witnessed_head().await.map_err(log_to_api_error)?;
    let witnessed = witnessed.ok_or_else(|| {
        ApiError::new(ErrorCode::NotFound, "No witness has cosigned this log yet.")
    })?;
    Ok(HttpDocument::json(&witnessed, CACHE_THIRTY_SECONDS)?.reply(&headers))
}

/// Read the checkpoint
///
/// The newest head as a C2SP checkpoint: a signed note with the log's signature and the
/// cosignatures known for that size. The same as `/log/checkpoint`, which has a higher rate limit.
#[utoipa::path(
    get,
    path = "/api/v1/log/checkpoint",
    operation_id = "getLogCheckpoint",
    tag = "log",
    responses(
        (status = 200, description = "The checkpoint.", body = String, content_type = "text/plain"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 400, description = "`unknown_field`.", body = ErrorV1),
        (status = 404, description = "The log is empty: `not_found`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_log_checkpoint(
    State(service): State<Arc<Service>>,
    _: FeedLimit,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    query_parameters(&uri, &[])?;
    checkpoint_response(&service, &headers).await
}

pub(super) async fn checkpoint_response(
    service: &Service,
    headers: &HeaderMap,
) -> Result<Response, ApiError> {
    let note = service.log.cosigned_checkpoint().await.map_err(log_to_api_error)?;
    let note = note.ok_or_else(|| ApiError::new(ErrorCode::NotFound, "The log is empty."))?;
    Ok(HttpDocument::new(note.to_string(), TEXT, CACHE_FIVE_SECONDS).reply(headers))
}
