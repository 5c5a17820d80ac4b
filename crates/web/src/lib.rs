//! The HTTP side of the service: routes, middleware, rate limits, errors, OpenAPI and pages.
//!
//! [`serve`] accepts the connection and bounds it in time and size. The middleware ([`middleware`])
//! gives the request an id, a log line, CORS headers and a deadline. `routes` finds the handler, and
//! the handler answers with one call of the service. Rate limits are enforced by extractors
//! (`rate_limits::extractors`). This crate decides nothing about sites, records or rules.

mod app;
mod assembly;
mod fast_path;
mod handlers;
mod http_metrics;
mod machine_files;
mod mcp_server;
mod metrics_server;
pub mod middleware;
mod off_worker;
mod openapi;
mod pages;
mod principal;
mod rate_limits;
mod recorded_router;
mod request;
mod response;
mod routes;
mod schema_documents;
mod server;
mod state;
mod witness_server;

use std::sync::Arc;

use axum::Router;
use service::Service;

pub use app::App;
pub use mcp_server::{LocalReply, answer_local_message};
pub use metrics_server::metrics_app;
pub use middleware::{ReloadableOptions, WebOptions};
#[doc(hidden)]
pub use rate_limits::{ROUTE_POLICIES, RouteLimit, RoutePolicy};
pub use rate_limits::{RateLimit, RateLimits};
#[doc(hidden)]
pub use request::fuzzing;
pub use request::{ClientAddress, PeerAddress, StrictJson};
pub use response::ApiError;
pub use server::{
    CertificateFacts, ServeReport, ServerOptions, TlsIdentity, TlsPair, TlsPairError, serve,
};
pub use witness_server::witness_app;

use self::{
    assembly::AppParts,
    machine_files::SiteFacts,
    middleware::MiddlewareState,
    pages::docs::LimitsInForce,
    response::{CACHE_ONE_HOUR, HTML, HttpDocument, JSON},
    routes::OptionalRoutes,
    schema_documents::SchemaDocuments,
    state::{PageFiles, ServiceInfo},
};

/// Builds the complete HTTP application of a service. Pass it to [`serve`].
pub fn build_app(service: Arc<Service>, options: WebOptions) -> App {
    build_app_with(service, options, Router::new())
}

/// Like [`build_app`], with further routes behind the same middleware: benchmarks compare with them.
#[doc(hidden)]
pub fn build_app_with(service: Arc<Service>, options: WebOptions, further: Router) -> App {
    let issuer = service.issuer().clone();
    let document = openapi::build_document(&issuer, OptionalRoutes::of(&service));
    let method = service::scoring_method();
    let in_force = LimitsInForce { rates: &options.limits, service: &service.limits() };
    let docs_pages = pages::docs::render_all(&document, &issuer, &service.reader_facts(), in_force);
    let operator = service.operator();
    let site = SiteFacts {
        issuer: issuer.clone(),
        operator: operator.name.clone(),
        contact: operator.contact.clone(),
        version: env!("CARGO_PKG_VERSION"),
    };
    let service_info = ServiceInfo {
        machine_files: machine_files::render_all(&site, &document, docs_pages.keys().cloned()),
        openapi: HttpDocument::constant(document.to_string(), JSON, CACHE_ONE_HOUR),
        method_html: pages::method::to_html(&method),
        method_text: method,
        docs_pages: docs_pages
            .into_iter()
            .map(|(page, html)| (page, HttpDocument::constant(html, HTML, CACHE_ONE_HOUR)))
            .collect(),
        page_files: PageFiles {
            style: HttpDocument::constant(pages::STYLE, "text/css; charset=utf-8", CACHE_ONE_HOUR),
            script: HttpDocument::constant(
                pages::SCRIPT,
                "text/javascript; charset=utf-8",
                CACHE_ONE_HOUR,
            ),
            favicon: HttpDocument::constant(pages::FAVICON, "image/svg+xml", CACHE_ONE_HOUR),
            link_pictures: handlers::pictures::LinkPictures::default(),
        },
        schemas: SchemaDocuments::new(&issuer),
        verifier: handlers::static_documents::build_verifier(&issuer.brand),
        graph_context: handlers::graph::build_graph_context(),
        served_operations: openapi::operation_ids(&document),
        issuer: issuer.clone(),
        metrics_elsewhere: options.metrics_elsewhere,
        free_scans_v1: options.free_scans_v1,
    };
    service.conduct.set_robots_txt(&machine_files::render_robots_txt(&site));
    let conduct = options.counts_agents.then(|| Arc::clone(&service.conduct));
    let middleware = MiddlewareState::new(options, issuer, conduct);
    let parts = AppParts::new(service, Arc::new(service_info), document, further, middleware);
    App::new(parts.assemble_first(), Some(Arc::new(move |options| parts.assemble(options))))
}
