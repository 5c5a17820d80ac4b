//! The resolve answer: what was read of a domain, put into sections.

mod capabilities;
mod safety;
mod sections;

pub use capabilities::capabilities;
pub use sections::Sections;
