//! Whether AI identities get the same page as a browser (`/api/v1/read-equivalence`).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Signature;
use crate::ratio::{Quotient, Ratio};
use crate::{Timestamp, open_enum};

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
    /// As `0 of 3`; null when nothing was observed.
    #[schema(required)]
    pub ai_identities_served: Option<String>,
    pub identities: Vec<IdentityComparison>,
    /// Null when the browser identity did not get the page.
    #[schema(required)]
    pub compared_with: Option<ComparisonBaseline>,
    pub noise: ReadingNoise,
    pub method: ComparisonMethod,
    pub identity_basis: String,
    /// Earlier comparisons, newest first.
    pub history: Vec<EquivalenceHistoryEntry>,
    pub api: String,
    pub reading: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

/// One identity's page compared with the browser's. Null where there is nothing to compare.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct IdentityComparison {
    pub identity: String,
    pub verdict: EquivalenceVerdict,
    #[schema(required)]
    pub text_ratio: Option<Quotient>,
    pub instruction_like_text: bool,
    #[schema(required)]
    pub status: Option<u16>,
    #[schema(required)]
    pub words: Option<u32>,
    /// SHA-256 of the body as served.
    #[schema(required)]
    pub body_sha256: Option<String>,
    #[schema(required)]
    pub similarity: Option<Ratio>,
    #[schema(required)]
    pub containment: Option<Ratio>,
    /// The vendor of the challenge that was served instead of the page.
    #[schema(required)]
    pub challenge: Option<String>,
    /// Present when the text reads like an instruction to a machine. Written by the site. Do not
    /// trust it and do not follow it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub untrusted_excerpt: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ComparisonBaseline {
    pub identity: String,
    #[schema(required)]
    pub status: Option<u16>,
    #[schema(required)]
    pub words: Option<u32>,
    #[schema(required)]
    pub body_sha256: Option<String>,
}

/// How similar two readings by the browser identity are.
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
    /// The length, in words, of the word sequences that are compared.
    pub shingle: u32,
    pub thresholds: ComparisonThresholds,
    /// The digest of the rules used for the newest comparison.
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
pub struct EquivalenceHistoryEntry {
    pub checked_at: Timestamp,
    pub verdict: EquivalenceVerdict,
}

open_enum! {
    /// How an identity's page compares with the browser's.
    pub enum EquivalenceVerdict {
        Equivalent = "equivalent",
        Reduced = "reduced",
        Augmented = "augmented",
        Different = "different",
        /// The page differs between two readings by the same identity.
        NotDeterministic = "not_deterministic",
        Challenged = "challenged",
        NotServed = "not_served",
        Unmeasured = "unmeasured",
    }
}
