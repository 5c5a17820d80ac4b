//! 2.8: how agents behaved on our own site.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Purpose, Signature};
use crate::ratio::Ratio;
use crate::{Timestamp, open_enum};

/// `{brand}-conduct`, signed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ConductRecord {
    pub kind: String,
    pub v: u32,
    pub generated_at: Timestamp,
    /// Whose requests are counted, in words.
    pub population: String,
    pub thresholds: ConductThresholds,
    pub agents: Vec<AgentConduct>,
    pub not_assessed: Vec<NotAssessed>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ConductThresholds {
    /// Fewer say nothing.
    pub min_verified_requests: u32,
    /// Requests per minute; null when none is published.
    #[schema(required)]
    pub published_rate_limit: Option<u32>,
    /// Path prefixes.
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
    /// How an agent behaved on the whole.
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
    /// Requests that used the name from elsewhere.
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
    /// Whether robots.txt was kept to.
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
    /// To the minute; null when nothing came.
    #[schema(required)]
    pub peak_at: Option<String>,
    #[schema(required)]
    pub published_limit: Option<u32>,
    pub measured_since: Timestamp,
}

open_enum! {
    /// What can be said about an agent's rate.
    pub enum RateVerdict {
        /// No limit is published, so there is nothing to keep to.
        Measured = "measured",
        WithinLimit = "within_limit",
        OverLimit = "over_limit",
        NotMeasured = "not_measured",
    }
}

/// How often an agent asks whether a page changed instead of fetching it anew.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Revalidation {
    pub conditional_requests: u64,
    /// Null when there were no verified requests since.
    #[schema(required)]
    pub share_of_verified_since_measured: Option<Ratio>,
    pub measured_since: Timestamp,
}

/// Visitor checks that sites asked us for in the last 14 days, counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SiteChecks {
    pub checked: u64,
    pub verified: u64,
    pub spoofed: u64,
}

/// An agent that cannot be told from an impersonator, or came too seldom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NotAssessed {
    pub agent: String,
    pub claimed_hits: u64,
    pub why: String,
}
