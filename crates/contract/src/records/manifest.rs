//! What is kept of one scan, by digest (`/r/{id}.manifest.json`).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Signature;
use crate::{Domain, Timestamp};

/// Names everything a record rests on, so that whoever holds the parts can show that they are
/// these and all. The record names this manifest by its digest.
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
    /// The evidence document.
    pub evidence_sha256: String,
    /// Every body the evidence names, in the order of the digests. Bodies are kept for a time only.
    pub bodies: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}
