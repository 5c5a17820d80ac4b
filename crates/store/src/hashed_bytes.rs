//! Bytes that are kept with their digest, so that they are hashed once.

use std::ops::Deref;

use bytes::Bytes;

use crate::Digest;

/// Bytes and their SHA-256.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HashedBytes {
    bytes: Bytes,
    sha256: Digest,
}

impl HashedBytes {
    /// For bytes that were hashed before, such as those that were just signed. A wrong digest makes an engine
    /// report the value as damaged when it is read.
    #[must_use]
    pub fn with_digest(bytes: Bytes, sha256: Digest) -> Self {
        debug_assert_eq!(Digest::of(&bytes), sha256);
        Self { bytes, sha256 }
    }

    #[must_use]
    pub fn sha256(&self) -> Digest {
        self.sha256
    }

    #[must_use]
    pub fn into_bytes(self) -> Bytes {
        self.bytes
    }
}

impl<T: Into<Bytes>> From<T> for HashedBytes {
    fn from(bytes: T) -> Self {
        let bytes = bytes.into();
        Self { sha256: Digest::of(&bytes), bytes }
    }
}

impl Deref for HashedBytes {
    type Target = Bytes;

    fn deref(&self) -> &Bytes {
        &self.bytes
    }
}
