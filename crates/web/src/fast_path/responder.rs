//! Answers plain GET requests from a source of cached responses.

use std::{fmt::Debug, net::SocketAddr, sync::Arc};

use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, Method, Request, Response, Uri,
    header::{ACCEPT_ENCODING, AUTHORIZATION, IF_NONE_MATCH, RANGE},
};
use hyper::body::Body;
use tokio::time::Instant;

use crate::{
    http_metrics::RouteMetrics,
    middleware::{MiddlewareState, compression, conduct_tap, request_log},
    principal::session_cookie,
    request::{ClientAddress, client_address::client_address},
    response::HttpDocument,
};

/// Where the fast path finds its responses.
pub(crate) trait FastPathSource: Debug + Send + Sync {
    /// The response to a plain GET of this address. `None` if it is not cached, if its body is longer than
    /// `max_bytes`, or if this client must get another one (429, for example).
    fn find(
        &self,
        target: &Uri,
        client: ClientAddress,
        max_bytes: usize,
    ) -> Option<FastPathResponse<'_>>;
}

/// A cached response, and the route under which it is counted and logged.
pub(crate) struct FastPathResponse<'s> {
    /// The route as in the router.
    pub(crate) route: &'static str,
    pub(crate) metrics: &'s RouteMetrics,
    pub(crate) response: Response<Bytes>,
}

/// A complete response except for the request id, built once and sent to many clients.
#[derive(Debug, Clone)]
pub(crate) struct PreparedResponse {
    headers: HeaderMap,
    bytes: Bytes,
}

impl PreparedResponse {
    pub(crate) fn new(middleware: &MiddlewareState, document: &HttpDocument) -> Self {
        let (mut parts, bytes) = document.full_response().into_parts();
        middleware.cors_headers.add_to(&mut parts.headers);
        request_log::add_security_headers(&mut parts.headers);
        compression::add_vary(&mut parts.headers, bytes.len() as u64);
        Self { headers: parts.headers, bytes }
    }

    pub(crate) fn fits(&self, max_bytes: usize) -> bool {
        self.bytes.len() <= max_bytes
    }

    pub(crate) fn to_response(&self) -> Response<Bytes> {
        let mut response = Response::new(self.bytes.clone());
        *response.headers_mut() = self.headers.clone();
        response
    }
}

/// Answers requests from a [`FastPathSource`]. Holds no state of its own that changes.
#[derive(Debug)]
pub(crate) struct FastPath {
    middleware: Arc<MiddlewareState>,
    /// The header that carries a licence key.
    key_header: String,
    /// The name of the cookie of a session.
    session_cookie: String,
    source: Box<dyn FastPathSource>,
}

/// A request with one of these headers, a licence key or a session takes the full path: it may need another
/// response than the plain bytes, or has other limits.
const FULL_PATH_HEADERS: [HeaderName; 4] =
    [AUTHORIZATION, IF_NONE_MATCH, RANGE, HeaderName::from_static("accept-signature")];

/// Longer documents take the full path, which compresses them for clients that accept it.
const MAX_PLAIN_BYTES: usize = 64 * 1_024;

impl FastPath {
    pub(crate) fn new(
        middleware: Arc<MiddlewareState>,
        source: impl FastPathSource + 'static,
    ) -> Self {
        let key_header = middleware.issuer.brand.key_header();
        let session_cookie = session_cookie::cookie_name(&middleware.issuer);
        Self { middleware, key_header, session_cookie, source: Box::new(source) }
    }

    pub(crate) fn try_respond<B: Body>(
        &self,
        request: &Request<B>,
        peer: SocketAddr,
    ) -> Option<Response<Bytes>> {
        let started = Instant::now();
        let plain = request.method() == Method::GET
            && request.body().is_end_stream()
            && FULL_PATH_HEADERS.iter().all(|name| !request.headers().contains_key(name))
            && !request.headers().contains_key(self.key_header.as_str())
            && session_cookie::cookie_value(request.headers(), &self.session_cookie).is_none();
        if !plain || self.middleware.in_flight_permits.available_permits() == 0 {
            return None;
        }
        let trusted = &self.middleware.options.trusted_proxies;
        let client = client_address(peer.ip(), request.headers(), trusted);
        let max_bytes = match request.headers().contains_key(ACCEPT_ENCODING) {
            true => MAX_PLAIN_BYTES,
            false => usize::MAX,
        };
        let FastPathResponse { route, metrics, mut response } =
            self.source.find(request.uri(), client, max_bytes)?;
        conduct_tap::count_request(&self.middleware, request.uri(), request.headers(), client);
        let id = self
            .middleware
            .request_ids
            .id_for_request(request.headers().get(request_log::REQUEST_ID));
        request_log::add_request_id_header(&id, response.headers_mut());
        let took = started.elapsed();
        metrics.record_success(took);
        let (method, status) = (request.method(), response.status());
        request_log::RequestLogEntry { id: &id, method, route, status, took }.emit(None);
        Some(response)
    }
}
