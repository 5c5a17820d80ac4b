//! Gives each request an id, one line in the log and one count in the metrics, and writes the body of
//! an error response.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::{MatchedPath, Request, State},
    middleware::Next,
    response::Response,
};
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, StatusCode,
    header::{ACCEPT, X_CONTENT_TYPE_OPTIONS},
};
use tokio::time::Instant;

use super::{
    conduct_tap,
    error_body::{ErrorContext, write_error_body},
    request_id::RequestId,
    state::MiddlewareState,
};
use crate::{
    http_metrics,
    request::{PeerAddress, client_address::client_address},
    response::{ApiError, attached_error},
};

pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The route under which requests without a route are logged and counted.
const UNMATCHED_ROUTE: &str = "unmatched";

/// The log line has the route and the result, and nothing about the client: no query, body, key, user
/// agent or address.
pub(super) async fn log_request(
    State(state): State<Arc<MiddlewareState>>,
    mut request: Request,
    next: Next,
) -> Response {
    let started = Instant::now();
    let in_flight = http_metrics::InFlightGuard::begin();
    let id = state.request_ids.id_for_request(request.headers().get(REQUEST_ID));
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let route = route.as_ref().map_or(UNMATCHED_ROUTE, MatchedPath::as_str);
    let accept = copy_accept_headers(request.headers());
    if let Some(PeerAddress(peer)) = request.extensions().get().copied() {
        let client = client_address(peer.ip(), request.headers(), &state.options.trusted_proxies);
        conduct_tap::count_request(&state, request.uri(), request.headers(), client);
        request.extensions_mut().insert(client);
    }
    request.extensions_mut().insert(RequestId(id.clone()));

    let mut response = next.run(request).await;

    let error = attached_error(&response);
    if let Some(error) = &error {
        let context = ErrorContext { request_id: &id, accept: &accept, issuer: &state.issuer };
        write_error_body(&mut response, error, context);
    }
    add_request_id_header(&id, response.headers_mut());
    add_security_headers(response.headers_mut());
    drop(in_flight);

    let took = started.elapsed();
    let status = response.status();
    http_metrics::record_response(route, &method, status, took);
    let entry = RequestLogEntry { id: &id, method: &method, route, status, took };
    entry.emit(error.as_deref());
    response
}

/// Adds `X-Request-Id` to the response.
pub(crate) fn add_request_id_header(id: &str, headers: &mut HeaderMap) {
    if let Ok(value) = HeaderValue::from_str(id) {
        headers.insert(REQUEST_ID, value);
    }
}

/// Adds the security headers that every response has.
pub(crate) fn add_security_headers(headers: &mut HeaderMap) {
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
}

/// The log line of a request.
pub(crate) struct RequestLogEntry<'a> {
    pub(crate) id: &'a str,
    pub(crate) method: &'a Method,
    pub(crate) route: &'a str,
    pub(crate) status: StatusCode,
    pub(crate) took: Duration,
}

impl RequestLogEntry<'_> {
    pub(crate) fn emit(&self, error: Option<&ApiError>) {
        let Self { id, route, .. } = self;
        let (method, status) = (self.method.as_str(), self.status.as_u16());
        let ms = u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX);
        let code = error.map(|error| error.code().as_str());
        let cause = error.and_then(ApiError::internal_message);
        if status >= 500 {
            tracing::warn!(target: "web::request", %id, method, route, status, ms, code, cause, "request");
        } else {
            tracing::info!(target: "web::request", %id, method, route, status, ms, code, cause, "request");
        }
    }
}

/// The handler consumes the request, and writing an error body needs these headers afterwards.
fn copy_accept_headers(headers: &HeaderMap) -> HeaderMap {
    headers.get_all(ACCEPT).iter().map(|value| (ACCEPT, value.clone())).collect()
}
