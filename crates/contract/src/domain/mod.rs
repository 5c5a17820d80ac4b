//! Names of public sites: which ones the service accepts, and the one form in which they are
//! written.
//!
//! Only rules about text. Whether a name resolves, and to which addresses, is checked by `door`,
//! which uses the same [`HostName`] for every hop, so a name that is refused here is refused
//! everywhere.

mod host_name;
mod input;
mod policy;
mod reserved;

pub use host_name::{Domain, HostName};
pub use input::{DomainInput, MAX_INPUT_BYTES};
pub use policy::{NamePolicy, NameRefusal};

#[cfg(test)]
mod tests;
