//! The application that the server runs: a router, and a fast path for cached responses.

use std::{net::SocketAddr, sync::Arc};

use axum::Router;
use bytes::Bytes;
use http::{Request, Response};
use hyper::body::Body;

use crate::fast_path::FastPath;

/// The HTTP side of a service. Cheap to clone.
#[derive(Debug, Clone)]
pub struct App {
    router: Router,
    fast_path: Option<Arc<FastPath>>,
}

impl App {
    pub(crate) fn new(router: Router, fast_path: FastPath) -> Self {
        Self { router, fast_path: Some(Arc::new(fast_path)) }
    }

    /// The response, if the fast path has it cached. `None` sends the request through the router.
    pub(crate) fn try_fast_path<B: Body>(
        &self,
        request: &Request<B>,
        peer: SocketAddr,
    ) -> Option<Response<Bytes>> {
        self.fast_path.as_ref()?.try_respond(request, peer)
    }

    pub(crate) fn router(&self) -> Router {
        self.router.clone()
    }
}

/// A router without a fast path.
impl From<Router> for App {
    fn from(router: Router) -> Self {
        Self { router, fast_path: None }
    }
}
