//! What handlers are given.

use std::{collections::BTreeSet, sync::Arc};

use axum::extract::FromRef;
use contract::Brand;
use service::Service;

use crate::documents::Document;

/// Shared by all requests; nothing in here changes.
#[derive(Debug, Clone)]
pub(crate) struct AppState {
    pub(crate) service: Arc<Service>,
    pub(crate) site: Arc<Site>,
}

impl FromRef<AppState> for Arc<Service> {
    fn from_ref(state: &AppState) -> Self {
        Self::clone(&state.service)
    }
}

impl FromRef<AppState> for Arc<Site> {
    fn from_ref(state: &AppState) -> Self {
        Self::clone(&state.site)
    }
}

/// What is the same for every request, made once at the start.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) brand: Brand,
    pub(crate) base_url: String,
    /// The operations this build answers.
    pub(crate) served: BTreeSet<String>,
    pub(crate) openapi: Document,
    pub(crate) reference: Document,
}
