//! What a census (a scan of every domain on a ranked list) measured (`/api/census/records`).

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
    /// Records of the whole run, ignoring filters.
    pub total_in_run: u64,
    pub records: Vec<CensusRecord>,
    /// Send this as `cursor` for the next page; null on the last page.
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

/// One run of the census over one list.
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
    /// `YYYY-MM-DD`; null when the operator did not give one.
    #[schema(required)]
    pub date: Option<String>,
    pub size: u64,
    /// SHA-256 of the list as it was read: one rank and domain per line.
    pub frame_sha256: String,
}

/// The build that ran the census.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CensusCode {
    pub version_id: String,
}

/// The result for one domain.
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
    /// Null when there is no answer to decide from.
    #[schema(required)]
    pub decisions: Option<CensusDecisions>,
    #[schema(required)]
    pub crawl_policy_state: Option<String>,
    /// How many identities got the page, as `3 of 5`; null when none got a response.
    #[schema(required)]
    pub identities_served: Option<String>,
    pub machine_files_present: Vec<String>,
    #[schema(required)]
    pub answer_sha256: Option<String>,
    pub address: String,
}

open_enum! {
    /// The result for one domain of a run.
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

/// The last line of a run that is served line by line: the number of records and their digest,
/// signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CensusEnd {
    /// `{brand}-census-end`.
    pub kind: String,
    pub v: u32,
    pub run: u64,
    pub records: u64,
    /// SHA-256 of all lines before this one, each with its line feed.
    pub rows_sha256: String,
    /// Whether the run has more records after these lines; `cursor` continues there.
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
