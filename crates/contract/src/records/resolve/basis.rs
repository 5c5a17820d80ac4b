//! What an answer rests on: which reading, of whom, when, by whom.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::super::section::{UnrecognisedObject, flattened, words};
use crate::{Domain, Timestamp, open_enum};

/// The reading an answer was made from.
#[derive(Debug, Clone, PartialEq)]
pub enum Basis {
    JustInTime(JustInTimeBasis),
    Census(CensusBasis),
    Scan(ScanBasis),
    /// A basis of a later version; only reading makes one.
    Unrecognised(UnrecognisedObject),
}

/// A live read within a budget.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JustInTimeBasis {
    pub measured_at: Timestamp,
    pub budget_ms: u32,
    pub took_ms: u32,
    /// Not read, and therefore not reported absent.
    pub not_read_in_budget: Vec<String>,
    pub scope: String,
}

/// A stored read of a ranked list.
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
        let tagged =
            |kind| ObjectBuilder::new().property("kind", words(&[kind])).required("kind").build();
        let shapes = OneOfBuilder::new()
            .item(flattened::<JustInTimeBasis>(tagged(JUST_IN_TIME)))
            .item(flattened::<CensusBasis>(tagged(CENSUS)))
            .item(flattened::<ScanBasis>(tagged(SCAN)))
            .description(Some("The reading an answer was made from."))
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

/// Whom the answer is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Subject {
    pub domain: Domain,
    /// Where the site finally answered; null when it did not.
    #[schema(required)]
    pub host: Option<String>,
}

/// How old the reading is, and until when it counts as fresh.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Freshness {
    /// Null when nothing was observed; so is everything that follows from it.
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
    /// Where a reading came from.
    pub enum FreshnessSource {
        JustInTime = "just_in_time",
        Census = "census",
        Scan = "scan",
    }
}

/// Who looked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Observers {
    pub primary: PrimaryObserver,
    pub independent_readings: u32,
    /// The address that compares the readings field by field.
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

/// Null without samples.
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
