//! 2.4: what an AI engine states about a claimed business, compared with what the business
//! publishes.

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
    /// The sources that the engine named.
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
    /// What the engine stated; null when it stated nothing.
    #[schema(required)]
    pub ai: Option<String>,
    pub verdict: AccuracyVerdict,
}

/// Opening hours. They are recorded and not judged, because they are written in too many forms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AccuracyHours {
    #[schema(required)]
    pub ai: Option<String>,
    pub verdict: AccuracyVerdict,
}

open_enum! {
    /// The result for one field.
    pub enum AccuracyVerdict {
        Wrong = "wrong",
        Correct = "correct",
        /// Recorded, not judged.
        Recorded = "recorded",
        /// The business or the engine states nothing, so there is nothing to compare.
        NotMeasured = "not_measured",
    }
}
