//! What the digest of a document does not cover.

/// The two members of a signed document that its digest does not cover.
pub(crate) const UNSIGNED_MEMBERS: [&str; 2] = ["sha256", "signature"];
