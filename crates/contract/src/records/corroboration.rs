//! Readings of one domain from several networks, compared field by field (`/api/corroboration`).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{FieldValue, FreshnessSource, Signature, VantageSummary};
use crate::{Domain, Timestamp, open_enum};

/// `{brand}-corroboration`, signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Corroboration {
    pub kind: String,
    pub v: u32,
    pub schema: String,
    pub domain: Domain,
    pub generated_at: Timestamp,
    pub window: CorroborationWindow,
    pub vantage_state: VantageSummary,
    /// Newest first.
    pub readings: Vec<CorroboratingReading>,
    /// Only measured values are compared. A reading without the field neither agrees nor disagrees.
    pub fields: Vec<CorroboratedField>,
    pub quorum: Quorum,
    /// Readings that did not finish. They count for no value.
    pub not_completed: Vec<IncompleteReading>,
    pub independence: Independence,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

/// The period of the readings; null when there are none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CorroborationWindow {
    #[schema(required)]
    pub from: Option<Timestamp>,
    #[schema(required)]
    pub to: Option<Timestamp>,
    /// How many readings are stored at most; older ones are dropped.
    pub kept_max: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CorroboratingReading {
    pub reading_id: String,
    pub observed_at: Timestamp,
    pub observer: String,
    pub network: ReadingNetwork,
    pub basis: FreshnessSource,
    /// Whether the reading finished. This does not depend on whether it agrees with others.
    pub completed: bool,
    /// False for a reading that did not finish, and for a further reading from the same network
    /// within a short time.
    pub counted: bool,
    /// SHA-256 of the canonical JSON of the compared fields.
    pub reading_sha256: String,
}

/// The network a reading was made from. Null where the operator did not configure a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReadingNetwork {
    pub name: String,
    #[schema(required)]
    pub asn: Option<u32>,
    #[schema(required)]
    pub country: Option<String>,
    #[schema(required)]
    pub region: Option<String>,
    #[schema(required)]
    pub rir: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CorroboratedField {
    /// A dotted path into the answer.
    pub field: String,
    pub values: Vec<CorroboratedValue>,
    pub agreement: FieldAgreement,
    /// Networks disagree within the same period, while the readings of each network agree.
    pub contested: bool,
    pub spread: ValueSpread,
    pub note: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CorroboratedValue {
    /// Null when the field was measured and empty, and when only `value_sha256` is given.
    #[schema(required)]
    pub value: Option<FieldValue>,
    /// Present for long values and for text written by the site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub value_sha256: Option<String>,
    /// Ids of readings.
    pub readings: Vec<String>,
    pub networks: u32,
    pub first: Timestamp,
    pub last: Timestamp,
}

open_enum! {
    /// How far the readings agree on a field.
    pub enum FieldAgreement {
        Unanimous = "unanimous",
        /// More than half of the readings.
        Majority = "majority",
        Split = "split",
        /// There is only one reading.
        Single = "single",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ValueSpread {
    pub by: SpreadCause,
}

open_enum! {
    /// Why the values differ.
    pub enum SpreadCause {
        Network = "network",
        Region = "region",
        /// The site changed between two readings.
        Time = "time",
        /// The values do not differ, or the reason is unknown.
        None = "none",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Quorum {
    pub rule: String,
    pub networks_needed: u32,
    pub readings_needed: u32,
    pub met: bool,
    /// As `3/3`: counted readings that have the majority value in every contested field, and all
    /// counted readings.
    pub result: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct IncompleteReading {
    pub reading_id: String,
    pub why: String,
}

/// How far the readings are independent of each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Independence {
    pub same_operator: bool,
    pub shared_resolver: bool,
    pub note: String,
}
