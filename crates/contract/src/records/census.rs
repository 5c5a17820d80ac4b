//! What a run over a ranked list of domains measured (`/api/census/records`).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Decision, Signature};
use crate::{Domain, Timestamp, open_enum};

/// `{brand}-census-page`, signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CensusPage {
    pub kind: String,
    pub v: u32,
    pub schema: String,
    pub run: CensusRunRecord,
    /// Records on this page.
    pub count: u32,
    /// Records of the run, whatever was filtered.
    pub total_in_run: u64,
    pub records: Vec<CensusRecord>,
    /// Where the next page begins; null on the last.
    #[schema(required)]
    pub cursor: Option<String>,
    pub has_more: bool,
    pub license: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

/// One run over one list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CensusRunRecord {
    pub run: u64,
    pub started_at: Timestamp,
    /// Null while it runs.
    #[schema(required)]
    pub finished_at: Option<Timestamp>,
    pub frame: CensusFrame,
    pub method: String,
    pub code: CensusCode,
}

/// The list that was measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CensusFrame {
    pub name: String,
    /// `YYYY-MM-DD`; null when the operator did not say.
    #[schema(required)]
    pub date: Option<String>,
    pub size: u64,
    /// Of the list as it was read: each rank and domain on a line.
    pub frame_sha256: String,
}

/// The build that measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CensusCode {
    pub version_id: String,
}

/// What one domain came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CensusRecord {
    pub domain: Domain,
    pub rank: u64,
    pub status: CensusStatus,
    /// Null when it was not measured.
    #[schema(required)]
    pub measured_at: Option<Timestamp>,
    #[schema(required)]
    pub host: Option<String>,
    /// Null without an answer to decide from.
    #[schema(required)]
    pub decisions: Option<CensusDecisions>,
    #[schema(required)]
    pub crawl_policy_state: Option<String>,
    /// `3 of 5`; null when none was answered.
    #[schema(required)]
    pub identities_served: Option<String>,
    pub machine_files_present: Vec<String>,
    #[schema(required)]
    pub answer_sha256: Option<String>,
    pub address: String,
}

open_enum! {
    /// How far one domain of a run came.
    pub enum CensusStatus {
        Measured = "measured",
        Partial = "partial",
        Unreachable = "unreachable",
        NotMeasured = "not_measured",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CensusDecisions {
    pub read: Decision,
    pub cite: Decision,
    pub connect: Decision,
}

/// The last line of a run that is read line by line: how many records there were, and their
/// digest, signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CensusEnd {
    /// `{brand}-census-end`.
    pub kind: String,
    pub v: u32,
    pub run: u64,
    pub records: u64,
    /// Of all lines before this one, each with its line feed.
    pub rows_sha256: String,
    /// Whether the run holds more than these lines; `cursor` goes on.
    pub has_more: bool,
    #[schema(required)]
    pub cursor: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}
