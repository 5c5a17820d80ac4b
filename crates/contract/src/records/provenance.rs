//! Who measured, with which program and rules, and from where.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Signature;
use crate::Timestamp;

/// Which program measured, when, with which rules, and what is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Provenance {
    pub v: u32,
    pub observer: String,
    pub observer_build: String,
    pub observer_tag: String,
    pub vantage: Vantage,
    pub rulepack: Rulepack,
    /// The digest of the catalogue of identities that the requests were sent as. The judgement
    /// depends on it and on the rules.
    pub catalogue_sha256: String,
    /// The version of the self-audit.
    pub audit_version: u32,
    /// The version of the evidence format.
    pub meg_v: u32,
    /// What the scan covers, as text.
    pub scope: String,
    pub observed_at: Timestamp,
    /// Null when nothing is stored.
    #[schema(required)]
    pub stored_at: Option<Timestamp>,
    /// The manifest of what is stored, with its digest; null when nothing is stored.
    #[schema(required)]
    pub artifacts: Option<String>,
    pub findings: u32,
    pub decisions: u32,
    #[schema(required)]
    pub manifest_signature: Option<Signature>,
}

/// The network that the requests came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Vantage {
    /// The operator's name for the network.
    pub name: String,
    /// The address of the directory of observers; null when none is published.
    #[schema(required)]
    pub directory: Option<String>,
}

/// The rules that the record was judged with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Rulepack {
    pub version: u32,
    pub sha256: String,
}
