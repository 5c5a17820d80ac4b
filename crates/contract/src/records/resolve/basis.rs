//! What an answer is based on: which reading, of which host, when and by which observer.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::super::section::{UnrecognisedObject, flatten_schema, word_enum_schema};
use crate::{Domain, Timestamp, open_enum};

/// The reading that an answer is based on.
#[derive(Debug, Clone, PartialEq)]
pub enum Basis {
    JustInTime(JustInTimeBasis),
    Census(CensusBasis),
    Scan(ScanBasis),
    /// A basis of a later version. Only deserialising produces it.
    Unrecognised(UnrecognisedObject),
}

/// A live reading within a time budget.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JustInTimeBasis {
    pub measured_at: Timestamp,
    pub budget_ms: u32,
    pub took_ms: u32,
    /// What was not read within the budget. It is not reported as absent.
    pub not_read_in_budget: Vec<String>,
    pub scope: String,
}

/// A stored reading from a census of a ranked list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CensusBasis {
    pub run: u64,
    pub rank: u64,
    pub measured_at: Timestamp,
    pub scope: String,
}

/// A stored full scan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ScanBasis {
    /// The scan record's id.
    pub id: String,
    pub measured_at: Timestamp,
    pub scope: String,
}

const JUST_IN_TIME: &str = "just_in_time";
const CENSUS: &str = "census";
const SCAN: &str = "scan";

#[derive(Serialize)]
struct Tagged<'a, T> {
    kind: &'static str,
    #[serde(flatten)]
    body: &'a T,
}

impl Serialize for Basis {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::JustInTime(body) => Tagged { kind: JUST_IN_TIME, body }.serialize(serializer),
            Self::Census(body) => Tagged { kind: CENSUS, body }.serialize(serializer),
            Self::Scan(body) => Tagged { kind: SCAN, body }.serialize(serializer),
            Self::Unrecognised(object) => object.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Basis {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let members = Map::deserialize(deserializer)?;
        let kind = members
            .get("kind")
            .and_then(Value::as_str)
            .ok_or_else(|| D::Error::missing_field("kind"))?
            .to_owned();
        let object = Value::Object(members);
        match kind.as_str() {
            JUST_IN_TIME => serde_json::from_value(object).map(Self::JustInTime),
            CENSUS => serde_json::from_value(object).map(Self::Census),
            SCAN => serde_json::from_value(object).map(Self::Scan),
            _ => serde_json::from_value(object)
                .map(|members| Self::Unrecognised(UnrecognisedObject::read(members))),
        }
        .map_err(D::Error::custom)
    }
}

impl PartialSchema for Basis {
    fn schema() -> RefOr<Schema> {
        let tagged = |kind| {
            ObjectBuilder::new()
                .property("kind", word_enum_schema(&[kind]))
                .required("kind")
                .build()
        };
        let shapes = OneOfBuilder::new()
            .item(flatten_schema::<JustInTimeBasis>(tagged(JUST_IN_TIME)))
            .item(flatten_schema::<CensusBasis>(tagged(CENSUS)))
            .item(flatten_schema::<ScanBasis>(tagged(SCAN)))
            .description(Some("The reading that an answer is based on."))
            .build();
        RefOr::T(Schema::OneOf(shapes))
    }
}

impl ToSchema for Basis {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        JustInTimeBasis::schemas(schemas);
        CensusBasis::schemas(schemas);
        ScanBasis::schemas(schemas);
    }
}

/// What the answer is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Subject {
    pub domain: Domain,
    /// The host that answered, after redirects; null when none did.
    #[schema(required)]
    pub host: Option<String>,
}

open_enum! {
    /// What kind of reading an answer is based on.
    pub enum AnswerStatus {
        /// A just-in-time live reading.
        Partial = "partial",
        /// A stored reading.
        Measured = "measured",
    }
}

open_enum! {
    /// Whether an answer is based on a full scan.
    pub enum Assurance { Partial = "partial", Full = "full" }
}

/// The age of the reading, and until when it counts as fresh.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Freshness {
    /// Null when nothing was observed; then the other times and the age are null too.
    #[schema(required)]
    pub observed_at: Option<Timestamp>,
    #[schema(required)]
    pub age_hours: Option<u32>,
    pub source: FreshnessSource,
    #[schema(required)]
    pub last_verified_at: Option<Timestamp>,
    #[schema(required)]
    pub fresh_until: Option<Timestamp>,
    pub stale: bool,
    pub fresh_policy: String,
}

open_enum! {
    /// The source of a reading.
    pub enum FreshnessSource {
        JustInTime = "just_in_time",
        Census = "census",
        Scan = "scan",
    }
}

/// The observers behind the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Observers {
    pub primary: PrimaryObserver,
    pub independent_readings: u32,
    /// The address of the field-by-field comparison of readings.
    pub by_field: String,
    /// The address of the directory of observers.
    pub directory: String,
    pub samples_by_network: SamplesByNetwork,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PrimaryObserver {
    pub version_tag: String,
    pub vantage: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SamplesByNetwork {
    pub networks: u32,
    pub samples: u32,
    pub groups: Vec<NetworkSamples>,
    pub window: SampleWindow,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NetworkSamples {
    pub network: String,
    pub samples: u32,
}

/// The period of the samples; null when there are none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SampleWindow {
    #[schema(required)]
    pub from: Option<Timestamp>,
    #[schema(required)]
    pub to: Option<Timestamp>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_kind_is_read_as_itself_and_a_later_one_is_kept() {
        let at = "2026-11-15T02:56:20Z";
        for written in [
            json!({"kind":"just_in_time","measured_at":at,"budget_ms":1000,"took_ms":412,
                   "not_read_in_budget":["dns"],"scope":"home page"}),
            json!({"kind":"census","run":7,"rank":412,"measured_at":at,"scope":"home page"}),
            json!({"kind":"scan","id":"abc","measured_at":at,"scope":"all"}),
            json!({"kind":"gossip","heard_at":at}),
        ] {
            let read: Basis = serde_json::from_value(written.clone()).unwrap();
            let unknown = matches!(read, Basis::Unrecognised(_));
            assert_eq!(unknown, written["kind"] == "gossip");
            assert_eq!(serde_json::to_value(&read).unwrap(), written);
        }
        // A known kind with a member missing is broken, not unknown.
        for bad in [json!({"kind":"census","run":7}), json!({"run":7}), json!("census")] {
            assert!(serde_json::from_value::<Basis>(bad).is_err());
        }
    }
}
