//! The system clock.

use contract::{Clock, Timestamp};

/// The time of this machine. This is the only place that reads it; all other code takes a [`Clock`]
/// as an argument.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the system clock")]
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(jiff::Timestamp::now().as_millisecond())
    }
}
