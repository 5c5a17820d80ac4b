//! The product name and version that scans send and records state, what site owners are told about our
//! reader, and what clients are told about limits.

use contract::policies::{self, Policy};
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

/// The limits that the service enforces itself, for the documentation. `None` for no limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceLimits {
    /// Free scans of one address in a UTC day.
    pub scans_per_address_and_day: Option<u32>,
    /// Free scans of all callers in a UTC day.
    pub scans_per_day: u32,
    /// Requests for free keys of one address in a UTC day.
    pub free_keys_per_day: Option<u32>,
    /// Outcome reports of one address in a UTC day.
    pub outcomes_per_day: Option<u32>,
    pub domains: Option<DomainLimits>,
}

impl Default for ServiceLimits {
    fn default() -> Self {
        Self::of(&Settings::new(String::new()))
    }
}

impl ServiceLimits {
    fn of(settings: &Settings) -> Self {
        Self {
            scans_per_address_and_day: settings.free_scans.per_address_and_day,
            scans_per_day: settings.free_scans.per_day,
            free_keys_per_day: match &settings.free_keys {
                Some(offered) => offered.per_address_and_day,
                None => Some(policies::FREE_KEY_DAY.max),
            },
            outcomes_per_day: settings.outcomes_per_day,
            domains: settings.domain_limits,
        }
    }

    /// How many of a policy are accepted; `None` for no limit.
    #[must_use]
    pub fn max_of(&self, policy: &Policy) -> Option<u32> {
        // 0 means no limit.
        let of_domains = |limit: fn(&DomainLimits) -> u32| {
            self.domains.as_ref().map(limit).filter(|limit| *limit > 0)
        };
        match policy.name {
            name if name == policies::SCAN_DAY.name => self.scans_per_address_and_day,
            name if name == policies::SCAN_DAY_TOTAL.name => Some(self.scans_per_day),
            name if name == policies::FREE_KEY_DAY.name => self.free_keys_per_day,
            name if name == policies::OUTCOME_DAY.name => self.outcomes_per_day,
            name if name == policies::TARGET_LIVE.name => of_domains(|limits| limits.live_per_hour),
            name if name == policies::TARGET_SCAN.name => {
                of_domains(|limits| limits.scans_per_hour)
            }
            name if name == policies::TARGET_MCP.name => {
                of_domains(|limits| limits.mcp_walks_per_hour)
            }
            name if name == policies::TOTAL_LIVE.name => {
                of_domains(|limits| limits.total_live_per_minute)
            }
            name if name == policies::TARGET_LIVE_AT_ONCE.name
                || name == policies::TARGET_SCAN_AT_ONCE.name =>
            {
                self.domains.map(|_| policy.max)
            }
            // Operators cannot change it.
            _ => Some(policy.max),
        }
    }
}

impl Service {
    /// The limits in force.
    #[must_use]
    pub fn limits(&self) -> ServiceLimits {
        ServiceLimits::of(&self.settings)
    }

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

#[cfg(test)]
mod tests {
    use contract::policies::{CountedBy, POLICIES, Period};

    use super::*;

    /// Every policy that the web side does not enforce has its default here.
    #[test]
    fn the_limits_are_those_of_the_table() {
        let defaults = ServiceLimits::default();
        let off = ServiceLimits { domains: None, ..defaults.clone() };
        for policy in POLICIES {
            let is_of_target = matches!(policy.counted_by, CountedBy::Target)
                || policy.name == policies::TOTAL_LIVE.name;
            if is_of_target || policy.period == Period::Day {
                assert_eq!(defaults.max_of(&policy), Some(policy.max), "{}", policy.name);
            }
            if is_of_target {
                assert_eq!(off.max_of(&policy), None, "{}", policy.name);
            }
        }
    }
}
