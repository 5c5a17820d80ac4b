//! The largest feed that is read.

/// The most bytes of a feed. A fetch can stop there.
pub const MAX_FEED_BYTES: usize = 8_000_000;
/// The most prefixes of a feed, with repetitions.
pub const MAX_PREFIXES: usize = 200_000;
