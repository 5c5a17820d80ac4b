//! The state that the middleware shares.

use std::sync::Arc;

use contract::Issuer;
use service::Conduct;
use tokio::sync::Semaphore;

use super::{cors::CorsHeaders, options::WebOptions, request_id::RequestIds};
use crate::http_metrics;

/// The state of the middleware. Shared by all requests and read-only after the start, except for the
/// request counter (an atomic) and the permits (a semaphore: one permit per request in flight).
#[derive(Debug)]
pub(crate) struct MiddlewareState {
    pub(crate) options: WebOptions,
    pub(crate) issuer: Issuer,
    pub(crate) request_ids: RequestIds,
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
            request_ids: RequestIds::new(options.request_id_seed),
            in_flight_permits: Arc::new(Semaphore::new(
                options.max_in_flight.min(Semaphore::MAX_PERMITS),
            )),
            cors_headers: Arc::new(CorsHeaders::new(&issuer.brand)),
            issuer,
            options,
            conduct,
        })
    }
}
