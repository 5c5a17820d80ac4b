//! From the tree into a type, with an error that knows where it is.

use std::fmt;

use serde::{
    Deserializer,
    de::{
        DeserializeSeed, EnumAccess, Error, Expected, IntoDeserializer, MapAccess, SeqAccess,
        Unexpected, VariantAccess, Visitor,
    },
    forward_to_deserialize_any,
};

use super::node::Node;

/// Where a tree does not fit a type, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Misfit {
    pub(super) kind: MisfitKind,
    /// Innermost first.
    steps: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MisfitKind {
    UnknownField(String),
    MissingField(String),
    Other(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Member(String),
    Item(usize),
}

impl Misfit {
    fn new(kind: MisfitKind) -> Self {
        Self { kind, steps: Vec::new() }
    }

    /// In the words of JSON, not of the language this is written in.
    fn expected(what: &str) -> Self {
        let what = match what {
            "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number, not negative, in range",
            "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number in range",
            "f32" | "f64" => "a number",
            "a sequence" => "an array",
            "a map" => "an object",
            other => other,
        };
        Self::new(MisfitKind::Other(format!("expected {what}")))
    }

    fn at(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// `policy.allow[2]`; a member that is missing or unknown is the last step.
    pub(super) fn path(&self) -> String {
        let mut path = String::new();
        let last = match &self.kind {
            MisfitKind::UnknownField(name) | MisfitKind::MissingField(name) => {
                Some(Step::Member(name.clone()))
            }
            MisfitKind::Other(_) => None,
        };
        for step in self.steps.iter().rev().chain(&last) {
            match step {
                Step::Member(name) => {
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(name);
                }
                Step::Item(index) => path.push_str(&format!("[{index}]")),
            }
        }
        path
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            MisfitKind::UnknownField(name) => write!(f, "unknown member {name:?}"),
            MisfitKind::MissingField(name) => write!(f, "missing member {name:?}"),
            MisfitKind::Other(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Misfit {}

impl Error for Misfit {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(MisfitKind::Other(message.to_string()))
    }

    /// Says what would be right, and does not repeat what was sent.
    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::expected(&expected.to_string())
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::expected(&expected.to_string())
    }

    fn invalid_length(_: usize, expected: &dyn Expected) -> Self {
        Self::expected(&expected.to_string())
    }

    fn unknown_field(field: &str, _: &'static [&'static str]) -> Self {
        Self::new(MisfitKind::UnknownField(field.to_owned()))
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Self::new(MisfitKind::Other(format!("expected one of {}", expected.join(", "))))
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(MisfitKind::MissingField(field.to_owned()))
    }
}

impl<'de> Deserializer<'de> for Node {
    type Error = Misfit;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self {
            Self::Null => visitor.visit_unit(),
            Self::Bool(value) => visitor.visit_bool(value),
            Self::Unsigned(value) => visitor.visit_u64(value),
            Self::Signed(value) => visitor.visit_i64(value),
            Self::Float(value) => visitor.visit_f64(value),
            Self::Text(value) => visitor.visit_string(value),
            Self::List(items) => visitor.visit_seq(Items(items.into_iter().enumerate())),
            Self::Members(members) => {
                visitor.visit_map(Members { rest: members.into_iter(), current: None })
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self {
            Self::Null => visitor.visit_none(),
            other => visitor.visit_some(other),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        match self {
            Self::Text(word) => visitor.visit_enum(Variant(word, None)),
            Self::Members(members) => {
                let mut members = members.into_iter();
                match (members.next(), members.next()) {
                    (Some((word, value)), None) => visitor.visit_enum(Variant(word, Some(value))),
                    _ => Err(Misfit::custom("expected an object with one member")),
                }
            }
            _ => Err(Misfit::custom("expected a string or an object")),
        }
    }

    /// An object and nothing else: by position, nobody could be told which member is wrong.
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self {
            Self::Members(_) => self.deserialize_any(visitor),
            _ => Err(Misfit::expected("an object")),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        self.deserialize_map(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct identifier ignored_any
    }
}

impl IntoDeserializer<'_, Misfit> for Node {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

struct Items(std::iter::Enumerate<std::vec::IntoIter<Node>>);

impl<'de> SeqAccess<'de> for Items {
    type Error = Misfit;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Misfit> {
        let Some((index, item)) = self.0.next() else { return Ok(None) };
        seed.deserialize(item).map(Some).map_err(|misfit| misfit.at(Step::Item(index)))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

struct Members {
    rest: std::vec::IntoIter<(String, Node)>,
    current: Option<(String, Node)>,
}

impl<'de> MapAccess<'de> for Members {
    type Error = Misfit;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Misfit> {
        self.current = self.rest.next();
        let Some((name, _)) = &self.current else { return Ok(None) };
        seed.deserialize(name.clone().into_deserializer()).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Misfit> {
        let (name, value) =
            self.current.take().ok_or_else(|| Misfit::custom("a value without a name"))?;
        seed.deserialize(value).map_err(|misfit| misfit.at(Step::Member(name)))
    }
}

/// One of several: its word, and what comes with it.
struct Variant(String, Option<Node>);

impl<'de> EnumAccess<'de> for Variant {
    type Error = Misfit;
    type Variant = Payload;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Payload), Misfit> {
        let word = seed.deserialize(self.0.clone().into_deserializer())?;
        Ok((word, Payload(self.0, self.1)))
    }
}

struct Payload(String, Option<Node>);

impl Payload {
    fn value(self) -> Result<(Node, Step), Misfit> {
        let value = self.1.ok_or_else(|| Misfit::custom("expected an object"))?;
        Ok((value, Step::Member(self.0)))
    }
}

impl<'de> VariantAccess<'de> for Payload {
    type Error = Misfit;

    fn unit_variant(self) -> Result<(), Misfit> {
        match self.1 {
            None => Ok(()),
            Some(_) => Err(Misfit::custom("expected a string")),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Misfit> {
        let (value, step) = self.value()?;
        seed.deserialize(value).map_err(|misfit| misfit.at(step))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Misfit> {
        let (value, step) = self.value()?;
        value.deserialize_any(visitor).map_err(|misfit| misfit.at(step))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        let (value, step) = self.value()?;
        value.deserialize_any(visitor).map_err(|misfit| misfit.at(step))
    }
}
