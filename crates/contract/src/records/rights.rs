//! What a site's public statements say about uses of its content (`/api/v1/rights`).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{RightsSource, RightsValue, Signature};
use crate::{Domain, Timestamp, open_enum};

/// `{brand}-rights`, signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RightsRecord {
    pub kind: String,
    pub v: u32,
    pub schema: String,
    pub domain: Domain,
    pub path: String,
    /// The robots.txt token that was asked about; null for everyone.
    #[schema(required)]
    pub agent: Option<String>,
    /// False when nothing was read that could carry a statement; then every value is `unknown`.
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
    /// What could carry a statement about this path and was not read.
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

/// What is said about one use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RightsDetail {
    pub value: RightsValue,
    pub decided_by: RightsSource,
    pub conflicts: u32,
    /// Under which terms, where signals name some.
    pub terms: Vec<RightsTerm>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RightsTerm {
    #[serde(rename = "type")]
    pub kind: TermKind,
    /// Where the terms are, if the signal names an address. Written by the site: not to be trusted.
    #[schema(required)]
    pub untrusted_address: Option<String>,
    /// The signal that asks for them.
    pub signal: String,
}

open_enum! {
    /// What a condition asks for.
    pub enum TermKind { Pay = "pay", Attribute = "attribute", Limit = "limit", License = "license" }
}

/// One statement of the site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RightsSignal {
    pub signal: String,
    /// Null when the record does not tell.
    #[schema(required)]
    pub url: Option<String>,
    pub scope: SignalScope,
    /// The agents of the group it stands in; null outside groups.
    #[schema(required)]
    pub group: Option<String>,
    #[schema(required)]
    pub line: Option<u32>,
    /// Written by the site: not to be trusted.
    pub untrusted_raw: String,
    pub raw_sha256: String,
    /// Use to `allow`, `disallow` or `conditional`.
    pub effects: BTreeMap<String, String>,
    pub read_at: Timestamp,
    pub valid: bool,
    #[schema(required)]
    pub why_invalid: Option<String>,
}

open_enum! {
    /// What a statement speaks of.
    pub enum SignalScope { Site = "site", Path = "path", Page = "page", Group = "group" }
}

/// Two signals that say different things about a use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RightsConflict {
    #[serde(rename = "use")]
    pub about: String,
    /// The one that decided, and the other.
    pub signals: Vec<String>,
    pub resolved_by: ConflictRule,
}

open_enum! {
    /// Which of two signals counts.
    pub enum ConflictRule {
        MostRestrictive = "most_restrictive",
        /// Of one mechanism, the place that stands before the other.
        MoreSpecific = "more_specific",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RightsRule {
    pub text: String,
    pub rule_sha256: String,
}
