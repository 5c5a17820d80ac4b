//! Serialises a type directly to canonical bytes, without building a JSON value first.
//!
//! Members are written in the order they arrive. If that is not the canonical order, their bytes
//! are reordered when the object ends.

use std::borrow::Cow;

use serde::ser::{self, Serialize};

use super::limits::{INITIAL_CAPACITY, MAX_INTEGER, OPEN_MEMBERS};
use super::writer::{
    compare_utf16, next_depth, write_double, write_signed, write_string, write_unsigned,
};
use crate::ProofError;

pub(super) fn to_vec<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, ProofError> {
    append(Vec::with_capacity(INITIAL_CAPACITY), value)
}

/// Writes the value behind these bytes.
pub(super) fn append<T: Serialize + ?Sized>(
    out: Vec<u8>,
    value: &T,
) -> Result<Vec<u8>, ProofError> {
    let mut writer = CanonicalSerializer::new(out);
    value.serialize(&mut writer)?;
    Ok(writer.out)
}

/// The canonical bytes of an object, and where its members are in them.
pub(crate) struct SerializedObject {
    pub(super) bytes: Vec<u8>,
    members: Vec<MemberSpan>,
}

impl SerializedObject {
    /// The canonical bytes of a member's value.
    pub(super) fn member(&self, name: &str) -> Option<&[u8]> {
        let span = self.members.iter().find(|member| member.name == name)?;
        // `"name":value`: the name of a member of a record needs no escapes.
        self.bytes.get(span.from + name.len() + 3..span.to)
    }

    /// Puts this value in place of that of a member. `value` is canonical. Fails if there is no such member.
    pub(super) fn replace(&mut self, name: &str, value: &[u8]) -> Result<(), ProofError> {
        let missing = || ProofError::NotCanonical(format!("no member named `{name}`"));
        let index = self.members.iter().position(|member| member.name == name);
        let mut later = self.members.iter_mut().skip(index.ok_or_else(missing)?);
        let replaced = later.next().ok_or_else(missing)?;
        let old = replaced.from + name.len() + 3..replaced.to;
        let (old_length, new_length) = (old.len(), value.len());
        let moved = |place: usize| place - old_length + new_length;
        replaced.to = moved(replaced.to);
        for member in later {
            (member.from, member.to) = (moved(member.from), moved(member.to));
        }
        let mut bytes = Vec::with_capacity(moved(self.bytes.len()));
        bytes.extend_from_slice(self.bytes.get(..old.start).unwrap_or_default());
        bytes.extend_from_slice(value);
        bytes.extend_from_slice(self.bytes.get(old.end..).unwrap_or_default());
        self.bytes = bytes;
        Ok(())
    }

    /// Adds a member at its place. `value` is canonical.
    pub(super) fn insert(&mut self, name: &'static str, value: &[u8]) -> Result<(), ProofError> {
        let next =
            self.members.iter().position(|member| !compare_utf16(&member.name, name).is_lt());
        if next.and_then(|next| self.members.get(next)).is_some_and(|next| next.name == name) {
            return Err(ProofError::NotCanonical(format!("two members named `{name}`")));
        }
        let mut added = Vec::with_capacity(name.len() + value.len() + 4);
        write_string(&mut added, name);
        added.push(b':');
        added.extend_from_slice(value);
        let length = added.len();
        let index = next.unwrap_or(self.members.len());
        let from = match next.and_then(|next| self.members.get(next)) {
            Some(next) => {
                added.push(b',');
                self.bytes.splice(next.from..next.from, added);
                next.from
            }
            None => {
                // Before the closing brace.
                let end = self.bytes.len().saturating_sub(1);
                let comma = usize::from(!self.members.is_empty());
                self.bytes.splice(end..end, b",".iter().copied().take(comma).chain(added));
                end + comma
            }
        };
        for member in self.members.iter_mut().skip(index) {
            member.from += length + 1;
            member.to += length + 1;
        }
        let to = from + length;
        self.members.insert(index, MemberSpan { name: Cow::Borrowed(name), from, to });
        Ok(())
    }
}

/// Serialises a type that becomes an object. `None` if it becomes anything else.
pub(super) fn to_object<T: Serialize + ?Sized>(
    value: &T,
) -> Result<Option<SerializedObject>, ProofError> {
    let mut writer = CanonicalSerializer::new(Vec::with_capacity(INITIAL_CAPACITY));
    value.serialize(&mut writer)?;
    let bytes = writer.out;
    Ok(writer.top_level.map(|members| SerializedObject { bytes, members }))
}

struct CanonicalSerializer {
    out: Vec<u8>,
    depth: usize,
    /// The members of all objects that are being written, those of the innermost last. One list for all, so that
    /// an object needs no memory of its own.
    open_members: Vec<MemberSpan>,
    /// Holds the members of an object while they are put in order.
    unordered: Vec<u8>,
    /// The members of the outermost object, once it is complete.
    top_level: Option<Vec<MemberSpan>>,
}

impl CanonicalSerializer {
    fn new(out: Vec<u8>) -> Self {
        Self {
            out,
            depth: 0,
            open_members: Vec::with_capacity(OPEN_MEMBERS),
            unordered: Vec::new(),
            top_level: None,
        }
    }

    fn write_literal(&mut self, word: &[u8]) -> Result<(), ProofError> {
        self.out.extend_from_slice(word);
        Ok(())
    }

    /// Opens `{"name":`, which [`CanonicalSerializer::close_variant`] ends.
    fn open_variant(&mut self, name: &str) -> Result<(), ProofError> {
        self.depth = next_depth(self.depth)?;
        self.out.push(b'{');
        write_string(&mut self.out, name);
        self.out.push(b':');
        Ok(())
    }

    fn close_variant(&mut self) {
        self.out.push(b'}');
        self.depth -= 1;
    }

    fn open_items(&mut self, in_variant: bool) -> Result<ArrayWriter<'_>, ProofError> {
        self.depth = next_depth(self.depth)?;
        self.out.push(b'[');
        Ok(ArrayWriter { writer: self, first: true, in_variant })
    }

    fn open_object(&mut self, in_variant: bool) -> Result<ObjectWriter<'_>, ProofError> {
        self.depth = next_depth(self.depth)?;
        self.out.push(b'{');
        let first = self.open_members.len();
        Ok(ObjectWriter { writer: self, first, name: None, in_variant })
    }
}

impl<'a> ser::Serializer for &'a mut CanonicalSerializer {
    type Ok = ();
    type Error = ProofError;
    type SerializeSeq = ArrayWriter<'a>;
    type SerializeTuple = ArrayWriter<'a>;
    type SerializeTupleStruct = ArrayWriter<'a>;
    type SerializeTupleVariant = ArrayWriter<'a>;
    type SerializeMap = ObjectWriter<'a>;
    type SerializeStruct = ObjectWriter<'a>;
    type SerializeStructVariant = ObjectWriter<'a>;

    fn serialize_bool(self, v: bool) -> Result<(), ProofError> {
        self.write_literal(if v { b"true" } else { b"false" })
    }

    fn serialize_i8(self, v: i8) -> Result<(), ProofError> {
        write_signed(&mut self.out, v.into())
    }

    fn serialize_i16(self, v: i16) -> Result<(), ProofError> {
        write_signed(&mut self.out, v.into())
    }

    fn serialize_i32(self, v: i32) -> Result<(), ProofError> {
        write_signed(&mut self.out, v.into())
    }

    fn serialize_i64(self, v: i64) -> Result<(), ProofError> {
        write_signed(&mut self.out, v)
    }

    fn serialize_i128(self, v: i128) -> Result<(), ProofError> {
        write_signed(&mut self.out, v.try_into().map_err(|_| too_large(v))?)
    }

    fn serialize_u8(self, v: u8) -> Result<(), ProofError> {
        write_unsigned(&mut self.out, v.into())
    }

    fn serialize_u16(self, v: u16) -> Result<(), ProofError> {
        write_unsigned(&mut self.out, v.into())
    }

    fn serialize_u32(self, v: u32) -> Result<(), ProofError> {
        write_unsigned(&mut self.out, v.into())
    }

    fn serialize_u64(self, v: u64) -> Result<(), ProofError> {
        write_unsigned(&mut self.out, v)
    }

    fn serialize_u128(self, v: u128) -> Result<(), ProofError> {
        write_unsigned(&mut self.out, v.try_into().map_err(|_| too_large(v))?)
    }

    /// Refused: `0.1_f32` is a different number in decimal and as a double, and JSON writers do not
    /// agree on which one to write.
    fn serialize_f32(self, v: f32) -> Result<(), ProofError> {
        Err(ProofError::NotCanonical(format!("the 32-bit float {v} (use a 64-bit float)")))
    }

    fn serialize_f64(self, v: f64) -> Result<(), ProofError> {
        write_double(&mut self.out, v)
    }

    fn serialize_char(self, v: char) -> Result<(), ProofError> {
        self.serialize_str(v.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, v: &str) -> Result<(), ProofError> {
        write_string(&mut self.out, v);
        Ok(())
    }

    fn serialize_bytes(self, v: &[u8]) -> Result<(), ProofError> {
        self.collect_seq(v)
    }

    fn serialize_none(self) -> Result<(), ProofError> {
        self.write_literal(b"null")
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), ProofError> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), ProofError> {
        self.write_literal(b"null")
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), ProofError> {
        self.write_literal(b"null")
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
    ) -> Result<(), ProofError> {
        self.serialize_str(name)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), ProofError> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        value: &T,
    ) -> Result<(), ProofError> {
        self.open_variant(name)?;
        value.serialize(&mut *self)?;
        self.close_variant();
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<ArrayWriter<'a>, ProofError> {
        self.open_items(false)
    }

    fn serialize_tuple(self, _: usize) -> Result<ArrayWriter<'a>, ProofError> {
        self.open_items(false)
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<ArrayWriter<'a>, ProofError> {
        self.open_items(false)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        _: usize,
    ) -> Result<ArrayWriter<'a>, ProofError> {
        self.open_variant(name)?;
        self.open_items(true)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<ObjectWriter<'a>, ProofError> {
        self.open_object(false)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<ObjectWriter<'a>, ProofError> {
        self.open_object(false)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        _: usize,
    ) -> Result<ObjectWriter<'a>, ProofError> {
        self.open_variant(name)?;
        self.open_object(true)
    }
}

fn too_large(number: impl std::fmt::Display) -> ProofError {
    ProofError::NotCanonical(format!("the integer {number} is beyond {MAX_INTEGER}"))
}

/// An array being written.
struct ArrayWriter<'a> {
    writer: &'a mut CanonicalSerializer,
    first: bool,
    in_variant: bool,
}

impl ArrayWriter<'_> {
    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ProofError> {
        if !std::mem::replace(&mut self.first, false) {
            self.writer.out.push(b',');
        }
        value.serialize(&mut *self.writer)
    }

    fn close(self) -> Result<(), ProofError> {
        self.writer.out.push(b']');
        self.writer.depth -= 1;
        if self.in_variant {
            self.writer.close_variant();
        }
        Ok(())
    }
}

/// An object being written. Its members are those of `writer.open_members` from `first` on.
struct ObjectWriter<'a> {
    writer: &'a mut CanonicalSerializer,
    first: usize,
    name: Option<String>,
    in_variant: bool,
}

/// Where `"name":value` is, without its comma.
struct MemberSpan {
    name: Cow<'static, str>,
    from: usize,
    to: usize,
}

impl ObjectWriter<'_> {
    fn member<T: Serialize + ?Sized>(
        &mut self,
        name: Cow<'static, str>,
        value: &T,
    ) -> Result<(), ProofError> {
        let writer = &mut *self.writer;
        if writer.open_members.len() > self.first {
            writer.out.push(b',');
        }
        let from = writer.out.len();
        write_string(&mut writer.out, &name);
        writer.out.push(b':');
        value.serialize(&mut *writer)?;
        let to = writer.out.len();
        writer.open_members.push(MemberSpan { name, from, to });
        Ok(())
    }

    fn close(self) -> Result<(), ProofError> {
        let writer = self.writer;
        let members = writer.open_members.get_mut(self.first..).unwrap_or_default();
        if !members.is_sorted_by(|a, b| compare_utf16(&a.name, &b.name).is_lt()) {
            sort_members(members, &mut writer.out, &mut writer.unordered)?;
        }
        writer.out.push(b'}');
        writer.depth -= 1;
        if writer.depth == 0 {
            writer.top_level = Some(std::mem::take(&mut writer.open_members));
        } else {
            writer.open_members.truncate(self.first);
        }
        if self.in_variant {
            writer.close_variant();
        }
        Ok(())
    }
}

/// Puts the members, which are the last bytes of `out`, in canonical order.
fn sort_members(
    members: &mut [MemberSpan],
    out: &mut Vec<u8>,
    unordered: &mut Vec<u8>,
) -> Result<(), ProofError> {
    let Some(start) = members.first().map(|member| member.from) else { return Ok(()) };
    members.sort_unstable_by(|a, b| compare_utf16(&a.name, &b.name));
    let repeated = members.iter().zip(members.iter().skip(1)).find(|(a, b)| a.name == b.name);
    if let Some((member, _)) = repeated {
        return Err(ProofError::NotCanonical(format!("two members named `{}`", member.name)));
    }
    unordered.clear();
    unordered.extend_from_slice(out.get(start..).unwrap_or_default());
    out.truncate(start);
    for (nth, member) in members.iter_mut().enumerate() {
        if nth > 0 {
            out.push(b',');
        }
        let bytes = unordered.get(member.from - start..member.to - start);
        member.from = out.len();
        out.extend_from_slice(bytes.unwrap_or_default());
        member.to = out.len();
    }
    Ok(())
}

/// The member name for a map key: text, or a boolean or integer written as text.
fn member_name<T: Serialize + ?Sized>(key: &T) -> Result<String, ProofError> {
    match serde_json::to_value(key) {
        Ok(serde_json::Value::String(text)) => Ok(text),
        Ok(serde_json::Value::Bool(word)) => Ok(word.to_string()),
        Ok(serde_json::Value::Number(number)) if !number.is_f64() => Ok(number.to_string()),
        _ => Err(ProofError::NotCanonical("a member name that is not text".to_owned())),
    }
}

impl ser::SerializeSeq for ArrayWriter<'_> {
    type Ok = ();
    type Error = ProofError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ProofError> {
        self.item(value)
    }

    fn end(self) -> Result<(), ProofError> {
        self.close()
    }
}

impl ser::SerializeTuple for ArrayWriter<'_> {
    type Ok = ();
    type Error = ProofError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ProofError> {
        self.item(value)
    }

    fn end(self) -> Result<(), ProofError> {
        self.close()
    }
}

impl ser::SerializeTupleStruct for ArrayWriter<'_> {
    type Ok = ();
    type Error = ProofError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ProofError> {
        self.item(value)
    }

    fn end(self) -> Result<(), ProofError> {
        self.close()
    }
}

impl ser::SerializeTupleVariant for ArrayWriter<'_> {
    type Ok = ();
    type Error = ProofError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ProofError> {
        self.item(value)
    }

    fn end(self) -> Result<(), ProofError> {
        self.close()
    }
}

impl ser::SerializeMap for ObjectWriter<'_> {
    type Ok = ();
    type Error = ProofError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), ProofError> {
        self.name = Some(member_name(key)?);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ProofError> {
        let name = self.name.take().ok_or_else(|| ser::Error::custom("a value without a name"))?;
        self.member(Cow::Owned(name), value)
    }

    fn end(self) -> Result<(), ProofError> {
        self.close()
    }
}

impl ser::SerializeStruct for ObjectWriter<'_> {
    type Ok = ();
    type Error = ProofError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), ProofError> {
        self.member(Cow::Borrowed(name), value)
    }

    fn end(self) -> Result<(), ProofError> {
        self.close()
    }
}

impl ser::SerializeStructVariant for ObjectWriter<'_> {
    type Ok = ();
    type Error = ProofError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), ProofError> {
        self.member(Cow::Borrowed(name), value)
    }

    fn end(self) -> Result<(), ProofError> {
        self.close()
    }
}
