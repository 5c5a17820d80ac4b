//! The counts of a day start again at midnight (UTC), so that a test of them must not run across it.

use std::time::Duration;

use contract::Clock;
use door::SystemClock;

/// By our own clock.
pub(crate) fn seconds_until_midnight() -> u64 {
    let now = u64::try_from(SystemClock.now().as_millis() / 1000).unwrap();
    86_400 - now % 86_400
}

/// Waits for the next day if this one is over before a test that takes so long would end.
pub(crate) fn wait_if_day_ends_within(time: Duration) {
    let left = seconds_until_midnight();
    if left < time.as_secs() {
        std::thread::sleep(Duration::from_secs(left + 1));
    }
}
