//! What witnesses have seen of the log, and the checkpoint they are asked to look at.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{
    errors::{ErrorCode, ErrorV1},
    records::LogWitnessed,
};
use http::{HeaderMap, Uri};
use service::Service;

use super::{document, failed};
use crate::{
    address,
    documents::{Document, FOR_HALF_A_MINUTE, FOR_SECONDS, TEXT},
    errors::ApiError,
    limits::Feeds,
};

/// Read the newest witnessed head
///
/// The newest head whose tree a witness cosigned, as a checkpoint with all cosignatures.
#[utoipa::path(
    get,
    path = "/api/v1/log/witness/latest",
    operation_id = "getLogWitness",
    tag = "log",
    responses(
        (status = 200, description = "The head.", body = LogWitnessed,
            content_type = "application/json"),
        (status = 304, description = "The copy you have is still right."),
        (status = 400, description = "`unknown_field`.", body = ErrorV1),
        (status = 404, description = "No witness has cosigned the log yet: `not_found`.",
            body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_log_witness(
    State(service): State<Arc<Service>>,
    _: Feeds,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    address::parameters(&uri, &[])?;
    let witnessed: Option<LogWitnessed> = service.log_witnessed().await.map_err(failed)?;
    let witnessed = witnessed.ok_or_else(|| {
        ApiError::new(ErrorCode::NotFound, "No witness has cosigned this log yet.")
    })?;
    Ok(document(&witnessed, FOR_HALF_A_MINUTE)?.reply(&headers))
}

/// Read the checkpoint
///
/// The newest head as a C2SP checkpoint: a signed note with the log's signature and the
/// cosignatures that are known for that size. The same as `/log/checkpoint`, which is not limited.
#[utoipa::path(
    get,
    path = "/api/v1/log/checkpoint",
    operation_id = "getLogCheckpoint",
    tag = "log",
    responses(
        (status = 200, description = "The note.", body = String, content_type = "text/plain"),
        (status = 304, description = "The copy you have is still right."),
        (status = 400, description = "`unknown_field`.", body = ErrorV1),
        (status = 404, description = "The log is empty: `not_found`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_log_checkpoint(
    State(service): State<Arc<Service>>,
    _: Feeds,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    address::parameters(&uri, &[])?;
    checkpoint(&service, &headers).await
}

pub(super) async fn checkpoint(
    service: &Service,
    headers: &HeaderMap,
) -> Result<Response, ApiError> {
    let note = service.log_cosigned_checkpoint().await.map_err(failed)?;
    let note =
        note.ok_or_else(|| ApiError::new(ErrorCode::NotFound, "The log is empty as yet."))?;
    Ok(Document::new(note.to_string(), TEXT, FOR_SECONDS).reply(headers))
}
