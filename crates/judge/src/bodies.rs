//! Access to response bodies, which evidence names by digest.

use std::collections::BTreeMap;

/// The response bodies that evidence names, by hex SHA-256.
pub trait Bodies: Sync {
    /// None when the body is no longer stored.
    fn body(&self, sha256: &str) -> Option<&[u8]>;
}

impl<B: AsRef<[u8]> + Sync> Bodies for BTreeMap<String, B> {
    fn body(&self, sha256: &str) -> Option<&[u8]> {
        self.get(sha256).map(AsRef::as_ref)
    }
}
