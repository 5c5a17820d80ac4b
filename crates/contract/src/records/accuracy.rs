//! 2.4: what an AI engine states about a claimed business, beside what the business publishes.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Signature;
use crate::{Domain, Timestamp, open_enum};

/// `{brand}-ai-accuracy`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AccuracyRecord {
    pub kind: String,
    pub v: u32,
    pub domain: Domain,
    pub engine: String,
    pub checked_at: Timestamp,
    pub fields: AccuracyFields,
    /// The names of the fields judged wrong.
    pub wrong: Vec<String>,
    /// What the engine named as its sources.
    pub sources: Vec<String>,
    /// The address of the daily seal.
    pub seal: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AccuracyFields {
    pub phone: AccuracyField,
    pub address: AccuracyField,
    pub website: AccuracyField,
    pub hours: AccuracyHours,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AccuracyField {
    /// What the business publishes; null when it publishes nothing.
    #[schema(required)]
    pub declared: Option<String>,
    /// What the engine said; null when it said nothing.
    #[schema(required)]
    pub ai: Option<String>,
    pub verdict: AccuracyVerdict,
}

/// Hours are written in too many ways to be judged: they are recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AccuracyHours {
    #[schema(required)]
    pub ai: Option<String>,
    pub verdict: AccuracyVerdict,
}

open_enum! {
    /// What became of one field.
    pub enum AccuracyVerdict {
        Wrong = "wrong",
        Correct = "correct",
        /// Kept, not judged.
        Recorded = "recorded",
        /// One side said nothing, so there is nothing to compare.
        NotMeasured = "not_measured",
    }
}
