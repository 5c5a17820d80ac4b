//! What lies ready to be sent.

use std::sync::Arc;

use http::Uri;

use crate::{
    edge::{Found, Shelf},
    state::Site,
    telemetry::RouteMeter,
};

const OPENAPI: &str = "/openapi.json";

/// The documents that are made once at the start and given alike to everybody.
#[derive(Debug)]
pub(crate) struct SiteShelf {
    site: Arc<Site>,
    openapi: RouteMeter,
}

impl SiteShelf {
    /// After the metrics were installed.
    pub(crate) fn new(site: Arc<Site>) -> Self {
        Self { site, openapi: RouteMeter::of(OPENAPI) }
    }
}

impl Shelf for SiteShelf {
    fn find(&self, target: &Uri) -> Option<Found<'_>> {
        // As the handler: a query makes no difference.
        (target.path() == OPENAPI).then(|| Found {
            route: OPENAPI,
            meter: &self.openapi,
            answer: self.site.openapi.whole(),
        })
    }
}
