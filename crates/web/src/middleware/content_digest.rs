//! Adds `Content-Digest` (RFC 9530) to every response with a body, so that anybody who stores or
//! forwards it can check that it is complete.

use axum::{
    body::{Body, HttpBody},
    extract::Request,
    middleware::Next,
    response::{IntoResponse, Response},
};
use http::{HeaderValue, Method, StatusCode};
use http_body_util::BodyExt;

use crate::response::{CONTENT_DIGEST, NO_STORE, content_digest_header};

/// Runs outside everything that writes bodies. A response that has the header already is not hashed
/// again. A body of unknown length is streamed and gets no digest.
pub(super) async fn add_content_digest(request: Request, next: Next) -> Response {
    let is_head = request.method() == Method::HEAD;
    let mut response = next.run(request).await;
    let without_body = is_head
        || response.status().is_informational()
        || matches!(response.status(), StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED);
    if without_body {
        // It would be the digest of content that is not sent.
        response.headers_mut().remove(CONTENT_DIGEST);
        return response;
    }
    let has_digest = response.headers().contains_key(CONTENT_DIGEST);
    if has_digest || response.body().size_hint().exact().is_none_or(|length| length == 0) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    match body.collect().await {
        Ok(whole) => {
            let bytes = whole.to_bytes();
            let value = content_digest_header(&proof::sha256(&bytes));
            parts.headers.insert(CONTENT_DIGEST, value);
            Response::from_parts(parts, Body::from(bytes))
        }
        Err(error) => {
            tracing::error!(%error, "a response body could not be completed");
            let mut failed = StatusCode::INTERNAL_SERVER_ERROR.into_response();
            failed
                .headers_mut()
                .insert(http::header::CACHE_CONTROL, HeaderValue::from_static(NO_STORE));
            failed
        }
    }
}
