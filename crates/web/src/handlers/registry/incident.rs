//! `/registry/{domain}/incident`: an owner reports that something is wrong, or that it is over.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{
    Timestamp,
    errors::ErrorV1,
    records::{IncidentRecord, IncidentRequest},
};
use http::StatusCode;
use service::Service;

use super::{DomainPath, claim::json_response, to_api_error};
use crate::{request::StrictJson, response::ApiError};

/// Report an incident
///
/// For the owner of the domain. From now on answers about it block connecting and transacting and warn about
/// reading and citing, and the revocation feed lists it, until the owner ends the incident or 30 days have passed. An incident only
/// ever tightens.
#[utoipa::path(
    post,
    path = "/registry/{domain}/incident",
    operation_id = "reportIncident",
    tag = "domains",
    params(("domain" = String, Path, description = "The domain.", example = "example.com")),
    request_body(content = IncidentRequest, content_type = "application/json"),
    responses(
        (status = 201, description = "The incident.", body = IncidentRecord,
            content_type = "application/json"),
        (status = 400, description = "`bad_domain`, `bad_request`, `unknown_field`.", body = ErrorV1),
        (status = 401, description = "`unauthorized`.", body = ErrorV1),
        (status = 403, description = "The secret is for another domain: `forbidden`.", body = ErrorV1),
        (status = 409, description = "There is an open one: `conflict`.", body = ErrorV1),
        (status = 413, description = "`body_too_large`.", body = ErrorV1),
        (status = 415, description = "Not JSON: `unsupported_media_type`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn report_incident(
    State(service): State<Arc<Service>>,
    path: DomainPath,
    StrictJson(request): StrictJson<IncidentRequest>,
) -> Result<Response, ApiError> {
    let owner = path.require_owner()?;
    let since = parse_since(request.since.as_deref())?;
    let incident =
        service.control.report_incident(owner, &request.what, since).await.map_err(to_api_error)?;
    json_response(StatusCode::CREATED, &incident)
}

pub(super) fn parse_since(text: Option<&str>) -> Result<Option<Timestamp>, ApiError> {
    let sentence = "`since` must be a UTC time such as 2026-11-15T02:56:20Z.";
    let read = |text: &str| {
        Timestamp::from_rfc3339(text).map_err(|_| ApiError::bad_request(sentence).param("since"))
    };
    text.map(read).transpose()
}

/// End an incident
///
/// For the owner of the domain. What the incident withheld is reinstated.
#[utoipa::path(
    delete,
    path = "/registry/{domain}/incident",
    operation_id = "endIncident",
    tag = "domains",
    params(("domain" = String, Path, description = "The domain.", example = "example.com")),
    responses(
        (status = 200, description = "The incident, with its end.", body = IncidentRecord,
            content_type = "application/json"),
        (status = 400, description = "`bad_domain`.", body = ErrorV1),
        (status = 401, description = "`unauthorized`.", body = ErrorV1),
        (status = 403, description = "The secret is for another domain: `forbidden`.", body = ErrorV1),
        (status = 404, description = "There is no open one: `not_found`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn end_incident(
    State(service): State<Arc<Service>>,
    path: DomainPath,
) -> Result<Response, ApiError> {
    let owner = path.require_owner()?;
    let incident = service.control.end_incident(owner).await.map_err(to_api_error)?;
    json_response(StatusCode::OK, &incident)
}
