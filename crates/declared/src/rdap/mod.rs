//! Registration data by RDAP (RFC 9083): bytes of a registry's response in, facts out; and the file that says
//! which registry serves which top-level domain (RFC 9224).
//!
//! Registries differ widely in how they fill the format, so the parsers take what they can: dates in many forms,
//! single values in place of lists, EPP words in place of those of RDAP. They read nothing about registrants.

mod bootstrap;
mod contact_name;
mod dates;
mod domain_object;
mod fault;
mod names;
mod registrar;
mod registration;
mod status_words;
#[cfg(test)]
mod tests;

pub use bootstrap::{Bootstrap, BootstrapFault, MAX_BOOTSTRAP_BYTES};
pub use dates::parse_date;
pub use domain_object::{MAX_RESPONSE_BYTES, parse_domain_object};
pub use fault::RdapFault;
pub use registration::Registration;
