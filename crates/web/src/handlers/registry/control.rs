//! `GET /api/v1/domain/control`: who has proven control of a domain.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{errors::ErrorV1, records::ControlRecord};
use http::{HeaderMap, Uri};
use service::Service;

use super::to_api_error;
use crate::{
    handlers::error_mapping::bad_domain_error,
    rate_limits::ReadLimit,
    request::{parameters::required, query_parameters},
    response::{ApiError, CACHE_ONE_MINUTE, HttpDocument, JSON},
};

/// Read who has proven control of a domain
///
/// The state of the claim, how it was proven, when it is checked again, and every event in its life with
/// what was read. If several people have proven control, the record describes the one with the best state,
/// and the events are those of all. Control changes no decision.
#[utoipa::path(
    get,
    path = "/api/v1/domain/control",
    operation_id = "getDomainControl",
    tag = "domains",
    params(("domain" = String, Query, description = "The domain.", example = "example.com")),
    responses(
        (status = 200, description = "The signed record.", body = ControlRecord,
            content_type = "application/json"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 400, description = "`bad_request`, `bad_domain`, `unknown_field`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "The claims cannot be read: `store_unreadable`; \
            `signing_unavailable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_domain_control(
    State(service): State<Arc<Service>>,
    _: ReadLimit,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let parameters = query_parameters(&uri, &["domain"])?;
    let domain = service
        .parse_domain(required(parameters.get("domain"), "domain")?)
        .map_err(bad_domain_error)?;
    let signed = service.control.record(&domain).await.map_err(to_api_error)?;
    Ok(HttpDocument::with_etag(signed.bytes, &signed.digest, JSON, CACHE_ONE_MINUTE)
        .reply(&headers))
}
