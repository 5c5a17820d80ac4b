//! `GET /api/v1/staple`: a domain's decisions in one line that the site can send along.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{
    errors::{ErrorCode, ErrorV1},
    records::StapleRecord,
};
use http::{HeaderMap, Uri};
use service::{Service, staple::StapleError};

use crate::{
    address,
    documents::{Document, FOR_A_MINUTE, JSON},
    errors::{ApiError, sentence},
    limits::Reads,
};

/// Read a domain's staple
///
/// The decisions of the newest answer in one signed line, for a response header or a TXT record. It
/// is good by itself, for the domain and all names under it, for at most a day.
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
        (status = 304, description = "The copy you have is still right."),
        (status = 400, description = "`bad_domain`, `bad_request`, `unknown_field`.",
            body = ErrorV1),
        (status = 404, description = "There is no fresh answer about the domain; resolve it \
            first: `not_tracked`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`cannot_answer`, `store_unreadable`, \
            `signing_unavailable`.", body = ErrorV1),
    )
)]
pub(crate) async fn staple(
    State(service): State<Arc<Service>>,
    _: Reads,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let asked = address::parameters(&uri, &["domain"])?;
    let input = asked
        .get("domain")
        .ok_or_else(|| ApiError::bad_request("`domain` is missing.").param("domain"))?;
    let domain = service.domain(input).map_err(|refusal| {
        ApiError::new(ErrorCode::BadDomain, sentence(&refusal.to_string())).param("domain")
    })?;
    let record = service.staple(&domain).await.map_err(failed)?;
    let document = Document::named(record.bytes, &record.digest, JSON, FOR_A_MINUTE);
    Ok(document.reply(&headers))
}

fn failed(error: StapleError) -> ApiError {
    let said = error.to_string();
    match error {
        StapleError::NoAnswer(_) => {
            ApiError::new(ErrorCode::NotTracked, sentence(&said)).param("domain")
        }
        StapleError::Unreadable(..) => {
            ApiError::new(ErrorCode::CannotAnswer, "The answer cannot be read.").because(said)
        }
        StapleError::Store(_) => {
            ApiError::new(ErrorCode::StoreUnreadable, "What is kept cannot be read now; try again.")
                .retry_after(5)
                .because(said)
        }
        StapleError::Signing(_) => {
            ApiError::new(ErrorCode::SigningUnavailable, "This could not be signed.")
                .retry_after(30)
                .because(said)
        }
    }
}
