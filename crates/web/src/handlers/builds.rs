//! `GET /api/v1/builds/{version_id}`: which program made a record.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{
    errors::{ErrorCode, ErrorV1},
    records::Build,
};
use http::{HeaderMap, Uri};
use proof::Digest;
use service::{Service, build::BuildError};

use crate::{
    address::{self, PathText},
    documents::{Document, FOR_MINUTES, JSON},
    errors::ApiError,
};

/// Read what is known of a build
///
/// What the build was made from and with, the digests of its program file and of its rules, and
/// where the log has it. `attested` is a clean release build of a known commit that is in the log;
/// `declared` is any other that is in the log; `unattested` is one that is not.
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
        (status = 304, description = "The copy you have is still right."),
        (status = 404, description = "No such build: `not_found`.", body = ErrorV1),
        (status = 503, description = "`cannot_answer`, `signing_unavailable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_build(
    State(service): State<Arc<Service>>,
    PathText(version_id): PathText,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    address::parameters(&uri, &[])?;
    let version_id: Digest = version_id.parse().map_err(|_| no_such_build())?;
    let record = service.build_record(version_id).await.map_err(failed)?;
    let record = record.ok_or_else(no_such_build)?;
    // The signature is made anew each time; what is signed stays, and so does its name.
    let document = Document::named(record.bytes, &record.digest, JSON, FOR_MINUTES);
    Ok(document.reply(&headers))
}

fn no_such_build() -> ApiError {
    ApiError::new(ErrorCode::NotFound, "There is no build of this name.")
}

fn failed(error: BuildError) -> ApiError {
    let said = error.to_string();
    match error {
        BuildError::Signing(_) => {
            ApiError::new(ErrorCode::SigningUnavailable, "This could not be signed.")
                .retry_after(30)
        }
        BuildError::Unreadable(_) => ApiError::new(
            ErrorCode::CannotAnswer,
            "This build was logged by another version of the program; the log still has its entry.",
        ),
    }
    .because(said)
}
