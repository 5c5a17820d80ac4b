//! What surrounds the sections: findings, confidence, evidence, what is absent, who has control.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::super::{ClaimState, ControlMethod, Finding, FindingsSummary};
use super::Assurance;
use crate::{Domain, Timestamp, open_enum};

/// A census or just-in-time answer carries readings, not findings.
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

/// What the answer rests on. There is no single figure for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ResolveConfidence {
    pub identities_answered: u32,
    pub vantages: u32,
    pub note: String,
    /// Readings behind a stored answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sample: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sample_note: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub vantage_state: Option<VantageStanding>,
}

/// How readings from several networks fit together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VantageStanding {
    pub state: VantageState,
    pub means: String,
    pub networks: u32,
    pub readings: u32,
    /// Every state by name, and what it means.
    pub states: BTreeMap<String, String>,
    /// The networks the readings came from.
    pub from: Vec<String>,
}

open_enum! {
    /// How readings from several networks fit together.
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

/// Two statements of the site that cannot both hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Contradiction {
    pub what: String,
    /// The sources that disagree.
    pub between: Vec<String>,
    pub why: String,
}

/// Where the evidence is, and how to check it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EvidenceLinks {
    /// The report of the scan behind the answer; null when there is none.
    #[schema(required)]
    pub report: Option<String>,
    /// The address of the record.
    #[schema(required)]
    pub record: Option<String>,
    pub rescan: Rescan,
    /// The address of the offline verifier.
    pub verifier: String,
    /// How to use it.
    pub verify: String,
}

/// The request that scans the domain anew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Rescan {
    pub method: String,
    pub url: String,
    pub body: RescanBody,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RescanBody {
    pub domain: Domain,
}

/// A full scan is on its way (3.2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Upgrade {
    pub state: UpgradeState,
    pub to: Assurance,
    pub expected: String,
    pub how: String,
    /// The address that scans at once.
    pub scan_now: String,
}

open_enum! {
    /// How far a full scan is.
    pub enum UpgradeState { Queued = "queued" }
}

/// Sections that did not answer in time. They change no decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StoredSections {
    pub sections: Vec<String>,
    pub as_of: Timestamp,
    pub reading: String,
}

/// An incident the owner reports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Incident {
    pub since: Timestamp,
    pub why: String,
}

/// Changes that a thief would make, seen and not yet confirmed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HighRiskFields {
    pub pending: Vec<HighRiskField>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HighRiskField {
    pub field: String,
    pub seen_at: Timestamp,
}

/// Something that is not there: at this path, at this time, and nothing beyond that.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Absence {
    pub what: String,
    pub path: String,
    pub result: AbsenceResult,
    pub at: Timestamp,
    pub from: AbsenceFrom,
    pub checked: Vec<AbsenceCheck>,
    pub scope: String,
}

open_enum! {
    /// What a look for something came to.
    pub enum AbsenceResult { Absent = "absent" }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AbsenceFrom {
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
    /// How many were followed.
    pub redirects: u32,
}

/// Who has shown control of the domain. It changes no decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ControlStanding {
    pub state: ClaimState,
    pub proofs: Vec<ControlProof>,
    #[schema(required)]
    pub organization: Option<String>,
    /// The address where control is claimed.
    pub claim: String,
    pub why: String,
    pub note: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ControlProof {
    pub method: ControlMethod,
    pub last_verified_at: Timestamp,
}
