//! The use cases, one file each, as plain functions of what they are given.
//!
//! Here the rooms meet: `observe` reads, `judge` judges, `proof` signs, `store` keeps. Budgets,
//! single flight and freshness are decided here; HTTP, SQL and command lines are not known.

mod allowance;
pub mod build;
pub mod census;
pub mod changes;
mod claims;
pub mod content_clock;
pub mod corroboration;
pub mod decisions;
mod equivalence;
mod ids;
mod in_flight;
pub mod jobs;
mod keys;
pub mod licence;
pub mod log;
mod manifest;
mod may_read;
mod method;
pub mod monitor;
mod observers;
mod once;
pub mod outcome;
mod own_page;
pub mod page;
mod past;
pub mod preflight;
mod ready;
pub mod replay;
mod report;
pub mod resolve;
pub mod revocations;
mod rights;
pub mod scan;
pub mod seal;
pub mod staple;
#[cfg(test)]
mod testing;
pub mod witness;

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use agents::Catalogue;
use contract::{Brand, Clock, Domain, NameRefusal};
use door::Door;
use proof::KeyStore;
use proof::head::HeadExtras;
use proof::keys::Secret;
use store::{Retention, Store};

pub use allowance::{AddressBlock, FreeScans, pause_scans, scans_paused};
pub use equivalence::EquivalenceError;
pub use ids::{Ids, NoChance, SystemIds};
pub use judge::resolve::claims::Wanted as WantedClaims;
pub use keys::{KEY_DIRECTORY_PATH, KEY_ROTATION_PATH, KeyDirectory};
pub use licence::{LicenceError, LicenceKey, Presented};
pub use log::{LogFault, LogSettings, SealError, Sealed};
pub use may_read::{MayRead, OwnWork};
pub use method::scoring_method;
pub use observers::OperatorSettings;
pub use once::{OnceAsk, OnceName, OnceStep};
pub use outcome::{DayLeft, OutcomeError, OutcomeTaken};
pub use ready::{NotReady, Ready};
pub use report::{Report, ReportError};
pub use resolve::ResolveSettings;
pub use scan::{Caller, Looked, ScanAsk, ScanError, ScanReply, Scanner};
pub use seal::{
    DayFile, DaySealError, PUBLIC_CALENDARS, ProofPage, ProofSettings, SealAnswer, SealAsk,
};
/// What the store keeps that callers are shown.
pub use store::{KeptReply, Licence, Visibility};

/// The name our reader goes by, and its version.
pub const PRODUCT: &str = "wayleave";
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What an operator decides about the use cases.
#[derive(Debug, Clone)]
pub struct Settings {
    pub brand: Brand,
    /// Without a trailing slash.
    pub base_url: String,
    /// Where we look from, in the operator's words.
    pub vantage: String,
    /// For all reads of one full scan together.
    pub scan_deadline: Duration,
    /// A domain scanned within this time is answered with the earlier report.
    pub rescan_window: Duration,
    /// Full scans of all domains running at once; further ones wait.
    pub scans_at_once: usize,
    /// How long bodies are kept.
    pub artifact_retention: Retention,
    /// What everybody may have without a licence.
    pub free_scans: FreeScans,
    /// Outcome reports of one address and UTC day; nothing for no such limit.
    pub outcomes_per_day: Option<u32>,
    pub log: LogSettings,
    /// Where the seals of days are anchored.
    pub proof: ProofSettings,
    pub resolve: ResolveSettings,
    /// Who runs this, and where we look from.
    pub operator: OperatorSettings,
}

impl Settings {
    /// What holds when the operator says nothing.
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
            artifact_retention: Retention::Days(90),
            free_scans: FreeScans::default(),
            outcomes_per_day: Some(contract::limits::OUTCOMES_PER_DAY),
            proof: ProofSettings::default(),
            resolve: ResolveSettings::default(),
            operator: OperatorSettings::default(),
        }
    }
}

/// Everything the use cases stand on. Made once by the binary, or by a test with its own parts.
#[allow(missing_debug_implementations, reason = "taken apart at once")]
pub struct Parts {
    pub settings: Settings,
    pub door: Door,
    pub catalogue: Catalogue,
    pub store: Arc<dyn Store>,
    pub keys: KeyStore,
    /// Marks our own pages, and names addresses in counts.
    pub secret: Secret,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn Ids>,
}

/// The use cases. Shared by all requests; nothing in here changes after it is made, except the set
/// of domains being scanned, the keys and what is known of this build (each guarded by its own
/// lock).
pub struct Service {
    settings: Settings,
    scanner: Scanner,
    store: Arc<dyn Store>,
    keys: Arc<keys::Keys>,
    ids: Arc<dyn Ids>,
    log: log::Log,
    /// What heads carry beyond the rule; set once the running build is known.
    head_extras: Arc<OnceLock<HeadExtras>>,
    secret: Secret,
    clock: Arc<dyn Clock>,
    scanning: in_flight::InFlight,
    /// The domains of which a page is being watched just now.
    checking: in_flight::InFlight,
    scan_slots: tokio::sync::Semaphore,
    build: build::Known,
    resolving: resolve::Resolving,
    revocations: revocations::Lists,
}

impl Service {
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        let Parts { settings, door, catalogue, store, keys, secret, clock, ids } = parts;
        Self {
            scanner: Scanner::new(&settings, door, catalogue, Arc::clone(&clock), Arc::clone(&ids)),
            ids,
            log: log::Log::default(),
            head_extras: Arc::default(),
            scanning: in_flight::InFlight::default(),
            checking: in_flight::InFlight::default(),
            scan_slots: tokio::sync::Semaphore::new(settings.scans_at_once),
            keys: Arc::new(keys::Keys::new(
                keys,
                settings.brand.clone(),
                settings.base_url.clone(),
                clock.now(),
            )),
            build: build::Known::default(),
            resolving: resolve::Resolving::new(&settings.resolve),
            revocations: revocations::Lists::default(),
            settings,
            store,
            secret,
            clock,
        }
    }

    #[must_use]
    pub fn brand(&self) -> &Brand {
        &self.settings.brand
    }

    /// The time by which answers are told.
    #[must_use]
    pub fn now(&self) -> contract::Timestamp {
        self.clock.now().whole_seconds()
    }

    #[must_use]
    pub fn base_url(&self) -> &str {
        &self.settings.base_url
    }

    /// The domain that a caller means, under the names this deployment lets through.
    pub fn domain(&self, text: &str) -> Result<Domain, NameRefusal> {
        Domain::parse(text, self.scanner.names())
    }
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service").field("settings", &self.settings).finish_non_exhaustive()
    }
}
