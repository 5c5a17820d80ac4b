//! One screen of routes, the error shape, limits, OpenAPI, pages.
//!
//! A request comes in through [`serve`] (the socket and its clocks), passes the [`edge`] (its
//! name, its log line, its bounds), finds its handler in `routes`, and is answered by one call of
//! the service. Nothing is decided here about sites, records or rules.

mod address;
mod app;
mod body;
mod client_address;
mod credential;
mod documents;
pub mod edge;
mod errors;
mod handlers;
mod limits;
mod negotiation;
mod once;
mod openapi;
mod pages;
mod rates;
mod routes;
mod server;
mod shelf;
mod signing;
mod state;
mod telemetry;
mod witness;

use std::sync::Arc;

use service::Service;

pub use app::App;
pub use body::StrictJson;
pub use client_address::ClientAddress;
pub use edge::WebOptions;
pub use errors::ApiError;
pub use rates::{Rate, RateLimits};
pub use server::{PeerAddress, ServeReport, ServerOptions, serve};
pub use witness::witness_app;

use self::{
    documents::{Document, FOR_AN_HOUR, HTML, JSON, MARKDOWN},
    edge::Ready,
    shelf::AppShelf,
    state::{AppState, AskRates, Site},
};

/// The whole HTTP side of a service, ready to be served.
pub fn app(service: Arc<Service>, options: WebOptions) -> App {
    let (brand, base_url) = (service.brand().clone(), service.base_url().to_owned());
    let document = openapi::document(&brand, &base_url);
    let method = service::scoring_method();
    let site = Site {
        openapi: Document::new(document.to_string(), JSON, FOR_AN_HOUR),
        method: Document::new(pages::method::render(&method), HTML, FOR_AN_HOUR),
        method_text: Document::new(method, MARKDOWN, FOR_AN_HOUR),
        reference: Document::new(pages::reference::render(&document), HTML, FOR_AN_HOUR),
        served: openapi::operation_ids(&document),
        brand: brand.clone(),
        base_url: base_url.clone(),
    };
    let (router, _) = routes::router().split_for_parts();
    let rates = Arc::new(AskRates::new(options.limits.clone()));
    let site = Arc::new(site);
    let edge = edge::Edge::new(options, &brand, &base_url);
    let shelf = AppShelf::new(Arc::clone(&service), Arc::clone(&site), Arc::clone(&rates));
    let ready = Ready::new(Arc::clone(&edge), shelf);
    let state = AppState { service: Arc::clone(&service), site, rates };
    let router = edge
        .around(router.with_state(state).layer(axum::middleware::from_fn(limits::tell)))
        .layer(axum::middleware::from_fn_with_state(service, signing::sign));
    App::new(router, ready)
}
