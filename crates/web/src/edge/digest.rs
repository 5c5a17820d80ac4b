//! Every answer with a body carries its digest (RFC 9530), so that whoever keeps or hands it on can
//! tell whether it is whole.

use axum::{
    body::{Body, HttpBody},
    extract::Request,
    middleware::Next,
    response::{IntoResponse, Response},
};
use http::{HeaderValue, Method, StatusCode};
use http_body_util::BodyExt;

use crate::documents::{CONTENT_DIGEST, content_digest};

/// Outside everything that writes bodies. What was hashed already is not hashed again; a body
/// whose length is not known beforehand is sent as it is made, and has no digest.
pub(super) async fn digest(request: Request, next: Next) -> Response {
    let asked_for_head = request.method() == Method::HEAD;
    let mut response = next.run(request).await;
    let without_body = asked_for_head
        || response.status().is_informational()
        || matches!(response.status(), StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED);
    if without_body {
        // The digest of content that is not sent.
        response.headers_mut().remove(CONTENT_DIGEST);
        return response;
    }
    let has_one = response.headers().contains_key(CONTENT_DIGEST);
    if has_one || response.body().size_hint().exact().is_none_or(|length| length == 0) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    match body.collect().await {
        Ok(whole) => {
            let bytes = whole.to_bytes();
            let value = content_digest(&proof::sha256(&bytes));
            parts.headers.insert(CONTENT_DIGEST, value);
            Response::from_parts(parts, Body::from(bytes))
        }
        Err(error) => {
            tracing::error!(%error, "an answer broke off while it was made");
            let mut failed = StatusCode::INTERNAL_SERVER_ERROR.into_response();
            failed
                .headers_mut()
                .insert(http::header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
            failed
        }
    }
}
