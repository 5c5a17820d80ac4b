//! The clock, passed as an argument.

use crate::Timestamp;

/// The source of the current time. Code that needs the time takes a `Clock`, so that tests can fix
/// the time and a replay can repeat it.
pub trait Clock: Send + Sync + std::fmt::Debug {
    fn now(&self) -> Timestamp;
}

/// A clock that always returns the same time: for tests and for replay.
#[derive(Debug, Clone, Copy)]
pub struct FixedClock(pub Timestamp);

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        self.0
    }
}
