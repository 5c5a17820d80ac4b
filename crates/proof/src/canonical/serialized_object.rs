//! An object in canonical form, and where its members are in its bytes: so that a member can be added, replaced, or
//! copied into the next object.

use std::cmp::Ordering;
use std::ops::Range;

use super::writer::{compare_utf16_bytes, sort_prefix, write_string};
use crate::ProofError;

/// The canonical bytes of an object, and where its members are in them.
pub(crate) struct SerializedObject {
    pub(crate) bytes: Vec<u8>,
    pub(super) members: Vec<MemberSpan>,
}

/// Where the members of an object are in its canonical bytes: `"name":value`, without the commas, in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberPlaces(Vec<Range<usize>>);

impl MemberPlaces {
    /// How much memory it takes, besides itself.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.0.capacity() * size_of::<Range<usize>>()
    }

    /// `"name":value` of a member of the object in these bytes.
    pub(crate) fn find<'a>(&self, name: &str, bytes: &'a [u8]) -> Option<&'a [u8]> {
        let place = self.0.binary_search_by(|place| {
            let written = bytes.get(place.start + 1..).unwrap_or_default();
            // The name of a field needs no escapes, so it ends at the quotation mark.
            let end = written.iter().position(|byte| *byte == b'"').unwrap_or(0);
            compare_utf16_bytes(written.get(..end).unwrap_or_default(), name.as_bytes())
        });
        bytes.get(self.0.get(place.ok()?)?.clone())
    }
}

/// Members of an object that was written before, which are the same in the next one.
#[derive(Debug, Clone, Copy)]
pub struct KeptMembers<'a> {
    /// The bytes of the earlier object: canonical, maybe with members appended by signing.
    pub bytes: &'a [u8],
    /// Where its members are.
    pub places: &'a MemberPlaces,
    /// The names of those that are the same. They are names of fields of the record.
    pub names: &'a [&'static str],
}

/// Enough for `sha256` and `signature` with an address of usual length, which signing appends.
pub(crate) const SIGNED_MEMBERS_BYTES: usize = 1024;

/// A member whose value can be megabytes. It is written straight into the buffer of the record, not copied into it.
#[allow(missing_debug_implementations, reason = "a function has none")]
pub struct LargeMember<'a> {
    pub name: &'static str,
    /// About how long the value is.
    pub length: usize,
    /// Appends the canonical bytes of the value, and changes nothing of what is there.
    pub write: &'a mut dyn FnMut(&mut Vec<u8>) -> Result<(), ProofError>,
}

impl<'a> KeptMembers<'a> {
    pub(super) fn find(&self, name: &str) -> Option<&'a [u8]> {
        if self.names.contains(&name) { self.places.find(name, self.bytes) } else { None }
    }
}

impl SerializedObject {
    /// Where the members are.
    pub(crate) fn places(&self) -> MemberPlaces {
        MemberPlaces(self.members.iter().map(|member| member.from..member.to).collect())
    }

    /// The canonical bytes of a member's value.
    pub(crate) fn member(&self, name: &str) -> Option<&[u8]> {
        let span =
            self.members.iter().find(|member| member.name(&self.bytes) == name.as_bytes())?;
        // `"name":value`: the name of a member of a record needs no escapes.
        self.bytes.get(span.from + name.len() + 3..span.to)
    }

    /// Puts a value in place of that of a member. Fails if there is no such member.
    pub(super) fn replace(&mut self, value: LargeMember<'_>) -> Result<(), ProofError> {
        let LargeMember { name, length, write } = value;
        let missing = || ProofError::NotCanonical(format!("no member named `{name}`"));
        let bytes = &self.bytes;
        let index = self.members.iter().position(|member| member.name(bytes) == name.as_bytes());
        let mut later = self.members.iter_mut().skip(index.ok_or_else(missing)?);
        let replaced = later.next().ok_or_else(missing)?;
        let old = replaced.from + name.len() + 3..replaced.to;
        let mut bytes = Vec::with_capacity(self.bytes.len() + length + SIGNED_MEMBERS_BYTES);
        bytes.extend_from_slice(self.bytes.get(..old.start).unwrap_or_default());
        write(&mut bytes)?;
        let end = bytes.len();
        bytes.extend_from_slice(self.bytes.get(old.end..).unwrap_or_default());
        replaced.to = end;
        for member in later {
            let moved = |place: usize| place - old.end + end;
            (member.from, member.to) = (moved(member.from), moved(member.to));
        }
        self.bytes = bytes;
        Ok(())
    }

    /// Adds a member at its place. `value` is canonical.
    pub(super) fn insert(&mut self, name: &'static str, value: &[u8]) -> Result<(), ProofError> {
        let (bytes, wanted) = (&self.bytes, name.as_bytes());
        let is_before =
            |member: &MemberSpan| compare_utf16_bytes(member.name(bytes), wanted).is_lt();
        let next = self.members.iter().position(|member| !is_before(member));
        let is_same = |next: &MemberSpan| next.name(bytes) == wanted;
        if next.and_then(|next| self.members.get(next)).is_some_and(is_same) {
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
        self.members.insert(index, MemberSpan::of_field(name, from, to));
        Ok(())
    }
}

/// Where `"name":value` is, without its comma.
pub(super) struct MemberSpan {
    pub(super) name: MemberName,
    /// `sort_prefix` of the name: if those of two names differ, the names are in the same order.
    pub(super) prefix: u64,
    pub(super) from: usize,
    pub(super) to: usize,
}

/// The name of a member.
pub(super) enum MemberName {
    /// Of a field.
    Fixed(&'static str),
    /// It has this many bytes, and stands in the output as it is.
    Written(usize),
    /// It stands in the output with escapes.
    Escaped(String),
}

impl MemberSpan {
    /// `out` is where it was written.
    pub(super) fn new(name: MemberName, from: usize, to: usize, out: &[u8]) -> Self {
        let mut span = Self { name, prefix: 0, from, to };
        span.prefix = sort_prefix(span.name(out));
        span
    }

    pub(super) fn of_field(name: &'static str, from: usize, to: usize) -> Self {
        Self { name: MemberName::Fixed(name), prefix: sort_prefix(name.as_bytes()), from, to }
    }

    /// The canonical order of two members that were written to `out`.
    pub(super) fn compare(&self, other: &Self, out: &[u8]) -> Ordering {
        let by_prefix = self.prefix.cmp(&other.prefix);
        by_prefix.then_with(|| compare_utf16_bytes(self.name(out), other.name(out)))
    }

    /// `out` is where the member was written.
    pub(super) fn name<'a>(&'a self, out: &'a [u8]) -> &'a [u8] {
        match &self.name {
            MemberName::Fixed(name) => name.as_bytes(),
            MemberName::Written(length) => {
                out.get(self.from + 1..self.from + 1 + length).unwrap_or_default()
            }
            MemberName::Escaped(name) => name.as_bytes(),
        }
    }
}
