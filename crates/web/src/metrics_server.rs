//! The metrics on an address of their own, for a network that clients cannot reach.

use axum::{
    Router,
    response::{IntoResponse, Response},
    routing::get,
};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};

use crate::{http_metrics, response::NO_STORE};

/// Only `/metrics`, without a rate limit.
pub fn metrics_app() -> Router {
    Router::new().route("/metrics", get(async || metrics_response()))
}

/// The metrics in the Prometheus text format.
pub(crate) fn metrics_response() -> Response {
    let headers =
        [(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8"), (CACHE_CONTROL, NO_STORE)];
    (headers, http_metrics::render()).into_response()
}
