//! How much may be read, what happens to repeated members, and what comes out.

use serde_json::Value;

use super::pointer::Pointer;

/// What a text may contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes, without a byte order mark.
    pub bytes: usize,
    /// The most arrays and objects inside each other. Parsing recurses, so keep it below a few hundred.
    pub depth: usize,
    /// The most values, counting each array, object, member value and item. A value takes far more memory
    /// than the two bytes that the shortest one needs in the text.
    pub values: usize,
    /// The largest absolute value of an integer. Larger ones are errors, and `-0` is the integer 0.
    /// `None`: as in `serde_json`, integers beyond 64 bits and `-0` become doubles.
    pub max_integer: Option<u64>,
    pub bom: Bom,
}

/// What to do with a byte order mark at the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bom {
    /// It is a syntax error, as RFC 8259 has it.
    Reject,
    /// It is skipped. Positions in errors count from the byte after it.
    Skip,
}

/// What to do when an object has the same member name twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnDuplicate {
    /// It is an error.
    Reject,
    /// The last value is kept, and the first so many duplicates are listed.
    KeepLast { report_at_most: usize },
}

/// A parsed text.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    pub value: Value,
    /// Members that came again, in the order of the text.
    pub duplicates: Vec<Pointer>,
    /// Whether a byte order mark was skipped.
    pub had_bom: bool,
}
