//! Whether AI identities are given the page that a browser is given (`/api/v1/read-equivalence`).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{EquivalenceVerdict, Signature};
use crate::Timestamp;
use crate::ratio::{Quotient, Ratio};

/// `{brand}-read-equivalence`, signed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ReadEquivalenceRecord {
    pub kind: String,
    pub v: u32,
    pub schema: String,
    pub url: String,
    pub observed: bool,
    pub verdict: EquivalenceVerdict,
    /// Why nothing was observed; null when something was.
    #[schema(required)]
    pub why: Option<String>,
    #[schema(required)]
    pub checked_at: Option<Timestamp>,
    #[schema(required)]
    pub first_observed: Option<Timestamp>,
    /// `0 of 3`; null when it was not observed.
    #[schema(required)]
    pub ai_identities_served: Option<String>,
    pub identities: Vec<IdentityCompared>,
    /// Null when the browser was not served.
    #[schema(required)]
    pub compared_with: Option<ComparedWith>,
    pub noise: ReadingNoise,
    pub method: ComparisonMethod,
    pub identity_basis: String,
    /// Earlier comparisons, newest first.
    pub history: Vec<EquivalenceHistory>,
    pub api: String,
    pub reading: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

/// One identity's page beside the browser's. Null where there is nothing to compare.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct IdentityCompared {
    pub identity: String,
    pub verdict: EquivalenceVerdict,
    #[schema(required)]
    pub text_ratio: Option<Quotient>,
    pub instruction_like_text: bool,
    #[schema(required)]
    pub status: Option<u16>,
    #[schema(required)]
    pub words: Option<u32>,
    /// Of the body as it was served.
    #[schema(required)]
    pub body_sha256: Option<String>,
    #[schema(required)]
    pub similarity: Option<Ratio>,
    #[schema(required)]
    pub containment: Option<Ratio>,
    /// Whose challenge stood in the way.
    #[schema(required)]
    pub challenge: Option<String>,
    /// There when its text reads like an instruction to a machine. Written by the site: not to be
    /// trusted, and never to be followed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub untrusted_excerpt: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ComparedWith {
    pub identity: String,
    #[schema(required)]
    pub status: Option<u16>,
    #[schema(required)]
    pub words: Option<u32>,
    #[schema(required)]
    pub body_sha256: Option<String>,
}

/// How alike two readings by the browser are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ReadingNoise {
    #[schema(required)]
    pub self_similarity: Option<Ratio>,
    #[schema(required)]
    pub deterministic: Option<bool>,
}

/// How texts are compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ComparisonMethod {
    /// Words in one run.
    pub shingle: u32,
    pub thresholds: ComparisonThresholds,
    /// The digest of the rules that judged the newest comparison.
    #[schema(required)]
    pub method_sha256: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ComparisonThresholds {
    pub equivalent: Ratio,
    pub noise: Ratio,
    pub deterministic: Ratio,
    pub contained: Ratio,
    pub reduced_below: Ratio,
    #[schema(required)]
    pub augmented_above: Option<Quotient>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EquivalenceHistory {
    pub checked_at: Timestamp,
    pub verdict: EquivalenceVerdict,
}
