//! 2.8: how agents behaved on this service's own site.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Purpose, Signature};
use crate::ratio::Ratio;
use crate::{Day, Timestamp, open_enum};

/// `{brand}-conduct`, signed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ConductRecord {
    pub kind: String,
    pub v: u32,
    pub generated_at: Timestamp,
    /// Whose requests are counted, as text.
    pub population: String,
    pub thresholds: ConductThresholds,
    pub agents: Vec<AgentConduct>,
    pub not_assessed: Vec<UnassessedAgent>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ConductThresholds {
    /// Agents with fewer verified requests are not assessed.
    pub min_verified_requests: u32,
    /// Requests per minute; null when none is published.
    #[schema(required)]
    pub published_rate_limit: Option<u32>,
    /// The path prefixes that robots.txt disallows.
    pub disallowed_rules: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AgentConduct {
    pub agent: String,
    pub operator: String,
    pub purpose: Purpose,
    pub user_triggered: bool,
    pub conduct: ConductVerdict,
    pub window: ConductWindow,
    pub identity: ConductIdentity,
    pub robots_txt: RobotsConduct,
    pub rate: RateConduct,
    pub revalidation: Revalidation,
    pub site_checks_14d: SiteChecks,
}

open_enum! {
    /// The overall verdict on an agent's conduct.
    pub enum ConductVerdict {
        NoViolationsObserved = "no_violations_observed",
        ViolationsObserved = "violations_observed",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ConductWindow {
    pub first_seen: Timestamp,
    pub last_seen: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ConductIdentity {
    pub verified_requests: u64,
    /// Requests that used the agent's name from addresses outside its published ranges.
    pub forged_claims: u64,
    pub forgery_share: Ratio,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RobotsConduct {
    pub verdict: RobotsVerdict,
    pub robots_txt_fetches: u64,
    pub disallowed_fetches: u64,
    /// The rules that were broken.
    pub disallowed_rules: Vec<String>,
}

open_enum! {
    /// Whether the agent respected robots.txt.
    pub enum RobotsVerdict {
        Respected = "respected",
        NotRespected = "not_respected",
        NotMeasured = "not_measured",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RateConduct {
    pub verdict: RateVerdict,
    pub peak_requests_per_minute: u64,
    /// With minute resolution; null when there were no requests.
    #[schema(required)]
    pub peak_at: Option<String>,
    #[schema(required)]
    pub published_limit: Option<u32>,
    pub measured_since: Timestamp,
}

open_enum! {
    /// The verdict on an agent's request rate.
    pub enum RateVerdict {
        /// Measured only: no limit is published to compare with.
        Measured = "measured",
        WithinLimit = "within_limit",
        OverLimit = "over_limit",
        NotMeasured = "not_measured",
    }
}

/// How often an agent sends conditional requests instead of fetching a page again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Revalidation {
    pub conditional_requests: u64,
    /// Null when there were no verified requests since `measured_since`.
    #[schema(required)]
    pub share_of_verified_since_measured: Option<Ratio>,
    pub measured_since: Timestamp,
}

/// Visitor checks of this agent that sites requested in the last 14 days.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SiteChecks {
    pub checked: u64,
    pub verified: u64,
    pub spoofed: u64,
}

/// An agent that is not assessed: it cannot be told from an impersonator, or made too few requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UnassessedAgent {
    pub agent: String,
    pub claimed_hits: u64,
    pub why: String,
}

/// `{brand}-conduct-day`, signed: what was counted on one day. Its digest is part of the day's seal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ConductDayRecord {
    pub kind: String,
    pub v: u32,
    pub day: Day,
    /// Since when requests were counted for this day.
    pub measured_since: Timestamp,
    /// In the order of their names.
    pub agents: Vec<AgentDayCounts>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

/// What was counted of one agent on one day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentDayCounts {
    pub agent: String,
    pub verified_requests: u64,
    /// Requests that used the agent's name from addresses outside its published ranges.
    pub forged_claims: u64,
    /// Requests that used the agent's name and could not be checked.
    pub unverifiable_claims: u64,
    /// Of verified requests, like all that follow up to `last_seen`.
    pub robots_txt_fetches: u64,
    pub disallowed_fetches: u64,
    /// How often each rule of robots.txt was broken.
    pub disallowed_rules: BTreeMap<String, u64>,
    pub conditional_requests: u64,
    pub peak_requests_per_minute: u64,
    /// With minute resolution; null when there were no verified requests.
    #[schema(required)]
    pub peak_at: Option<String>,
    #[schema(required)]
    pub first_seen: Option<Timestamp>,
    #[schema(required)]
    pub last_seen: Option<Timestamp>,
    /// Visitor checks of this agent that sites requested on this day.
    pub site_checks: SiteChecks,
}
