//! The resolve answer: what was read of a domain, put into sections.

mod sections;

pub use sections::Sections;
