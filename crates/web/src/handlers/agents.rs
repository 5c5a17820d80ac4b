//! The catalogue of known agents (`/api/v1/agents`, `/agents`), and the specification of the visitor verdict
//! (`/spec/visitor-resolve`).

use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use contract::{
    errors::{ErrorCode, ErrorV1},
    records::{KnownAgentsRecord, VisitorSpec},
};
use http::{
    HeaderMap, HeaderValue,
    header::{CACHE_CONTROL, CONTENT_TYPE, VARY},
};
use service::Service;

use crate::{
    pages,
    rate_limits::ReadLimit,
    request::content_negotiation::accept_weight,
    response::{ApiError, CACHE_FIVE_MINUTES, CACHE_ONE_HOUR, HTML, HttpDocument, JSON, MARKDOWN},
};

/// List the known agents
///
/// The agents that visitors are compared with: their names in user agents and in robots.txt, who operates
/// them and what for, and by what each can be verified; and the lists of addresses with the age of our copies.
#[utoipa::path(
    get,
    path = "/api/v1/agents",
    operation_id = "getKnownAgents",
    tag = "visitors",
    responses(
        (status = 200, description = "The signed record.", body = KnownAgentsRecord,
            content_type = "application/json"),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_known_agents(
    State(service): State<Arc<Service>>,
    _: ReadLimit,
) -> Result<Response, ApiError> {
    let record = service.visitors.signed_agents_record().map_err(|error| {
        ApiError::new(
            ErrorCode::SigningUnavailable,
            "The record could not be signed. Try again in 30 s.",
        )
        .retry_after(30)
        .with_internal_message(error.to_string())
    })?;
    let headers = [(CONTENT_TYPE, JSON), (CACHE_CONTROL, CACHE_FIVE_MINUTES)];
    Ok((headers, record.bytes).into_response())
}

/// The known agents as a page.
pub(crate) async fn agents_page(State(service): State<Arc<Service>>, _: ReadLimit) -> Response {
    let page = pages::agents::render(&service.visitors.known_agents_record());
    let headers = [(CONTENT_TYPE, HTML), (CACHE_CONTROL, CACHE_FIVE_MINUTES)];
    let mut response = (headers, page).into_response();
    pages::add_page_headers(response.headers_mut());
    response
}

/// Read how visitors are checked
///
/// What each verdict means and does not mean, the steps of the check, the table of cases, and visitors to
/// try with the verdict that is expected. A page, Markdown, or this record by `Accept: application/json`.
#[utoipa::path(
    get,
    path = "/spec/visitor-resolve",
    operation_id = "visitorSpec",
    tag = "visitors",
    responses(
        (status = 200, description = "The specification.", content(
            (VisitorSpec = "application/json"), (String = "text/html"), (String = "text/markdown")
        )),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
    )
)]
pub(crate) async fn visitor_spec(
    State(service): State<Arc<Service>>,
    _: ReadLimit,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let spec = service.visitors.specification();
    let [html, markdown, json] = ["text/html", "text/markdown", "application/json"]
        .map(|kind| accept_weight(&headers, kind));
    let document = if json > html && json >= markdown {
        let bytes =
            serde_json::to_vec(&spec).map_err(|error| ApiError::internal(error.to_string()))?;
        HttpDocument::new(bytes, JSON, CACHE_ONE_HOUR)
    } else if markdown > html {
        HttpDocument::new(pages::visitor_spec::markdown(&spec), MARKDOWN, CACHE_ONE_HOUR)
    } else {
        HttpDocument::new(pages::visitor_spec::render(&spec), HTML, CACHE_ONE_HOUR)
    };
    let mut response = document.reply(&headers);
    pages::add_page_headers(response.headers_mut());
    response.headers_mut().insert(VARY, HeaderValue::from_static("Accept"));
    Ok(response)
}
