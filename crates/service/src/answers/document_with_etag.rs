//! A signed document and the ETag it is served with.

use proof::{Digest, SignedDocument};

/// A signed document whose ETag stays the same while its content does.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentWithEtag {
    pub document: SignedDocument,
    /// Digest of the content without the time it was generated.
    pub etag: Digest,
}
