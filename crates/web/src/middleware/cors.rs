//! CORS: scripts of any site may read public data, never with credentials. The operators' routes have
//! no CORS headers: on a private network, another site's script could otherwise read them through a
//! visitor's browser. Neither has anything for people who signed in: the pages below `/manage`, and whatever
//! is asked for with the cookie of a session.

use std::sync::Arc;

use axum::{
    extract::{MatchedPath, Request, State},
    middleware::Next,
    response::{IntoResponse, Response},
};
use contract::{Brand, Issuer};
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, StatusCode,
    header::{
        ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
        ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD,
        ORIGIN,
    },
};

use super::operator_routes::{HEALTHZ, METRICS, READYZ};
use crate::principal::session_cookie;

const ANY_ORIGIN: HeaderValue = HeaderValue::from_static("*");

/// The CORS headers of this service. They depend on the brand and never change.
#[derive(Debug)]
pub(crate) struct CorsHeaders {
    exposed: HeaderValue,
    allowed: HeaderValue,
    /// The name of the cookie of a session.
    session_cookie: String,
}

/// What is below these routes is for one person.
const PERSONAL_ROUTES: [&str; 2] = ["/manage", "/keys/free"];

impl CorsHeaders {
    pub(super) fn new(issuer: &Issuer) -> Self {
        Self {
            exposed: exposed_headers(&issuer.brand),
            allowed: allowed_headers(&issuer.brand),
            session_cookie: session_cookie::cookie_name(issuer),
        }
    }

    /// Adds the CORS headers that every response with public data has.
    pub(crate) fn add_to(&self, headers: &mut HeaderMap) {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, ANY_ORIGIN);
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, self.exposed.clone());
    }

    fn preflight_response(&self) -> Response {
        let allowed: [(HeaderName, HeaderValue); 4] = [
            (ACCESS_CONTROL_ALLOW_ORIGIN, ANY_ORIGIN),
            (ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, HEAD, POST")),
            (ACCESS_CONTROL_ALLOW_HEADERS, self.allowed.clone()),
            (ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400")),
        ];
        (StatusCode::NO_CONTENT, allowed).into_response()
    }
}

pub(super) async fn apply_cors(
    State(cors_headers): State<Arc<CorsHeaders>>,
    request: Request,
    next: Next,
) -> Response {
    let route = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    let is_for_operators = matches!(route, Some(HEALTHZ | READYZ | METRICS));
    if is_for_operators || is_for_people(route, request.headers(), &cors_headers) {
        return next.run(request).await;
    }
    let is_preflight = request.method() == Method::OPTIONS
        && request.headers().contains_key(ORIGIN)
        && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD);
    if is_preflight && route.is_some() {
        return cors_headers.preflight_response();
    }
    let mut response = next.run(request).await;
    cors_headers.add_to(response.headers_mut());
    response
}

/// Whether a request is about somebody's own account.
fn is_for_people(route: Option<&str>, headers: &HeaderMap, cors: &CorsHeaders) -> bool {
    let is_below = |prefix: &&str| {
        let rest = route.and_then(|route| route.strip_prefix(prefix));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    PERSONAL_ROUTES.iter().any(is_below)
        || session_cookie::cookie_value(headers, &cors.session_cookie).is_some()
}

/// The headers that a script may send besides the safelisted ones. They include the licence key: a
/// browser never adds it by itself, only a script that has one does.
fn allowed_headers(brand: &Brand) -> HeaderValue {
    let plain = "Accept-Signature, Content-Type, Idempotency-Key, If-None-Match, Mcp-Method, Mcp-Name, \
                 Mcp-Protocol-Version, X-Request-Id";
    let all = format!("{plain}, {}", brand.key_header());
    HeaderValue::from_str(&all).unwrap_or(HeaderValue::from_static(plain))
}

/// The headers that a script may read besides the safelisted ones.
fn exposed_headers(brand: &Brand) -> HeaderValue {
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
    // A brand is letters and digits, so the list is always a valid header.
    HeaderValue::from_str(&names.join(", ")).unwrap_or(HeaderValue::from_static("ETag"))
}
