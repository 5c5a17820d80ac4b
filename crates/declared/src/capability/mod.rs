//! The capabilities (API operations, agent skills, paid URLs) that a site's machine files declare.
//!
//! [`read_capabilities`] returns what one file declares: a name, a URL and the hints from which
//! its safety class is derived. These are claims: nothing is called here. Only for files that passed
//! inspection.
//!
//! [`SiteCapabilities`] joins the files of a site and gives every capability its safety class. An operation of the
//! class `read_only_public` has a [`ReadCall`]: the one request that may check it, and the comparison of the
//! response with the description.

mod agents;
mod bounds;
mod catalogs;
mod collector;
mod commerce;
mod effect_hints;
pub mod effect_words;
mod fields;
mod file_capabilities;
mod model;
mod name_words;
mod oauth;
mod openapi;
mod read_call;
mod references;
mod responses;
mod safety;
mod schema;
mod site_capabilities;
#[cfg(test)]
mod tests;

pub use catalogs::service_descriptions;
pub use effect_hints::{CredentialRequirement, EffectHints, MethodKind};
pub use file_capabilities::{declares_capabilities, read_capabilities};
pub use model::{Capability, DeclaredCapabilities, MAX_ITEMS};
pub use name_words::NameWords;
pub use oauth::{oauth_issuers, protected_resource};
pub use read_call::ReadCall;
pub use responses::{CallComparison, CallResponse, ComparedParts, Difference, ResponsePart};
pub use safety::safety_class;
pub use site_capabilities::{ClassifiedCapability, DeclaringFile, SiteCapabilities};
