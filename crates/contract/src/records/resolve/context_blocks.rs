//! The other blocks of an answer: findings, confidence, evidence links, absences, and control of
//! the domain.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::super::{ClaimState, ControlMethod, Finding, FindingsSummary};
use super::basis::Assurance;
use crate::{Domain, Timestamp, open_enum};

/// The findings of a full scan. An answer from a census or a live reading has none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ResolveFindings {
    pub access: FindingsAccess,
    pub rule: String,
    pub items: Vec<Finding>,
    #[schema(required)]
    pub summary: Option<FindingsSummary>,
    #[schema(required)]
    pub withheld: Option<u32>,
    pub note: String,
}

open_enum! {
    /// Who may see the findings.
    pub enum FindingsAccess { Public = "public" }
}

/// How much evidence the answer is based on. There is no single confidence number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ResolveConfidence {
    pub identities_answered: u32,
    pub vantages: u32,
    pub note: String,
    /// How many readings a stored answer is based on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sample: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sample_note: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub vantage_state: Option<VantageSummary>,
}

/// How readings from several networks fit together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VantageSummary {
    pub state: VantageState,
    pub means: String,
    pub networks: u32,
    pub readings: u32,
    /// The meaning of every state, by name.
    pub states: BTreeMap<String, String>,
    /// The networks the readings came from.
    pub from: Vec<String>,
}

open_enum! {
    /// How readings from several networks agree.
    pub enum VantageState {
        SingleVantage = "single_vantage",
        /// Fewer than three readings.
        InsufficientSamples = "insufficient_samples",
        /// Two or more networks, three or more readings, no contested finding.
        CrossConfirmed = "cross_confirmed",
        NetworkDivergence = "network_divergence",
        RegionalDivergence = "regional_divergence",
        /// Stored before readings were recorded.
        NotRecorded = "not_recorded",
    }
}

/// Two statements of the site that cannot both be true.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Contradiction {
    pub what: String,
    /// The sources that disagree.
    pub between: Vec<String>,
    pub why: String,
}

/// Where to find the evidence and how to verify it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EvidenceLinks {
    /// The report of the scan behind the answer; null when there is none.
    #[schema(required)]
    pub report: Option<String>,
    /// The address of the record.
    #[schema(required)]
    pub record: Option<String>,
    pub rescan: RescanRequest,
    /// The address of the offline verifier.
    pub verifier: String,
    /// How to use it.
    pub verify: String,
}

/// The request that starts a new scan of the domain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RescanRequest {
    pub method: String,
    pub url: String,
    pub body: RescanBody,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RescanBody {
    pub domain: Domain,
}

/// Whether a full scan is queued (3.2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Upgrade {
    pub state: UpgradeState,
    pub to: Assurance,
    /// When the scan is expected; if the queue is full, when to ask again.
    pub expected: String,
    pub how: String,
    /// The address that starts a scan immediately.
    pub scan_now: String,
}

open_enum! {
    /// The state of the full scan.
    pub enum UpgradeState {
        Queued = "queued",
        /// No full scan is queued, because the queue is full. Not in the interface.
        QueueFull = "queue_full",
    }
}

/// Sections that were not available in time and are served as stored. They change no decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StoredSections {
    pub sections: Vec<String>,
    pub as_of: Timestamp,
    pub reading: String,
}

/// An incident that the owner reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Incident {
    pub since: Timestamp,
    /// It ends at this time unless the owner ends it before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub ends_at: Option<Timestamp>,
    pub why: String,
}

/// High-risk changes (such as an attacker who took over the site would make) that are not confirmed
/// yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HighRiskFields {
    pub pending: Vec<HighRiskField>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HighRiskField {
    pub field: String,
    pub seen_at: Timestamp,
}

/// Something that was not found. This applies only to this path at this time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Absence {
    pub what: String,
    pub path: String,
    pub result: AbsenceResult,
    pub at: Timestamp,
    pub from: AbsenceObserver,
    pub checked: Vec<AbsenceCheck>,
    pub scope: String,
}

open_enum! {
    /// The result of the check.
    pub enum AbsenceResult { Absent = "absent" }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AbsenceObserver {
    pub observer: String,
    pub network: String,
    /// The address of the directory of observers.
    pub directory: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AbsenceCheck {
    pub method: String,
    pub url: String,
    pub status: u16,
    /// How many redirects were followed.
    pub redirects: u32,
}

/// Who has proven control of the domain. Control changes no decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ControlSummary {
    pub state: ClaimState,
    pub proofs: Vec<ControlProof>,
    #[schema(required)]
    pub organization: Option<String>,
    /// The address where control can be claimed.
    pub claim: String,
    pub why: String,
    pub note: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ControlProof {
    pub method: ControlMethod,
    pub last_verified_at: Timestamp,
}
