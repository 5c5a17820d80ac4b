//! A router that knows its own paths, so that a test can compare them with the table of limits.

use std::collections::BTreeSet;

use axum::routing::MethodRouter;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};

use crate::state::AppState;

/// The routes of the API, with and without an entry in the OpenAPI document.
pub(crate) struct RecordedRouter {
    router: OpenApiRouter<AppState>,
    paths: BTreeSet<String>,
}

impl RecordedRouter {
    pub(crate) fn with_openapi(openapi: utoipa::openapi::OpenApi) -> Self {
        Self { router: OpenApiRouter::with_openapi(openapi), paths: BTreeSet::new() }
    }

    /// A route that the OpenAPI document does not have.
    pub(crate) fn route(mut self, path: &str, methods: MethodRouter<AppState>) -> Self {
        self.paths.insert(path.to_owned());
        Self { router: self.router.route(path, methods), paths: self.paths }
    }

    /// Operations of the OpenAPI document.
    pub(crate) fn routes(mut self, routes: UtoipaMethodRouter<AppState>) -> Self {
        self.paths.extend(routes.1.paths.keys().cloned());
        Self { router: self.router.routes(routes), paths: self.paths }
    }

    pub(crate) fn into_router(self) -> OpenApiRouter<AppState> {
        self.router
    }

    #[cfg(test)]
    pub(crate) fn paths(&self) -> BTreeSet<String> {
        self.paths.clone()
    }
}
