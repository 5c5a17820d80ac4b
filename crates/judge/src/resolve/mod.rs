//! The resolve answer: what was read of a domain, put into sections, and the answers of the
//! addresses it refers to.

pub mod address;
pub mod claims;
pub mod clock;
mod contradictions;
mod entity;
pub mod equivalence;
pub mod rights;
pub mod changes;
pub mod corroboration;
mod fields;
pub mod high_risk;
mod sections;
#[cfg(test)]
pub(crate) mod testing;

pub use contradictions::contradictions;
pub use entity::entity;
mod capabilities;
mod safety;

pub use capabilities::capabilities;
pub use sections::Sections;

#[cfg(test)]
mod blocks_tests;
