//! The application that the server runs: a router, and a fast path for cached responses.

use std::{
    fmt,
    net::SocketAddr,
    sync::{Arc, PoisonError, RwLock},
};

use axum::Router;
use bytes::Bytes;
use http::{Request, Response};
use hyper::body::Body;

use crate::{fast_path::FastPath, middleware::ReloadableOptions};

/// The HTTP side of a service. Cheap to clone; all clones are replaced together by [`App::reload`].
#[derive(Clone)]
pub struct App {
    /// Replaced as a whole. The lock is held for one clone of an `Arc`, never across an await.
    current: Arc<RwLock<Arc<AppSnapshot>>>,
    /// `None` for a router that has no options.
    reassemble: Option<Reassemble>,
}

/// Builds the application again, with other options.
pub(crate) type Reassemble = Arc<dyn Fn(&ReloadableOptions) -> AppSnapshot + Send + Sync>;

/// The application with the options of one time. A request takes it once, so it never sees a mixture.
#[derive(Debug)]
pub(crate) struct AppSnapshot {
    pub(crate) router: Router,
    pub(crate) fast_path: Option<FastPath>,
}

impl AppSnapshot {
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

impl App {
    pub(crate) fn new(first: AppSnapshot, reassemble: Option<Reassemble>) -> Self {
        Self { current: Arc::new(RwLock::new(Arc::new(first))), reassemble }
    }

    pub(crate) fn current(&self) -> Arc<AppSnapshot> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Applies other options to all requests that begin from now on. Those that have begun go on with
    /// the options they began with.
    pub fn reload(&self, options: &ReloadableOptions) {
        if let Some(reassemble) = &self.reassemble {
            let next = Arc::new(reassemble(options));
            *self.current.write().unwrap_or_else(PoisonError::into_inner) = next;
        }
    }
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App").field("current", &self.current()).finish_non_exhaustive()
    }
}

/// A router without a fast path.
impl From<Router> for App {
    fn from(router: Router) -> Self {
        Self::new(AppSnapshot { router, fast_path: None }, None)
    }
}
