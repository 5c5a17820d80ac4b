//! What handlers are given.

use std::{collections::BTreeSet, sync::Arc};

use axum::extract::FromRef;
use contract::Brand;
use proof::Digest;
use service::{AddressBlock, Service};

use crate::{
    documents::Document,
    rates::{RateLimits, Rates},
};

/// Shared by all requests; nothing in here changes but what the rates count, under locks of their
/// own.
#[derive(Debug, Clone)]
pub(crate) struct AppState {
    pub(crate) service: Arc<Service>,
    pub(crate) site: Arc<Site>,
    pub(crate) rates: Arc<AskRates>,
}

/// Who has asked for what lately.
#[derive(Debug)]
pub(crate) struct AskRates {
    pub(crate) scans: Rates<AddressBlock>,
    /// By the digest of the licence's id.
    pub(crate) keyed_scans: Rates<Digest>,
    /// The log and other feeds.
    pub(crate) feeds: Rates<AddressBlock>,
    pub(crate) reads: Rates<AddressBlock>,
    pub(crate) decides: Rates<AddressBlock>,
    pub(crate) live: Rates<AddressBlock>,
}

impl AskRates {
    pub(crate) fn new(limits: RateLimits) -> Self {
        Self {
            scans: Rates::new("scan", limits.scans),
            keyed_scans: Rates::new("keyed-scan", limits.keyed_scans),
            feeds: Rates::new("feed", limits.feeds),
            reads: Rates::new("read", limits.reads),
            decides: Rates::new("decide", limits.decides),
            live: Rates::new("live", limits.live),
        }
    }
}

impl FromRef<AppState> for Arc<Service> {
    fn from_ref(state: &AppState) -> Self {
        Self::clone(&state.service)
    }
}

impl FromRef<AppState> for Arc<AskRates> {
    fn from_ref(state: &AppState) -> Self {
        Self::clone(&state.rates)
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
    /// The scoring method, as a page and as it is written.
    pub(crate) method: Document,
    pub(crate) method_text: Document,
}
