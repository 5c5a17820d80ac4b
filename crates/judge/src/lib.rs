//! Scoring and decision rules: evidence in, records and decisions out.
//!
//! All functions are pure. They use no clock, randomness, network or store, so the same evidence and
//! the same rulepack give the same bytes on any machine at any time. Everything a rule needs is an
//! argument. Some share work between threads (`parallel.rs`); who does which part changes nothing.

mod bodies;
pub mod business;
mod cached_digest;
pub mod conduct;
pub mod control;
pub mod decide;
pub mod graph;
pub mod lookalike;
pub mod machine_record;
pub mod mcp;
mod parallel;
pub mod registry;
pub mod resolve;
pub mod rights;
pub mod rulepack;
pub mod scan;
pub mod walls;

pub use bodies::Bodies;
