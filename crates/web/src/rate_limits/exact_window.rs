//! At most so many in any period of a length, exactly.
//!
//! Two limits are stated to clients as a number of requests in a time (5 scans in 10 seconds, 6 in a
//! minute). With the algorithm of `gcra`, a client that waits between requests could get nearly twice the number in
//! such a period, so for these the time of each counted request is kept. They are small; larger numbers,
//! which only an operator sets, are counted by the steady rate.

use super::{cell_table::Cell, rate::RateLimit};

/// The largest limit that is counted exactly.
pub(crate) const EXACT_MAX: u32 = 8;

/// When each counted request leaves the window, in order; 0 where there is none. Nanoseconds since a fixed
/// start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ExactWindow([u64; EXACT_MAX as usize]);

impl ExactWindow {
    /// The window with `items` more, or how long to wait until they are accepted. More items than the limit
    /// take all of it.
    pub(super) fn take(self, limit: RateLimit, items: u32, now: u64) -> Result<Self, u64> {
        let max = limit.max.min(EXACT_MAX) as usize;
        let leaves_at = now.checked_add(limit.window_nanos());
        let (Some(leaves_at), 1..) = (leaves_at, max) else { return Err(limit.window_nanos()) };
        let items = (items as usize).min(max);
        let counted = self.counted(now);
        if let Some(too_many) = (counted + items).checked_sub(max + 1) {
            // So many of the oldest must have left.
            let leaving = self.0.iter().filter(|leaves_at| **leaves_at > now).nth(too_many);
            return Err(leaving.map_or(1, |leaves_at| leaves_at - now));
        }
        let mut next = self;
        // The oldest come first. They have left, or there are none.
        for place in next.0.iter_mut().take(items) {
            *place = leaves_at;
        }
        next.0.sort_unstable();
        Ok(next)
    }

    /// Without the one request that leaves at this time.
    pub(super) fn give_back(mut self, leaves_at: u64) -> Self {
        if let Some(place) = self.0.iter_mut().rev().find(|place| **place == leaves_at) {
            *place = 0;
            self.0.sort_unstable();
        }
        self
    }

    pub(super) fn remaining(self, limit: RateLimit, now: u64) -> u32 {
        let counted = u32::try_from(self.counted(now)).unwrap_or(u32::MAX);
        limit.max.saturating_sub(counted)
    }

    /// Time until one more remains; zero if nothing is missing.
    pub(super) fn time_until_more(self, now: u64) -> u64 {
        let mut counted = self.0.iter().filter(|leaves_at| **leaves_at > now);
        counted.next().map_or(0, |leaves_at| leaves_at - now)
    }

    /// When the newest request leaves. Afterwards the window says nothing.
    pub(super) fn last_leaves_at(self) -> u64 {
        self.0.last().copied().unwrap_or_default()
    }

    fn counted(self, now: u64) -> usize {
        self.0.iter().filter(|leaves_at| **leaves_at > now).count()
    }
}

impl Cell for ExactWindow {
    fn matters_until(&self) -> u64 {
        self.last_leaves_at()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn limit(max: u32, seconds: u64) -> RateLimit {
        RateLimit { max, window: Duration::from_secs(seconds) }
    }

    #[test]
    fn a_released_request_leaves_the_others_counted() {
        let two = limit(2, 60);
        let first = ExactWindow::default().take(two, 1, SECOND).unwrap();
        let both = first.take(two, 1, 2 * SECOND).unwrap();
        assert_eq!(both.take(two, 1, 3 * SECOND), Err(58 * SECOND));
        let one = both.give_back(first.last_leaves_at());
        assert_eq!(one.remaining(two, 3 * SECOND), 1);
        assert_eq!(one.give_back(first.last_leaves_at()), one, "once");
        assert_eq!(one.time_until_more(3 * SECOND), 59 * SECOND, "the second stays");
    }

    #[test]
    fn batches_are_all_or_none_and_the_ends_hold() {
        let six = limit(6, 60);
        let four = ExactWindow::default().take(six, 4, SECOND).unwrap();
        assert_eq!(four.take(six, 3, 11 * SECOND), Err(50 * SECOND));
        let all = four.take(six, 2, 11 * SECOND).unwrap();
        assert_eq!((all.remaining(six, 11 * SECOND), all.last_leaves_at()), (0, 71 * SECOND));
        assert_eq!(all.take(six, 4, 61 * SECOND).unwrap().remaining(six, 61 * SECOND), 0);
        assert_eq!(all.take(six, 500, 11 * SECOND), Err(60 * SECOND), "all of it");
        assert!(all.take(six, 500, 71 * SECOND).is_ok());
        assert_eq!(ExactWindow::default().take(limit(0, 10), 1, 1), Err(10 * SECOND));
        assert!(ExactWindow::default().take(six, 1, u64::MAX).is_err());
        assert!(ExactWindow::default().take(limit(6, u64::MAX), 1, 1).is_err());
    }

    proptest! {
        /// No period holds more than the limit, and waiting as told is enough and not too long.
        #[test]
        fn no_window_ever_holds_more_than_its_limit(
            max in 1_u32..=EXACT_MAX,
            seconds in 1_u64..60,
            pauses in proptest::collection::vec(0_u64..9 * SECOND, 1..200),
        ) {
            let limit = limit(max, seconds);
            let (mut window, mut now, mut accepted) = (ExactWindow::default(), 1_u64, Vec::new());
            for pause in pauses {
                now += pause;
                if let Err(wait) = window.take(limit, 1, now) {
                    prop_assert!(window.take(limit, 1, now + wait - 1).is_err());
                    now += wait;
                }
                let next = window.take(limit, 1, now);
                prop_assert!(next.is_ok());
                window = next.unwrap_or_default();
                accepted.push(now);
            }
            for pair in accepted.windows(max as usize + 1) {
                prop_assert!(pair[max as usize] - pair[0] >= limit.window_nanos());
            }
        }
    }
}
