//! 2.2: the versioned report, a stable allowlist of the scan record.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    AgentRow, Check, Confidence, FileFault, Finding, Grade, Links, NonObservation, Rulepack,
    ScoreLedger, SectionScore, Signature,
};
use crate::{Domain, Timestamp};

/// The answer of `POST /api/v1/scan`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PublicReportV1 {
    /// The address of the schema definition.
    pub schema: String,
    /// `1.0`.
    pub version: String,
    /// Null when nothing answered; then nothing is kept either.
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
    /// How many findings are not shown here; null when all are.
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
    /// The rows alone; the scan record has the whole object.
    pub agentview: Vec<AgentRow>,
    /// Null when no page was read that could name a business.
    #[schema(required)]
    pub nap: Option<Nap>,
    #[schema(required)]
    pub fact_lineage: Option<FactLineage>,
    /// Null without a score.
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
    /// The most that `overall` could be.
    #[schema(required)]
    pub cap: Option<u32>,
    #[schema(required)]
    pub cap_reason: Option<String>,
}

/// Findings, counted by severity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FindingsSummary {
    pub high: u32,
    pub medium: u32,
    pub low: u32,
    pub info: u32,
}

/// Who measured, with what, when, and what of it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Provenance {
    pub v: u32,
    pub observer: String,
    pub observer_build: String,
    pub observer_tag: String,
    pub vantage: Vantage,
    pub rulepack: Rulepack,
    /// The digest of the catalogue of identities that was asked as: besides the rules, what a
    /// judgement leans on.
    pub catalogue_sha256: String,
    /// The version of the self-audit.
    pub audit_version: u32,
    /// The version of the evidence shape.
    pub meg_v: u32,
    /// What the scan covers, in words.
    pub scope: String,
    pub observed_at: Timestamp,
    /// Null when nothing is kept.
    #[schema(required)]
    pub stored_at: Option<Timestamp>,
    /// The manifest of what is kept, and its digest; null when nothing is.
    #[schema(required)]
    pub artifacts: Option<String>,
    pub findings: u32,
    pub decisions: u32,
    #[schema(required)]
    pub manifest_signature: Option<Signature>,
}

/// Where we looked from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Vantage {
    /// The operator's name for the network.
    pub name: String,
    /// The address of the directory of observers; null when none is published.
    #[schema(required)]
    pub directory: Option<String>,
}

/// Facts with two times: when the site showed them, and when we wrote them down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Bitemporal {
    pub v: u32,
    pub recorded_at: Timestamp,
    pub axes: BitemporalAxes,
    pub facts: Vec<BitemporalFact>,
}

/// What the two times mean, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BitemporalAxes {
    pub valid: String,
    pub recorded: String,
}

/// Intervals are half-open; null means "still".
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BitemporalFact {
    pub fact: String,
    /// Written by the site: not to be trusted.
    pub untrusted_value: String,
    pub valid_from: Timestamp,
    #[schema(required)]
    pub valid_to: Option<Timestamp>,
    pub recorded_from: Timestamp,
    #[schema(required)]
    pub recorded_to: Option<Timestamp>,
    /// Ids of readings.
    pub evidence: Vec<String>,
}

/// Name, address, phone: what the site says about the business behind it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Nap {
    pub phones: Vec<StatedFact>,
    pub addresses: Vec<StatedFact>,
    /// Where else the site says the business is listed.
    pub citations: Vec<StatedFact>,
    /// Facts that more than one source states alike.
    pub verified: Vec<StatedFact>,
    pub hours: Vec<StatedFact>,
    /// Fact name to the values that contradict each other.
    pub conflicts: BTreeMap<String, Vec<String>>,
    /// Fact name to the sources that state it.
    pub lineage: BTreeMap<String, Vec<String>>,
}

/// A fact as one source states it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StatedFact {
    /// Written by the site: not to be trusted.
    pub untrusted_value: String,
    /// The carrier: `json_ld`, `visible_text`, `meta`, …
    pub source: String,
    pub url: String,
    /// Ids of readings.
    pub evidence: Vec<String>,
}

/// Which source states which fact, and where they disagree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FactLineage {
    pub v: u32,
    /// Whether the section counts towards the score.
    pub scored: bool,
    pub facts: Vec<LineageFact>,
    /// Names of facts whose sources disagree.
    pub disagree: Vec<String>,
    /// Names of facts that a single source states.
    pub single_source: Vec<String>,
    pub subject: LineageSubject,
    pub read: LineageRead,
    /// What is wrong with the structured data.
    pub faults: Vec<FileFault>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LineageFact {
    pub fact: String,
    pub stated: Vec<StatedFact>,
    pub agrees: bool,
}

/// Whom the facts are about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LineageSubject {
    pub domain: Domain,
    /// Written by the site: not to be trusted.
    #[schema(required)]
    pub untrusted_name: Option<String>,
    /// The types of the named subject in the page's structured data; empty when none was found.
    #[serde(default)]
    pub types: Vec<String>,
}

/// What was read for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LineageRead {
    pub pages: Vec<String>,
    /// Carriers found.
    pub carriers: Vec<String>,
}

/// What could still be won.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Headroom {
    /// Points.
    pub gain: u32,
    /// Rules that fail.
    pub failing: u32,
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

/// How to show later that this record is as old as it says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReportProof {
    /// SHA-256, hex; null when nothing is kept.
    #[schema(required)]
    pub digest: Option<String>,
    pub algorithm: String,
    /// The public timestamp ledger and how far the record has come in it, in words.
    pub anchored: String,
    /// The address where this can be checked.
    pub verify: String,
}
