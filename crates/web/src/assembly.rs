//! Puts the application together: at the start, and again when options are reloaded.

use std::sync::{Arc, Mutex, PoisonError};

use axum::{
    Router,
    middleware::{from_fn, from_fn_with_state},
};
use serde_json::Value;
use service::Service;

use crate::{
    app::AppSnapshot,
    fast_path::{CachedResponses, FastPath},
    handlers::unknown_path,
    mcp_server::{self, McpServer},
    middleware::{
        self, MiddlewareState, ReloadableOptions, etag_marks,
        refusal_pause::{self, RefusalPauses},
        response_signing,
    },
    principal,
    rate_limits::{self, RateLimiters, RateLimits},
    routes::{self, OptionalRoutes},
    state::{AppState, ServiceInfo},
};

/// What stays the same when options are reloaded: documents, counts of requests, permits.
pub(crate) struct AppParts {
    pub(crate) service: Arc<Service>,
    pub(crate) service_info: Arc<ServiceInfo>,
    /// The OpenAPI document.
    pub(crate) document: Value,
    /// Further routes behind the same middleware.
    pub(crate) further: Router,
    /// As at the start; see [`MiddlewareState::with_options`].
    pub(crate) middleware: Arc<MiddlewareState>,
    refusal_pauses: RefusalPauses,
    /// The limiters and the limits that they were made for. Written by a reload only.
    rate_limiters: Mutex<(RateLimits, Arc<RateLimiters>)>,
}

impl AppParts {
    pub(crate) fn new(
        service: Arc<Service>,
        service_info: Arc<ServiceInfo>,
        document: Value,
        further: Router,
        middleware: Arc<MiddlewareState>,
    ) -> Self {
        let limits = middleware.options.limits.clone();
        let rate_limiters = Arc::new(RateLimiters::new(limits.clone()));
        Self {
            service,
            service_info,
            document,
            further,
            middleware,
            refusal_pauses: RefusalPauses::default(),
            rate_limiters: Mutex::new((limits, rate_limiters)),
        }
    }

    /// The application with the options of the start.
    pub(crate) fn assemble_first(&self) -> AppSnapshot {
        let limits = self.middleware.options.limits.clone();
        self.assemble_with(Arc::clone(&self.middleware), self.limiters_for(&limits))
    }

    pub(crate) fn assemble(&self, options: &ReloadableOptions) -> AppSnapshot {
        let middleware = self.middleware.with_options(options);
        self.assemble_with(middleware, self.limiters_for(&options.limits))
    }

    /// Limits that did not change keep what they have counted. Others begin anew.
    fn limiters_for(&self, limits: &RateLimits) -> Arc<RateLimiters> {
        let mut current = self.rate_limiters.lock().unwrap_or_else(PoisonError::into_inner);
        if current.0 != *limits {
            *current = (limits.clone(), Arc::new(RateLimiters::new(limits.clone())));
        }
        Arc::clone(&current.1)
    }

    fn assemble_with(
        &self,
        middleware_state: Arc<MiddlewareState>,
        rate_limiters: Arc<RateLimiters>,
    ) -> AppSnapshot {
        let (service, service_info) = (&self.service, &self.service_info);
        let (router, _) =
            routes::router(OptionalRoutes::of(service)).into_router().split_for_parts();
        let cached_responses = CachedResponses::new(
            Arc::clone(service),
            Arc::clone(&middleware_state),
            service_info,
            Arc::clone(&rate_limiters),
        );
        let fast_path = FastPath::new(Arc::clone(&middleware_state), cached_responses);
        let state = AppState {
            service: Arc::clone(service),
            service_info: Arc::clone(service_info),
            rate_limiters,
        };
        let api = router
            .fallback(unknown_path::unknown_path)
            .layer(from_fn_with_state(state.clone(), principal::settle_calls))
            .with_state(state.clone());
        let mcp = Arc::new(McpServer::new(api.clone(), state, &self.document));
        let router = api
            .merge(mcp_server::router(mcp))
            .merge(self.further.clone())
            .layer(from_fn(rate_limits::add_rate_limit_headers));
        let router = middleware::wrap_router(router, middleware_state)
            .layer(from_fn_with_state(Arc::clone(service), etag_marks::mark_etags))
            .layer(from_fn_with_state(Arc::clone(service), response_signing::sign_response))
            .layer(from_fn_with_state(self.refusal_pauses.clone(), refusal_pause::pause_refusals));
        AppSnapshot { router, fast_path: Some(fast_path) }
    }
}
