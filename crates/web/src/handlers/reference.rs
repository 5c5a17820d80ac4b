//! The description of the interface: for machines, and for people.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use http::{HeaderMap, HeaderValue, header::VARY};

use crate::{
    documents::{Document, FOR_AN_HOUR},
    negotiation, pages,
    state::Site,
};

/// Read this description
///
/// OpenAPI 3.1. The page at `/docs` is made from it.
#[utoipa::path(
    get,
    path = "/openapi.json",
    operation_id = "openapiDocument",
    tag = "contract",
    responses(
        (status = 200, description = "The document.", body = Object,
            content_type = "application/json"),
        (status = 304, description = "The copy you have is still right."),
    )
)]
pub(crate) async fn openapi_document(
    State(site): State<Arc<Site>>,
    headers: HeaderMap,
) -> Response {
    site.openapi.reply(&headers)
}

/// The same as a page.
pub(crate) async fn docs(State(site): State<Arc<Site>>, headers: HeaderMap) -> Response {
    let mut response = site.reference.reply(&headers);
    pages::add_headers(response.headers_mut());
    response
}

/// How scans are scored: a page, or the Markdown it is made from.
pub(crate) async fn method(State(site): State<Arc<Site>>, headers: HeaderMap) -> Response {
    let markdown = negotiation::prefers(&headers, "text/markdown", "text/html");
    let document = if markdown { &site.method_text } else { &site.method };
    let mut response = document.reply(&headers);
    pages::add_headers(response.headers_mut());
    response.headers_mut().insert(VARY, HeaderValue::from_static("Accept"));
    response
}

pub(crate) async fn style(headers: HeaderMap) -> Response {
    Document::new(pages::STYLE, "text/css; charset=utf-8", FOR_AN_HOUR).reply(&headers)
}

/// The verifier that needs nothing of ours
///
/// One file for Node 20 or later, without dependencies: `node crawlcheck-verify.mjs answer.json
/// --keys {base}`. It makes the same checks as `wayleave verify`, by the same names.
#[utoipa::path(
    get,
    path = "/crawlcheck-verify.mjs",
    operation_id = "offlineVerifier",
    tag = "keys",
    responses(
        (status = 200, description = "The program.", body = String,
            content_type = "text/javascript; charset=utf-8"),
        (status = 304, description = "The copy you have is still right."),
    )
)]
pub(crate) async fn offline_verifier(headers: HeaderMap) -> Response {
    Document::new(VERIFIER, "text/javascript; charset=utf-8", FOR_AN_HOUR).reply(&headers)
}

const VERIFIER: &[u8] = include_bytes!("../../assets/crawlcheck-verify.mjs");
