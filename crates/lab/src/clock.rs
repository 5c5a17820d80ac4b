//! A clock that people and tests move forward, so that they do not wait a month to see what happens
//! after one.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use contract::{Clock, Timestamp};

/// The real time and an offset that only grows: a service may rely on time that does not go back.
#[derive(Debug)]
pub struct LabClock {
    real: Arc<dyn Clock>,
    /// In milliseconds. Every call of [`LabClock::advance`] adds to it; every reader of the time reads it.
    offset: AtomicI64,
}

/// The lab's certificates are valid until 2098, so that they outlast every jump.
const MAX_OFFSET: Duration = Duration::from_secs(20 * 365 * 24 * 60 * 60);

/// The clock was not moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a lab clock can be moved by 20 years in all")]
pub struct ClockTooFar;

impl LabClock {
    /// A clock that shows the time of `real` until it is moved.
    #[must_use]
    pub fn new(real: Arc<dyn Clock>) -> Self {
        Self { real, offset: AtomicI64::new(0) }
    }

    /// Moves the clock forward and returns the new time.
    pub fn advance(&self, by: Duration) -> Result<Timestamp, ClockTooFar> {
        let most = to_millis(MAX_OFFSET);
        let add = |offset: i64| offset.checked_add(to_millis(by)).filter(|sum| *sum <= most);
        match self.offset.fetch_update(Ordering::SeqCst, Ordering::SeqCst, add) {
            Ok(_) => Ok(self.now()),
            Err(_) => Err(ClockTooFar),
        }
    }

    /// How far the clock is ahead of the real time.
    #[must_use]
    pub fn offset(&self) -> Duration {
        Duration::from_millis(self.offset.load(Ordering::SeqCst).unsigned_abs())
    }
}

impl Clock for LabClock {
    fn now(&self) -> Timestamp {
        self.real.now().plus_millis(self.offset.load(Ordering::SeqCst))
    }
}

fn to_millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use contract::clock::FixedClock;

    use super::*;

    #[test]
    fn the_clock_moves_forward_by_what_was_asked_in_all() {
        let start = Timestamp::from_millis(1_800_000_000_000);
        let clock = LabClock::new(Arc::new(FixedClock(start)));
        assert_eq!((clock.now(), clock.offset()), (start, Duration::ZERO));
        let (day, hour) = (Duration::from_secs(86_400), Duration::from_secs(3_600));
        assert_eq!(clock.advance(31 * day), Ok(start.plus_millis(31 * 86_400_000)));
        assert_eq!(clock.advance(hour), Ok(start.plus_millis(31 * 86_400_000 + 3_600_000)));
        assert_eq!(clock.offset(), 31 * day + hour);
        for far in [MAX_OFFSET, Duration::MAX] {
            assert_eq!(clock.advance(far), Err(ClockTooFar));
        }
        assert_eq!(clock.offset(), 31 * day + hour);
    }
}
