//! Canonical JSON (RFC 8785): exactly one byte form for each value, so that a digest identifies the
//! value and not the way it was written.
//!
//! Members are sorted by their names' UTF-16 units, numbers and strings are written as in
//! ECMAScript, and there is no white space. Integers beyond ±(2^53 − 1) are refused, because
//! readers that store numbers as doubles would change them.

mod limits;
mod reader;
mod serialized_object;
mod serializer;
mod strict_parser;
mod tree;
mod unsigned_members;
mod writer;

use serde::Serialize;
use serde_json::{Map, Value};

pub use limits::{MAX_DEPTH, MAX_INTEGER, MAX_VALUES};
pub(crate) use reader::read_object;
pub use serialized_object::{KeptMembers, LargeMember, MemberPlaces};
pub(crate) use serialized_object::{SIGNED_MEMBERS_BYTES, SerializedObject};
pub use strict_parser::parse_strict;
pub(crate) use tree::{CanonicalTree, TreeValue};
pub(crate) use unsigned_members::UNSIGNED_MEMBERS;
pub(crate) use writer::compare_utf16;

use self::limits::{INITIAL_CAPACITY, SMALL_CAPACITY};
use crate::{Digest, Hasher, ProofError, sha256};

/// The canonical form of any serialisable value.
pub fn to_vec<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, ProofError> {
    serializer::to_vec(value)
}

/// Writes the canonical form of a value behind these bytes.
pub(crate) fn append<T: Serialize + ?Sized>(
    bytes: Vec<u8>,
    value: &T,
) -> Result<Vec<u8>, ProofError> {
    serializer::append(bytes, value)
}

/// The canonical form of a JSON value.
pub fn value_to_vec(value: &Value) -> Result<Vec<u8>, ProofError> {
    let mut out = Vec::with_capacity(INITIAL_CAPACITY);
    writer::write_value(&mut out, value, 0)?;
    Ok(out)
}

/// Like [`value_to_vec`], for a value that is much smaller than a record: the room for a record is large
/// enough that it costs more to get and to give back than such a value costs to write.
pub(crate) fn small_value_to_vec(value: &Value) -> Result<Vec<u8>, ProofError> {
    let mut out = Vec::with_capacity(SMALL_CAPACITY);
    writer::write_value(&mut out, value, 0)?;
    Ok(out)
}

/// Like [`to_vec`], for what is much smaller than a record.
pub(crate) fn small_to_vec<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, ProofError> {
    append(Vec::with_capacity(SMALL_CAPACITY), value)
}

/// A document's canonical form and its digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CanonicalDocument {
    pub canonical: Vec<u8>,
    pub digest: Digest,
}

/// Canonicalises and hashes a document that is about to be signed. Fails if it already has `sha256`
/// or `signature`: the digest does not cover those two, so they would be served unsigned.
pub fn canonicalize_and_hash(
    document: &Map<String, Value>,
) -> Result<CanonicalDocument, ProofError> {
    if let Some(taken) = UNSIGNED_MEMBERS.iter().find(|name| document.contains_key(**name)) {
        return Err(ProofError::Document(format!("it already has a member `{taken}`")));
    }
    canonical_form_and_digest(document)
}

/// A record's canonical form, its digest and its kind.
pub(crate) struct CanonicalRecord {
    pub(crate) canonical: Vec<u8>,
    pub(crate) digest: Digest,
    pub(crate) kind: String,
    /// The hash of all but the closing brace, to be continued with what is put in its place.
    pub(crate) unclosed: Hasher,
    pub(crate) places: MemberPlaces,
}

/// Like [`canonicalize_and_hash`], for a record that becomes an object. No JSON value is built.
pub(crate) fn serialize_and_hash<T: Serialize + ?Sized>(
    record: &T,
) -> Result<CanonicalRecord, ProofError> {
    hash_object(serialize_object(record)?)
}

/// Appends a text as a JSON string.
pub(crate) fn append_text(out: &mut Vec<u8>, text: &str) {
    writer::write_string(out, text);
}

/// A record in canonical form, before a member is added to it.
pub(crate) fn serialize_object<T: Serialize + ?Sized>(
    record: &T,
) -> Result<SerializedObject, ProofError> {
    serialize_object_with(record, None)
}

/// The same; members that are in `kept` are copied from there.
pub(crate) fn serialize_object_with<T: Serialize + ?Sized>(
    record: &T,
    kept: Option<&KeptMembers<'_>>,
) -> Result<SerializedObject, ProofError> {
    serializer::to_object(record, kept)?
        .ok_or_else(|| ProofError::Document("it is not a JSON object".to_owned()))
}

/// Adds a member to a record and hashes it.
pub(crate) fn complete_and_hash(
    mut object: SerializedObject,
    name: &'static str,
    value: &Value,
) -> Result<CanonicalRecord, ProofError> {
    object.insert(name, &small_value_to_vec(value)?)?;
    hash_object(object)
}

/// Replaces the value of a member of a record and hashes it.
pub(crate) fn replace_and_hash(
    mut object: SerializedObject,
    value: LargeMember<'_>,
) -> Result<CanonicalRecord, ProofError> {
    object.replace(value)?;
    hash_object(object)
}

fn hash_object(object: SerializedObject) -> Result<CanonicalRecord, ProofError> {
    if let Some(taken) = UNSIGNED_MEMBERS.iter().find(|name| object.member(name).is_some()) {
        return Err(ProofError::Document(format!("it already has a member `{taken}`")));
    }
    let kind = object.member("kind").and_then(|kind| serde_json::from_slice(kind).ok());
    let mut unclosed = Hasher::new();
    unclosed.update(object.bytes.strip_suffix(b"}").unwrap_or(&object.bytes));
    let mut closed = unclosed.clone();
    closed.update(b"}");
    Ok(CanonicalRecord {
        places: object.places(),
        canonical: object.bytes,
        digest: closed.finish(),
        kind: kind.unwrap_or_default(),
        unclosed,
    })
}

/// The digest a signed document must state: over every member but `sha256` and `signature`.
pub fn document_digest(document: &Map<String, Value>) -> Result<Digest, ProofError> {
    Ok(canonical_form_and_digest(document)?.digest)
}

fn canonical_form_and_digest(
    document: &Map<String, Value>,
) -> Result<CanonicalDocument, ProofError> {
    let mut canonical = Vec::with_capacity(INITIAL_CAPACITY);
    writer::write_members(&mut canonical, document, 0, |name| !UNSIGNED_MEMBERS.contains(&name))?;
    let digest = sha256(&canonical);
    Ok(CanonicalDocument { canonical, digest })
}

#[cfg(test)]
mod tests;
