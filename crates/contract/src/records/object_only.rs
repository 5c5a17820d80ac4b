//! Accepts requests only as JSON objects. A derived deserialiser also accepts an array and fills
//! the members in declaration order, which no schema allows.

use serde::Deserializer;
use serde::de::Visitor;
use serde::forward_to_deserialize_any;

/// Deserialises every type as a map, so that anything but an object is refused.
pub(super) struct ObjectOnly<D>(pub(super) D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for ObjectOnly<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier
        ignored_any
    }
}

/// Implements serde's traits for types that derive them with `#[serde(remote = "Self")]`.
macro_rules! objects_only {
    ($($name:ident),+ $(,)?) => {$(
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
                $name::deserialize($crate::records::object_only::ObjectOnly(reader))
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, writer: S) -> Result<S::Ok, S::Error> {
                $name::serialize(self, writer)
            }
        }
    )+};
}
