//! Answers about a domain, and the evidence behind them.
//!
//! `resolve` builds the signed answer and `preflight` the receipt for one action. `decisions` and
//! `revocations` state which of them are still valid. `changes`, `corroboration`, `claims`, `rights`,
//! `equivalence` and `content_clock` serve the evidence that an answer links to. `field_check` compares a value with what
//! a site publishes (`published_facts`). `outcome` collects
//! the reports of agents; no decision uses them.

pub mod changes;
mod claims;
pub mod content_clock;
pub mod corroboration;
pub mod decisions;
mod document_with_etag;
mod earlier_readings;
mod equivalence;
mod field_check;
pub mod outcome;
pub mod page_url;
pub mod preflight;
mod published_facts;
pub mod resolve;
pub mod revocations;
mod rights;
pub mod staple;
mod stored_receipt;

use std::sync::Arc;

use contract::{Clock, Issuer};
use proof::keys::DeploymentSecret;
use store::Store;

pub use document_with_etag::DocumentWithEtag;
pub use equivalence::EquivalenceError;
pub(crate) use field_check::FieldCheckCache;
pub use field_check::{FieldCheckQuery, SignedFieldCheck, build_field_check};
pub use judge::resolve::claims::ClaimsQuery;
pub(crate) use published_facts::FactsCache;
pub use resolve::ResolveSettings;
use resolve::{LivePolicy, ResolveError, ResolveQuery};

use crate::log::TransparencyLog;
use crate::log::builds::Builds;
use crate::mcp::McpServers;
use crate::random_ids::Ids;
use crate::retention::RetentionSettings;
use crate::scanner::Scanner;
use crate::signing_keys::SigningKeys;
use crate::target_domains::TargetDomains;

/// Builds, stores and explains answers. Shared by all requests. Mutable state:
/// `resolve_state`, `signed_lists`, `facts`, `field_checks` and `targets`, which guard themselves with locks. All other fields
/// never change.
pub struct Answers {
    pub(crate) settings: ResolveSettings,
    pub(crate) retention: RetentionSettings,
    pub(crate) issuer: Issuer,
    pub(crate) scanner: Scanner,
    pub(crate) targets: TargetDomains,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) keys: Arc<SigningKeys>,
    pub(crate) log: Arc<TransparencyLog>,
    pub(crate) builds: Arc<Builds>,
    pub(crate) mcp: Arc<McpServers>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn Ids>,
    pub(crate) secret: DeploymentSecret,
    pub(crate) resolve_state: resolve::ResolveState,
    pub(crate) signed_lists: revocations::SignedListCache,
    pub(crate) facts: FactsCache,
    pub(crate) field_checks: FieldCheckCache,
}

impl Answers {
    /// Removes from the caches what has expired.
    pub(crate) fn evict_expired(&self) {
        let now = self.clock.now();
        self.resolve_state.evict_expired(now);
        self.signed_lists.evict_expired(now);
        self.facts.evict_expired(now);
        self.field_checks.evict_expired(now);
        self.mcp.evict_expired();
    }

    /// Removes every answer and list from the caches.
    pub(crate) fn empty_caches(&self) {
        self.resolve_state.forget_answers();
        self.signed_lists.clear();
        self.facts.clear();
        self.field_checks.clear();
    }

    /// Publishes the sizes of the caches as metrics.
    pub(crate) fn report_cache_sizes(&self) {
        self.resolve_state.report_cache_sizes();
        self.signed_lists.report_size();
        self.facts.report_size();
        self.field_checks.report_size();
        self.mcp.report_cache_sizes();
    }
}
