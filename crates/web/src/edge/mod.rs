//! What every request passes on its way in, and every answer on its way out.
//!
//! From the outside in: a digest of what is sent ([`digest`]); a name and a log line for the request
//! ([`record`]); a panic becomes an answer ([`contain`]); a full house says so ([`shed`]); public
//! data may be read from any site ([`cors`]); nobody waits for ever ([`deadline`]). What is ready to
//! be sent passes a shorter way ([`ready`]) that does the same for it.

mod contain;
mod cors;
mod deadline;
mod digest;
mod ready;
mod record;
mod request_id;
mod shed;

use std::{sync::Arc, time::Duration};

use axum::{Router, middleware::from_fn_with_state};
use contract::Brand;
use ipnet::IpNet;
use tokio::sync::Semaphore;

pub(crate) use ready::{Found, Prepared, Ready, Shelf};
pub use request_id::RequestId;

use crate::{errors::ApiError, rates::RateLimits, telemetry};

/// Routes for operators: they answer whatever the load, and are not for other sites' scripts.
pub(crate) const HEALTHZ: &str = "/healthz";
pub(crate) const READYZ: &str = "/readyz";
pub(crate) const METRICS: &str = "/metrics";

/// How the HTTP side behaves.
#[derive(Debug, Clone)]
pub struct WebOptions {
    /// Peers whose forwarded header is believed.
    pub trusted_proxies: Vec<IpNet>,
    /// Requests being answered at a time; beyond it 503 `overloaded`.
    pub max_in_flight: usize,
    /// How often one asker may ask.
    pub limits: RateLimits,
    /// No request takes longer than this (then 504 `deadline`). The service has tighter limits of
    /// its own; this one is the last.
    pub request_deadline: Duration,
    /// Tells this process's request ids from another's. Not a secret.
    pub request_id_seed: u64,
}

impl Default for WebOptions {
    fn default() -> Self {
        Self {
            trusted_proxies: Vec::new(),
            max_in_flight: 256,
            limits: RateLimits::default(),
            request_deadline: Duration::from_secs(120),
            request_id_seed: request_id::process_seed(),
        }
    }
}

/// What the edge needs to know. Shared by all requests and never written to after the start; the
/// permits guard themselves.
#[derive(Debug)]
pub(crate) struct Edge {
    options: WebOptions,
    brand: Brand,
    base_url: String,
    ids: request_id::RequestIds,
    permits: Arc<Semaphore>,
    exposed_headers: http::HeaderValue,
    allowed_headers: http::HeaderValue,
}

impl Edge {
    pub(crate) fn new(options: WebOptions, brand: &Brand, base_url: &str) -> Arc<Self> {
        telemetry::install();
        Arc::new(Self {
            ids: request_id::RequestIds::new(options.request_id_seed),
            permits: Arc::new(Semaphore::new(options.max_in_flight.min(Semaphore::MAX_PERMITS))),
            exposed_headers: cors::exposed_headers(brand),
            allowed_headers: cors::allowed_headers(brand),
            brand: brand.clone(),
            base_url: base_url.to_owned(),
            options,
        })
    }

    /// Puts the edge around a router, and gives unknown paths and methods their answers.
    pub(crate) fn around(self: Arc<Self>, router: Router) -> Router {
        // The last layer added is the outermost.
        router
            .fallback(async || ApiError::not_found())
            .method_not_allowed_fallback(async || ApiError::method_not_allowed())
            .layer(from_fn_with_state(Arc::clone(&self), deadline::deadline))
            .layer(from_fn_with_state(Arc::clone(&self), cors::cors))
            .layer(from_fn_with_state(Arc::clone(&self), shed::shed))
            .layer(axum::middleware::from_fn(contain::contain))
            .layer(from_fn_with_state(self, record::record))
            .layer(axum::middleware::from_fn(digest::digest))
    }
}

/// Puts an edge of its own around a router.
pub fn wrap(router: Router, options: WebOptions, brand: &Brand, base_url: &str) -> Router {
    Edge::new(options, brand, base_url).around(router)
}

#[cfg(test)]
mod tests;
