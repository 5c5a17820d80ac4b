//! Deserializes the JSON tree into a type. Errors have the path of the member that is wrong.

use std::fmt;

use serde::{
    Deserializer,
    de::{
        DeserializeSeed, EnumAccess, Error, Expected, IntoDeserializer, MapAccess, SeqAccess,
        Unexpected, VariantAccess, Visitor,
    },
    forward_to_deserialize_any,
};

use super::json_tree::JsonNode;

/// How and where a tree does not match the type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TypeMismatch {
    pub(super) kind: TypeMismatchKind,
    /// Innermost first.
    steps: Vec<PathStep>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TypeMismatchKind {
    UnknownField(String),
    MissingField(String),
    /// A list has too few or too many items.
    Length(String),
    Other(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum PathStep {
    Member(String),
    Item(usize),
}

impl TypeMismatch {
    fn new(kind: TypeMismatchKind) -> Self {
        Self { kind, steps: Vec::new() }
    }

    /// Uses the terms of JSON instead of Rust's.
    fn expected(what: &str) -> Self {
        let what = match what {
            "u8" | "u16" | "u32" | "u64" | "usize" => "a non-negative whole number in range",
            "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number in range",
            "f32" | "f64" => "a number",
            "a sequence" => "an array",
            "a map" => "an object",
            other => other,
        };
        Self::new(TypeMismatchKind::Other(format!("expected {what}")))
    }

    fn at(mut self, step: PathStep) -> Self {
        self.steps.push(step);
        self
    }

    /// The path, as `policy.allow[2]`. A missing or unknown member is its last step.
    pub(super) fn path(&self) -> String {
        let mut path = String::new();
        let last = match &self.kind {
            TypeMismatchKind::UnknownField(name) | TypeMismatchKind::MissingField(name) => {
                Some(PathStep::Member(name.clone()))
            }
            TypeMismatchKind::Length(_) | TypeMismatchKind::Other(_) => None,
        };
        for step in self.steps.iter().rev().chain(&last) {
            match step {
                PathStep::Member(name) => {
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(name);
                }
                PathStep::Item(index) => path.push_str(&format!("[{index}]")),
            }
        }
        path
    }
}

impl fmt::Display for TypeMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            TypeMismatchKind::UnknownField(name) => write!(f, "unknown member {name:?}"),
            TypeMismatchKind::MissingField(name) => write!(f, "missing member {name:?}"),
            TypeMismatchKind::Length(why) | TypeMismatchKind::Other(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for TypeMismatch {}

impl Error for TypeMismatch {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(TypeMismatchKind::Other(message.to_string()))
    }

    /// Says what is expected, and does not repeat what was sent.
    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::expected(&expected.to_string())
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::expected(&expected.to_string())
    }

    fn invalid_length(_: usize, expected: &dyn Expected) -> Self {
        Self::new(TypeMismatchKind::Length(format!("expected {expected}")))
    }

    fn unknown_field(field: &str, _: &'static [&'static str]) -> Self {
        Self::new(TypeMismatchKind::UnknownField(field.to_owned()))
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Self::new(TypeMismatchKind::Other(format!("expected one of {}", expected.join(", "))))
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(TypeMismatchKind::MissingField(field.to_owned()))
    }
}

/// Whole numbers may be written with a fraction of zero, `1.0`: JSON Schema and JavaScript do not tell
/// the two apart.
macro_rules! deserialize_whole_numbers {
    ($($method:ident)+) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TypeMismatch> {
            match self {
                Self::Float(value) if value.fract() == 0.0 && value.abs() <= MAX_WHOLE_DOUBLE => {
                    #[expect(clippy::cast_possible_truncation, reason = "whole, and within 2^53")]
                    visitor.visit_i64(value as i64)
                }
                other => other.deserialize_any(visitor),
            }
        }
    )+};
}

/// Beyond it, doubles are not exact.
const MAX_WHOLE_DOUBLE: f64 = 9_007_199_254_740_991.0;

impl<'de> Deserializer<'de> for JsonNode {
    type Error = TypeMismatch;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TypeMismatch> {
        match self {
            Self::Null => visitor.visit_unit(),
            Self::Bool(value) => visitor.visit_bool(value),
            Self::Unsigned(value) => visitor.visit_u64(value),
            Self::Signed(value) => visitor.visit_i64(value),
            Self::Float(value) => visitor.visit_f64(value),
            Self::Text(value) => visitor.visit_string(value),
            Self::List(items) => visitor.visit_seq(ItemAccess(items.into_iter().enumerate())),
            Self::Members(members) => {
                visitor.visit_map(MemberAccess { rest: members.into_iter(), current: None })
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TypeMismatch> {
        match self {
            Self::Null => visitor.visit_none(),
            other => visitor.visit_some(other),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, TypeMismatch> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TypeMismatch> {
        match self {
            Self::Text(word) => visitor.visit_enum(VariantName(word, None)),
            Self::Members(members) => {
                let mut members = members.into_iter();
                match (members.next(), members.next()) {
                    (Some((word, value)), None) => {
                        visitor.visit_enum(VariantName(word, Some(value)))
                    }
                    _ => Err(TypeMismatch::custom("expected an object with one member")),
                }
            }
            _ => Err(TypeMismatch::custom("expected a string or an object")),
        }
    }

    /// Accepts only an object: in an array, an error could not name the member that is wrong.
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TypeMismatch> {
        match self {
            Self::Members(_) => self.deserialize_any(visitor),
            _ => Err(TypeMismatch::expected("an object")),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TypeMismatch> {
        self.deserialize_map(visitor)
    }

    deserialize_whole_numbers! {
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
    }

    forward_to_deserialize_any! {
        bool i128 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct identifier ignored_any
    }
}

impl IntoDeserializer<'_, TypeMismatch> for JsonNode {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

struct ItemAccess(std::iter::Enumerate<std::vec::IntoIter<JsonNode>>);

impl<'de> SeqAccess<'de> for ItemAccess {
    type Error = TypeMismatch;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, TypeMismatch> {
        let Some((index, item)) = self.0.next() else { return Ok(None) };
        seed.deserialize(item).map(Some).map_err(|misfit| misfit.at(PathStep::Item(index)))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

struct MemberAccess {
    rest: std::vec::IntoIter<(String, JsonNode)>,
    current: Option<(String, JsonNode)>,
}

impl<'de> MapAccess<'de> for MemberAccess {
    type Error = TypeMismatch;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, TypeMismatch> {
        self.current = self.rest.next();
        let Some((name, _)) = &self.current else { return Ok(None) };
        seed.deserialize(name.as_str().into_deserializer()).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, TypeMismatch> {
        let (name, value) =
            self.current.take().ok_or_else(|| TypeMismatch::custom("a value without a name"))?;
        seed.deserialize(value).map_err(|misfit| misfit.at(PathStep::Member(name)))
    }
}

/// An enum value: the variant's name, and its content.
struct VariantName(String, Option<JsonNode>);

impl<'de> EnumAccess<'de> for VariantName {
    type Error = TypeMismatch;
    type Variant = VariantPayload;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, VariantPayload), TypeMismatch> {
        let word = seed.deserialize(self.0.clone().into_deserializer())?;
        Ok((word, VariantPayload(self.0, self.1)))
    }
}

struct VariantPayload(String, Option<JsonNode>);

impl VariantPayload {
    fn value(self) -> Result<(JsonNode, PathStep), TypeMismatch> {
        let value = self.1.ok_or_else(|| TypeMismatch::custom("expected an object"))?;
        Ok((value, PathStep::Member(self.0)))
    }
}

impl<'de> VariantAccess<'de> for VariantPayload {
    type Error = TypeMismatch;

    fn unit_variant(self) -> Result<(), TypeMismatch> {
        match self.1 {
            None => Ok(()),
            Some(_) => Err(TypeMismatch::custom("expected a string")),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<T::Value, TypeMismatch> {
        let (value, step) = self.value()?;
        seed.deserialize(value).map_err(|misfit| misfit.at(step))
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, TypeMismatch> {
        let (value, step) = self.value()?;
        value.deserialize_any(visitor).map_err(|misfit| misfit.at(step))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TypeMismatch> {
        let (value, step) = self.value()?;
        value.deserialize_any(visitor).map_err(|misfit| misfit.at(step))
    }
}
