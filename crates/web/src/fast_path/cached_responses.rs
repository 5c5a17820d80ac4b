//! The responses that the fast path can send: the OpenAPI document, and resolve answers and field checks in memory.

use std::sync::Arc;

use http::Uri;
use metrics::{Counter, counter};
use service::{
    Service,
    answers::resolve::{ANSWERS_TOTAL, CachedAnswer},
};

use super::responder::{FastPathResponse, FastPathSource, PreparedResponse};
use crate::{
    http_metrics::RouteMetrics,
    middleware::{MiddlewareState, etag_marks::mark_etag},
    rate_limits::{RateLimiters, try_acquire_decision, try_acquire_read, write_rate_limit_headers},
    request::ClientAddress,
    response::{CACHE_ONE_MINUTE, HttpDocument, JSON},
    state::ServiceInfo,
};

const OPENAPI: &str = "/openapi.json";
const RESOLVE: &str = "/api/v1/resolve";
const FIELD_CHECK: &str = "/api/v1/field-check";

/// Documents that are built once and are the same for everybody, and answers kept in memory.
pub(crate) struct CachedResponses {
    service: Arc<Service>,
    middleware: Arc<MiddlewareState>,
    rate_limiters: Arc<RateLimiters>,
    openapi: PreparedResponse,
    openapi_metrics: RouteMetrics,
    resolve_metrics: RouteMetrics,
    field_check_metrics: RouteMetrics,
    answers_from_memory: Counter,
}

impl CachedResponses {
    /// Call after [`MiddlewareState::new`], which installs the metrics recorder.
    pub(crate) fn new(
        service: Arc<Service>,
        middleware: Arc<MiddlewareState>,
        service_info: &ServiceInfo,
        rate_limiters: Arc<RateLimiters>,
    ) -> Self {
        Self {
            openapi: PreparedResponse::new(&middleware, &service_info.openapi),
            openapi_metrics: RouteMetrics::for_route(OPENAPI),
            resolve_metrics: RouteMetrics::for_route(RESOLVE),
            field_check_metrics: RouteMetrics::for_route(FIELD_CHECK),
            answers_from_memory: counter!(ANSWERS_TOTAL, "from" => "memory"),
            service,
            middleware,
            rate_limiters,
        }
    }

    /// The answer to exactly `?domain=NAME`, if one is in memory under exactly this name and the client
    /// is within its limits.
    fn cached_answer(
        &self,
        query: &str,
        client: ClientAddress,
        max_bytes: usize,
    ) -> Option<FastPathResponse<'_>> {
        let hot = self.service.answers.cached_answer_by_name(query.strip_prefix("domain=")?)?;
        let cached = hot.prepared_response.get_or_init(|| Box::new(self.prepare_answer(&hot)));
        let prepared = cached.downcast_ref::<PreparedResponse>()?;
        // Before it is counted: the full path counts it, too.
        let prepared = prepared.fits(max_bytes).then_some(prepared)?;
        let quotas = try_acquire_decision(&self.rate_limiters, client)?;
        self.answers_from_memory.increment(1);
        let mut response = prepared.to_response();
        write_rate_limit_headers(&quotas, response.headers_mut(), false);
        Some(FastPathResponse { route: RESOLVE, metrics: &self.resolve_metrics, response })
    }

    /// The answer to exactly this query, if it was given in the last minute and the client is within its limits.
    fn field_check(
        &self,
        query: &str,
        client: ClientAddress,
        max_bytes: usize,
    ) -> Option<FastPathResponse<'_>> {
        let kept = self.service.answers.kept_field_check(query)?;
        let cached = kept.prepared_response.get_or_init(|| {
            let (bytes, digest) = (kept.bytes.clone(), &kept.digest);
            let document = HttpDocument::with_etag(bytes, digest, JSON, CACHE_ONE_MINUTE);
            Box::new(PreparedResponse::new(&self.middleware, &document))
        });
        let prepared = cached.downcast_ref::<PreparedResponse>()?;
        let prepared = prepared.fits(max_bytes).then_some(prepared)?;
        let quotas = try_acquire_read(&self.rate_limiters, client)?;
        let mut response = prepared.to_response();
        write_rate_limit_headers(&quotas, response.headers_mut(), false);
        Some(FastPathResponse { route: FIELD_CHECK, metrics: &self.field_check_metrics, response })
    }

    fn prepare_answer(&self, hot: &CachedAnswer) -> PreparedResponse {
        let (digest, name) = (&hot.content_sha256, &hot.sha256);
        let document = HttpDocument::with_etag_and_digest(
            hot.bytes.clone(),
            digest,
            name,
            JSON,
            CACHE_ONE_MINUTE,
        );
        PreparedResponse::new(&self.middleware, &document)
    }
}

impl std::fmt::Debug for CachedResponses {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CachedResponses").finish_non_exhaustive()
    }
}

impl FastPathSource for CachedResponses {
    fn find(
        &self,
        target: &Uri,
        client: ClientAddress,
        max_bytes: usize,
    ) -> Option<FastPathResponse<'_>> {
        let mark = self.service.keys.compromise_mark();
        let mut found = match target.path() {
            RESOLVE => self.cached_answer(target.query()?, client, max_bytes),
            FIELD_CHECK => self.field_check(target.query()?, client, max_bytes),
            // Like the handler: the query is ignored.
            OPENAPI if self.openapi.fits(max_bytes) => Some(FastPathResponse {
                route: OPENAPI,
                metrics: &self.openapi_metrics,
                response: self.openapi.to_response(),
            }),
            _ => None,
        }?;
        if let Some(mark) = mark {
            mark_etag(found.response.headers_mut(), &mark);
        }
        Some(found)
    }
}
