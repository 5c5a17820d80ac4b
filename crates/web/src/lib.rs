//! The HTTP side of the service: routes, middleware, rate limits, errors, OpenAPI and pages.
//!
//! [`serve`] accepts the connection and bounds it in time and size. The middleware ([`middleware`])
//! gives the request an id, a log line, CORS headers and a deadline. `routes` finds the handler, and
//! the handler answers with one call of the service. Rate limits are enforced by extractors
//! (`rate_limits::extractors`). This crate decides nothing about sites, records or rules.

mod app;
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
mod rate_limits;
mod request;
mod response;
mod routes;
mod schema_documents;
mod server;
mod state;
mod witness_server;

use std::sync::Arc;

use axum::{
    Router,
    middleware::{from_fn, from_fn_with_state},
};
use service::Service;

pub use app::App;
pub use mcp_server::{LocalReply, answer_local_message};
pub use metrics_server::metrics_app;
pub use middleware::WebOptions;
pub use rate_limits::{RateLimit, RateLimits};
#[doc(hidden)]
pub use request::fuzzing;
pub use request::{ClientAddress, PeerAddress, StrictJson};
pub use response::ApiError;
pub use server::{ServeReport, ServerOptions, serve};
pub use witness_server::witness_app;

use self::{
    fast_path::{CachedResponses, FastPath},
    machine_files::SiteFacts,
    mcp_server::McpServer,
    middleware::{
        MiddlewareState, etag_marks,
        refusal_pause::{self, RefusalPauses},
        response_signing,
    },
    rate_limits::RateLimiters,
    response::{CACHE_ONE_HOUR, HTML, HttpDocument, JSON, MARKDOWN},
    schema_documents::SchemaDocuments,
    state::{AppState, PageFiles, ServiceInfo},
};

/// Builds the complete HTTP application of a service. Pass it to [`serve`].
pub fn build_app(service: Arc<Service>, options: WebOptions) -> App {
    build_app_with(service, options, Router::new())
}

/// Like [`build_app`], with further routes behind the same middleware: benchmarks compare with them.
#[doc(hidden)]
pub fn build_app_with(service: Arc<Service>, options: WebOptions, further: Router) -> App {
    let issuer = service.issuer().clone();
    let document = openapi::build_document(&issuer);
    let method = service::scoring_method();
    let docs_pages = pages::docs::render_all(&document, &issuer, &service.reader_facts());
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
        method_page: HttpDocument::constant(pages::method::render(&method), HTML, CACHE_ONE_HOUR),
        method_markdown: HttpDocument::constant(method, MARKDOWN, CACHE_ONE_HOUR),
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
    };
    let (router, _) = routes::router().split_for_parts();
    let rate_limiters = Arc::new(RateLimiters::new(options.limits.clone()));
    let service_info = Arc::new(service_info);
    let key_header = issuer.brand.key_header();
    service.conduct.set_robots_txt(&machine_files::render_robots_txt(&site));
    let conduct = options.counts_agents.then(|| Arc::clone(&service.conduct));
    let middleware_state = MiddlewareState::new(options, issuer, conduct);
    let cached_responses = CachedResponses::new(
        Arc::clone(&service),
        Arc::clone(&middleware_state),
        &service_info,
        Arc::clone(&rate_limiters),
    );
    let fast_path = FastPath::new(Arc::clone(&middleware_state), key_header, cached_responses);
    let state = AppState { service: Arc::clone(&service), service_info, rate_limiters };
    let api = router.with_state(state.clone());
    let mcp = Arc::new(McpServer::new(api.clone(), state, &document));
    let router = api
        .merge(mcp_server::router(mcp))
        .merge(further)
        .layer(from_fn(rate_limits::add_rate_limit_headers));
    let router = middleware::wrap_router(router, middleware_state)
        .layer(from_fn_with_state(Arc::clone(&service), etag_marks::mark_etags))
        .layer(from_fn_with_state(service, response_signing::sign_response))
        .layer(from_fn_with_state(RefusalPauses::default(), refusal_pause::pause_refusals));
    App::new(router, fast_path)
}
