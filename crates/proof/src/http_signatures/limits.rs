//! Limits on signatures that are made or verified.

/// The most components that one signature may cover.
pub const MAX_COMPONENTS: usize = 32;
/// The most signatures of one message. A key directory has one for each key.
pub const MAX_SIGNATURES: usize = 16;
/// The longest value of a field, all its lines combined.
pub const MAX_FIELD_BYTES: usize = 16 * 1024;
/// The longest signature base.
pub const MAX_BASE_BYTES: usize = 64 * 1024;
