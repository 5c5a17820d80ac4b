//! Evidence in, record out: pure rules.
//!
//! No clock, no chance, no network, no store: the same evidence and the same rulepack give the same
//! bytes on any machine, any day. What a rule needs to know comes in as an argument.

pub mod decide;
pub mod graph;
pub mod lookalike;
pub mod resolve;
pub mod rights;
pub mod rulepack;
pub mod scan;
pub mod walls;

use std::collections::BTreeMap;

/// The bodies that evidence names, by hex SHA-256.
pub trait Bodies {
    /// Nothing when the body is no longer kept.
    fn body(&self, sha256: &str) -> Option<&[u8]>;
}

impl<B: AsRef<[u8]>> Bodies for BTreeMap<String, B> {
    fn body(&self, sha256: &str) -> Option<&[u8]> {
        self.get(sha256).map(AsRef::as_ref)
    }
}
