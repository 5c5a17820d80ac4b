//! The state that the middleware shares.

use std::sync::Arc;

use contract::Issuer;
use service::Conduct;
use tokio::sync::Semaphore;

use super::{
    cors::CorsHeaders,
    options::{ReloadableOptions, WebOptions},
    request_id::RequestIds,
};
use crate::http_metrics;

/// The state of the middleware. Shared by all requests and read-only after the start, except for the
/// request counter (an atomic) and the permits (a semaphore: one permit per request in flight), which a
/// reload keeps.
#[derive(Debug, Clone)]
pub(crate) struct MiddlewareState {
    pub(crate) options: WebOptions,
    pub(crate) issuer: Issuer,
    pub(crate) request_ids: Arc<RequestIds>,
    pub(crate) in_flight_permits: Arc<Semaphore>,
    pub(crate) cors_headers: Arc<CorsHeaders>,
    /// Counts the requests of agents; `None` if nobody does.
    pub(crate) conduct: Option<Arc<Conduct>>,
}

impl MiddlewareState {
    /// Also installs the metrics recorder.
    pub(crate) fn new(
        options: WebOptions,
        issuer: Issuer,
        conduct: Option<Arc<Conduct>>,
    ) -> Arc<Self> {
        http_metrics::install_recorder();
        Arc::new(Self {
            request_ids: Arc::new(RequestIds::new(options.request_id_seed)),
            in_flight_permits: Arc::new(Semaphore::new(
                options.max_in_flight.min(Semaphore::MAX_PERMITS),
            )),
            cors_headers: Arc::new(CorsHeaders::new(&issuer)),
            issuer,
            options,
            conduct,
        })
    }

    /// The same with other options.
    pub(crate) fn with_options(&self, reloaded: &ReloadableOptions) -> Arc<Self> {
        let mut state = self.clone();
        state.options.trusted_proxies.clone_from(&reloaded.trusted_proxies);
        state.options.limits.clone_from(&reloaded.limits);
        Arc::new(state)
    }
}
