//! `GET /api/corroboration`: readings of a domain, field by field.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{
    errors::{ErrorCode, ErrorV1},
    limits::INDEPENDENT_READINGS,
    records::Corroboration,
};
use http::{HeaderMap, Uri};
use service::{Service, corroboration::CorroborationError};

use super::{
    log::{count, needed},
    scan::bad_domain,
};
use crate::{
    address,
    documents::{Document, FOR_MINUTES, JSON},
    errors::ApiError,
    limits::Reads,
};

/// The longest beginning of a field that is looked for.
const FIELD_BYTES: usize = 200;

/// Compare the readings of a domain
///
/// The kept readings, from where and when each was made, what they show in every field that can be
/// compared, and whether networks contradict each other. A reading that did not come to its end is
/// listed and not counted; a field that a reading did not measure says nothing.
#[utoipa::path(
    get,
    path = "/api/corroboration",
    operation_id = "getCorroboration",
    tag = "resolve",
    params(
        ("domain" = String, Query, description = "The domain.", example = "example.com"),
        ("field" = Option<String>, Query,
            description = "Only fields that begin so, as `delivery.`"),
        ("limit" = Option<u32>, Query, description = "The newest readings, 1 to 12."),
    ),
    responses(
        (status = 200, description = "The signed record.", body = Corroboration,
            content_type = "application/json"),
        (status = 304, description = "The copy you have is still right."),
        (status = 400, description = "`bad_request`, `bad_domain`, `unknown_field`.",
            body = ErrorV1),
        (status = 404, description = "No reading of the domain is kept: `not_tracked`.",
            body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_corroboration(
    State(service): State<Arc<Service>>,
    _: Reads,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let asked = address::parameters(&uri, &["domain", "field", "limit"])?;
    let domain = needed(asked.get("domain"), "domain")?;
    let domain = service.domain(domain).map_err(bad_domain)?;
    let field = asked.get("field").map(String::as_str);
    if field.is_some_and(|field| field.len() > FIELD_BYTES) {
        return Err(ApiError::bad_request("`field` is too long.").param("field"));
    }
    let limit = count(&asked, "limit", INDEPENDENT_READINGS)?.unwrap_or(INDEPENDENT_READINGS);
    let listed = service.corroboration(&domain, field, limit).await.map_err(failed)?;
    let document = Document::named(listed.document.bytes, &listed.name, JSON, FOR_MINUTES);
    Ok(document.reply(&headers))
}

fn failed(error: CorroborationError) -> ApiError {
    let said = error.to_string();
    match error {
        CorroborationError::NotTracked => {
            ApiError::new(ErrorCode::NotTracked, "No reading of this domain is kept.")
                .param("domain")
        }
        CorroborationError::Store(_) => {
            ApiError::new(ErrorCode::StoreUnreadable, "Readings cannot be read now; try again.")
                .retry_after(5)
                .because(said)
        }
        CorroborationError::Signing(_) => {
            ApiError::new(ErrorCode::SigningUnavailable, "The record could not be signed.")
                .retry_after(30)
                .because(said)
        }
        CorroborationError::Unreadable(_) => ApiError::internal(said),
    }
}
