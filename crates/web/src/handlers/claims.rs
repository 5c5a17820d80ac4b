//! `GET /api/v1/claims`: what a site states about itself.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{Timestamp, errors::ErrorV1, records::ClaimsRecord};
use http::{HeaderMap, Uri};
use service::{ClaimsQuery, Service};

use super::error_mapping::{self, bad_domain_error};
use crate::{
    rate_limits::ReadLimit,
    request::{QueryParameters, parameters::required, query_parameters},
    response::{ApiError, CACHE_FIVE_MINUTES, HttpDocument, JSON},
};

/// The maximum length of the parameter `property`.
const MAX_PROPERTY_CHARS: usize = 100;

/// Read what a site states about itself
///
/// Name, address, telephone, opening hours, policies, titles and machine-readable files, as the site
/// states them: each claim with its source, the time during which the site stated it, and the time when
/// we recorded it. Claims are recorded, not verified. `as_of` shows what we knew at a time, `valid_at`
/// what the site stated at a time. For a site that was never read, `observed` is false and `start` says
/// how to have it read.
#[utoipa::path(
    get,
    path = "/api/v1/claims",
    operation_id = "getClaims",
    tag = "resolve",
    params(
        ("domain" = String, Query, description = "The domain.", example = "example.com"),
        ("property" = Option<String>, Query,
            description = "One property, or all properties below it: `contact` includes `contact.phone`.",
            example = "contact.phone"),
        ("as_of" = Option<String>, Query, description = "What we knew at this UTC timestamp."),
        ("valid_at" = Option<String>, Query, description = "What the site stated at this UTC timestamp."),
    ),
    responses(
        (status = 200, description = "The signed record.", body = ClaimsRecord,
            content_type = "application/json"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 400, description = "`bad_request`, `bad_domain`, `unknown_field`.",
            body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_claims(
    State(service): State<Arc<Service>>,
    _: ReadLimit,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let parameters = query_parameters(&uri, &["domain", "property", "as_of", "valid_at"])?;
    let domain = service
        .parse_domain(required(parameters.get("domain"), "domain")?)
        .map_err(bad_domain_error)?;
    let property = parameters.get("property").map(String::as_str);
    if property.is_some_and(|property| {
        property.is_empty() || property.chars().count() > MAX_PROPERTY_CHARS
    }) {
        let sentence = format!("`property` must have 1 to {MAX_PROPERTY_CHARS} characters.");
        return Err(ApiError::bad_request(sentence).param("property"));
    }
    let query = ClaimsQuery {
        property,
        as_of: timestamp_parameter(&parameters, "as_of")?,
        valid_at: timestamp_parameter(&parameters, "valid_at")?,
    };
    let signed =
        service.answers.claims(&domain, query).await.map_err(error_mapping::report_to_api_error)?;
    Ok(HttpDocument::with_etag(signed.bytes, &signed.digest, JSON, CACHE_FIVE_MINUTES)
        .reply(&headers))
}

fn timestamp_parameter(
    parameters: &QueryParameters,
    name: &'static str,
) -> Result<Option<Timestamp>, ApiError> {
    let sentence = || format!("`{name}` must be a UTC time such as 2026-11-15T02:56:20Z.");
    let read =
        |text: &String| text.parse().map_err(|_| ApiError::bad_request(sentence()).param(name));
    parameters.get(name).map(read).transpose()
}
