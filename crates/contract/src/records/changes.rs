//! What changed from one answer to the next (`/api/v1/changes`).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Action, Signature};
use crate::{Domain, Timestamp, open_enum};

/// `{brand}-changes`, signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Changes {
    pub kind: String,
    pub v: u32,
    pub schema: String,
    /// Null when changes of every domain were requested.
    #[schema(required)]
    pub domain: Option<Domain>,
    pub generated_at: Timestamp,
    /// Newest first. With a cursor in the request: in the order they were recorded.
    pub entries: Vec<ChangeEntry>,
    /// Send this as `cursor` for entries recorded after these; null when no entry is stored yet.
    #[schema(required)]
    pub cursor: Option<String>,
    /// Whether more entries match the request.
    pub has_more: bool,
    pub coverage: ChangesCoverage,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

/// The period that the entries cover, and the number of readings behind them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChangesCoverage {
    /// When the oldest stored entry was recorded; null when there is none.
    #[schema(required)]
    pub from: Option<Timestamp>,
    /// How many readings of the domain are stored; null when no domain was requested.
    #[schema(required)]
    pub readings: Option<u32>,
    /// Periods in which this service recorded nothing, with the reason.
    pub gaps: Vec<CoverageGap>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CoverageGap {
    pub from: Timestamp,
    pub to: Timestamp,
    pub why: String,
}

/// A field whose value differs between two consecutive answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChangeEntry {
    /// Present once the entry is stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub seq: Option<u64>,
    pub domain: Domain,
    /// When this service recorded the change.
    pub at: Timestamp,
    pub section: String,
    /// A dotted path into the answer.
    pub field: String,
    /// The old value; null when the field was measured and empty.
    #[schema(required)]
    pub from: Option<FieldValue>,
    /// The new value; null when the field was measured and empty.
    #[schema(required)]
    pub to: Option<FieldValue>,
    /// When the old value was last observed and the new one first observed. The change happened at
    /// an unknown time between these two readings.
    pub happened_between: Vec<Timestamp>,
    pub cause: ChangeCause,
    pub direction: ChangeDirection,
    /// Actions that depend on this section and whose decision changed.
    pub actions_affected: Vec<Action>,
    pub before: AnswerRef,
    pub after: AnswerRef,
    /// The address of the evidence; null when it is not stored.
    #[schema(required)]
    pub evidence: Option<String>,
}

/// A compared value. Long values, and text written by the site, are replaced by their digest.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum FieldValue {
    Bool(bool),
    Number(i64),
    Text(String),
    Digest(ValueDigest),
}

impl FieldValue {
    /// Longer texts are replaced by their digest.
    pub const MAX_TEXT_CHARS: usize = 200;
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
pub struct ValueDigest {
    pub value_sha256: String,
    pub bytes: u64,
}

/// A reference to an answer by its digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AnswerRef {
    /// Null when the answer was not yet sealed when the entry was written.
    #[schema(required)]
    pub answer_sha256: Option<String>,
}

open_enum! {
    /// Why a field changed.
    pub enum ChangeCause {
        /// The site changed.
        Site = "site",
        /// More of the site was read than before.
        Upgrade = "upgrade",
        /// This service's rules, or the lists they use, changed.
        Rules = "rules",
        /// The observation differs, not the site: something was read in only one of the two
        /// readings.
        Observer = "observer",
        /// The site owner reported it.
        Owner = "owner",
        /// An AI engine says something else than before.
        Engine = "engine",
    }
}

open_enum! {
    /// Whether the change allows agents less or more than before.
    pub enum ChangeDirection {
        Tightened = "tightened",
        Loosened = "loosened",
        Neutral = "neutral",
    }
}
