//! `GET /api/v1/builds/{version_id}`: which build of the program made a record.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{
    errors::{ErrorCode, ErrorV1},
    records::Build,
};
use http::{HeaderMap, Uri};
use proof::Digest;
use service::{Service, log::builds::BuildError};

use crate::{
    rate_limits::ReadLimit,
    request::{PathParameter, query_parameters},
    response::{ApiError, CACHE_FIVE_MINUTES, HttpDocument, JSON},
};

/// Read the record of a build
///
/// The sources and tools of the build, the digests of its executable and of its rules, and its entry in
/// the log. `attested` is a clean release build of a known commit that is in the log; `declared` is any
/// other build that is in the log; `unattested` is a build that is not in the log.
#[utoipa::path(
    get,
    path = "/api/v1/builds/{version_id}",
    operation_id = "getBuild",
    tag = "contract",
    params(("version_id" = String, Path,
        description = "`code.version_id` of a record: 64 hex digits.")),
    responses(
        (status = 200, description = "The signed record.", body = Build,
            content_type = "application/json"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 404, description = "No such build: `not_found`.", body = ErrorV1),
        (status = 503, description = "`cannot_answer`, `signing_unavailable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_build(
    State(service): State<Arc<Service>>,
    _: ReadLimit,
    PathParameter(version_id): PathParameter,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    query_parameters(&uri, &[])?;
    let version_id: Digest = version_id.parse().map_err(|_| build_not_found())?;
    let record = service.builds.signed_record(version_id).await.map_err(to_api_error)?;
    let record = record.ok_or_else(build_not_found)?;
    // Signed anew each time; the ETag is the digest of the signed content, which stays the same.
    let document = HttpDocument::with_etag(record.bytes, &record.digest, JSON, CACHE_FIVE_MINUTES);
    Ok(document.reply(&headers))
}

fn build_not_found() -> ApiError {
    ApiError::new(ErrorCode::NotFound, "There is no build with this version id.")
}

fn to_api_error(error: BuildError) -> ApiError {
    let message = error.to_string();
    match error {
        BuildError::Signing(_) => ApiError::new(
            ErrorCode::SigningUnavailable,
            "The response could not be signed. Try again in 30 s.",
        )
        .retry_after(30),
        BuildError::Unreadable(_) => ApiError::new(
            ErrorCode::CannotAnswer,
            "This build was recorded by another version of the program and cannot be shown here. \
             Its log entry is still available.",
        ),
    }
    .with_internal_message(message)
}
