//! What the holder of a licence has used of it (`/api/v1/usage`).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Day, Timestamp};

/// `{brand}-usage`. Not signed: it is for the holder alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UsageRecord {
    pub kind: String,
    pub v: u32,
    /// The id of the licence.
    pub licence: String,
    /// The name of its plan.
    pub plan: String,
    pub quota: UsageQuota,
    /// The first day of `days`.
    pub from: Day,
    /// The last day of `days`, which is today (UTC).
    pub to: Day,
    /// Calls by day and operation. Days and operations without calls are left out.
    pub days: Vec<UsageOfDay>,
    pub generated_at: Timestamp,
}

/// The quota of the current UTC month.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UsageQuota {
    /// Calls in a month; null for any number.
    #[schema(required)]
    pub limit: Option<u64>,
    pub used: u64,
    /// Null for any number.
    #[schema(required)]
    pub remaining: Option<u64>,
    /// When the next month begins.
    pub resets_at: Timestamp,
}

/// The calls of one operation on one day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UsageOfDay {
    pub day: Day,
    /// The method and the route, such as `GET /api/v1/resolve`.
    pub operation: String,
    pub calls: u64,
}
