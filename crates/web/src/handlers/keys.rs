//! The published keys: with them anybody can check what we signed.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use http::HeaderMap;
use service::Service;

use crate::{
    documents::{Document, FOR_MINUTES, JSON},
    signing,
};

const DIRECTORY: &str = "application/http-message-signatures-directory+json";

/// Read the key directory
///
/// The public keys in force, each with its purpose and the time from which it signs. The answer is
/// signed by every key in it (RFC 9421) over `"@authority";req` and `content-digest`, with the tag
/// `http-message-signatures-directory`: whoever publishes a key here also holds it.
#[utoipa::path(
    get,
    path = "/.well-known/http-message-signatures-directory",
    operation_id = "keyDirectory",
    tag = "keys",
    responses(
        (status = 200, description = "The keys.", body = Object,
            content_type = "application/http-message-signatures-directory+json"),
        (status = 304, description = "The copy you have is still right."),
    )
)]
pub(crate) async fn key_directory(
    State(service): State<Arc<Service>>,
    headers: HeaderMap,
) -> Response {
    let directory = service.key_directory();
    let mut response = Document::new(directory.content, DIRECTORY, FOR_MINUTES).reply(&headers);
    // Also where nothing has changed: the copy that is kept gets the signatures of today.
    if let Some(possession) = &directory.possession {
        signing::add(response.headers_mut(), possession);
    }
    response
}

/// Read the key rotation record
///
/// Keys that no longer sign, with the time in which they did, and keys that were compromised.
#[utoipa::path(
    get,
    path = "/.well-known/security-key-rotation.json",
    operation_id = "keyRotation",
    tag = "keys",
    responses(
        (status = 200, description = "The record.", body = Object,
            content_type = "application/json"),
        (status = 304, description = "The copy you have is still right."),
    )
)]
pub(crate) async fn key_rotation(
    State(service): State<Arc<Service>>,
    headers: HeaderMap,
) -> Response {
    Document::new(service.key_rotation(), JSON, FOR_MINUTES).reply(&headers)
}
