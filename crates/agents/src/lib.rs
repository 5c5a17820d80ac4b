//! The catalogue of agents and what they send.
//!
//! Now: the identities a scan asks as. Address ranges, feed formats, the visitor verdict and
//! conduct tallies belong here too. No I/O: an operator's own catalogue arrives as text.

mod chrome;
mod identity;

pub use identity::{Catalogue, CatalogueError, Identity, Purpose, Role, UserAgentEvidence};
