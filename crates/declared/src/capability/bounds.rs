//! How much of names and URLs is kept.

/// How many characters of a name are kept.
pub(super) const NAME_CHARS: usize = 128;

/// Longer URLs are ignored.
pub(super) const MAX_ADDRESS_BYTES: usize = 1_024;
