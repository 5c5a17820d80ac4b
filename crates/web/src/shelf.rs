//! What lies ready to be sent.

use std::sync::Arc;

use http::Uri;
use service::Service;

use crate::{
    client_address::ClientAddress,
    documents::{Document, FOR_A_MINUTE, JSON},
    edge::{Found, Shelf},
    limits::take_decision,
    state::{AskRates, Site},
    telemetry::RouteMeter,
};

const OPENAPI: &str = "/openapi.json";
const RESOLVE: &str = "/api/v1/resolve";

/// Documents that are made once and given alike to everybody, and answers that are kept in memory.
#[derive(Debug)]
pub(crate) struct AppShelf {
    service: Arc<Service>,
    site: Arc<Site>,
    rates: Arc<AskRates>,
    openapi: RouteMeter,
    resolve: RouteMeter,
}

impl AppShelf {
    /// After the metrics were installed.
    pub(crate) fn new(service: Arc<Service>, site: Arc<Site>, rates: Arc<AskRates>) -> Self {
        let (openapi, resolve) = (RouteMeter::of(OPENAPI), RouteMeter::of(RESOLVE));
        Self { service, site, rates, openapi, resolve }
    }

    /// The answer to `?domain=NAME` and nothing else, where that is kept under this very name.
    fn answer(&self, query: &str, client: ClientAddress) -> Option<Found<'_>> {
        let hot = self.service.hot_answer_named(query.strip_prefix("domain=")?)?;
        let told = take_decision(&self.rates, client)?;
        self.service.count_hot_answer();
        let (digest, name) = (&hot.content_sha256, &hot.sha256);
        let document = Document::known(hot.bytes.clone(), digest, name, JSON, FOR_A_MINUTE);
        let mut answer = document.whole();
        told.write(answer.headers_mut(), false);
        Some(Found { route: RESOLVE, meter: &self.resolve, answer })
    }
}

impl Shelf for AppShelf {
    fn find(&self, target: &Uri, client: ClientAddress) -> Option<Found<'_>> {
        match target.path() {
            RESOLVE => self.answer(target.query()?, client),
            // As the handler: a query makes no difference.
            OPENAPI => Some(Found {
                route: OPENAPI,
                meter: &self.openapi,
                answer: self.site.openapi.whole(),
            }),
            _ => None,
        }
    }
}
