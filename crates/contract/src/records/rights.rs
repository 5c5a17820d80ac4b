//! What a site's public statements allow its content to be used for (`/api/v1/rights`).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Signature;
use crate::{Domain, Timestamp, open_enum};

/// `{brand}-rights`, signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RightsRecord {
    pub kind: String,
    pub v: u32,
    pub schema: String,
    pub domain: Domain,
    pub path: String,
    /// The robots.txt token in the request; null for all agents.
    #[schema(required)]
    pub agent: Option<String>,
    /// False when nothing that could contain a statement was read; then every value is `unknown`.
    pub observed: bool,
    #[schema(required)]
    pub read_at: Option<Timestamp>,
    pub train: RightsDetail,
    pub ground: RightsDetail,
    pub summarize: RightsDetail,
    pub cite: RightsDetail,
    pub transact: RightsDetail,
    pub signals: Vec<RightsSignal>,
    pub conflicts: Vec<RightsConflict>,
    pub rule: RightsRule,
    /// Files and pages that could contain a statement about this path and were not read.
    pub not_read: Vec<String>,
    pub reading: String,
    pub api: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

/// What the site's statements say about one use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RightsDetail {
    pub value: RightsValue,
    pub decided_by: RightsSource,
    pub conflicts: u32,
    /// The terms that the signals name.
    pub terms: Vec<RightsTerm>,
}

open_enum! {
    /// Whether a use is allowed.
    pub enum RightsValue {
        Allowed = "allowed",
        Disallowed = "disallowed",
        Conditional = "conditional",
        Unknown = "unknown",
    }
}

/// The deciding statement. Null when none decides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RightsSource {
    #[schema(required)]
    pub signal: Option<String>,
    #[schema(required)]
    pub url: Option<String>,
    #[schema(required)]
    pub evidence: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RightsTerm {
    #[serde(rename = "type")]
    pub kind: TermKind,
    /// The address of the terms, if the signal names one. Written by the site. Do not trust it.
    #[schema(required)]
    pub untrusted_address: Option<String>,
    /// The signal that contains them.
    pub signal: String,
}

open_enum! {
    /// What a condition requires.
    pub enum TermKind { Pay = "pay", Attribute = "attribute", Limit = "limit", License = "license" }
}

/// One statement of the site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RightsSignal {
    pub signal: String,
    /// Null when not recorded.
    #[schema(required)]
    pub url: Option<String>,
    pub scope: SignalScope,
    /// The agents of the robots.txt group that contains it; null outside groups.
    #[schema(required)]
    pub group: Option<String>,
    #[schema(required)]
    pub line: Option<u32>,
    /// Written by the site. Do not trust it.
    pub untrusted_raw: String,
    pub raw_sha256: String,
    /// `allow`, `disallow` or `conditional`, by use.
    pub effects: BTreeMap<String, String>,
    pub read_at: Timestamp,
    pub valid: bool,
    #[schema(required)]
    pub why_invalid: Option<String>,
}

open_enum! {
    /// What a statement applies to.
    pub enum SignalScope { Site = "site", Path = "path", Page = "page", Group = "group" }
}

/// Two signals that say different things about a use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RightsConflict {
    #[serde(rename = "use")]
    pub content_use: String,
    /// The deciding signal and the other one.
    pub signals: Vec<String>,
    pub resolved_by: ConflictRule,
}

open_enum! {
    /// The rule that decides between two signals.
    pub enum ConflictRule {
        MostRestrictive = "most_restrictive",
        /// Within one mechanism, the carrier that its standard ranks higher decides.
        MoreSpecific = "more_specific",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RightsRule {
    pub text: String,
    pub rule_sha256: String,
}
