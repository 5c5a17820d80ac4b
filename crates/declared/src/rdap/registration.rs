//! What a registry says about a domain.

use contract::Timestamp;
use serde::{Deserialize, Serialize};

/// The registration of one domain. `None` and empty lists mean that the registry does not say; with an entry in
/// `redacted` it may have withheld the value.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registration {
    pub registrar: Option<String>,
    /// Digits. Registrars of most country-code domains have none.
    pub registrar_iana_id: Option<String>,
    pub created: Option<Timestamp>,
    /// The registry's date, or the registrar's where the registry gives none.
    pub expires: Option<Timestamp>,
    pub changed: Option<Timestamp>,
    /// The newest transfer.
    pub transferred_at: Option<Timestamp>,
    /// When the name was last registered again after it was deleted.
    pub reregistered_at: Option<Timestamp>,
    /// Lower case without a trailing dot, sorted.
    pub nameservers: Vec<String>,
    /// Whether the parent zone has keys for the domain.
    pub dnssec: Option<bool>,
    /// In the words of RFC 8056 and RFC 9083, sorted.
    pub status: Vec<String>,
    /// The names of what the registry withheld (RFC 9537), never a value.
    pub redacted: Vec<String>,
}

impl Registration {
    /// Whether the registry is about to release the name: its holder has lost it or is about to.
    #[must_use]
    pub fn is_being_released(&self) -> bool {
        const RELEASED: [&str; 3] = ["pending delete", "redemption period", "removed"];
        self.status.iter().any(|word| RELEASED.contains(&word.as_str()))
    }
}
