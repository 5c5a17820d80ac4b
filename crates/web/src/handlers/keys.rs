//! The public keys to verify our signatures.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::errors::ErrorV1;
use http::HeaderMap;
use service::Service;

use crate::{
    middleware::response_signing,
    rate_limits::ReadLimit,
    response::{CACHE_FIVE_MINUTES, HttpDocument, JSON},
};

const DIRECTORY_MEDIA_TYPE: &str = "application/http-message-signatures-directory+json";

/// Read the key directory
///
/// The current public keys, each with its purpose and the time from which it signs. The response is
/// signed with every key in it (RFC 9421) over `"@authority";req` and `content-digest`, with the tag
/// `http-message-signatures-directory`. This proves that we hold every key that we publish.
#[utoipa::path(
    get,
    path = "/.well-known/http-message-signatures-directory",
    operation_id = "keyDirectory",
    tag = "keys",
    responses(
        (status = 200, description = "The keys.", body = Object,
            content_type = "application/http-message-signatures-directory+json"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
    )
)]
pub(crate) async fn key_directory(
    State(service): State<Arc<Service>>,
    _: ReadLimit,
    headers: HeaderMap,
) -> Response {
    service.keys.refresh().await;
    let directory = service.keys.directory();
    let mut response =
        HttpDocument::new(directory.content, DIRECTORY_MEDIA_TYPE, CACHE_FIVE_MINUTES)
            .reply(&headers);
    // Also on 304: the client's copy gets fresh signatures.
    if let Some(possession) = &directory.possession_proofs {
        response_signing::add_signature_headers(response.headers_mut(), possession);
    }
    response
}

/// Read the key rotation record
///
/// Retired keys, with the period in which they signed, and compromised keys.
#[utoipa::path(
    get,
    path = "/.well-known/security-key-rotation.json",
    operation_id = "keyRotation",
    tag = "keys",
    responses(
        (status = 200, description = "The record.", body = Object,
            content_type = "application/json"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
    )
)]
pub(crate) async fn key_rotation(
    State(service): State<Arc<Service>>,
    _: ReadLimit,
    headers: HeaderMap,
) -> Response {
    service.keys.refresh().await;
    HttpDocument::new(service.keys.rotation_record(), JSON, CACHE_FIVE_MINUTES).reply(&headers)
}
