//! `GET /api/corroboration`: compares the readings of a domain, field by field.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{
    errors::{ErrorCode, ErrorV1},
    limits::READINGS_KEPT_PER_DOMAIN,
    records::Corroboration,
};
use http::{HeaderMap, Uri};
use service::{Service, answers::corroboration::CorroborationError};

use super::error_mapping::bad_domain_error;
use crate::{
    rate_limits::ReadLimit,
    request::{
        parameters::{count_parameter, required},
        query_parameters,
    },
    response::{ApiError, CACHE_FIVE_MINUTES, HttpDocument, JSON},
};

/// The maximum length of the parameter `field`.
const MAX_FIELD_CHARS: usize = 200;

/// Compare the readings of a domain
///
/// The stored readings, the network and time of each, their values in every comparable field, and whether
/// networks contradict each other. An incomplete reading is listed but not counted. A field that a
/// reading did not measure counts neither as agreement nor as contradiction.
#[utoipa::path(
    get,
    path = "/api/corroboration",
    operation_id = "getCorroboration",
    tag = "resolve",
    params(
        ("domain" = String, Query, description = "The domain.", example = "example.com"),
        ("field" = Option<String>, Query,
            description = "Only fields that begin with this, such as `delivery.`"),
        ("limit" = Option<u32>, Query, description = "Maximum number of readings, newest first, 1 to 12."),
    ),
    responses(
        (status = 200, description = "The signed record.", body = Corroboration,
            content_type = "application/json"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 400, description = "`bad_request`, `bad_domain`, `unknown_field`.",
            body = ErrorV1),
        (status = 404, description = "There is no stored reading of the domain: `not_tracked`.",
            body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_corroboration(
    State(service): State<Arc<Service>>,
    _: ReadLimit,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let parameters = query_parameters(&uri, &["domain", "field", "limit"])?;
    let domain = required(parameters.get("domain"), "domain")?;
    let domain = service.parse_domain(domain).map_err(bad_domain_error)?;
    let field = parameters.get("field").map(String::as_str);
    if field.is_some_and(|field| field.chars().count() > MAX_FIELD_CHARS) {
        return Err(ApiError::bad_request("`field` is longer than 200 characters.").param("field"));
    }
    let limit = count_parameter(&parameters, "limit", READINGS_KEPT_PER_DOMAIN)?
        .unwrap_or(READINGS_KEPT_PER_DOMAIN);
    let listed =
        service.answers.corroboration(&domain, field, limit).await.map_err(to_api_error)?;
    let document =
        HttpDocument::with_etag(listed.document.bytes, &listed.etag, JSON, CACHE_FIVE_MINUTES);
    Ok(document.reply(&headers))
}

fn to_api_error(error: CorroborationError) -> ApiError {
    let message = error.to_string();
    match error {
        CorroborationError::NotTracked => {
            ApiError::new(ErrorCode::NotTracked, "There is no stored reading of this domain.")
                .param("domain")
        }
        CorroborationError::Store(_) => ApiError::new(
            ErrorCode::StoreUnreadable,
            "The readings cannot be read at the moment. Try again in 5 s.",
        )
        .retry_after(5)
        .with_internal_message(message),
        CorroborationError::Signing(_) => ApiError::new(
            ErrorCode::SigningUnavailable,
            "The record could not be signed. Try again in 30 s.",
        )
        .retry_after(30)
        .with_internal_message(message),
        CorroborationError::Unreadable(_) => ApiError::internal(message),
    }
}
