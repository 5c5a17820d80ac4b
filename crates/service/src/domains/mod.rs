//! What is known about a domain besides its site: its registration, the timeline of what happened to it, and who
//! controls it.
//!
//! [`registry`] reads registrations by RDAP and keeps the newest one of each registered domain. `record` makes
//! the signed record of it, with the timeline. [`control`] is who controls a domain.

pub mod control;
mod local;
mod record;
pub mod registry;

use std::sync::Arc;
use std::time::Duration;

use contract::{Clock, Issuer};
use proof::keys::DeploymentSecret;
use store::Store;

pub use control::{
    ClaimDetails, ClaimRow, ClaimSecret, ControlError, DisputeView, DomainControl, Owner,
    ProvenClaim,
};
pub use record::{DomainRecordError, DomainRecordQuery};
pub use registry::{RegistrationError, RegistrationReading};

use self::registry::{BootstrapCache, RegistryHosts};
use crate::domain_turns::DomainTurns;
use crate::scanner::Scanner;
use crate::signing_keys::SigningKeys;

/// What a deployment may choose about registries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistrySettings {
    /// Where the list of registries is; `None` if registries are not read.
    pub bootstrap: Option<String>,
    /// How long a registration is served without reading it again.
    pub cache: Duration,
    /// Reads of one registry's server in any minute; `None` for no limit.
    pub reads_per_minute: Option<u32>,
}

impl Default for RegistrySettings {
    /// Reads no registry.
    fn default() -> Self {
        Self {
            bootstrap: None,
            cache: Duration::from_secs(u64::from(contract::limits::REGISTRY_CACHE_HOURS) * 3_600),
            reads_per_minute: Some(contract::limits::REGISTRY_READS_PER_MINUTE),
        }
    }
}

impl RegistrySettings {
    /// Where IANA publishes the list of registries.
    pub const IANA_BOOTSTRAP: &str = "https://data.iana.org/rdap/dns.json";
}

/// The state of the group. Mutable state: `bootstrap`, `hosts` and `turns`, which guard themselves with locks. All
/// other fields never change.
pub struct Domains {
    pub(crate) settings: RegistrySettings,
    pub(crate) issuer: Issuer,
    pub(crate) scanner: Scanner,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) keys: Arc<SigningKeys>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) secret: DeploymentSecret,
    bootstrap: BootstrapCache,
    hosts: RegistryHosts,
    turns: DomainTurns,
}

impl Domains {
    pub(crate) fn new(
        settings: RegistrySettings,
        issuer: Issuer,
        scanner: Scanner,
        store: Arc<dyn Store>,
        keys: Arc<SigningKeys>,
        clock: Arc<dyn Clock>,
        secret: DeploymentSecret,
    ) -> Self {
        Self {
            bootstrap: BootstrapCache::new(settings.bootstrap.clone()),
            hosts: RegistryHosts::new(settings.reads_per_minute),
            turns: DomainTurns::default(),
            settings,
            issuer,
            scanner,
            store,
            keys,
            clock,
            secret,
        }
    }
}
