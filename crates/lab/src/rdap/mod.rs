//! A registry with its RDAP server (RFC 9083), and the list of registries (RFC 9224), as `rdap.lab` serves them:
//!
//! - `/dns.json`: which server answers for which names;
//! - `/lab/domain/{name}`: the registration of a domain. Every site of the lab has one, and
//!   `rdap-{variant}.lab` ([`rdap_variants`]) has one in another form, or none. Tests change them by
//!   [`Lab::set_registration`](crate::Lab::set_registration).

mod document;
mod registration;
mod serve;
mod state;
mod variants;

pub use registration::LabRegistration;
pub use state::{BootstrapBehaviour, RegistryEntry};
pub use variants::{RdapResult, RdapVariant, rdap_variants};

pub(crate) use serve::reply;
pub(crate) use state::RdapState;

/// The host of the registry.
pub const RDAP_HOST: &str = "rdap.lab";

/// Where the list of registries is.
#[must_use]
pub fn rdap_bootstrap_url() -> String {
    format!("https://{RDAP_HOST}/dns.json")
}

/// Where the registration of a domain is.
#[must_use]
pub fn rdap_domain_url(domain: &str) -> String {
    format!("https://{RDAP_HOST}/lab/domain/{domain}")
}
