//! 2.4: what an AI engine states about a claimed business, compared with what the business
//! publishes.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Signature;
use crate::{Day, Domain, Timestamp, open_enum};

/// `{brand}-ai-accuracy`, signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AccuracyRecord {
    pub kind: String,
    pub v: u32,
    pub domain: Domain,
    /// The name that the operator of this service gave the engine.
    pub engine: String,
    /// The model that the engine was asked for.
    pub model: String,
    pub checked_at: Timestamp,
    pub fields: AccuracyFields,
    /// The names of the fields judged wrong.
    pub wrong: Vec<String>,
    /// The sources that the engine named. Written by the engine. Do not trust them.
    pub sources: Vec<String>,
    /// The fixed question.
    pub prompt: AccuracyPrompt,
    /// When the site was read that the answer is compared with.
    pub declared_at: Timestamp,
    /// SHA-256 of the engine's answer.
    pub answer_sha256: String,
    /// The address of the daily seal.
    pub seal: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

/// Which question the engine was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AccuracyPrompt {
    pub version: u32,
    /// SHA-256 of the question without what differs from business to business.
    pub sha256: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AccuracyFields {
    pub phone: AccuracyField,
    pub address: AccuracyField,
    pub website: AccuracyField,
    pub hours: AccuracyField,
}

impl AccuracyFields {
    /// The fields with their names, in the order of the record.
    #[must_use]
    pub fn named(&self) -> [(&'static str, &AccuracyField); 4] {
        [
            ("phone", &self.phone),
            ("address", &self.address),
            ("website", &self.website),
            ("hours", &self.hours),
        ]
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AccuracyField {
    /// What the business publishes; null when it publishes nothing.
    #[schema(required)]
    pub declared: Option<String>,
    /// What the engine stated; null when it stated nothing. Do not trust it.
    #[schema(required)]
    pub ai: Option<String>,
    pub verdict: AccuracyVerdict,
    /// Why it is `recorded`; null for the other verdicts.
    #[schema(required)]
    pub why: Option<String>,
}

open_enum! {
    /// The result for one field.
    pub enum AccuracyVerdict {
        Wrong = "wrong",
        Correct = "correct",
        /// Recorded, not judged: one side states nothing, or what both state cannot be compared with
        /// certainty.
        Recorded = "recorded",
    }
}

/// `{brand}-ai-accuracy-history`, signed: the verdicts of several days.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AccuracyHistory {
    pub kind: String,
    pub v: u32,
    pub domain: Domain,
    /// The engine that was requested; null for all.
    #[schema(required)]
    pub engine: Option<String>,
    /// The first day that is covered.
    pub from: Day,
    pub generated_at: Timestamp,
    /// Newest first.
    pub checks: Vec<AccuracyCheck>,
    /// Whether there are more than are listed.
    pub has_more: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

/// One record, in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AccuracyCheck {
    pub engine: String,
    pub checked_at: Timestamp,
    pub phone: AccuracyVerdict,
    pub address: AccuracyVerdict,
    pub website: AccuracyVerdict,
    pub hours: AccuracyVerdict,
    /// The digest of the record.
    pub record_sha256: String,
    /// The address of the record.
    pub record: String,
}
