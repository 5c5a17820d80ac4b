//! Limits shared by the canonical writer, the serializer and the strict parser.

/// The deepest nesting that is written or parsed.
pub const MAX_DEPTH: usize = 128;

/// The largest integer that every JSON reader represents exactly: 2^53 − 1.
pub const MAX_INTEGER: u64 = 9_007_199_254_740_991;

/// Enough for a typical record, so that it needs no second allocation.
pub(super) const INITIAL_CAPACITY: usize = 24 * 1024;

/// Enough for the decision in an answer.
pub(super) const SMALL_CAPACITY: usize = 1024;

/// As many members are open at the same time in a typical record.
pub(super) const OPEN_MEMBERS: usize = 48;

/// The most values in one parsed document: the proof of a day with a million records fits.
pub const MAX_VALUES: usize = 4_000_000;
