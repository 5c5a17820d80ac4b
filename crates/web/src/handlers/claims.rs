//! `GET /api/v1/claims`: what a site says about itself.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{Timestamp, errors::ErrorV1, records::ClaimsRecord};
use http::{HeaderMap, Uri};
use service::{Service, WantedClaims};

use super::{kept, log::needed, scan::bad_domain};
use crate::{
    address::{self, Parameters},
    documents::{Document, FOR_MINUTES, JSON},
    errors::ApiError,
    limits::Reads,
};

/// The longest property asked for.
const PROPERTY_BYTES: usize = 100;

/// Read what a site says about itself
///
/// Name, address, telephone, hours, policies, titles and machine files, as the site stated them: each
/// claim with where it stands, from when to when it was said, and when we wrote that down. Recorded,
/// not judged. `as_of` shows what we knew at a time, `valid_at` what the site said at a time. A site
/// nobody asked about is answered with `observed` false and where to begin.
#[utoipa::path(
    get,
    path = "/api/v1/claims",
    operation_id = "getClaims",
    tag = "resolve",
    params(
        ("domain" = String, Query, description = "The domain.", example = "example.com"),
        ("property" = Option<String>, Query,
            description = "One property, or all that begin with it and a dot.",
            example = "contact.phone"),
        ("as_of" = Option<String>, Query, description = "As we knew it then: a timestamp in UTC."),
        ("valid_at" = Option<String>, Query, description = "What was said then: a timestamp in UTC."),
    ),
    responses(
        (status = 200, description = "The signed record.", body = ClaimsRecord,
            content_type = "application/json"),
        (status = 304, description = "The copy you have is still right."),
        (status = 400, description = "`bad_request`, `bad_domain`, `unknown_field`.",
            body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_claims(
    State(service): State<Arc<Service>>,
    _: Reads,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let asked = address::parameters(&uri, &["domain", "property", "as_of", "valid_at"])?;
    let domain = service.domain(needed(asked.get("domain"), "domain")?).map_err(bad_domain)?;
    let property = asked.get("property").map(String::as_str);
    if property.is_some_and(|property| property.is_empty() || property.len() > PROPERTY_BYTES) {
        let sentence = format!("`property` has 1 to {PROPERTY_BYTES} characters.");
        return Err(ApiError::bad_request(sentence).param("property"));
    }
    let wanted = WantedClaims {
        property,
        as_of: moment(&asked, "as_of")?,
        valid_at: moment(&asked, "valid_at")?,
    };
    let signed = service.claims(&domain, wanted).await.map_err(kept::failed)?;
    Ok(Document::named(signed.bytes, &signed.digest, JSON, FOR_MINUTES).reply(&headers))
}

fn moment(asked: &Parameters, name: &'static str) -> Result<Option<Timestamp>, ApiError> {
    let sentence = || format!("`{name}` is a moment in UTC, as 2026-11-15T02:56:20Z.");
    let read =
        |text: &String| text.parse().map_err(|_| ApiError::bad_request(sentence()).param(name));
    asked.get(name).map(read).transpose()
}
