//! What is served: a router, and what is ready to be sent without it.

use std::{net::SocketAddr, sync::Arc};

use axum::Router;
use bytes::Bytes;
use http::{Request, Response};
use hyper::body::Body;

use crate::edge::Ready;

/// The HTTP side of a service. Cheap to clone.
#[derive(Debug, Clone)]
pub struct App {
    router: Router,
    ready: Option<Arc<Ready>>,
}

impl App {
    pub(crate) fn new(router: Router, ready: Ready) -> Self {
        Self { router, ready: Some(Arc::new(ready)) }
    }

    /// The whole answer, where it lies ready.
    pub(crate) fn ready<B: Body>(
        &self,
        request: &Request<B>,
        peer: SocketAddr,
    ) -> Option<Response<Bytes>> {
        self.ready.as_ref()?.answer(request, peer)
    }

    pub(crate) fn router(&self) -> Router {
        self.router.clone()
    }
}

/// A router alone: nothing is ready.
impl From<Router> for App {
    fn from(router: Router) -> Self {
        Self { router, ready: None }
    }
}
