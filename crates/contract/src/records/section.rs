//! A section of an answer: declared, observed, or not measured with a reason.
//!
//! Serialised flat: `{"state": "observed", "observed_at": …, …}` with the members of the body. The
//! type makes the reason mandatory for a section that was not measured.

use std::borrow::Cow;

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use utoipa::ToSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{Object, ObjectBuilder, OneOfBuilder, Ref, Schema, SchemaType, Type};

use crate::Timestamp;

/// One section with the time of its observation.
#[derive(Debug, Clone, PartialEq)]
pub enum Section<T> {
    /// What the site states about itself.
    Declared { observed_at: Timestamp, body: T },
    /// What this service was served.
    Observed { observed_at: Timestamp, body: T },
    /// Nothing was measured; `observed_at` is the time of the attempt, if there was one.
    NotMeasured { observed_at: Option<Timestamp>, why: String },
    /// A state of a later version. Only deserialising produces it. Treat it as not measured.
    Unrecognised(UnrecognisedObject),
}

impl<T> Section<T> {
    #[must_use]
    pub fn state(&self) -> &str {
        match self {
            Self::Declared { .. } => DECLARED,
            Self::Observed { .. } => OBSERVED,
            Self::NotMeasured { .. } => NOT_MEASURED,
            Self::Unrecognised(object) => object.text("state").unwrap_or_default(),
        }
    }

    /// What was declared or observed.
    #[must_use]
    pub fn body(&self) -> Option<&T> {
        match self {
            Self::Declared { body, .. } | Self::Observed { body, .. } => Some(body),
            Self::NotMeasured { .. } | Self::Unrecognised(_) => None,
        }
    }

    #[must_use]
    pub fn observed_at(&self) -> Option<Timestamp> {
        match self {
            Self::Declared { observed_at, .. } | Self::Observed { observed_at, .. } => {
                Some(*observed_at)
            }
            Self::NotMeasured { observed_at, .. } => *observed_at,
            Self::Unrecognised(_) => None,
        }
    }
}

const DECLARED: &str = "declared";
const OBSERVED: &str = "observed";
const NOT_MEASURED: &str = "not_measured";

/// An object of a kind that this build does not know, kept as it was read. Like
/// [`Unrecognised`](crate::open_enum::Unrecognised), it cannot be constructed in code.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UnrecognisedObject(Map<String, Value>);

impl UnrecognisedObject {
    pub(super) fn read(members: Map<String, Value>) -> Self {
        Self(members)
    }

    /// A member that is a string.
    #[must_use]
    pub fn text(&self, member: &str) -> Option<&str> {
        self.0.get(member)?.as_str()
    }
}

#[derive(Serialize)]
struct MeasuredSection<'a, T> {
    state: &'static str,
    observed_at: Timestamp,
    #[serde(flatten)]
    body: &'a T,
}

#[derive(Serialize, Deserialize)]
struct UnmeasuredSection<'a> {
    state: Cow<'a, str>,
    observed_at: Option<Timestamp>,
    why: Cow<'a, str>,
}

#[derive(Deserialize)]
struct ObservationTime {
    observed_at: Timestamp,
}

impl<T: Serialize> Serialize for Section<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Declared { observed_at, body } => {
                MeasuredSection { state: DECLARED, observed_at: *observed_at, body }
                    .serialize(serializer)
            }
            Self::Observed { observed_at, body } => {
                MeasuredSection { state: OBSERVED, observed_at: *observed_at, body }
                    .serialize(serializer)
            }
            Self::NotMeasured { observed_at, why } => UnmeasuredSection {
                state: Cow::Borrowed(NOT_MEASURED),
                observed_at: *observed_at,
                why: Cow::Borrowed(why),
            }
            .serialize(serializer),
            Self::Unrecognised(object) => object.serialize(serializer),
        }
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Section<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let members = Map::deserialize(deserializer)?;
        let state = members
            .get("state")
            .and_then(Value::as_str)
            .ok_or_else(|| D::Error::missing_field("state"))?
            .to_owned();
        let read = || -> Result<Self, serde_json::Error> {
            Ok(match state.as_str() {
                NOT_MEASURED => {
                    let UnmeasuredSection { observed_at, why, .. } = from_members(members)?;
                    Self::NotMeasured { observed_at, why: why.into_owned() }
                }
                DECLARED | OBSERVED => {
                    let ObservationTime { observed_at } = from_members(members.clone())?;
                    let body = from_members(members)?;
                    if state == DECLARED {
                        Self::Declared { observed_at, body }
                    } else {
                        Self::Observed { observed_at, body }
                    }
                }
                _ => Self::Unrecognised(UnrecognisedObject(members)),
            })
        };
        read().map_err(D::Error::custom)
    }
}

fn from_members<T: DeserializeOwned>(members: Map<String, Value>) -> Result<T, serde_json::Error> {
    serde_json::from_value(Value::Object(members))
}

impl<T: ToSchema> utoipa::PartialSchema for Section<T> {
    fn schema() -> RefOr<Schema> {
        let held = ObjectBuilder::new()
            .property("state", word_enum_schema(&[DECLARED, OBSERVED]))
            .required("state")
            .property("observed_at", Ref::from_schema_name(Timestamp::name()))
            .required("observed_at");
        let observed_at_or_null = OneOfBuilder::new()
            .item(Ref::from_schema_name(Timestamp::name()))
            .item(ObjectBuilder::new().schema_type(Type::Null));
        let unmeasured = ObjectBuilder::new()
            .property("state", word_enum_schema(&[NOT_MEASURED]))
            .required("state")
            .property("observed_at", observed_at_or_null)
            .required("observed_at")
            .property("why", ObjectBuilder::new().schema_type(Type::String))
            .required("why");
        let shapes =
            OneOfBuilder::new().item(flatten_schema::<T>(held.build())).item(unmeasured).build();
        RefOr::T(Schema::OneOf(shapes))
    }
}

/// Fields refer to a section through an alias (`type DnsSection = Section<Dns>`). The derive then
/// uses this implementation's name and schema instead of composing them from the generic type.
impl<T: ToSchema> ToSchema for Section<T> {
    fn name() -> Cow<'static, str> {
        Cow::Owned(format!("{}Section", T::name()))
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas
            .push((Timestamp::name().into_owned(), <Timestamp as utoipa::PartialSchema>::schema()));
        T::schemas(schemas);
    }
}

/// A string that is one of these words.
pub(super) fn word_enum_schema(words: &[&str]) -> Object {
    ObjectBuilder::new()
        .schema_type(SchemaType::Type(Type::String))
        .enum_values(Some(words.iter().copied()))
        .build()
}

/// The schema of `T` with the members of `object` added before its own.
pub(super) fn flatten_schema<T: ToSchema>(mut object: Object) -> Schema {
    match T::schema() {
        RefOr::T(Schema::Object(body)) => {
            object.properties.extend(body.properties);
            object.required.extend(body.required);
            object.description = body.description;
            Schema::Object(object)
        }
        // Not reached today, because all bodies are structs; the result would still be correct.
        other => Schema::AllOf(
            utoipa::openapi::schema::AllOfBuilder::new().item(object).item(other).build(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
    struct Weather {
        /// In degrees.
        warmth: i32,
        wind: Option<u32>,
    }

    const AT: &str = "2026-11-15T02:56:20Z";

    fn round_trip(written: &Value) -> Section<Weather> {
        let read: Section<Weather> = serde_json::from_value(written.clone()).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), *written);
        read
    }

    #[test]
    fn is_written_flat_and_read_back() {
        let observed =
            round_trip(&json!({"state":"observed","observed_at":AT,"warmth":3,"wind":null}));
        assert_eq!(observed.body().unwrap().warmth, 3);
        assert_eq!(observed.observed_at(), AT.parse().ok());
        let declared =
            round_trip(&json!({"state":"declared","observed_at":AT,"warmth":3,"wind":7}));
        assert!(matches!(declared, Section::Declared { .. }));
        let not_measured =
            round_trip(&json!({"state":"not_measured","observed_at":null,"why":"no budget"}));
        assert_eq!((not_measured.state(), not_measured.body()), ("not_measured", None));
    }

    #[test]
    fn a_state_of_a_later_version_is_kept_and_counts_as_nothing() {
        let later = round_trip(&json!({"state":"inferred","observed_at":AT,"warmth":3}));
        assert_eq!((later.state(), later.body()), ("inferred", None));
    }

    #[test]
    fn nothing_is_read_into_a_section_that_lacks_its_reason_or_its_time() {
        for bad in [
            json!({"state":"not_measured","observed_at":AT}),
            json!({"state":"observed","warmth":3}),
            json!({"state":"observed","observed_at":AT}),
            json!({"observed_at":AT,"warmth":3}),
            json!({"state":1,"observed_at":AT,"warmth":3}),
            json!([]),
        ] {
            assert!(serde_json::from_value::<Section<Weather>>(bad.clone()).is_err(), "{bad}");
        }
    }
}
