//! How large a stored value may be.

use crate::StoreError;

/// The longest single value (a record, its evidence, one artefact) that any engine accepts.
pub const MAX_VALUE_BYTES: usize = 16 * 1024 * 1024;

/// Refuses a text that is longer than any engine accepts.
pub(crate) fn check_length(
    what: &'static str,
    bytes: usize,
    limit: usize,
) -> Result<(), StoreError> {
    if bytes <= limit { Ok(()) } else { Err(StoreError::TooLarge { what, bytes, limit }) }
}

/// Refuses a value that is too large for any engine.
pub(crate) fn check_size(what: &'static str, bytes: &[u8]) -> Result<(), StoreError> {
    if bytes.len() > MAX_VALUE_BYTES {
        return Err(StoreError::TooLarge { what, bytes: bytes.len(), limit: MAX_VALUE_BYTES });
    }
    Ok(())
}
