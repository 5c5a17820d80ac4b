//! The product name and version that scans send and records state, and what site owners are told about our
//! reader.

use store::Retention;

use crate::observer_directory::verification_steps;
use crate::request_signing::signing_origin;
use crate::settings::OperatorSettings;
use crate::target_domains::DomainLimits;
use crate::{Service, Settings};

pub const PRODUCT: &str = "wayleave";
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Who reads sites for this service, how to verify it, and within which limits. For the page that the
/// reader's user agent names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReaderFacts {
    /// The user agent of the service's own reader.
    pub user_agent: String,
    /// The token that robots.txt groups for this service name.
    pub robots_token: String,
    pub operator: OperatorSettings,
    /// How to tell our requests from forged ones.
    pub verify: Vec<String>,
    /// Whether requests under our own name are signed (Web Bot Auth).
    pub signs_requests: bool,
    /// Simultaneous requests of one reading to one host.
    pub requests_at_once: usize,
    /// A domain that was scanned within this time is not scanned again.
    pub rescan_seconds: u64,
    /// Full scans and live readings of one registrable domain in an hour; `None` for no limit.
    pub scans_per_hour: Option<u32>,
    pub live_per_hour: Option<u32>,
    /// How long response bodies, and records with their evidence, are stored; `None` for ever.
    pub body_days: Option<u32>,
    pub record_days: Option<u32>,
}

impl Service {
    /// What holds for this deployment, from the catalogue and the settings in use.
    #[must_use]
    pub fn reader_facts(&self) -> ReaderFacts {
        let catalogue = self.scanner.catalogue();
        let own = catalogue.identity_with_role(agents::Role::Own);
        let Settings {
            operator, domain_limits, retention, artifact_retention, rescan_window, ..
        } = &self.settings;
        // 0 means no limit.
        let per_hour = |limit: fn(&DomainLimits) -> u32| {
            domain_limits.as_ref().map(limit).filter(|limit| *limit > 0)
        };
        let signs_requests = signing_origin(&self.settings.base_url).is_some();
        ReaderFacts {
            user_agent: own.map(|identity| identity.user_agent.clone()).unwrap_or_default(),
            robots_token: catalogue.own_token.clone(),
            verify: verification_steps(&operator.egress, signs_requests),
            signs_requests,
            operator: operator.clone(),
            requests_at_once: self.scanner.policy().limits.requests_per_host,
            rescan_seconds: rescan_window.as_secs(),
            scans_per_hour: per_hour(|limits| limits.scans_per_hour),
            live_per_hour: per_hour(|limits| limits.live_per_hour),
            body_days: match artifact_retention {
                Retention::Days(days) => Some(*days),
                Retention::ForEver => None,
            },
            record_days: Some(retention.scan_days).filter(|days| *days > 0),
        }
    }
}
