//! 2.2: the versioned report, a stable allowlist of the scan record.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    AgentRow, Bitemporal, Check, Confidence, FactLineage, Finding, FindingsSummary, Grade,
    Headroom, Links, Nap, NonObservation, Provenance, ScoreLedger, SectionScore,
};
use crate::{Domain, Timestamp};

/// The response of `POST /api/v1/scan`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PublicReportV1 {
    /// The address of the schema definition.
    pub schema: String,
    /// `1.0`.
    pub version: String,
    /// Null when no server answered; then nothing is stored.
    #[schema(required)]
    pub id: Option<String>,
    pub domain: Domain,
    pub path: String,
    pub scanned_host: String,
    pub scanned_at: Timestamp,
    pub score_version: u32,
    /// 0 to 100; null when too little was measured.
    #[schema(required, maximum = 100)]
    pub overall: Option<u32>,
    #[schema(required)]
    pub grade: Option<Grade>,
    pub grade_detail: PublicGradeDetail,
    pub sections: Vec<SectionScore>,
    pub findings: Vec<Finding>,
    /// How many findings are left out; null when all are shown.
    #[schema(required)]
    pub findings_withheld: Option<u32>,
    pub score_ledger: ScoreLedger,
    #[schema(required)]
    pub findings_summary: Option<FindingsSummary>,
    pub provenance: Provenance,
    pub confidence: Confidence,
    pub bitemporal: Bitemporal,
    pub non_observations: Vec<NonObservation>,
    pub checks: Vec<Check>,
    /// Only the rows; the scan record has the whole object.
    pub agentview: Vec<AgentRow>,
    /// Null when no page was read that could contain business data.
    #[schema(required)]
    pub nap: Option<Nap>,
    #[schema(required)]
    pub fact_lineage: Option<FactLineage>,
    /// Null when there is no score.
    #[schema(required)]
    pub headroom: Option<Headroom>,
    pub history: Vec<HistoryEntry>,
    pub proof: ReportProof,
    pub links: Links,
}

impl PublicReportV1 {
    pub const VERSION: &str = "1.0";
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PublicGradeDetail {
    pub capped: bool,
    /// The upper limit for `overall`.
    #[schema(required)]
    pub cap: Option<u32>,
    #[schema(required)]
    pub cap_reason: Option<String>,
}

/// An earlier public scan of the same domain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HistoryEntry {
    pub id: String,
    pub scanned_at: Timestamp,
    pub score_version: u32,
    #[schema(required)]
    pub overall: Option<u32>,
    #[schema(required)]
    pub grade: Option<Grade>,
}

/// Proof of the record's age.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReportProof {
    /// SHA-256 in hex; null when nothing is stored.
    #[schema(required)]
    pub digest: Option<String>,
    pub algorithm: String,
    /// The public timestamp ledger and the state of the record's timestamp there, as text.
    pub anchored: String,
    /// The address where the proof can be checked.
    pub verify: String,
}
