//! Permission for a live read of a site, supplied by the layer that knows the caller's limits.

use std::time::Duration;

use super::allowance::AddressBlock;

/// Consulted only when a site is about to be read: answers from stored readings cost the caller
/// nothing.
pub trait LiveReadPermit: Send + Sync {
    /// Counts one live read, or returns how long to wait for the next one.
    fn acquire(&self) -> Result<(), Duration>;

    /// The client on whose behalf the site is read; `None` if it is unknown.
    fn client(&self) -> Option<AddressBlock> {
        None
    }
}
