//! Time as an argument.

use crate::Timestamp;

/// Where the time comes from. Everything that needs the time is given one of these, so that tests
/// can fix it and a replay can repeat it.
pub trait Clock: Send + Sync + std::fmt::Debug {
    fn now(&self) -> Timestamp;
}

/// A clock that stands still: for tests and for replay.
#[derive(Debug, Clone, Copy)]
pub struct FixedClock(pub Timestamp);

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        self.0
    }
}
