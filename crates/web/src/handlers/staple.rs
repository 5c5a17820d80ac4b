//! `GET /api/v1/staple`: a domain's decisions in one signed line that the site itself can publish.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{
    errors::{ErrorCode, ErrorV1},
    records::StapleRecord,
};
use http::{HeaderMap, Uri};
use service::{Service, answers::staple::StapleError};

use crate::{
    rate_limits::ReadLimit,
    request::query_parameters,
    response::{ApiError, CACHE_ONE_MINUTE, HttpDocument, JSON, to_sentence},
};

/// Read a domain's staple
///
/// The decisions of the newest answer in one signed line, for a response header or a TXT record. It can
/// be verified by itself. It is valid for the domain and all names under it, for at most a day.
#[utoipa::path(
    get,
    path = "/api/v1/staple",
    operation_id = "staple",
    tag = "decisions",
    params(("domain" = String, Query, description = "A bare domain or a full http(s) address.",
        example = "shop.example")),
    responses(
        (status = 200, description = "The signed record.", body = StapleRecord,
            content_type = "application/json"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 400, description = "`bad_domain`, `bad_request`, `unknown_field`.",
            body = ErrorV1),
        (status = 404, description = "There is no fresh answer for the domain; resolve it \
            first: `not_tracked`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`cannot_answer`, `store_unreadable`, \
            `signing_unavailable`.", body = ErrorV1),
    )
)]
pub(crate) async fn staple(
    State(service): State<Arc<Service>>,
    _: ReadLimit,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let parameters = query_parameters(&uri, &["domain"])?;
    let input = parameters
        .get("domain")
        .ok_or_else(|| ApiError::bad_request("Parameter `domain` is missing.").param("domain"))?;
    let domain = service.parse_domain(input).map_err(|refusal| {
        ApiError::new(ErrorCode::BadDomain, to_sentence(&refusal.to_string())).param("domain")
    })?;
    let record = service.answers.staple(&domain).await.map_err(to_api_error)?;
    let document = HttpDocument::with_etag(record.bytes, &record.digest, JSON, CACHE_ONE_MINUTE);
    Ok(document.reply(&headers))
}

fn to_api_error(error: StapleError) -> ApiError {
    let message = error.to_string();
    match error {
        StapleError::NoAnswer(_) => {
            ApiError::new(ErrorCode::NotTracked, to_sentence(&message)).param("domain")
        }
        StapleError::Unreadable(..) => {
            ApiError::new(ErrorCode::CannotAnswer, "The stored answer cannot be parsed.")
                .with_internal_message(message)
        }
        StapleError::Store(_) => ApiError::new(
            ErrorCode::StoreUnreadable,
            "The stored data cannot be read at the moment. Try again in 5 s.",
        )
        .retry_after(5)
        .with_internal_message(message),
        StapleError::Signing(_) => ApiError::new(
            ErrorCode::SigningUnavailable,
            "The response could not be signed. Try again in 30 s.",
        )
        .retry_after(30)
        .with_internal_message(message),
    }
}
