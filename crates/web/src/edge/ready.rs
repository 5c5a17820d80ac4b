//! The short way: answers that lie ready are given without the router.
//!
//! Most of the work on a kept answer is the way through the router and its rings. Here the rings do
//! for it what they do for every answer: a name, a line in the log, a count, and the headers for
//! scripts of other sites. The shelf holds the client against its limits, as the handler would. Nothing waits, so there is no deadline, no place to take and nothing in
//! flight; a full house still says so, because it goes the long way. So does every request that wants
//! more than the plain bytes: it differs in nothing but the time it takes.

use std::{fmt::Debug, net::SocketAddr, sync::Arc};

use bytes::Bytes;
use http::{
    HeaderName, Method, Request, Response, Uri,
    header::{IF_NONE_MATCH, RANGE},
};
use hyper::body::Body;
use tokio::time::Instant;

use super::{Edge, cors, record};
use crate::{
    client_address::{ClientAddress, client_address},
    telemetry::RouteMeter,
};

/// Where ready answers are found.
pub(crate) trait Shelf: Debug + Send + Sync {
    /// The answer to a plain GET of this address; nothing when it does not lie ready, or when this
    /// client must be told something else.
    fn find(&self, target: &Uri, client: ClientAddress) -> Option<Found<'_>>;
}

pub(crate) struct Found<'s> {
    /// As the router calls it.
    pub(crate) route: &'static str,
    pub(crate) meter: &'s RouteMeter,
    /// With every header field that the handler would give it.
    pub(crate) answer: Response<Bytes>,
}

#[derive(Debug)]
pub(crate) struct Ready {
    edge: Arc<Edge>,
    shelf: Box<dyn Shelf>,
}

/// With one of these a request wants something else than the plain bytes.
const WANTS_MORE: [HeaderName; 3] =
    [IF_NONE_MATCH, RANGE, HeaderName::from_static("accept-signature")];

impl Ready {
    pub(crate) fn new(edge: Arc<Edge>, shelf: impl Shelf + 'static) -> Self {
        Self { edge, shelf: Box::new(shelf) }
    }

    pub(crate) fn answer<B: Body>(
        &self,
        request: &Request<B>,
        peer: SocketAddr,
    ) -> Option<Response<Bytes>> {
        let begun = Instant::now();
        let plain = request.method() == Method::GET
            && request.body().is_end_stream()
            && WANTS_MORE.iter().all(|name| !request.headers().contains_key(name));
        if !plain || self.edge.permits.available_permits() == 0 {
            return None;
        }
        let trusted = &self.edge.options.trusted_proxies;
        let client = client_address(peer.ip(), request.headers(), trusted);
        let Found { route, meter, mut answer } = self.shelf.find(request.uri(), client)?;
        let id = self.edge.ids.for_request(request.headers().get(record::REQUEST_ID));
        let headers = answer.headers_mut();
        cors::allow(&self.edge, headers);
        record::stamp(&id, headers);
        let took = begun.elapsed();
        meter.answered(took);
        let (method, status) = (request.method(), answer.status());
        record::Line { id: &id, method, route, status, took }.write(None);
        Some(answer)
    }
}
