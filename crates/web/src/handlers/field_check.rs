//! `GET /api/v1/field-check`: whether a value is what a business publishes.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{
    errors::ErrorV1,
    limits::FIELD_VALUE_MAX,
    records::{CheckedField, FieldCheck},
};
use http::{HeaderMap, Uri};
use service::{FieldCheckQuery, Service};

use super::error_mapping::bad_domain_error;
use crate::{
    rate_limits::{LiveReadLimit, ReadLimit},
    request::{parameters::required, query_parameters},
    response::{ApiError, CACHE_ONE_MINUTE, HttpDocument, JSON},
};

/// Check a value against what a business publishes
///
/// Before an agent dials a number, sends somebody to an address or relies on opening hours: whether the value says
/// the same as what the site of the business publishes. Compared by meaning: `020 7946 0000` and `+44 20 7946 0000`
/// are the same number. `matches`, `differs`, `not_published` or `not_measured`, with the published values, where
/// they stand and when the site was read. The site is read if no reading of it is stored.
#[utoipa::path(
    get,
    path = "/api/v1/field-check",
    operation_id = "checkField",
    tag = "resolve",
    params(
        ("domain" = String, Query, description = "The domain of the business.", example = "example.com"),
        ("field" = String, Query,
            description = "`phone`, `address`, `hours`, `service_area`, `website` or `price`.", example = "phone"),
        ("value" = String, Query, description = "The value to check.",
            example = "+44 20 7946 0000"),
    ),
    responses(
        (status = 200, description = "The signed verdict.", body = FieldCheck,
            content_type = "application/json"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 400, description = "`bad_request`, `bad_domain`, `unknown_field`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn check_field(
    State(service): State<Arc<Service>>,
    _: ReadLimit,
    live_reads: LiveReadLimit,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let parameters = query_parameters(&uri, &["domain", "field", "value"])?;
    let domain = service
        .parse_domain(required(parameters.get("domain"), "domain")?)
        .map_err(bad_domain_error)?;
    let field = required(parameters.get("field"), "field")?;
    let field = CheckedField::from_word(field).ok_or_else(|| {
        let words = CheckedField::WORDS.join("`, `");
        ApiError::bad_request(format!("`field` must be one of `{words}`.")).param("field")
    })?;
    let value = required(parameters.get("value"), "value")?;
    if value.chars().count() > FIELD_VALUE_MAX {
        let sentence = format!("`value` must have at most {FIELD_VALUE_MAX} characters.");
        return Err(ApiError::bad_request(sentence).param("value"));
    }
    let is_line_break = |c: char| matches!(c, '\n' | '\r' | '\t');
    if value.trim().is_empty() || value.contains(|c: char| c.is_control() && !is_line_break(c)) {
        let sentence = "`value` must be a text without control characters.";
        return Err(ApiError::bad_request(sentence).param("value"));
    }
    let query = FieldCheckQuery {
        domain,
        field,
        value: value.to_owned(),
        live_read_permit: Arc::new(live_reads),
    };
    let signed = service.answers.field_check(query).await.map_err(super::resolve::to_api_error)?;
    service.answers.keep_field_check(uri.query().unwrap_or_default(), &signed);
    Ok(HttpDocument::with_etag(signed.bytes.clone(), &signed.digest, JSON, CACHE_ONE_MINUTE)
        .reply(&headers))
}
