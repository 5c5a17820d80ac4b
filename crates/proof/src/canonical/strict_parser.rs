//! Strict parsing: input that other parsers read in different ways is refused.
//!
//! A verifier must see the same document as every other reader. Parsers differ on repeated members
//! (first or last?), on unpaired surrogates (error or replacement?), on integers that a double
//! cannot represent, and on bytes after the end, so all of these are errors.

use contract::json::{self, Bom, ErrorKind, Limits, OnDuplicate};
use serde_json::Value;

use super::limits::{MAX_DEPTH, MAX_INTEGER, MAX_VALUES};
use crate::ProofError;

const LIMITS: Limits = Limits {
    bytes: usize::MAX,
    depth: MAX_DEPTH,
    values: MAX_VALUES,
    max_integer: Some(MAX_INTEGER),
    bom: Bom::Reject,
};

/// Parses one JSON value with nothing after it. Fails on invalid UTF-8, a byte order mark, repeated
/// members, unpaired surrogates, nesting deeper than [`MAX_DEPTH`], more than [`MAX_VALUES`] values, integers beyond ±(2^53 − 1) and
/// numbers too large for a double.
pub fn parse_strict(bytes: &[u8]) -> Result<Value, ProofError> {
    match json::parse(bytes, &LIMITS, OnDuplicate::Reject) {
        Ok(parsed) => Ok(parsed.value),
        Err(error) => Err(ProofError::Parse { at: error.offset, why: describe(error.kind) }),
    }
}

fn describe(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::IntegerTooLarge => "integer beyond 2^53 - 1",
        kind => kind.as_str(),
    }
}
