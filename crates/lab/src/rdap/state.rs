//! What tests changed about the registry of one lab.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use super::{registration::LabRegistration, variants::RdapVariant};

/// What the registry answers about a domain.
#[derive(Debug, Clone)]
pub enum RegistryEntry {
    Registered(LabRegistration),
    /// There is no such domain (any more).
    NotRegistered,
    /// One of [`super::rdap_variants`].
    Variant(&'static RdapVariant),
    /// The server accepts the request and never answers.
    Silent,
}

/// What `/dns.json` serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BootstrapBehaviour {
    #[default]
    Good,
    /// The good list without `lab`.
    WithoutLab,
    /// A page in place of the list.
    Page,
    Status500,
}

/// By domain, in lower case. Tests write it through [`Lab`](crate::Lab), connections read it; the mutexes are
/// never held across an await.
#[derive(Debug, Default)]
pub(crate) struct RdapState {
    entries: Mutex<HashMap<String, RegistryEntry>>,
    bootstrap: Mutex<BootstrapBehaviour>,
}

impl RdapState {
    pub(crate) fn set(&self, domain: &str, entry: RegistryEntry) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.insert(domain.to_ascii_lowercase(), entry);
    }

    pub(crate) fn set_bootstrap(&self, behaviour: BootstrapBehaviour) {
        *self.bootstrap.lock().unwrap_or_else(PoisonError::into_inner) = behaviour;
    }

    /// Forgets what was changed about this domain.
    pub(crate) fn reset(&self, domain: &str) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.remove(&domain.to_ascii_lowercase());
    }

    pub(crate) fn get(&self, domain: &str) -> Option<RegistryEntry> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).get(domain).cloned()
    }

    pub(super) fn bootstrap(&self) -> BootstrapBehaviour {
        *self.bootstrap.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
