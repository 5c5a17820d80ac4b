//! Serialises a type directly to canonical bytes, without building a JSON value first.
//!
//! Members are written in the order they arrive. If that is not the canonical order, their bytes
//! are reordered when the object ends.

use serde::ser::{self, Serialize};

use super::limits::{INITIAL_CAPACITY, MAX_INTEGER, OPEN_MEMBERS};
use super::serialized_object::{KeptMembers, MemberName, MemberSpan, SerializedObject};
use super::writer::{next_depth, write_double, write_signed, write_string, write_unsigned};
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

/// Serialises a type that becomes an object. `None` if it becomes anything else. Members that are in `kept` are
/// copied from there.
pub(super) fn to_object<T: Serialize + ?Sized>(
    value: &T,
    kept: Option<&KeptMembers<'_>>,
) -> Result<Option<SerializedObject>, ProofError> {
    let mut writer = CanonicalSerializer::new(Vec::with_capacity(INITIAL_CAPACITY));
    writer.kept = kept;
    value.serialize(&mut writer)?;
    let bytes = writer.out;
    Ok(writer.top_level.map(|members| SerializedObject { bytes, members }))
}

struct CanonicalSerializer<'k> {
    out: Vec<u8>,
    depth: usize,
    /// The members of all objects that are being written, those of the innermost last. One list for all, so that
    /// an object needs no memory of its own.
    open_members: Vec<MemberSpan>,
    /// Holds the members of an object while they are put in order.
    unordered: Vec<u8>,
    /// The members of the outermost object, once it is complete.
    top_level: Option<Vec<MemberSpan>>,
    /// Members of the outermost object that need not be written again.
    kept: Option<&'k KeptMembers<'k>>,
}

impl<'k> CanonicalSerializer<'k> {
    fn new(out: Vec<u8>) -> Self {
        Self {
            out,
            depth: 0,
            open_members: Vec::with_capacity(OPEN_MEMBERS),
            unordered: Vec::new(),
            top_level: None,
            kept: None,
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

    fn open_items(&mut self, in_variant: bool) -> Result<ArrayWriter<'_, 'k>, ProofError> {
        self.depth = next_depth(self.depth)?;
        self.out.push(b'[');
        Ok(ArrayWriter { writer: self, first: true, in_variant })
    }

    fn open_object(&mut self, in_variant: bool) -> Result<ObjectWriter<'_, 'k>, ProofError> {
        self.depth = next_depth(self.depth)?;
        self.out.push(b'{');
        let first = self.open_members.len();
        Ok(ObjectWriter { writer: self, first, open: None, in_variant })
    }
}

impl<'a, 'k> ser::Serializer for &'a mut CanonicalSerializer<'k> {
    type Ok = ();
    type Error = ProofError;
    type SerializeSeq = ArrayWriter<'a, 'k>;
    type SerializeTuple = ArrayWriter<'a, 'k>;
    type SerializeTupleStruct = ArrayWriter<'a, 'k>;
    type SerializeTupleVariant = ArrayWriter<'a, 'k>;
    type SerializeMap = ObjectWriter<'a, 'k>;
    type SerializeStruct = ObjectWriter<'a, 'k>;
    type SerializeStructVariant = ObjectWriter<'a, 'k>;

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

    fn serialize_seq(self, _: Option<usize>) -> Result<ArrayWriter<'a, 'k>, ProofError> {
        self.open_items(false)
    }

    fn serialize_tuple(self, _: usize) -> Result<ArrayWriter<'a, 'k>, ProofError> {
        self.open_items(false)
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<ArrayWriter<'a, 'k>, ProofError> {
        self.open_items(false)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        _: usize,
    ) -> Result<ArrayWriter<'a, 'k>, ProofError> {
        self.open_variant(name)?;
        self.open_items(true)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<ObjectWriter<'a, 'k>, ProofError> {
        self.open_object(false)
    }

    fn serialize_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<ObjectWriter<'a, 'k>, ProofError> {
        self.open_object(false)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        _: usize,
    ) -> Result<ObjectWriter<'a, 'k>, ProofError> {
        self.open_variant(name)?;
        self.open_object(true)
    }
}

fn too_large(number: impl std::fmt::Display) -> ProofError {
    ProofError::NotCanonical(format!("the integer {number} is beyond {MAX_INTEGER}"))
}

/// An array being written.
struct ArrayWriter<'a, 'k> {
    writer: &'a mut CanonicalSerializer<'k>,
    first: bool,
    in_variant: bool,
}

impl ArrayWriter<'_, '_> {
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
struct ObjectWriter<'a, 'k> {
    writer: &'a mut CanonicalSerializer<'k>,
    first: usize,
    /// Where the member starts whose name was written last, and its name.
    open: Option<(usize, MemberName)>,
    in_variant: bool,
}

impl ObjectWriter<'_, '_> {
    fn member<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), ProofError> {
        let from = self.begin_member();
        let writer = &mut *self.writer;
        if writer.depth == 1
            && let Some(written) = writer.kept.and_then(|kept| kept.find(name))
        {
            writer.out.extend_from_slice(written);
            let to = writer.out.len();
            writer.open_members.push(MemberSpan::of_field(name, from, to));
            return Ok(());
        }
        write_string(&mut writer.out, name);
        self.end_member(from, MemberName::Fixed(name), value)
    }

    /// Returns where the member starts.
    fn begin_member(&mut self) -> usize {
        if self.writer.open_members.len() > self.first {
            self.writer.out.push(b',');
        }
        self.writer.out.len()
    }

    fn end_member<T: Serialize + ?Sized>(
        &mut self,
        from: usize,
        name: MemberName,
        value: &T,
    ) -> Result<(), ProofError> {
        let writer = &mut *self.writer;
        writer.out.push(b':');
        value.serialize(&mut *writer)?;
        let to = writer.out.len();
        writer.open_members.push(MemberSpan::new(name, from, to, &writer.out));
        Ok(())
    }

    /// Writes the key of a map as a name.
    fn write_key<T: Serialize + ?Sized>(
        &mut self,
        from: usize,
        key: &T,
    ) -> Result<MemberName, ProofError> {
        let writer = &mut *self.writer;
        // Mostly a text, whose canonical form is that of the name.
        key.serialize(&mut *writer)?;
        if let Some([b'"', name @ .., b'"']) = writer.out.get(from..)
            && !name.contains(&b'\\')
        {
            return Ok(MemberName::Written(name.len()));
        }
        writer.out.truncate(from);
        let name = member_name(key)?;
        write_string(&mut writer.out, &name);
        Ok(MemberName::Escaped(name))
    }

    fn close(self) -> Result<(), ProofError> {
        let writer = self.writer;
        let members = writer.open_members.get_mut(self.first..).unwrap_or_default();
        let out = &writer.out;
        if !members.is_sorted_by(|a, b| a.compare(b, out).is_lt()) {
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
    members.sort_unstable_by(|a, b| a.compare(b, out));
    let mut neighbours = members.iter().zip(members.iter().skip(1));
    if let Some((member, _)) = neighbours.find(|(a, b)| a.compare(b, out).is_eq()) {
        let name = String::from_utf8_lossy(member.name(out));
        return Err(ProofError::NotCanonical(format!("two members named `{name}`")));
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

impl ser::SerializeSeq for ArrayWriter<'_, '_> {
    type Ok = ();
    type Error = ProofError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ProofError> {
        self.item(value)
    }

    fn end(self) -> Result<(), ProofError> {
        self.close()
    }
}

impl ser::SerializeTuple for ArrayWriter<'_, '_> {
    type Ok = ();
    type Error = ProofError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ProofError> {
        self.item(value)
    }

    fn end(self) -> Result<(), ProofError> {
        self.close()
    }
}

impl ser::SerializeTupleStruct for ArrayWriter<'_, '_> {
    type Ok = ();
    type Error = ProofError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ProofError> {
        self.item(value)
    }

    fn end(self) -> Result<(), ProofError> {
        self.close()
    }
}

impl ser::SerializeTupleVariant for ArrayWriter<'_, '_> {
    type Ok = ();
    type Error = ProofError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ProofError> {
        self.item(value)
    }

    fn end(self) -> Result<(), ProofError> {
        self.close()
    }
}

impl ser::SerializeMap for ObjectWriter<'_, '_> {
    type Ok = ();
    type Error = ProofError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), ProofError> {
        let from = self.begin_member();
        let name = self.write_key(from, key)?;
        self.open = Some((from, name));
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ProofError> {
        let open = self.open.take();
        let (from, name) = open.ok_or_else(|| ser::Error::custom("a value without a name"))?;
        self.end_member(from, name, value)
    }

    fn end(self) -> Result<(), ProofError> {
        self.close()
    }
}

impl ser::SerializeStruct for ObjectWriter<'_, '_> {
    type Ok = ();
    type Error = ProofError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), ProofError> {
        self.member(name, value)
    }

    fn end(self) -> Result<(), ProofError> {
        self.close()
    }
}

impl ser::SerializeStructVariant for ObjectWriter<'_, '_> {
    type Ok = ();
    type Error = ProofError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), ProofError> {
        self.member(name, value)
    }

    fn end(self) -> Result<(), ProofError> {
        self.close()
    }
}
