//! Parsers for what a site publishes about itself: robots.txt, rights signals, machine-readable
//! files, pages and structured data. Bytes in, facts out.
//!
//! The parsers never fail and never judge: unreadable parts are skipped or reported as faults, and
//! `judge` decides what the facts mean. No I/O.

pub mod capability;
pub mod charset;
pub mod comparison;
pub mod control_proof;
mod digits;
pub mod engine_answer;
pub mod entity;
mod evidence_excerpt;
pub mod fault;
pub mod files;
pub mod instructions;
pub mod link;
pub mod page;
pub mod rdap;
pub mod rights;
pub mod robots;
pub mod robots_lint;
pub mod sniff;
