//! Limits on stamps, which come from the network.

/// The deepest tree and the longest message that are accepted. Other implementations use the same
/// limits.
pub const MAX_DEPTH: usize = 256;
pub const MAX_MESSAGE: usize = 4096;
/// The largest stamp, and the most operations and attestations in one.
pub const MAX_STAMP_BYTES: usize = 64 * 1024;
pub const MAX_NODES: usize = 4096;
