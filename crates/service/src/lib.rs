//! The use cases, one file each, in groups. Each group has a struct with the state it needs.
//!
//! This crate connects the others: `observe` reads sites, `judge` judges, `proof` signs, `store`
//! stores. Time budgets, single flight and freshness are decided here. It knows nothing of HTTP, SQL
//! or command lines.
//!
//! Groups, lowest first. A group imports only groups before it in this list:
//! [`access`] (limits, licences, idempotency keys), [`log`] (transparency log, daily seals, builds),
//! [`mcp`] (MCP servers), [`answers`] (resolve, preflight and the evidence behind them), [`visitors`] (who a visitor is),
//! [`conduct`] (agents on our own site), [`scanning`] (full scans, reports,
//! censuses), [`domains`] (registrations and timelines of domains, and who controls them), [`webhooks`] (events for
//! licence holders), [`jobs`] (background loops).

pub mod access;
pub mod accuracy;
pub mod answers;
mod bounded_cache;
pub mod conduct;
mod domain_turns;
pub mod domains;
mod in_flight;
pub mod jobs;
pub(crate) mod judging_slots;
mod live_setting;
pub mod log;
pub mod mcp;
#[cfg(test)]
mod memory_tests;
mod observer_directory;
mod own_reads;
mod product;
mod random_ids;
mod readiness;
mod report_error;
mod request_signing;
mod retention;
mod scanner;
pub mod scanning;
mod settings;
mod signing_keys;
mod stored_claims;
mod target_domains;
#[cfg(test)]
mod testing;
pub mod visitors;
pub mod webhooks;

use std::fmt;
use std::sync::{Arc, Mutex};

use agents::Catalogue;
use contract::{Brand, Clock, Domain, Issuer, NamePolicy, NameRefusal};
use door::Door;
use proof::KeyStore;
use proof::keys::DeploymentSecret;
use store::Store;
use supervisor::Supervisor;

use self::live_setting::LiveSetting;

pub use access::{
    Access, AddressBlock, ClaimOutcome, CountedCall, FreeKeyError, FreeKeySettings, FreeKeys,
    FreeScans, IdempotencyHandle, IdempotencyOutcome, IdempotencyRequest, LicenceError, LicenceKey,
    LinkState, LinkToken, LiveReadPermit, PresentedKey, QuotaError, QuotaState, RefusedMailDomains,
    SessionToken, SignedIn, pause_scans, scans_paused,
};
pub use accuracy::{Accuracy, AccuracyError, AccuracyQuery, MeasureError};
pub use answers::content_clock::ContentClocks;
pub use answers::outcome::{DailyAllowance, OutcomeError, OutcomeReply, Outcomes};
pub use answers::{
    Answers, ClaimsQuery, EquivalenceError, FieldCheckQuery, ResolveSettings, SignedFieldCheck,
    build_field_check,
};
pub use conduct::{AnsweredRequest, Conduct, ConductAnswer, ConductError};
pub use domains::{
    ClaimDetails, ClaimRow, ClaimSecret, ControlError, DisputeView, DomainControl, Domains, Owner,
    ProvenClaim, RegistrationError, RegistrationReading, RegistrySettings,
};
pub use log::builds::Builds;
pub use log::daily_seals::{
    AnchoringSettings, DailySeals, DaySealError, DaySealFile, PUBLIC_CALENDARS, SealIndexPage,
    SealLookupAnswer, SealQuery,
};
pub use log::{LogFault, LogSettings, SealError, SealedLeaf, TransparencyLog};
pub use mcp::McpServers;
pub use product::{PRODUCT, ReaderFacts, ServiceLimits, VERSION};
pub use random_ids::{Ids, RandomnessError, SystemIds};
pub use readiness::{ReadinessError, ReadinessReport};
pub use report_error::ReportError;
pub use retention::RetentionSettings;
pub use scanner::{ScanOutcome, Scanner, ScannerError, ScannerSettings};
pub use scanning::census::Census;
pub use scanning::{
    Caller, FileProgress, IdentityProgress, ReadResult, RefusedBody, Report, ReportContext,
    ReportReader, RunningScan, ScanBoard, ScanCommand, ScanError, ScanListener, ScanReply,
    Scanning, owner_holder, scoring_method,
};
pub use settings::{AccuracySettings, OperatorSettings, ReloadableSettings, Settings};
pub use signing_keys::{KEY_DIRECTORY_PATH, KEY_ROTATION_PATH, KeyDirectory, SigningKeys};
/// Stored types that are part of this crate's interface.
pub use store::{
    DeletedScan, Delivery, DeliveryState, DisputeCounts, Licence, LicenceScan, LicensedDomains,
    ScanRow, Session, StoreError, StoredKey, StoredReply, Visibility, Webhook,
};
pub use target_domains::DomainLimits;
pub use visitors::{VisitorSettings, Visitors};
pub use webhooks::{EventName, WebhookError, Webhooks};

/// Everything a [`Service`] is built from. The binary or a test supplies it.
#[allow(missing_debug_implementations, reason = "consumed at once by Service::new")]
pub struct ServiceDependencies {
    pub settings: Settings,
    pub door: Door,
    pub catalogue: Catalogue,
    pub store: Arc<dyn Store>,
    pub keys: KeyStore,
    /// Authenticates page tokens and cursors, and hides client addresses in counters.
    pub secret: DeploymentSecret,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn Ids>,
}

/// All use cases of a deployment, by group. Shared by all requests. Each group guards its own state;
/// see the comments on the group structs.
pub struct Service {
    settings: Settings,
    issuer: Issuer,
    scanner: Scanner,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    supervisor: Supervisor,
    pub keys: Arc<SigningKeys>,
    pub access: Arc<Access>,
    /// `None` if this deployment offers no free keys.
    pub free_keys: Option<Arc<FreeKeys>>,
    pub log: Arc<TransparencyLog>,
    pub seals: Arc<DailySeals>,
    pub builds: Arc<Builds>,
    pub mcp: Arc<McpServers>,
    pub answers: Arc<Answers>,
    pub outcomes: Arc<Outcomes>,
    pub clocks: Arc<ContentClocks>,
    pub visitors: Arc<Visitors>,
    pub conduct: Arc<Conduct>,
    pub scanning: Arc<Scanning>,
    pub census: Arc<Census>,
    pub control: Arc<DomainControl>,
    pub domains: Arc<Domains>,
    pub accuracy: Arc<Accuracy>,
    pub webhooks: Arc<Webhooks>,
}

impl Service {
    /// With a supervisor of its own: for commands and tests, which see failures as errors.
    #[must_use]
    pub fn new(parts: ServiceDependencies) -> Self {
        Self::with_supervisor(parts, Supervisor::default())
    }

    /// The threads of the service are started by this supervisor.
    #[must_use]
    pub fn with_supervisor(parts: ServiceDependencies, supervisor: Supervisor) -> Self {
        let ServiceDependencies { settings, door, catalogue, store, keys, secret, clock, ids } =
            parts;
        let issuer = Issuer::new(settings.brand.clone(), &settings.base_url);
        let scanner =
            Scanner::new(settings.scanner(), door, catalogue, Arc::clone(&clock), Arc::clone(&ids));
        let keys = Arc::new(SigningKeys::new(keys, issuer.clone(), Arc::clone(&clock)));
        let signer = request_signing::OwnRequestSigner::new(
            &issuer,
            Arc::clone(&keys),
            Arc::clone(&clock),
            Arc::clone(&ids),
        );
        if let Some(signer) = signer {
            scanner.sign_own_requests(Arc::new(signer));
        }
        let access = Arc::new(Access {
            store: Arc::clone(&store),
            clock: Arc::clone(&clock),
            secret: secret.clone(),
            ids: Arc::clone(&ids),
            free_scans: LiveSetting::new(settings.free_scans),
            plans: LiveSetting::new(Arc::new(settings.plans.clone())),
            page_token_uses: Default::default(),
        });
        let free_keys = settings.free_keys.clone().map(|free_keys| {
            let parts = access::FreeKeyParts {
                issuer: issuer.clone(),
                store: Arc::clone(&store),
                clock: Arc::clone(&clock),
                ids: Arc::clone(&ids),
                secret: secret.clone(),
                contact: settings.operator.contact.clone(),
            };
            Arc::new(FreeKeys::new(free_keys, parts))
        });
        let log = Arc::new(TransparencyLog::new(
            settings.log.clone(),
            issuer.clone(),
            Arc::clone(&store),
            Arc::clone(&keys),
            Arc::clone(&clock),
            Arc::clone(&ids),
            supervisor.clone(),
        ));
        let seals = Arc::new(DailySeals {
            settings: settings.proof.clone(),
            issuer: issuer.clone(),
            store: Arc::clone(&store),
            keys: Arc::clone(&keys),
            clock: Arc::clone(&clock),
            ids: Arc::clone(&ids),
            unsealed: log::daily_seals::UnsealedScans::default(),
        });
        let builds = Arc::new(Builds::new(issuer.clone(), Arc::clone(&keys), Arc::clone(&log)));
        let targets = target_domains::TargetDomains::new(settings.domain_limits);
        let mcp = Arc::new(McpServers::new(
            issuer.clone(),
            scanner.clone(),
            Arc::clone(&store),
            Arc::clone(&keys),
            Arc::clone(&builds),
            Arc::clone(&clock),
            targets.clone(),
        ));
        let answers = Arc::new(Answers {
            targets: targets.clone(),
            resolve_state: answers::resolve::ResolveState::new(&settings.resolve),
            signed_lists: answers::revocations::SignedListCache::default(),
            facts: answers::FactsCache::new(),
            field_checks: answers::FieldCheckCache::new(),
            settings: settings.resolve.clone(),
            retention: settings.retention,
            issuer: issuer.clone(),
            scanner: scanner.clone(),
            store: Arc::clone(&store),
            keys: Arc::clone(&keys),
            log: Arc::clone(&log),
            builds: Arc::clone(&builds),
            mcp: Arc::clone(&mcp),
            clock: Arc::clone(&clock),
            ids: Arc::clone(&ids),
            secret: secret.clone(),
        });
        let outcomes = Arc::new(Outcomes {
            issuer: issuer.clone(),
            names: scanner.name_policy().clone(),
            per_day: LiveSetting::new(settings.outcomes_per_day),
            store: Arc::clone(&store),
            keys: Arc::clone(&keys),
            clock: Arc::clone(&clock),
            secret: secret.clone(),
        });
        let clocks = Arc::new(ContentClocks {
            issuer: issuer.clone(),
            scanner: scanner.clone(),
            store: Arc::clone(&store),
            keys: Arc::clone(&keys),
            clock: Arc::clone(&clock),
            secret: secret.clone(),
            targets: targets.clone(),
            checking: in_flight::InFlightDomains::default(),
        });
        let visitors = Arc::new(Visitors::new(
            settings.visitors.clone(),
            issuer.clone(),
            scanner.clone(),
            Arc::clone(&store),
            Arc::clone(&keys),
            Arc::clone(&clock),
        ));
        let conduct = Arc::new(Conduct::new(
            issuer.clone(),
            &scanner,
            Arc::clone(&store),
            Arc::clone(&keys),
            Arc::clone(&clock),
            Arc::clone(&visitors),
        ));
        let scanning = Arc::new(Scanning {
            issuer: issuer.clone(),
            deadline: settings.scan_deadline,
            rescan_window: settings.rescan_window,
            scanner: scanner.clone(),
            store: Arc::clone(&store),
            keys: Arc::clone(&keys),
            clock: Arc::clone(&clock),
            access: Arc::clone(&access),
            seals: Arc::clone(&seals),
            answers: Arc::clone(&answers),
            targets,
            recent_unlisted: scanning::RecentUnlistedScans::default(),
            in_flight: in_flight::InFlightDomains::default(),
            slots: tokio::sync::Semaphore::new(settings.scans_at_once),
            documents: Default::default(),
            running: Default::default(),
        });
        let census = Arc::new(Census {
            issuer: issuer.clone(),
            scans_at_once: settings.scans_at_once,
            scanning: Arc::clone(&scanning),
            answers: Arc::clone(&answers),
            builds: Arc::clone(&builds),
            store: Arc::clone(&store),
            keys: Arc::clone(&keys),
            clock: Arc::clone(&clock),
        });
        let domains = Arc::new(Domains::new(
            settings.registry.clone(),
            issuer.clone(),
            scanner.clone(),
            Arc::clone(&store),
            Arc::clone(&keys),
            Arc::clone(&clock),
            secret.clone(),
        ));
        let control = Arc::new(DomainControl::new(domains::control::ControlParts {
            issuer: issuer.clone(),
            scanner: scanner.clone(),
            store: Arc::clone(&store),
            keys: Arc::clone(&keys),
            clock: Arc::clone(&clock),
            ids: Arc::clone(&ids),
            secret,
            answers: Arc::clone(&answers),
            scanning: Arc::clone(&scanning),
            domains: Arc::clone(&domains),
            checks_per_day: settings.claim_checks_per_day,
            vantage: settings.vantage.clone(),
            network: settings.vantage.clone(),
        }));
        let accuracy = Arc::new(Accuracy {
            settings: settings.accuracy.clone(),
            issuer: issuer.clone(),
            store: Arc::clone(&store),
            keys: Arc::clone(&keys),
            clock: Arc::clone(&clock),
            answers: Arc::clone(&answers),
            queued: Mutex::default(),
        });
        let webhooks = Arc::new(Webhooks::new(
            issuer.clone(),
            scanner.clone(),
            Arc::clone(&store),
            Arc::clone(&keys),
            Arc::clone(&clock),
            ids,
        ));
        Self {
            settings,
            issuer,
            scanner,
            store,
            clock,
            supervisor,
            keys,
            access,
            free_keys,
            log,
            seals,
            builds,
            mcp,
            answers,
            outcomes,
            clocks,
            visitors,
            conduct,
            scanning,
            census,
            control,
            domains,
            accuracy,
            webhooks,
        }
    }

    /// Applies settings to everything that begins from now on.
    pub fn reload(&self, settings: ReloadableSettings) {
        let ReloadableSettings { free_scans, plans, free_keys_per_day, outcomes_per_day, proxies } =
            settings;
        self.access.free_scans.set(free_scans);
        self.access.plans.set(Arc::new(plans));
        if let Some(free_keys) = &self.free_keys {
            free_keys.per_address_and_day.set(free_keys_per_day);
        }
        self.outcomes.per_day.set(outcomes_per_day);
        self.visitors.proxies.set(proxies.into());
    }

    /// What knows whether all threads and tasks of the service run.
    #[must_use]
    pub fn supervisor(&self) -> &Supervisor {
        &self.supervisor
    }

    /// Who runs this deployment.
    #[must_use]
    pub fn operator(&self) -> &OperatorSettings {
        &self.settings.operator
    }

    #[must_use]
    pub fn issuer(&self) -> &Issuer {
        &self.issuer
    }

    #[must_use]
    pub fn brand(&self) -> &Brand {
        &self.issuer.brand
    }

    #[must_use]
    pub fn base_url(&self) -> &str {
        &self.issuer.base_url
    }

    /// The current time in whole seconds, as answers state it.
    #[must_use]
    pub fn now(&self) -> contract::Timestamp {
        self.clock.now().whole_seconds()
    }

    /// Which names count as public in this deployment.
    #[must_use]
    pub fn name_policy(&self) -> &NamePolicy {
        self.scanner.name_policy()
    }

    /// Parses a domain or URL that a caller typed. Refuses names that are not public here.
    pub fn parse_domain(&self, text: &str) -> Result<Domain, NameRefusal> {
        Domain::parse(text, self.name_policy())
    }
}

/// `Debug` prints only the type name: the fields are shared machinery of no use in a log line.
macro_rules! debug_by_name {
    ($($name:ident),+) => {$(
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    )+};
}

debug_by_name!(
    Access,
    Answers,
    Builds,
    Census,
    Conduct,
    ContentClocks,
    DailySeals,
    DomainControl,
    Domains,
    FreeKeys,
    McpServers,
    Outcomes,
    Scanning,
    SigningKeys,
    TransparencyLog,
    Visitors,
    Webhooks
);

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service").field("settings", &self.settings).finish_non_exhaustive()
    }
}
