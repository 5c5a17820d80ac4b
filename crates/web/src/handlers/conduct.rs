//! How agents behave on this site: the signed record, its page, the record of a day, and the page that
//! robots.txt disallows.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{
    Day,
    errors::{ErrorCode, ErrorV1},
    records::ConductRecord,
};
use http::{HeaderMap, HeaderName, HeaderValue, Uri};
use service::{ConductError, Service};

use crate::{
    pages,
    rate_limits::ReadLimit,
    request::{PathParameter, query_parameters},
    response::{
        ApiError, CACHE_ONE_DAY_IMMUTABLE, CACHE_ONE_HOUR, CACHE_ONE_MINUTE, HTML, HttpDocument,
        JSON,
    },
};

/// Read how agents behave on this site
///
/// The requests that agents made to this service, counted by agent: from the addresses that its operator
/// publishes and from others, fetches of robots.txt and of disallowed paths, the most requests in a minute,
/// conditional requests. Agents with too few verified requests, or whose operators publish no addresses, are
/// named in `not_assessed` with the reason. Counts only: no addresses are kept. The record is made again at most
/// once in a minute. The counts of each day are sealed; `/conduct/{day}.json` has them.
#[utoipa::path(
    get,
    path = "/api/v1/conduct",
    operation_id = "getConduct",
    tag = "visitors",
    responses(
        (status = 200, description = "The signed record.", body = ConductRecord,
            content_type = "application/json"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 400, description = "There are no parameters: `bad_request`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`store_unreadable`, `signing_unavailable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_conduct(
    State(service): State<Arc<Service>>,
    _: ReadLimit,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    query_parameters(&uri, &[])?;
    let answer = service.conduct.record().await.map_err(to_api_error)?;
    let signed = &answer.document;
    let document =
        HttpDocument::with_etag(signed.bytes.clone(), &signed.digest, JSON, CACHE_ONE_MINUTE);
    Ok(document.reply(&headers))
}

/// The record as a page.
pub(crate) async fn conduct_page(
    State(service): State<Arc<Service>>,
    _: ReadLimit,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let answer = service.conduct.record().await.map_err(to_api_error)?;
    let html = pages::conduct::render(&answer.record, answer.last_day, service.base_url());
    let mut response = HttpDocument::new(html, HTML, CACHE_ONE_MINUTE).reply(&headers);
    pages::add_page_headers(response.headers_mut());
    Ok(response)
}

/// `/conduct/2026-11-16.json`: the signed counts of a day that is over. Its digest is in the seal of the day.
pub(crate) async fn conduct_file(
    State(service): State<Arc<Service>>,
    _: ReadLimit,
    PathParameter(file): PathParameter,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    query_parameters(&uri, &[])?;
    let none = || {
        let sentence = "There are no counts of this day: it is not over, or no agent was seen.";
        ApiError::new(ErrorCode::NotFound, sentence)
    };
    let day = file.strip_suffix(".json").and_then(|day| day.parse::<Day>().ok());
    let day = day.ok_or_else(none)?;
    let signed = service.conduct.day_record(day).await.map_err(to_api_error)?.ok_or_else(none)?;
    let document =
        HttpDocument::with_etag(signed.bytes, &signed.digest, JSON, CACHE_ONE_DAY_IMMUTABLE);
    Ok(document.reply(&headers))
}

/// The page that robots.txt disallows. Whoever fetches it as a crawler did not follow robots.txt.
pub(crate) async fn disallowed_page(_: ReadLimit, headers: HeaderMap) -> Response {
    let html = pages::conduct::render_disallowed();
    let mut response = HttpDocument::new(html, HTML, CACHE_ONE_HOUR).reply(&headers);
    pages::add_page_headers(response.headers_mut());
    let name = HeaderName::from_static("x-robots-tag");
    response.headers_mut().insert(name, HeaderValue::from_static("noindex, nofollow"));
    response
}

fn to_api_error(error: ConductError) -> ApiError {
    let message = error.to_string();
    match error {
        ConductError::Store(_) => ApiError::new(
            ErrorCode::StoreUnreadable,
            "The counts cannot be read at the moment. Try again in 5 s.",
        )
        .retry_after(5),
        ConductError::Signing(_) => ApiError::new(
            ErrorCode::SigningUnavailable,
            "The record could not be signed. Try again in 30 s.",
        )
        .retry_after(30),
    }
    .with_internal_message(message)
}
