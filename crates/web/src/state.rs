//! The state that handlers share.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use axum::extract::FromRef;
use contract::Issuer;
use service::Service;

use crate::{rate_limits::RateLimiters, response::HttpDocument, schema_documents::SchemaDocuments};

/// Shared by all requests. Read-only after the start, except for the counters of the rate limiters,
/// each of which has its own lock.
#[derive(Debug, Clone)]
pub(crate) struct AppState {
    pub(crate) service: Arc<Service>,
    pub(crate) service_info: Arc<ServiceInfo>,
    pub(crate) rate_limiters: Arc<RateLimiters>,
}

impl FromRef<AppState> for Arc<Service> {
    fn from_ref(state: &AppState) -> Self {
        Self::clone(&state.service)
    }
}

impl FromRef<AppState> for Arc<RateLimiters> {
    fn from_ref(state: &AppState) -> Self {
        Self::clone(&state.rate_limiters)
    }
}

impl FromRef<AppState> for Arc<ServiceInfo> {
    fn from_ref(state: &AppState) -> Self {
        Self::clone(&state.service_info)
    }
}

/// What is the same for every request: who issues the answers, and documents built once at the
/// start. Never written to afterwards.
#[derive(Debug)]
pub(crate) struct ServiceInfo {
    pub(crate) issuer: Issuer,
    /// The metrics are served on another address.
    pub(crate) metrics_elsewhere: bool,
    /// `POST /api/v1/scan` without a credential is a free scan instead of 401.
    pub(crate) free_scans_v1: bool,
    /// The operationIds that this build serves.
    pub(crate) served_operations: BTreeSet<String>,
    pub(crate) openapi: HttpDocument,
    pub(crate) schemas: SchemaDocuments,
    pub(crate) graph_context: HttpDocument,
    /// The offline verifier, with our brand.
    pub(crate) verifier: HttpDocument,
    /// The pages of the documentation by their last path segment; the contents are at the empty one.
    pub(crate) docs_pages: BTreeMap<String, HttpDocument>,
    pub(crate) page_files: PageFiles,
    /// What this service tells machines about itself, by path.
    pub(crate) machine_files: BTreeMap<&'static str, HttpDocument>,
    /// The scoring method, as a page and as Markdown.
    /// The scoring method as Markdown, and the same as HTML.
    pub(crate) method_text: String,
    pub(crate) method_html: String,
}

/// The files that all pages use.
#[derive(Debug)]
pub(crate) struct PageFiles {
    pub(crate) style: HttpDocument,
    pub(crate) script: HttpDocument,
    pub(crate) favicon: HttpDocument,
    pub(crate) link_pictures: crate::handlers::pictures::LinkPictures,
}
