//! Static documents: the OpenAPI document, the reference and method pages, the style sheet and the
//! offline verifier.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::Brand;
use http::{
    HeaderMap, HeaderValue, Uri,
    header::{LINK, VARY},
};
use service::Service;

use crate::{
    machine_files, pages,
    rate_limits::ReadLimit,
    request::{PathParameter, content_negotiation},
    response::{ApiError, CACHE_FIVE_MINUTES, CACHE_ONE_HOUR, HTML, HttpDocument, MARKDOWN, TEXT},
    state::ServiceInfo,
};

/// Read this document
///
/// OpenAPI 3.1. The page at `/docs` is generated from it.
#[utoipa::path(
    get,
    path = "/openapi.json",
    operation_id = "openapiDocument",
    tag = "contract",
    responses(
        (status = 200, description = "The document.", body = Object,
            content_type = "application/json"),
        (status = 304, description = "Not modified: your copy is current."),
    )
)]
pub(crate) async fn openapi_document(
    State(service_info): State<Arc<ServiceInfo>>,
    headers: HeaderMap,
) -> Response {
    service_info.openapi.reply(&headers)
}

/// The contents of the documentation.
pub(crate) async fn docs(
    State(service_info): State<Arc<ServiceInfo>>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    docs_reply(&service_info, "", &headers)
}

/// One page of the documentation.
pub(crate) async fn docs_page(
    State(service_info): State<Arc<ServiceInfo>>,
    PathParameter(page): PathParameter,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    docs_reply(&service_info, &page, &headers)
}

fn docs_reply(
    service_info: &ServiceInfo,
    page: &str,
    headers: &HeaderMap,
) -> Result<Response, ApiError> {
    let document = service_info.docs_pages.get(page).ok_or_else(ApiError::not_found)?;
    let mut response = document.reply(headers);
    pages::add_page_headers(response.headers_mut());
    Ok(response)
}

/// How scans are scored: a page, or the Markdown it is made from.
pub(crate) async fn method(
    State(service): State<Arc<Service>>,
    State(service_info): State<Arc<ServiceInfo>>,
    _: ReadLimit,
    headers: HeaderMap,
) -> Response {
    let markdown = content_negotiation::prefers(&headers, "text/markdown", "text/html");
    // The page is of use without the numbers.
    let disputes = match service.control.dispute_counts().await {
        Ok(counts) => pages::method::dispute_sentence(counts),
        Err(error) => {
            tracing::warn!(%error, "disputes could not be counted");
            "The number of objections cannot be read at the moment.".to_owned()
        }
    };
    let document = if markdown {
        let text = format!("{}\n## Objections of owners\n\n{disputes}\n", service_info.method_text);
        HttpDocument::new(text, MARKDOWN, CACHE_FIVE_MINUTES)
    } else {
        let page = pages::method::render(&service_info.method_html, &disputes);
        HttpDocument::new(page, HTML, CACHE_FIVE_MINUTES)
    };
    let mut response = document.reply(&headers);
    pages::add_page_headers(response.headers_mut());
    response.headers_mut().insert(VARY, HeaderValue::from_static("Accept"));
    response
}

/// What this service tells machines about itself: robots.txt, llms.txt, cards and catalogues.
pub(crate) async fn machine_file(
    State(service_info): State<Arc<ServiceInfo>>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let document = service_info.machine_files.get(uri.path()).ok_or_else(ApiError::not_found)?;
    let mut response = document.reply(&headers);
    if uri.path() == machine_files::API_CATALOG_PATH {
        // A HEAD request tells where the API is described (RFC 9727).
        let link = HeaderValue::from_static(
            "</openapi.json>; rel=\"service-desc\", </docs>; rel=\"service-doc\"",
        );
        response.headers_mut().insert(LINK, link);
    }
    Ok(response)
}

/// The contact for security reports, if the operator gives one.
pub(crate) async fn security_txt(
    State(service): State<Arc<Service>>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let operator = service.operator();
    let contact = operator.security.as_deref().or(operator.contact.as_deref());
    let text = machine_files::render_security_txt(service.issuer(), contact, service.now());
    let text = text.ok_or_else(ApiError::not_found)?;
    Ok(HttpDocument::new(text, TEXT, CACHE_ONE_HOUR).reply(&headers))
}

pub(crate) async fn style(
    State(service_info): State<Arc<ServiceInfo>>,
    headers: HeaderMap,
) -> Response {
    service_info.page_files.style.reply(&headers)
}

pub(crate) async fn script(
    State(service_info): State<Arc<ServiceInfo>>,
    headers: HeaderMap,
) -> Response {
    service_info.page_files.script.reply(&headers)
}

pub(crate) async fn favicon(
    State(service_info): State<Arc<ServiceInfo>>,
    headers: HeaderMap,
) -> Response {
    service_info.page_files.favicon.reply(&headers)
}

/// Download the offline verifier
///
/// One file for Node 20 or later, without dependencies: `node crawlcheck-verify.mjs answer.json
/// --keys {base}`. It makes the same checks as `wayleave verify`, under the same names.
#[utoipa::path(
    get,
    path = "/crawlcheck-verify.mjs",
    operation_id = "offlineVerifier",
    tag = "keys",
    responses(
        (status = 200, description = "The program.", body = String,
            content_type = "text/javascript; charset=utf-8"),
        (status = 304, description = "Not modified: your copy is current."),
    )
)]
pub(crate) async fn offline_verifier(
    State(service_info): State<Arc<ServiceInfo>>,
    headers: HeaderMap,
) -> Response {
    service_info.verifier.reply(&headers)
}

const VERIFIER: &str = include_str!("../../assets/crawlcheck-verify.mjs");

/// The verifier, with the brand of this deployment as its default, so that the printed commands work
/// as they are.
pub(crate) fn build_verifier(brand: &Brand) -> HttpDocument {
    let mut program = VERIFIER.to_owned();
    for place in ["brand: 'svc',", "(default: svc)"] {
        program = program.replace(place, &place.replace(Brand::DEFAULT, brand.as_str()));
    }
    HttpDocument::constant(program, "text/javascript; charset=utf-8", CACHE_ONE_HOUR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verifier_has_one_default_brand() {
        for place in ["brand: 'svc',", "(default: svc)"] {
            assert_eq!(VERIFIER.matches(place).count(), 1, "{place}");
        }
    }
}
