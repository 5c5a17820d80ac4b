//! The generic cell rate algorithm: all that is kept of a client is one number, whatever its limit is.
//!
//! The number is the theoretical arrival time: when the client would have its whole limit again if it sent
//! nothing more. Each request moves it by one interval (the window divided by the limit), and a request is
//! refused if the arrival time would then be further away than the whole limit. So nobody gets more than
//! the limit at once plus one request in each interval. Times are nanoseconds since a fixed start.

use super::rate::RateLimit;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Gcra {
    max: u64,
    /// Rounded up, so that the rate is never higher than the limit says.
    interval: u64,
    window: u64,
}

impl Gcra {
    /// `factor` times the limit.
    pub(super) fn new(limit: RateLimit, factor: u32) -> Self {
        let max = u64::from(limit.max) * u64::from(factor);
        let window = limit.window_nanos();
        Self { max, interval: window.div_ceil(max.max(1)), window }
    }

    /// How far away the arrival time of a client without anything left is.
    fn whole_limit(self) -> u64 {
        self.interval.saturating_mul(self.max)
    }

    /// The arrival time after `items` more, or how long to wait until they are accepted. More items than
    /// the limit take all of it.
    pub(super) fn take(self, arrival: u64, items: u32, now: u64) -> Result<u64, u64> {
        if self.max == 0 {
            return Err(self.window);
        }
        let cost = self.interval.saturating_mul(u64::from(items).min(self.max));
        // At the end of time everything is refused.
        let Some(next) = arrival.max(now).checked_add(cost) else { return Err(self.window) };
        match (next - now).saturating_sub(self.whole_limit()) {
            0 => Ok(next),
            wait => Err(wait),
        }
    }

    /// The arrival time without the one request after which it was `after`. What time has already given
    /// back of that request is not given back again, so requests of others keep their count.
    pub(super) fn give_back(self, arrival: u64, after: u64, now: u64) -> u64 {
        let still_counted = after.saturating_sub(now.max(after.saturating_sub(self.interval)));
        arrival.saturating_sub(still_counted)
    }

    pub(super) fn remaining(self, arrival: u64, now: u64) -> u32 {
        let taken = arrival.saturating_sub(now).div_ceil(self.interval);
        u32::try_from(self.max.saturating_sub(taken)).unwrap_or(u32::MAX)
    }

    /// Time until one more remains; zero if nothing is missing.
    pub(super) fn time_until_more(self, arrival: u64, now: u64) -> u64 {
        match arrival.saturating_sub(now) {
            0 => 0,
            backlog => (backlog - 1) % self.interval + 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn per_minute(max: u32) -> Gcra {
        Gcra::new(RateLimit { max, window: Duration::from_secs(60) }, 1)
    }

    #[test]
    fn the_whole_limit_at_once_and_then_one_in_each_interval() {
        let (rate, mut arrival, now) = (per_minute(60), 0, 5 * SECOND);
        for left in (0..60).rev() {
            arrival = rate.take(arrival, 1, now).unwrap();
            assert_eq!(rate.remaining(arrival, now), left);
        }
        assert_eq!(rate.take(arrival, 1, now), Err(SECOND));
        assert_eq!(rate.take(arrival, 7, now), Err(7 * SECOND));
        assert_eq!(rate.take(arrival, 1, now + SECOND - 1), Err(1));
        assert!(rate.take(arrival, 1, now + SECOND).is_ok());
        assert_eq!(rate.remaining(arrival, now + SECOND / 2), 0);
        assert_eq!(rate.time_until_more(arrival, now + SECOND / 2), SECOND / 2);
        assert_eq!(rate.remaining(arrival, now + 60 * SECOND), 60);
        assert_eq!(rate.time_until_more(arrival, now + 60 * SECOND), 0);
    }

    #[test]
    fn a_batch_larger_than_the_limit_takes_all_of_it_and_zero_refuses_everything() {
        let rate = per_minute(60);
        let arrival = rate.take(0, 500, SECOND).unwrap();
        assert_eq!(rate.remaining(arrival, SECOND), 0);
        assert_eq!(rate.take(arrival, 500, SECOND), Err(60 * SECOND));
        assert_eq!(per_minute(0).take(0, 1, SECOND), Err(60 * SECOND));
        assert_eq!(per_minute(0).remaining(0, SECOND), 0);
        let never = Gcra::new(RateLimit { max: 0, window: Duration::ZERO }, 1);
        assert!(never.take(0, 1, SECOND).is_err());
    }

    #[test]
    fn at_the_ends_of_time_and_of_numbers_nothing_overflows() {
        let long = RateLimit { max: u32::MAX, window: Duration::MAX };
        for (limit, factor) in [(long, u32::MAX), (RateLimit { max: 1, ..long }, 1)] {
            let rate = Gcra::new(limit, factor);
            for now in [0, 1, u64::MAX - 1, u64::MAX] {
                for arrival in [0, now, u64::MAX] {
                    let _ = rate.take(arrival, u32::MAX, now);
                    let _ = rate.take(arrival, 1, now);
                    let _ = rate.remaining(arrival, now);
                    let _ = rate.time_until_more(arrival, now);
                    let _ = rate.give_back(arrival, u64::MAX, now);
                }
            }
        }
        let rate = per_minute(60);
        assert!(rate.take(u64::MAX, 1, u64::MAX).is_err(), "refused, not let through");
        assert!(rate.take(0, 1, u64::MAX).is_err());
    }

    #[test]
    fn what_time_gave_back_is_not_given_back_again() {
        let (rate, now) = (per_minute(60), 10 * SECOND);
        let first = rate.take(0, 1, now).unwrap();
        assert_eq!(rate.remaining(rate.give_back(first, first, now), now), 60);
        // A second later the first has come back by itself; releasing it takes nothing off the second.
        let second = rate.take(first, 1, now + SECOND).unwrap();
        assert_eq!(rate.give_back(second, first, now + SECOND), second);
        // Half of it came back.
        let both = rate.take(first, 1, now).unwrap();
        let released = rate.give_back(both, first, now + SECOND / 2);
        assert_eq!(rate.remaining(released, now + SECOND / 2), 59);
        assert_eq!(released, both - SECOND / 2);
    }

    #[derive(Debug, Clone, Copy)]
    struct Step {
        pause: u64,
        items: u32,
        gives_back: bool,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = (0_u64..4 * SECOND, 1_u32..5, any::<bool>());
        let step = step.prop_map(|(pause, items, gives_back)| Step { pause, items, gives_back });
        proptest::collection::vec(step, 1..200)
    }

    proptest! {
        /// In any stretch of time: at most the limit, and what the rate gives meanwhile.
        #[test]
        fn never_more_than_the_limit_and_the_rate(max in 1_u32..40, window in 1_u64..90, steps in steps()) {
            let limit = RateLimit { max, window: Duration::from_secs(window) };
            let rate = Gcra::new(limit, 1);
            let (mut now, mut arrival, mut accepted) = (1_u64, 0_u64, Vec::new());
            for step in steps {
                now += step.pause;
                match rate.take(arrival, step.items, now) {
                    Ok(next) => {
                        arrival = next;
                        accepted.push((now, u64::from(step.items.min(max))));
                    }
                    Err(wait) => {
                        prop_assert!(wait > 0);
                        prop_assert!(rate.take(arrival, step.items, now + wait - 1).is_err(), "exact");
                        prop_assert!(rate.take(arrival, step.items, now + wait).is_ok(), "enough");
                    }
                }
            }
            for (first, (start, _)) in accepted.iter().enumerate() {
                let mut sum = 0_u128;
                for (at, items) in &accepted[first..] {
                    sum += u128::from(*items);
                    let came_back = u128::from(at - start) * u128::from(max) / u128::from(limit.window_nanos());
                    prop_assert!(sum <= u128::from(max) + came_back, "{sum} since {start} at {at}");
                }
            }
        }

        /// Giving back never lets a client have more than those who were never counted for it.
        #[test]
        fn giving_back_gives_at_most_what_was_taken(max in 1_u32..40, steps in steps()) {
            let rate = per_minute(max);
            let (mut now, mut with, mut without) = (1_u64, 0_u64, 0_u64);
            for step in steps {
                now += step.pause;
                let Ok(next) = rate.take(with, 1, now) else { continue };
                with = next;
                if step.gives_back {
                    let later = now + step.pause / 3;
                    with = rate.give_back(with, next, later);
                    now = later;
                } else {
                    let kept = rate.take(without, 1, now);
                    prop_assert!(kept.is_ok());
                    without = kept.unwrap_or_default();
                }
                prop_assert!(rate.remaining(with, now) <= rate.remaining(without, now));
            }
        }

        /// A clock that stands or goes back gives nothing away.
        #[test]
        fn an_earlier_time_has_never_more(max in 1_u32..40, taken in 0_u32..50, back in 0_u64..90 * SECOND) {
            let (rate, now) = (per_minute(max), 100 * SECOND);
            let mut arrival = 0;
            for _ in 0..taken {
                arrival = rate.take(arrival, 1, now).unwrap_or(arrival);
            }
            prop_assert!(rate.remaining(arrival, now - back) <= rate.remaining(arrival, now));
            if rate.take(arrival, 1, now).is_err() {
                prop_assert!(rate.take(arrival, 1, now - back).is_err());
            }
        }
    }
}
