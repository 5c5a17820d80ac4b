//! A registry with its RDAP server (RFC 9083), and the list of registries (RFC 9224), as `rdap.lab` serves them:
//!
//! - `/dns.json`: which server answers for which names;
//! - `/lab/domain/{name}`: the registration of a domain. Every site of the lab has one, and
//!   `rdap-{variant}.lab` ([`rdap_variants`]) has one in another form, or none. Tests change them by
//!   [`Lab::set_registration`](crate::Lab::set_registration).

mod addresses;
mod document;
mod registration;
mod serve;
mod state;
mod variants;

pub use addresses::{RDAP_HOST, rdap_bootstrap_url, rdap_domain_url};
pub use registration::LabRegistration;
pub use state::{BootstrapBehaviour, RegistryEntry};
pub use variants::{RdapResult, RdapVariant, rdap_variants};

pub(crate) use serve::reply;
pub(crate) use state::RdapState;
