//! Header fields of a visitor's request, as a caller passes them on.

use std::fmt;

use serde::de::{Error, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::openapi::schema::{AdditionalProperties, Object, ObjectBuilder, Type};
use utoipa::{PartialSchema, ToSchema};

const MAX_FIELDS: usize = 32;
const MAX_NAME_CHARS: usize = 64;
const MAX_VALUE_CHARS: usize = 8192;
const NAME_PATTERN: &str = "^[A-Za-z0-9_-]{1,64}$";
const VALUE_PATTERN: &str = "^[^\\r\\n\\x00]*$";

/// Names in lower case, each once, in the order of the request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VisitorHeaders(Vec<(String, String)>);

impl VisitorHeaders {
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Fields that fit: invalid ones and those beyond the bounds are left out.
impl FromIterator<(String, String)> for VisitorHeaders {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(fields: I) -> Self {
        let fits = |(name, value): &(String, String)| is_name(name) && is_value(value);
        Self(fields.into_iter().filter(fits).take(MAX_FIELDS).collect())
    }
}

fn is_name(name: &str) -> bool {
    let is_token = |b: u8| b.is_ascii_alphanumeric() || b"-_".contains(&b);
    !name.is_empty() && name.len() <= MAX_NAME_CHARS && name.bytes().all(is_token)
}

fn is_value(value: &str) -> bool {
    value.chars().count() <= MAX_VALUE_CHARS && !value.contains(['\r', '\n', '\0'])
}

impl Serialize for VisitorHeaders {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for VisitorHeaders {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FieldsVisitor)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = VisitorHeaders;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object of at most {MAX_FIELDS} header fields")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields: Vec<(String, String)> = Vec::new();
        while let Some((name, value)) = map.next_entry::<String, String>()? {
            let name = name.to_ascii_lowercase();
            if fields.len() == MAX_FIELDS {
                return Err(A::Error::custom(format!("more than {MAX_FIELDS} header fields")));
            }
            if !is_name(&name) {
                return Err(A::Error::custom("a name that is not the name of a header field"));
            }
            if !is_value(&value) {
                return Err(A::Error::custom(format!(
                    "a header field with a line break or of more than {MAX_VALUE_CHARS} characters"
                )));
            }
            match fields.iter_mut().find(|(known, _)| *known == name) {
                // Two lines of one field mean the same as one line with both values.
                Some((_, known)) => *known = format!("{known}, {value}"),
                None => fields.push((name, value)),
            }
        }
        Ok(VisitorHeaders(fields))
    }
}

impl PartialSchema for VisitorHeaders {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        let value: Object = ObjectBuilder::new()
            .schema_type(Type::String)
            .max_length(Some(MAX_VALUE_CHARS))
            .pattern(Some(VALUE_PATTERN))
            .build();
        let name: Object = ObjectBuilder::new()
            .schema_type(Type::String)
            .max_length(Some(MAX_NAME_CHARS))
            .pattern(Some(NAME_PATTERN))
            .build();
        let properties = AdditionalProperties::RefOr(value.into());
        ObjectBuilder::new()
            .schema_type(Type::Object)
            .additional_properties(Some(properties))
            .property_names(Some(name))
            .max_properties(Some(MAX_FIELDS))
            .into()
    }
}

impl ToSchema for VisitorHeaders {}
