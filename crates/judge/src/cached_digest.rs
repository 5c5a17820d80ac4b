//! Digests of what a process has one of: they are named in every record and hardly ever change.

use std::sync::{Mutex, PoisonError};

use serde::Serialize;

/// The digest of the last value, which is computed again when another value is given.
pub(crate) struct CachedDigest<T>(Mutex<Option<(T, String)>>);

impl<T: Clone + PartialEq + Serialize> CachedDigest<T> {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// The SHA-256 of the value as canonical JSON, in hex; empty if it cannot be serialised.
    pub(crate) fn of(&self, value: &T) -> String {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, digest)) = last.as_ref().filter(|(known, _)| known == value) {
            return digest.clone();
        }
        let digest = proof::canonical::to_vec(value)
            .map(|bytes| proof::sha256(&bytes).to_string())
            .unwrap_or_default();
        *last = Some((value.clone(), digest.clone()));
        digest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_value_has_another_digest() {
        let digests = CachedDigest::new();
        let (one, two) = (digests.of(&vec!["a"]), digests.of(&vec!["b"]));
        assert_eq!(one, proof::sha256(b"[\"a\"]").to_string());
        assert_ne!(one, two);
        assert_eq!((digests.of(&vec!["b"]), digests.of(&vec!["a"])), (two, one));
    }
}
