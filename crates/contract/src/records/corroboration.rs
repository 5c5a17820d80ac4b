//! Readings of one domain from several networks, compared field by field (`/api/corroboration`).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{FieldValue, FreshnessSource, Signature, VantageStanding};
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
    pub vantage_state: VantageStanding,
    /// The newest first.
    pub readings: Vec<CorroboratingReading>,
    /// Only what was measured is compared: a field that a reading lacks says nothing.
    pub fields: Vec<CorroboratedField>,
    pub quorum: Quorum,
    /// Readings that did not come to their end. They are not counted against anybody.
    pub not_completed: Vec<NotCompleted>,
    pub independence: Independence,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

/// Null without readings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CorroborationWindow {
    #[schema(required)]
    pub from: Option<Timestamp>,
    #[schema(required)]
    pub to: Option<Timestamp>,
    /// So many readings are kept, the newest.
    pub kept_max: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CorroboratingReading {
    pub reading_id: String,
    pub observed_at: Timestamp,
    pub observer: String,
    pub network: ReadingNetwork,
    pub basis: FreshnessSource,
    /// Whether it came to its end, which is apart from whether it agrees.
    pub completed: bool,
    /// False for a reading that did not come to its end, and for one by a network that had read
    /// shortly before or after.
    pub counted: bool,
    /// Over the canonical JSON of the fields that are compared.
    pub reading_sha256: String,
}

/// From where a reading was made. Null for what the operator does not say.
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
    pub agreement: Agreement,
    /// Networks disagree at the same time, each of them at one with itself.
    pub contested: bool,
    pub spread: Spread,
    pub note: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CorroboratedValue {
    /// Null for what was measured and found to be nothing, and for what is shown by its digest.
    #[schema(required)]
    pub value: Option<FieldValue>,
    /// There for long values and for what the site wrote.
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
    /// How far readings agree in a field.
    pub enum Agreement {
        Unanimous = "unanimous",
        /// More than half of the readings.
        Majority = "majority",
        Split = "split",
        /// There is one reading only.
        Single = "single",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Spread {
    pub by: SpreadBy,
}

open_enum! {
    /// What explains that values differ.
    pub enum SpreadBy {
        Network = "network",
        Region = "region",
        /// The site changed between two readings.
        Time = "time",
        /// Nothing differs, or nothing explains it.
        None = "none",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Quorum {
    pub rule: String,
    pub networks_needed: u32,
    pub readings_needed: u32,
    pub met: bool,
    /// `3/3`: readings that show in every contested field what most show, of all that are counted.
    pub result: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NotCompleted {
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
