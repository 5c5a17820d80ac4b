//! What is stored of one scan, by digest (`/r/{id}.manifest.json`).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{ReplacedSignature, Signature};
use crate::{Domain, Timestamp};

/// Lists the digests of everything a scan record is based on, so that anyone who has the files can
/// check that they are complete and unchanged. The record contains the digest of this manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ScanManifest {
    /// `{brand}-manifest`.
    pub kind: String,
    pub v: u32,
    pub schema: String,
    /// The record's id.
    pub id: String,
    pub domain: Domain,
    pub observed_at: Timestamp,
    /// SHA-256 of the evidence document.
    pub evidence_sha256: String,
    /// SHA-256 of every body in the evidence, sorted. The bodies themselves are stored for a
    /// limited time.
    pub bodies: Vec<String>,
    /// Present if the key was reported as compromised since the record was stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub replaced_signature: Option<ReplacedSignature>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}
