//! The catalogue of identities that a scan sends its requests as, and the header fields of each.
//!
//! Address ranges, feed formats, the visitor verdict and conduct counts will belong here too. No
//! I/O: an operator's own catalogue is passed in as text.

mod catalogue;
mod client_hints;

pub use catalogue::{Catalogue, CatalogueError, Identity, Purpose, Role, UserAgentEvidence};
