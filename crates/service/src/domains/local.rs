//! The record of a domain without a server: the registry is asked now; nothing is signed or stored.

use std::time::Duration;

use contract::limits::REGISTRY_READ_BUDGET;
use contract::records::{DomainRecord, RegistryState};
use contract::{Clock, Domain, Issuer};
use declared::rdap::Bootstrap;
use judge::registry::{RegistryFacts, TimelineSources, build_timeline, registry_section};
use observe::RegistrationOutcome;

use super::registry::{NO_SERVICE, NO_SUCH_DOMAIN};
use crate::scanner::Scanner;
use crate::settings::Settings;

const LIST_BUDGET: Duration = Duration::from_secs(10);

impl Scanner {
    /// Asks the registry of a domain. If the list of registries cannot be fetched, the built-in copy is used.
    pub async fn domain_record(
        &self,
        domain: &Domain,
        settings: &Settings,
        clock: &dyn Clock,
    ) -> DomainRecord {
        let registered = domain.registered_domain();
        let list = match &settings.registry.bootstrap {
            None => Err("This configuration reads no registries.".to_owned()),
            Some(url) => Ok(self.read_registry_list(url, LIST_BUDGET).await),
        };
        let mut facts = RegistryFacts {
            registered_domain: &registered,
            state: RegistryState::NotMeasured,
            why: None,
            registration: None,
            source: None,
            read_at: None,
        };
        let outcome = match list {
            Err(why) => RegistrationOutcome::Failed(why),
            Ok(fetched) => {
                let list = fetched.unwrap_or_else(|why| {
                    tracing::warn!(%why, "the list of registries could not be fetched");
                    Bootstrap::built_in()
                });
                match list.server(registered.as_str()) {
                    Some(server) => {
                        self.read_registration(&registered, server, REGISTRY_READ_BUDGET).await
                    }
                    None if list.is_complete => {
                        facts.state = RegistryState::NotAvailable;
                        RegistrationOutcome::Failed(NO_SERVICE.to_owned())
                    }
                    None => RegistrationOutcome::Failed(
                        "The list of registries could not be fetched.".to_owned(),
                    ),
                }
            }
        };
        let now = clock.now().whole_seconds();
        let why = match &outcome {
            RegistrationOutcome::Read { registration, source } => {
                facts.state = RegistryState::Observed;
                facts.registration = Some(registration);
                facts.source = Some(source);
                facts.read_at = Some(now);
                None
            }
            RegistrationOutcome::NotFound { source } => {
                facts.state = RegistryState::NotRegistered;
                facts.source = Some(source);
                Some(NO_SUCH_DOMAIN.to_owned())
            }
            RegistrationOutcome::Refused { status, .. } => {
                Some(format!("The registry's server refused the request with status {status}."))
            }
            RegistrationOutcome::Failed(why) => Some(why.clone()),
        };
        facts.why = why.as_deref();
        let issuer = Issuer::new(settings.brand.clone(), &settings.base_url);
        let registration = facts.registration;
        DomainRecord {
            kind: issuer.brand.kind("domain"),
            v: 1,
            schema: issuer.schema_url("domain"),
            domain: domain.clone(),
            generated_at: now,
            registry: registry_section(&facts),
            timeline: build_timeline(TimelineSources {
                registered_at: registration.and_then(|registration| registration.created),
                registrar: registration.and_then(|registration| registration.registrar.as_deref()),
                first_read_at: None,
                registry_changes: &[],
                answer_changes: &[],
                control_events: Vec::new(),
                brand: issuer.brand.as_str(),
            }),
            cursor: None,
            has_more: false,
            sha256: None,
            signature: None,
        }
    }
}
