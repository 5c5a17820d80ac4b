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
    /// Null when changes of every domain were asked for.
    #[schema(required)]
    pub domain: Option<Domain>,
    pub generated_at: Timestamp,
    /// The newest first, unless a cursor was given: then in the order they were recorded.
    pub entries: Vec<ChangeEntry>,
    /// Asking with it gives what was recorded after these entries; null when nothing is kept yet.
    #[schema(required)]
    pub cursor: Option<String>,
    /// Whether more that was asked for is kept.
    pub has_more: bool,
    pub coverage: ChangesCoverage,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

/// How far back the entries reach, and what they rest on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChangesCoverage {
    /// When the oldest entry that is kept was recorded; null while there is none.
    #[schema(required)]
    pub from: Option<Timestamp>,
    /// Readings of the domain that are kept; null when no domain was asked for.
    #[schema(required)]
    pub readings: Option<u32>,
    /// Times in which we recorded nothing, and why.
    pub gaps: Vec<CoverageGap>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CoverageGap {
    pub from: Timestamp,
    pub to: Timestamp,
    pub why: String,
}

/// One field that has another value in a new answer than in the one before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChangeEntry {
    /// There once the entry is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub seq: Option<u64>,
    pub domain: Domain,
    /// When we recorded it.
    pub at: Timestamp,
    pub section: String,
    /// A dotted path into the answer.
    pub field: String,
    /// Null for what was measured and found to be nothing.
    #[schema(required)]
    pub from: Option<FieldValue>,
    #[schema(required)]
    pub to: Option<FieldValue>,
    /// When we last saw the old value and first saw the new one. All we know is these two
    /// readings.
    pub happened_between: Vec<Timestamp>,
    pub cause: ChangeCause,
    pub direction: ChangeDirection,
    /// Actions that this section bears on and whose decision became another.
    pub actions_affected: Vec<Action>,
    pub before: AnswerNamed,
    pub after: AnswerNamed,
    /// The address of what was read; null when it is not kept.
    #[schema(required)]
    pub evidence: Option<String>,
}

/// A value as it is compared: short ones as they are, longer ones and whatever the site wrote by
/// its digest.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum FieldValue {
    Truth(bool),
    Number(i64),
    Text(String),
    Digest(ValueDigest),
}

impl FieldValue {
    /// Longer texts are shown by their digest.
    pub const MAX_TEXT_CHARS: usize = 200;
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
pub struct ValueDigest {
    pub value_sha256: String,
    pub bytes: u64,
}

/// An answer by its digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AnswerNamed {
    /// Null when the answer was not sealed when the entry was written.
    #[schema(required)]
    pub answer_sha256: Option<String>,
}

open_enum! {
    /// What made a field change.
    pub enum ChangeCause {
        /// The site shows something else.
        Site = "site",
        /// More was read than before.
        Upgrade = "upgrade",
        /// Our rules, or the lists they go by, are others.
        Rules = "rules",
        /// It lies with our looking: what was read before was not read now, or the other way round.
        Observer = "observer",
        /// The owner told us.
        Owner = "owner",
    }
}

open_enum! {
    /// Whether an agent may do less than before, or more.
    pub enum ChangeDirection {
        Tightened = "tightened",
        Loosened = "loosened",
        Neutral = "neutral",
    }
}
