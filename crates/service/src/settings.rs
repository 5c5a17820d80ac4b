//! The settings of the use cases, as the operator chooses them.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use agents::{KnownAgents, SearchableAgents};

use contract::records::ObserverNetwork;
use contract::{Brand, Issuer};
use ipnet::IpNet;
use observe::engine::Engine;
use store::Retention;

use crate::access::plans::Plans;
use crate::access::{FreeKeySettings, FreeScans};
use crate::answers::ResolveSettings;
use crate::domains::RegistrySettings;
use crate::log::LogSettings;
use crate::log::daily_seals::AnchoringSettings;
use crate::retention::RetentionSettings;
use crate::scanner::ScannerSettings;
use crate::target_domains::DomainLimits;
use crate::visitors::VisitorSettings;

#[derive(Debug, Clone)]
pub struct Settings {
    pub brand: Brand,
    /// Without a trailing slash.
    pub base_url: String,
    /// The operator's name for the network that scans are sent from.
    pub vantage: String,
    /// Time limit for all reads of one full scan together.
    pub scan_deadline: Duration,
    /// A domain scanned within this time is answered with the earlier report.
    pub rescan_window: Duration,
    /// Full scans running at once, over all domains. Further ones wait.
    pub scans_at_once: usize,
    /// How often one registrable domain is read; `None` for no limits and no rescan window for
    /// unlisted scans (load tests only).
    pub domain_limits: Option<DomainLimits>,
    /// How long response bodies are stored.
    pub artifact_retention: Retention,
    /// The most bytes of stored response bodies; beyond it the oldest go before their time. `None` for no
    /// bound.
    pub artifact_max_bytes: Option<u64>,
    /// How long everything else in the store is kept.
    pub retention: RetentionSettings,
    /// The free scans that callers without a licence may have.
    pub free_scans: FreeScans,
    /// What licences give.
    pub plans: Plans,
    /// Free keys by mail; `None` if there are none.
    pub free_keys: Option<FreeKeySettings>,
    /// Outcome reports per address and UTC day; `None` for no limit.
    pub outcomes_per_day: Option<u32>,
    /// Reads of the proofs of one domain for one client in a UTC day; `None` for no limit.
    pub claim_checks_per_day: Option<u32>,
    pub log: LogSettings,
    /// Where the daily seals are anchored.
    pub proof: AnchoringSettings,
    pub resolve: ResolveSettings,
    pub operator: OperatorSettings,
    pub visitors: VisitorSettings,
    pub registry: RegistrySettings,
    pub accuracy: AccuracySettings,
}

impl Settings {
    /// What the scanner needs of them.
    #[must_use]
    pub fn scanner(&self) -> ScannerSettings {
        ScannerSettings {
            issuer: Issuer::new(self.brand.clone(), &self.base_url),
            vantage: self.vantage.clone(),
            deadline: self.scan_deadline,
        }
    }

    /// The defaults for a service at `base_url`.
    #[must_use]
    pub fn new(base_url: String) -> Self {
        let brand = Brand::default();
        let origin = LogSettings::default_origin(&base_url, &brand.log_id());
        Self {
            brand,
            base_url,
            log: LogSettings::new(origin),
            vantage: "unnamed".to_owned(),
            scan_deadline: Duration::from_secs(10),
            rescan_window: contract::limits::RESCAN_WINDOW,
            scans_at_once: 32,
            domain_limits: Some(DomainLimits::default()),
            artifact_retention: Retention::Days(90),
            artifact_max_bytes: Some(20 << 30),
            retention: RetentionSettings::default(),
            free_scans: FreeScans::default(),
            plans: Plans::default(),
            free_keys: None,
            outcomes_per_day: Some(contract::limits::OUTCOMES_PER_DAY),
            claim_checks_per_day: Some(contract::limits::CLAIM_CHECKS_PER_DAY),
            proof: AnchoringSettings::default(),
            resolve: ResolveSettings::default(),
            operator: OperatorSettings::default(),
            visitors: VisitorSettings::new(built_in_agents()),
            registry: RegistrySettings::default(),
            accuracy: AccuracySettings::default(),
        }
    }
}

/// The settings that can be changed while the service runs ([`crate::Service::reload`]). They have the
/// meaning of the same fields of [`Settings`] and [`VisitorSettings`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReloadableSettings {
    pub free_scans: FreeScans,
    pub plans: Plans,
    /// Requests for free keys per address and UTC day.
    pub free_keys_per_day: Option<u32>,
    pub outcomes_per_day: Option<u32>,
    pub proxies: Vec<IpNet>,
}

/// The AI engines that are asked what they say about businesses.
#[derive(Debug, Clone)]
pub struct AccuracySettings {
    pub engines: Vec<Engine>,
    /// Questions to all engines together in a UTC day.
    pub calls_per_day: u32,
    /// Tokens that all engines together may count in a UTC day.
    pub tokens_per_day: u64,
}

impl Default for AccuracySettings {
    fn default() -> Self {
        Self {
            engines: Vec::new(),
            calls_per_day: contract::limits::ENGINE_CALLS_PER_DAY,
            tokens_per_day: contract::limits::ENGINE_TOKENS_PER_DAY,
        }
    }
}

/// Who runs this deployment, and from which network it reads. `None` and empty lists are facts that
/// the operator does not publish.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OperatorSettings {
    pub name: Option<String>,
    pub contact: Option<String>,
    pub abuse: Option<String>,
    pub security: Option<String>,
    pub network: ObserverNetwork,
    /// The networks that our requests come from, as CIDR.
    pub egress: Vec<String>,
    /// The DNS resolver we use, in words.
    pub resolver: Option<String>,
}

/// The built-in catalogue of known agents, parsed once.
#[expect(
    clippy::expect_used,
    reason = "the catalogue is part of the program, and a test parses it"
)]
fn built_in_agents() -> Arc<SearchableAgents> {
    static BUILT_IN: LazyLock<Arc<SearchableAgents>> = LazyLock::new(|| {
        let known = KnownAgents::built_in().expect("the built-in catalogue is valid");
        Arc::new(SearchableAgents::new(known))
    });
    Arc::clone(&BUILT_IN)
}
