//! Reads the proof of a claim, and what the registry says about its domain.

use contract::control_proof::proof_value;
use contract::records::{ControlMethod, ControlReading, RegistryState};
use contract::{Domain, Timestamp};
use judge::control::{ProofReading, RegistryFacts, RegistryReading};
use observe::{ControlCheck, ProofResult};

use super::{CHECK_TIME, ControlError, DomainControl};
use crate::domains::RegistrationReading;
use crate::in_flight::InFlightGuard;

/// What was read of a proof.
pub(super) struct ReadProof {
    pub(super) reading: ProofReading,
    /// What was seen, in sentences.
    pub(super) seen: String,
    /// The same, by each vantage. Today there is one.
    pub(super) readings: Vec<ControlReading>,
}

impl DomainControl {
    /// Marks a domain as being checked, so that one check of it runs at a time.
    pub(super) fn begin_check(&self, domain: &Domain) -> Result<InFlightGuard, ControlError> {
        self.checking.try_begin(domain).ok_or(ControlError::Busy)
    }

    /// Reads the place of a proof once. The domain must have been marked.
    pub(super) async fn read_proof(
        &self,
        _checked: &InFlightGuard,
        domain: &Domain,
        method: &ControlMethod,
        token: &str,
    ) -> ReadProof {
        let value = proof_value(method, token).unwrap_or_default();
        let check = ControlCheck {
            domain,
            method,
            brand: &self.issuer.brand,
            value: &value,
            door: self.scanner.door(),
            catalogue: self.scanner.catalogue(),
            deadline: CHECK_TIME,
        };
        let outcome = check.run().await;
        let reading = match outcome.result {
            ProofResult::Found => ProofReading::Present,
            ProofResult::NotFound => ProofReading::Absent,
            ProofResult::Unreadable => ProofReading::Unreadable,
        };
        metrics::counter!(super::recheck::CHECKS, "result" => outcome.result.as_str()).increment(1);
        let seen = match outcome.dnssec_validated {
            Some(true) => {
                format!("{} The resolver validated the answer by DNSSEC.", outcome.detail)
            }
            _ => outcome.detail,
        };
        let readings = vec![ControlReading {
            observer: self.vantage.clone(),
            network: self.network.clone(),
            result: seen.clone(),
        }];
        ReadProof { reading, seen, readings }
    }

    /// What the registry says now about the domain that this name belongs to.
    pub(super) async fn read_registry(&self, domain: &Domain) -> ReadRegistry {
        match self.domains.refresh_registration(domain).await {
            Ok(reading) => self.describe_registry(&reading),
            Err(error) => {
                tracing::warn!(%error, %domain, "a registration could not be read");
                ReadRegistry { reading: RegistryReading::Unknown, evidence: None }
            }
        }
    }

    /// What a reading of the registry means for a claim, with the words of it that an event is based on.
    pub(super) fn describe_registry(&self, reading: &RegistrationReading) -> ReadRegistry {
        let meaning = to_registry_reading(reading);
        let source = reading.source.as_deref().unwrap_or("no address");
        let result = match &meaning {
            RegistryReading::Registered(facts) => {
                Some(format!("Registry ({source}): {}.", describe_facts(facts)))
            }
            RegistryReading::NotRegistered => {
                Some("Registry: there is no registration of this name.".to_owned())
            }
            RegistryReading::Unknown => None,
        };
        let evidence = result.map(|result| ControlReading {
            observer: self.vantage.clone(),
            network: self.network.clone(),
            result,
        });
        ReadRegistry { reading: meaning, evidence }
    }
}

/// What was read of the registry.
pub(super) struct ReadRegistry {
    pub(super) reading: RegistryReading,
    /// What it said, for the events that follow from it. `None` if it said nothing.
    pub(super) evidence: Option<ControlReading>,
}

/// The facts that claims depend on, in one line.
fn describe_facts(facts: &RegistryFacts) -> String {
    let time = |time: Option<Timestamp>| time.map_or("no date".to_owned(), |time| time.to_string());
    let list = |words: &[String]| match words {
        [] => "none".to_owned(),
        words => words.join(", "),
    };
    let mut text = format!(
        "registrar {}, IANA id {}, registered {}, expires {}, status {}, nameservers {}",
        facts.registrar.as_deref().unwrap_or("not named"),
        facts.registrar_iana_id.as_deref().unwrap_or("none"),
        time(facts.created),
        time(facts.expires),
        list(&facts.status),
        list(&facts.nameservers),
    );
    if let Some(at) = facts.transferred_at {
        text.push_str(&format!(", transferred {at}"));
    }
    text
}

/// An older reading says nothing about today.
fn to_registry_reading(reading: &RegistrationReading) -> RegistryReading {
    match (&reading.state, &reading.registration) {
        (RegistryState::Observed, Some(found)) => RegistryReading::Registered(RegistryFacts {
            registrar: found.registrar.clone(),
            registrar_iana_id: found.registrar_iana_id.clone(),
            created: found.created,
            expires: found.expires,
            transferred_at: found.transferred_at.max(found.reregistered_at),
            nameservers: found.nameservers.clone(),
            status: found.status.clone(),
        }),
        _ if reading.is_unregistered() => RegistryReading::NotRegistered,
        _ => RegistryReading::Unknown,
    }
}
