//! Middleware: what every request and every response passes.
//!
//! From the outside in: the pause before a refusal ([`refusal_pause`]); the requested signature
//! ([`response_signing`]); the mark of ETags after a key was compromised ([`etag_marks`]); the
//! `Content-Digest` of the body ([`content_digest`]); the request id, the log line and the error body
//! ([`request_log`], which also hands it to the count of agents, [`conduct_tap`]); panics become 500 ([`catch_panic`]); requests above the cap get 503
//! ([`load_shedding`]); CORS headers ([`cors`]); the deadline ([`deadline`]); compression
//! ([`compression`]). Cached responses skip the router (`fast_path`), which adds the same headers
//! and log line itself.

mod catch_panic;
pub(crate) mod compression;
pub(crate) mod conduct_tap;
mod content_digest;
pub(crate) mod cors;
mod deadline;
mod error_body;
pub(crate) mod etag_marks;
mod load_shedding;
mod operator_routes;
mod options;
pub(crate) mod refusal_pause;
mod request_id;
pub(crate) mod request_log;
pub(crate) mod response_signing;
mod state;

use std::sync::Arc;

use axum::{
    Router,
    middleware::{from_fn, from_fn_with_state},
};
use contract::Issuer;

pub use options::{ReloadableOptions, WebOptions};
pub use request_id::RequestId;

pub(crate) use state::MiddlewareState;

use crate::response::ApiError;

/// Wraps a router in all middleware except signing, and adds the 405 response. The router has its 404.
pub(crate) fn wrap_router(router: Router, state: Arc<MiddlewareState>) -> Router {
    let cors_headers = Arc::clone(&state.cors_headers);
    // The last layer added is the outermost.
    router
        .method_not_allowed_fallback(async || ApiError::method_not_allowed())
        .layer(from_fn(compression::compress))
        .layer(from_fn_with_state(Arc::clone(&state), deadline::enforce_deadline))
        .layer(from_fn_with_state(cors_headers, cors::apply_cors))
        .layer(from_fn_with_state(Arc::clone(&state), load_shedding::shed_load))
        .layer(from_fn(catch_panic::catch_panic))
        .layer(from_fn_with_state(state, request_log::log_request))
        .layer(from_fn(content_digest::add_content_digest))
}

/// Wraps a router in all middleware except signing, with a state of its own.
pub fn with_middleware(router: Router, options: WebOptions, issuer: Issuer) -> Router {
    let router = router.fallback(async || ApiError::not_found());
    wrap_router(router, MiddlewareState::new(options, issuer, None))
}

#[cfg(test)]
mod tests;
