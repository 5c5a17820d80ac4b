//! `/registry/{domain}/dispute`: an owner objects to a reading.

use std::sync::Arc;

use axum::{
    RequestPartsExt,
    extract::{FromRequestParts, Path, State},
    response::Response,
};
use contract::{
    errors::{ErrorCode, ErrorV1},
    records::{DisputeRecord, DisputeRequest},
};
use http::{HeaderMap, HeaderValue, StatusCode, header::VARY, request::Parts};
use service::{DisputeView, Service};

use super::{DomainPath, claim::json_response, to_api_error};
use crate::{
    handlers::{error_mapping::bad_domain_error, page_forms::page_response, report_access::is_id},
    pages,
    rate_limits::ReadLimit,
    request::{StrictJson, content_negotiation},
    response::ApiError,
    state::AppState,
};

/// Object to a reading
///
/// For the owner of the domain. The site is read again; both reports are kept and shown side by side, and
/// the page about the scoring method says how many disputes changed a verdict.
#[utoipa::path(
    post,
    path = "/registry/{domain}/dispute",
    operation_id = "fileDispute",
    tag = "domains",
    params(("domain" = String, Path, description = "The domain.", example = "example.com")),
    request_body(content = DisputeRequest, content_type = "application/json"),
    responses(
        (status = 202, description = "The dispute. The site is read again soon.", body = DisputeRecord,
            content_type = "application/json"),
        (status = 400, description = "`bad_domain`, `bad_request`, `unknown_field`.", body = ErrorV1),
        (status = 401, description = "`unauthorized`.", body = ErrorV1),
        (status = 403, description = "The secret is for another domain: `forbidden`.", body = ErrorV1),
        (status = 404, description = "The domain has no public report with this id: `not_found`.",
            body = ErrorV1),
        (status = 409, description = "There is an open one: `conflict`.", body = ErrorV1),
        (status = 413, description = "`body_too_large`.", body = ErrorV1),
        (status = 415, description = "Not JSON: `unsupported_media_type`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn file_dispute(
    State(service): State<Arc<Service>>,
    path: DomainPath,
    StrictJson(request): StrictJson<DisputeRequest>,
) -> Result<Response, ApiError> {
    let owner = path.require_owner()?;
    let dispute = service
        .control
        .file_dispute(owner, &request.record, &request.reason)
        .await
        .map_err(to_api_error)?;
    json_response(StatusCode::ACCEPTED, &dispute)
}

/// Extractor: a dispute by the two variable parts of its address.
#[derive(Debug)]
pub(crate) struct DisputePath(DisputeView);

impl FromRequestParts<AppState> for DisputePath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        ReadLimit::from_request_parts(parts, state).await?;
        let path = parts.extract::<Path<(String, String)>>().await;
        let Path((name, id)) = path.map_err(|_| ApiError::not_found())?;
        let domain = state.service.parse_domain(&name).map_err(bad_domain_error)?;
        let unknown =
            || ApiError::new(ErrorCode::NotFound, "This domain has no dispute with this id.");
        if !is_id(&id) {
            return Err(unknown());
        }
        let found = state.service.control.dispute(&domain, &id).await.map_err(to_api_error)?;
        found.map(Self).ok_or_else(unknown)
    }
}

/// Read a dispute
///
/// The report that was objected to, and the one that was made because of it. An HTML page, or the record if
/// `Accept` prefers `application/json`.
#[utoipa::path(
    get,
    path = "/registry/{domain}/dispute/{id}",
    operation_id = "getDispute",
    tag = "domains",
    params(
        ("domain" = String, Path, description = "The domain.", example = "example.com"),
        ("id" = String, Path, description = "The id of the dispute."),
    ),
    responses(
        (status = 200, description = "The dispute.", content(
            (String = "text/html"),
            (DisputeRecord = "application/json"),
        )),
        (status = 400, description = "`bad_domain`.", body = ErrorV1),
        (status = 404, description = "`not_found`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_dispute(
    DisputePath(dispute): DisputePath,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let mut response = if content_negotiation::prefers(&headers, "application/json", "text/html") {
        json_response(StatusCode::OK, &dispute.record)?
    } else {
        page_response(pages::dispute::render(&dispute))
    };
    response.headers_mut().insert(VARY, HeaderValue::from_static("Accept"));
    Ok(response)
}
