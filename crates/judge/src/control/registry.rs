//! What the registry's data says about a claim.

use contract::Timestamp;
use serde::{Deserialize, Serialize};

pub(super) const DAY_MS: i64 = 24 * 3_600_000;

/// The registration data that claims depend on. Stored with each claim as it was when control was proven.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegistryFacts {
    pub registrar: Option<String>,
    pub registrar_iana_id: Option<String>,
    pub created: Option<Timestamp>,
    pub expires: Option<Timestamp>,
    /// The newest transfer or re-registration that the registry lists.
    pub transferred_at: Option<Timestamp>,
    #[serde(default)]
    pub nameservers: Vec<String>,
    /// In the words of RFC 8056.
    #[serde(default)]
    pub status: Vec<String>,
}

/// What a read of the registry came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RegistryReading {
    Registered(RegistryFacts),
    /// The registry says that there is no such registration.
    NotRegistered,
    /// Nothing can be said: there is no service for this top-level domain, or it could not be read.
    Unknown,
}

/// A registration that differs by less is the same: registries round dates.
const SAME_DATE_MS: i64 = DAY_MS;

/// The states of a registration on its way to deletion (RFC 8056).
const ENDING: [&str; 2] = ["redemption period", "pending delete"];

impl RegistryFacts {
    /// Why the registration changed hands, or may have, since the claim. `None` if nothing shows it.
    pub(super) fn transfer_since(&self, claim: &Self, claimed_at: Timestamp) -> Option<String> {
        if let Some(created) = self.created {
            let before = claim.created.unwrap_or(claimed_at);
            if created.millis_since(before) > SAME_DATE_MS {
                return Some(format!(
                    "The registry says that the domain was registered on {created}, after control was proven for an \
                     earlier registration."
                ));
            }
        }
        if let Some(at) = self.transferred_at.filter(|at| *at > claimed_at) {
            return Some(format!(
                "The registry lists a transfer on {at}, after control was proven."
            ));
        }
        self.changed_registrar(claim).map(|(before, now)| {
            format!(
                "The registry names the registrar {now}; when control was proven, it was {before}."
            )
        })
    }

    /// Both registrars, if they are different ones.
    fn changed_registrar<'a>(&'a self, claim: &'a Self) -> Option<(&'a str, &'a str)> {
        let name_or_id = |facts: &'a Self| {
            facts.registrar.as_deref().or(facts.registrar_iana_id.as_deref()).unwrap_or_default()
        };
        let both = (name_or_id(claim), name_or_id(self));
        match (&claim.registrar_iana_id, &self.registrar_iana_id) {
            (Some(before), Some(now)) => (before != now).then_some(both),
            // Without ids only names can be compared, and the same company is written in several ways.
            _ => {
                let (before, now) = (claim.registrar.as_deref()?, self.registrar.as_deref()?);
                let (before, now) = (fold_name(before), fold_name(now));
                let same = before.is_empty()
                    || now.is_empty()
                    || before.contains(&now)
                    || now.contains(&before);
                (!same).then_some(both)
            }
        }
    }

    /// Why the registration has ended or is ending.
    pub(super) fn ending(&self) -> Option<String> {
        let state = self.status.iter().find(|state| ENDING.contains(&state.as_str()))?;
        Some(format!("The registry gives the registration the status \"{state}\"."))
    }

    /// Whether no nameserver of the claim is left.
    pub(super) fn has_other_nameservers(&self, claim: &Self) -> bool {
        !claim.nameservers.is_empty()
            && !self.nameservers.is_empty()
            && !self.nameservers.iter().any(|name| claim.nameservers.contains(name))
    }
}

/// A registrar's name without case, punctuation and spaces.
fn fold_name(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
