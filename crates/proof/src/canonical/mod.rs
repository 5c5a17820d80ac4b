//! Canonical JSON (RFC 8785): one and only one byte form for a value, so that a digest means the
//! value and not the way somebody wrote it.
//!
//! Members stand in the order of their names' UTF-16 units, numbers and strings are written as
//! ECMAScript writes them, and there is no white space. Whole numbers beyond ±(2^53 − 1) are
//! refused, because readers that hold numbers as doubles would take them for others.

mod parse;
mod serializer;
mod writer;

use serde::Serialize;
use serde_json::{Map, Value};

pub use parse::parse_strict;
pub(crate) use writer::by_utf16;

use crate::{Digest, ProofError, sha256};

/// The deepest nesting that is written or read.
pub const MAX_DEPTH: usize = 128;

/// The largest whole number that every reader understands alike: 2^53 − 1.
pub const MAX_INTEGER: u64 = 9_007_199_254_740_991;

/// The two members of a signed document that its digest does not cover.
pub(crate) const SEAL_MEMBERS: [&str; 2] = ["sha256", "signature"];

/// The canonical form of anything that can be serialised.
pub fn to_vec<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, ProofError> {
    serializer::to_vec(value)
}

/// The canonical form of a JSON value.
pub fn value_to_vec(value: &Value) -> Result<Vec<u8>, ProofError> {
    let mut out = Vec::with_capacity(ROOM);
    writer::write_value(&mut out, value, 0)?;
    Ok(out)
}

/// A document's canonical form and its digest, each made once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digested {
    pub canonical: Vec<u8>,
    pub digest: Digest,
}

/// Canonicalises and hashes a document that is about to be signed. One that already carries
/// `sha256` or `signature` is refused: those two are not covered and would be served unsigned.
pub fn with_digest(document: &Map<String, Value>) -> Result<Digested, ProofError> {
    if let Some(taken) = SEAL_MEMBERS.iter().find(|name| document.contains_key(**name)) {
        return Err(ProofError::Document(format!("it already has a member `{taken}`")));
    }
    digested(document)
}

/// The digest a signed document must state: over every member but `sha256` and `signature`.
pub fn document_digest(document: &Map<String, Value>) -> Result<Digest, ProofError> {
    Ok(digested(document)?.digest)
}

/// A record of the usual size needs no second allocation.
const ROOM: usize = 24 * 1024;

fn digested(document: &Map<String, Value>) -> Result<Digested, ProofError> {
    let mut canonical = Vec::with_capacity(ROOM);
    writer::write_members(&mut canonical, document, 0, |name| !SEAL_MEMBERS.contains(&name))?;
    let digest = sha256(&canonical);
    Ok(Digested { canonical, digest })
}

#[cfg(test)]
mod tests;
