//! What a record states about itself, besides what follows from the evidence.

use contract::records::{Signature, Visibility};
use contract::{Issuer, Timestamp};

/// The identity and storage details of a record.
#[derive(Debug, Clone)]
pub struct RecordMetadata<'a> {
    pub issuer: &'a Issuer,
    /// The id that the record gets if it is stored.
    pub id: &'a str,
    pub visibility: Visibility,
    /// The digest of the evidence document, if it is stored.
    pub evidence_sha256: Option<String>,
    pub storage: StorageMetadata,
}

/// Details that are known only once the record is signed and stored.
#[derive(Debug, Clone, Default)]
pub struct StorageMetadata {
    pub stored_at: Option<Timestamp>,
    pub artifacts: Option<String>,
    pub manifest_signature: Option<Signature>,
}
