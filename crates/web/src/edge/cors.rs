//! Public data may be read by scripts of any site, never with credentials. Operators' routes may
//! not: on a private network another site's script could otherwise read them through a visitor's
//! browser.

use std::sync::Arc;

use axum::{
    extract::{MatchedPath, Request, State},
    middleware::Next,
    response::{IntoResponse, Response},
};
use contract::Brand;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, StatusCode,
    header::{
        ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
        ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD,
        ORIGIN,
    },
};

use super::{Edge, HEALTHZ, METRICS, READYZ};

const ANY_ORIGIN: HeaderValue = HeaderValue::from_static("*");

pub(super) async fn cors(State(edge): State<Arc<Edge>>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    if matches!(route, Some(HEALTHZ | READYZ | METRICS)) {
        return next.run(request).await;
    }
    let asks_first = request.method() == Method::OPTIONS
        && request.headers().contains_key(ORIGIN)
        && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD);
    if asks_first && route.is_some() {
        return preflight(&edge);
    }
    let mut response = next.run(request).await;
    allow(&edge, response.headers_mut());
    response
}

/// What every answer with public data carries.
pub(super) fn allow(edge: &Edge, headers: &mut HeaderMap) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, ANY_ORIGIN);
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, edge.exposed_headers.clone());
}

fn preflight(edge: &Edge) -> Response {
    let allowed: [(HeaderName, HeaderValue); 4] = [
        (ACCESS_CONTROL_ALLOW_ORIGIN, ANY_ORIGIN),
        (ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, HEAD, POST")),
        (ACCESS_CONTROL_ALLOW_HEADERS, edge.allowed_headers.clone()),
        (ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400")),
    ];
    (StatusCode::NO_CONTENT, allowed).into_response()
}

/// The headers a script may send besides the plain ones. A key is shown by whoever has one; a
/// browser never adds it by itself.
pub(super) fn allowed_headers(brand: &Brand) -> HeaderValue {
    let plain = "Accept-Signature, Content-Type, Idempotency-Key, If-None-Match, X-Request-Id";
    let all = format!("{plain}, {}", brand.key_header());
    HeaderValue::from_str(&all).unwrap_or(HeaderValue::from_static(plain))
}

/// The headers a script may read besides the plain ones.
pub(super) fn exposed_headers(brand: &Brand) -> HeaderValue {
    let mut names: Vec<String> = [
        "ETag",
        "Content-Digest",
        "Signature",
        "Signature-Input",
        "Link",
        "Retry-After",
        "RateLimit",
        "RateLimit-Policy",
        "Deprecation",
        "Sunset",
        "Idempotency-Replayed",
        "X-Request-Id",
    ]
    .map(str::to_owned)
    .to_vec();
    names.extend(["limit", "remaining", "reset"].map(|name| brand.quota_header(name)));
    // A brand is letters and digits; the list is always a good header.
    HeaderValue::from_str(&names.join(", ")).unwrap_or(HeaderValue::from_static("ETag"))
}
