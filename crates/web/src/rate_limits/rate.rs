//! How many in which time.

use std::time::Duration;

/// So many requests in a period of length `window`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    pub max: u32,
    pub window: Duration,
}

impl RateLimit {
    /// The window in nanoseconds, at least one. 584 years at most.
    pub(super) fn window_nanos(self) -> u64 {
        to_nanos(self.window).max(1)
    }
}

pub(super) fn to_nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Whole seconds, rounded up and at least 1, as in Retry-After.
pub(crate) fn ceil_seconds(wait: Duration) -> u64 {
    (wait.as_secs() + u64::from(wait.subsec_nanos() > 0)).max(1)
}
