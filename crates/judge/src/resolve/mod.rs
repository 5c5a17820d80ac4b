//! The resolve answer: what was read of a domain, put into sections, and the answers of the
//! addresses it refers to.

pub mod address;
pub mod census;
pub mod claims;
pub mod clock;
mod contradictions;
mod entity;
pub mod equivalence;
pub mod rights;
mod sections;

pub use address::Letterhead;
pub use contradictions::contradictions;
pub use entity::entity;
pub use sections::Sections;

#[cfg(test)]
mod blocks_tests;
