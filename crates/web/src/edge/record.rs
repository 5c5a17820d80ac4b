//! The outermost ring: a name for the request, one line in the log, one count, and the error
//! written down.

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

use super::{Edge, request_id::RequestId};
use crate::{
    client_address::client_address,
    errors::{self, ApiError, ErrorContext},
    server::PeerAddress,
    telemetry,
};

pub(super) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// What a request that no route takes is called.
const NO_ROUTE: &str = "unmatched";

/// The log says what was asked for and what came of it, and nothing about who asked: no query,
/// body, key, user agent or address.
pub(super) async fn record(
    State(edge): State<Arc<Edge>>,
    mut request: Request,
    next: Next,
) -> Response {
    let begun = Instant::now();
    let in_flight = telemetry::InFlight::begin();
    let id = edge.ids.for_request(request.headers().get(REQUEST_ID));
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let route = route.as_ref().map_or(NO_ROUTE, MatchedPath::as_str);
    let accept = accept_only(request.headers());
    if let Some(PeerAddress(peer)) = request.extensions().get().copied() {
        let client = client_address(peer.ip(), request.headers(), &edge.options.trusted_proxies);
        request.extensions_mut().insert(client);
    }
    request.extensions_mut().insert(RequestId(id.clone()));

    let mut response = next.run(request).await;

    let error = errors::marked(&response);
    if let Some(error) = &error {
        let context = ErrorContext {
            request_id: &id,
            accept: &accept,
            brand: &edge.brand,
            base_url: &edge.base_url,
        };
        errors::write_down(&mut response, error, context);
    }
    stamp(&id, response.headers_mut());
    protect(response.headers_mut());
    drop(in_flight);

    let took = begun.elapsed();
    let status = response.status();
    telemetry::answered(route, &method, status, took);
    let line = Line { id: &id, method: &method, route, status, took };
    line.write(error.as_deref());
    response
}

/// The request's name on its answer.
pub(super) fn stamp(id: &str, headers: &mut HeaderMap) {
    if let Ok(value) = HeaderValue::from_str(id) {
        headers.insert(REQUEST_ID, value);
    }
}

/// What no answer goes without.
pub(super) fn protect(headers: &mut HeaderMap) {
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
}

/// What the log says of a request.
pub(super) struct Line<'a> {
    pub(super) id: &'a str,
    pub(super) method: &'a Method,
    pub(super) route: &'a str,
    pub(super) status: StatusCode,
    pub(super) took: Duration,
}

impl Line<'_> {
    pub(super) fn write(&self, error: Option<&ApiError>) {
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

/// The handler takes the request; this much of it is still needed afterwards.
fn accept_only(headers: &HeaderMap) -> HeaderMap {
    headers.get_all(ACCEPT).iter().map(|value| (ACCEPT, value.clone())).collect()
}
