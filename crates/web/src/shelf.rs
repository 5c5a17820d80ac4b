//! What lies ready to be sent.

use std::sync::Arc;

use http::Uri;
use metrics::{Counter, counter};
use service::{
    Service,
    resolve::{ANSWERS_TOTAL, HotAnswer},
};

use crate::{
    client_address::ClientAddress,
    documents::{Document, FOR_A_MINUTE, JSON},
    edge::{Edge, Found, Prepared, Shelf},
    limits,
    state::{AskRates, Site},
    telemetry::RouteMeter,
};

const OPENAPI: &str = "/openapi.json";
const RESOLVE: &str = "/api/v1/resolve";

/// Documents that are made once and given alike to everybody, and answers that are kept in memory.
pub(crate) struct AppShelf {
    service: Arc<Service>,
    edge: Arc<Edge>,
    rates: Arc<AskRates>,
    openapi: Prepared,
    openapi_meter: RouteMeter,
    resolve_meter: RouteMeter,
    from_memory: Counter,
}

impl AppShelf {
    /// The edge has installed the metrics.
    pub(crate) fn new(
        service: Arc<Service>,
        edge: Arc<Edge>,
        site: &Site,
        rates: Arc<AskRates>,
    ) -> Self {
        Self {
            openapi: Prepared::new(&edge, &site.openapi),
            openapi_meter: RouteMeter::of(OPENAPI),
            resolve_meter: RouteMeter::of(RESOLVE),
            from_memory: counter!(ANSWERS_TOTAL, "from" => "memory"),
            service,
            edge,
            rates,
        }
    }

    /// The answer to `?domain=NAME` and nothing else, where that is kept under this very name.
    fn answer(&self, query: &str, client: ClientAddress) -> Option<Found<'_>> {
        let hot = self.service.hot_answer_named(query.strip_prefix("domain=")?)?;
        let beside = hot.beside.get_or_init(|| Box::new(self.prepared(&hot)));
        let prepared = beside.downcast_ref::<Prepared>()?;
        let standings = limits::take_decision(&self.rates, client)?;
        self.from_memory.increment(1);
        let mut answer = prepared.answer();
        limits::write(&standings, answer.headers_mut(), false);
        Some(Found { route: RESOLVE, meter: &self.resolve_meter, answer })
    }

    fn prepared(&self, hot: &HotAnswer) -> Prepared {
        let (digest, name) = (&hot.content_sha256, &hot.sha256);
        let document = Document::known(hot.bytes.clone(), digest, name, JSON, FOR_A_MINUTE);
        Prepared::new(&self.edge, &document)
    }
}

impl std::fmt::Debug for AppShelf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AppShelf").finish_non_exhaustive()
    }
}

impl Shelf for AppShelf {
    fn find(&self, target: &Uri, client: ClientAddress) -> Option<Found<'_>> {
        match target.path() {
            RESOLVE => self.answer(target.query()?, client),
            // As the handler: a query makes no difference.
            OPENAPI => Some(Found {
                route: OPENAPI,
                meter: &self.openapi_meter,
                answer: self.openapi.answer(),
            }),
            _ => None,
        }
    }
}
