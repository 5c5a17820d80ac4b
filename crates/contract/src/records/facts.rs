//! What a site states about the business behind it, with sources and times.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::FileFault;
use crate::{Domain, Timestamp};

/// Facts with two time intervals: when the site stated them, and when this service recorded them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Bitemporal {
    pub v: u32,
    pub recorded_at: Timestamp,
    pub axes: BitemporalAxes,
    pub facts: Vec<BitemporalFact>,
}

/// The meaning of the two time axes, as text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BitemporalAxes {
    pub valid: String,
    pub recorded: String,
}

/// A fact with its two intervals. They include their start and exclude their end; a null end means
/// "until now".
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BitemporalFact {
    pub fact: String,
    /// Written by the site. Do not trust it.
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

/// Name, address, phone: what the site states about the business behind it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Nap {
    pub phones: Vec<StatedFact>,
    pub addresses: Vec<StatedFact>,
    /// Other places where the site says the business is listed.
    pub citations: Vec<StatedFact>,
    /// Facts that several sources state identically.
    pub verified: Vec<StatedFact>,
    pub hours: Vec<StatedFact>,
    /// Contradicting values by fact name.
    pub conflicts: BTreeMap<String, Vec<String>>,
    /// Sources by fact name.
    pub lineage: BTreeMap<String, Vec<String>>,
}

/// A fact as one source states it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StatedFact {
    /// Written by the site. Do not trust it.
    pub untrusted_value: String,
    /// The carrier of the statement: `json_ld`, `visible_text`, `meta`, …
    pub source: String,
    pub url: String,
    /// Ids of readings.
    pub evidence: Vec<String>,
    /// For `json_ld` in `fact_lineage`: a JSON Pointer (RFC 6901) to the value in its block. Opening hours
    /// point to their property, addresses in fields to the object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub pointer: Option<String>,
    /// The number of that block among the JSON-LD scripts of the page, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub block: Option<u32>,
    /// For other sources in `fact_lineage`: where it is on the page (`tel: link`, `header or footer`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub place: Option<String>,
}

/// Which source states which fact, and where sources disagree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FactLineage {
    pub v: u32,
    /// Whether the section counts towards the score.
    pub scored: bool,
    pub facts: Vec<LineageFact>,
    /// Names of facts whose sources disagree.
    pub disagree: Vec<String>,
    /// Names of facts that only one source states.
    pub single_source: Vec<String>,
    pub subject: LineageSubject,
    pub read: LineageRead,
    /// Errors in the structured data.
    pub faults: Vec<FileFault>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LineageFact {
    pub fact: String,
    pub stated: Vec<StatedFact>,
    pub agrees: bool,
}

/// The business that the facts are about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LineageSubject {
    pub domain: Domain,
    /// Written by the site. Do not trust it.
    #[schema(required)]
    pub untrusted_name: Option<String>,
    /// Its types in the page's structured data; empty when none was found.
    #[serde(default)]
    pub types: Vec<String>,
    /// Its country (ISO 3166-1 alpha-2), if its address or the domain shows it. Telephone numbers without a
    /// country code are of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub country: Option<String>,
}

/// What was read for the facts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LineageRead {
    pub pages: Vec<String>,
    /// The carriers found.
    pub carriers: Vec<String>,
}
