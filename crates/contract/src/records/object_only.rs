//! Requests are objects. Left alone, a derived reader also takes an array and fills the members in
//! the order of their declaration, which no schema promises and no caller should find out.

use serde::Deserializer;
use serde::de::Visitor;
use serde::forward_to_deserialize_any;

/// Reads what is asked of it as an object, whatever is asked.
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

/// For types that derive with `#[serde(remote = "Self")]`.
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
