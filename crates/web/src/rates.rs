//! So many in so long: exact counts of what one asker was let through, in memory and bounded.
//!
//! What is refused is not counted, so the wait that is told is the wait there is. Time is the
//! process's own, which no setting of a clock moves.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// At most `most` in any stretch of `within`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    pub most: u32,
    pub within: Duration,
}

/// The rates of the HTTP side. An empty list is no limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RateLimits {
    /// Requests to scan, by address; all of them hold.
    pub scans: Vec<Rate>,
    /// Keyed requests to scan, by licence.
    pub keyed_scans: Vec<Rate>,
    /// Requests to the log and other feeds, by address.
    pub feeds: Vec<Rate>,
}

impl Default for RateLimits {
    fn default() -> Self {
        use contract::limits;
        Self {
            scans: vec![
                Rate { most: limits::SCAN_BURST, within: limits::SCAN_BURST_WINDOW },
                Rate { most: limits::SCAN_PER_MINUTE, within: limits::SCAN_MINUTE_WINDOW },
            ],
            keyed_scans: vec![Rate {
                most: limits::KEYED_SCANS_PER_MINUTE,
                within: limits::SCAN_MINUTE_WINDOW,
            }],
            feeds: vec![Rate { most: limits::FEED_PER_MINUTE, within: limits::FEED_WINDOW }],
        }
    }
}

/// Askers that are remembered at a time. A flood of addresses pushes out those that were let
/// through longest ago, and takes no more memory than this.
const REMEMBERED: usize = 65_536;

/// The lock is held for a look-up only, never across an await.
#[derive(Debug)]
pub(crate) struct Rates<K> {
    limits: Vec<Rate>,
    remembered: usize,
    seen: Mutex<Seen<K>>,
}

#[derive(Debug)]
struct Seen<K> {
    askers: HashMap<K, Asker>,
    /// By turn: whoever was let through longest ago comes first.
    order: BTreeMap<u64, K>,
    next_turn: u64,
}

/// When one asker was let through, the oldest first, and the turn of the last time (0 for never).
#[derive(Debug, Default)]
struct Asker {
    passed: VecDeque<Instant>,
    turn: u64,
}

impl<K: Copy + Eq + Hash> Rates<K> {
    pub(crate) fn new(limits: Vec<Rate>) -> Self {
        Self::remembering(limits, REMEMBERED)
    }

    fn remembering(limits: Vec<Rate>, remembered: usize) -> Self {
        let seen = Seen { askers: HashMap::new(), order: BTreeMap::new(), next_turn: 1 };
        Self { limits, remembered, seen: Mutex::new(seen) }
    }

    /// Lets one through, or says how long until one more would be.
    pub(crate) fn pass(&self, who: K) -> Result<(), Duration> {
        self.pass_at(who, Instant::now())
    }

    fn pass_at(&self, who: K, now: Instant) -> Result<(), Duration> {
        let Some(longest) = self.limits.iter().map(|rate| rate.within).max() else {
            return Ok(());
        };
        // A panic elsewhere cannot leave the counts half changed.
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.forget_those_gone(now, longest);
        let asker = seen.askers.entry(who).or_default();
        while asker.passed.front().is_some_and(|then| now.duration_since(*then) >= longest) {
            asker.passed.pop_front();
        }
        let wait = self.limits.iter().map(|rate| asker.wait(*rate, now)).max().unwrap_or_default();
        if !wait.is_zero() {
            if asker.passed.is_empty() {
                seen.askers.remove(&who);
            }
            return Err(wait);
        }
        asker.passed.push_back(now);
        seen.put_last(who);
        seen.keep_at_most(self.remembered);
        Ok(())
    }

    #[cfg(test)]
    fn count(&self) -> usize {
        let seen = self.seen.lock().unwrap();
        assert_eq!(seen.askers.len(), seen.order.len());
        seen.askers.len()
    }
}

impl Asker {
    /// How long until this rate has room for one more.
    fn wait(&self, rate: Rate, now: Instant) -> Duration {
        let Some(most) = usize::try_from(rate.most).ok().filter(|most| *most > 0) else {
            return rate.within;
        };
        // The one that has to be out of the window before another comes in.
        let Some(first) = self.passed.len().checked_sub(most).and_then(|at| self.passed.get(at))
        else {
            return Duration::ZERO;
        };
        rate.within.saturating_sub(now.duration_since(*first))
    }
}

impl<K: Copy + Eq + Hash> Seen<K> {
    fn put_last(&mut self, who: K) {
        let turn = self.next_turn;
        self.next_turn += 1;
        if let Some(asker) = self.askers.get_mut(&who) {
            self.order.remove(&asker.turn);
            asker.turn = turn;
            self.order.insert(turn, who);
        }
    }

    fn keep_at_most(&mut self, most: usize) {
        while self.askers.len() > most {
            let Some((_, who)) = self.order.pop_first() else { break };
            self.askers.remove(&who);
        }
    }

    /// A few at a time, so that no request pays for a flood before it.
    fn forget_those_gone(&mut self, now: Instant, longest: Duration) {
        for _ in 0..2 {
            let Some((turn, who)) = self.order.first_key_value() else { break };
            let (turn, who) = (*turn, *who);
            let last = self.askers.get(&who).and_then(|asker| asker.passed.back());
            if last.is_some_and(|then| now.duration_since(*then) < longest) {
                break;
            }
            self.order.remove(&turn);
            self.askers.remove(&who);
        }
    }
}

/// Whole seconds, never too few: what Retry-After says.
pub(crate) fn seconds_up(wait: Duration) -> u64 {
    (wait.as_secs() + u64::from(wait.subsec_nanos() > 0)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: Duration = Duration::from_secs(1);

    fn scans() -> Rates<u32> {
        Rates::new(RateLimits::default().scans)
    }

    #[test]
    fn both_rates_hold_and_the_wait_is_exact() {
        let (rates, start) = (scans(), Instant::now());
        for step in 0..5 {
            assert_eq!(rates.pass_at(1, start + step * S), Ok(()), "{step}");
        }
        assert_eq!(rates.pass_at(1, start + 5 * S), Err(5 * S), "five in ten seconds");
        assert_eq!(rates.pass_at(2, start + 5 * S), Ok(()), "somebody else");
        let almost = 10 * S - Duration::from_millis(1);
        assert_eq!(rates.pass_at(1, start + almost), Err(Duration::from_millis(1)));
        assert_eq!(rates.pass_at(1, start + 10 * S), Ok(()), "the sixth of the minute");
        assert_eq!(rates.pass_at(1, start + 30 * S), Err(30 * S), "six in sixty seconds");
        assert_eq!(rates.pass_at(1, start + 59 * S), Err(S), "asking in vain costs nothing");
        assert_eq!(rates.pass_at(1, start + 60 * S), Ok(()));
        assert_eq!(rates.pass_at(1, start + 60 * S), Err(S), "the next place is that of second 1");
    }

    /// Whatever the steps, no window ever holds more than its rate, and a told wait is enough.
    #[test]
    fn no_stretch_of_time_ever_holds_more() {
        let (rates, start) = (scans(), Instant::now());
        let (mut now, mut passed, mut state) = (start, Vec::new(), 7_u64);
        for _ in 0..3_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            now += Duration::from_millis((state >> 33) % 9_000);
            if let Err(wait) = rates.pass_at(1, now) {
                now += wait;
                assert_eq!(rates.pass_at(1, now), Ok(()));
            }
            passed.push(now);
        }
        for limit in RateLimits::default().scans {
            for window in passed.windows(limit.most as usize + 1) {
                assert!(window[limit.most as usize] - window[0] >= limit.within);
            }
        }
    }

    #[test]
    fn a_flood_of_askers_takes_no_more_room() {
        let rates = Rates::remembering(RateLimits::default().scans, 100);
        let start = Instant::now();
        for who in 0..10_000 {
            assert_eq!(rates.pass_at(who, start), Ok(()));
        }
        assert_eq!(rates.count(), 100);
        // Those of the flood who came last are still counted.
        for _ in 0..4 {
            assert_eq!(rates.pass_at(9_999, start), Ok(()));
        }
        assert!(rates.pass_at(9_999, start).is_err());
        // Time empties it.
        for step in 0..60 {
            rates.pass_at(20_000, start + 61 * S + step * 11 * S).ok();
        }
        assert_eq!(rates.count(), 1);
    }

    #[test]
    fn none_is_no_limit_and_nought_is_none_at_all() {
        let (open, start) = (Rates::new(vec![]), Instant::now());
        let closed = Rates::new(vec![Rate { most: 0, within: 10 * S }]);
        for _ in 0..100 {
            assert_eq!(open.pass_at(1, start), Ok(()));
            assert_eq!(closed.pass_at(1, start), Err(10 * S));
        }
        assert_eq!((open.count(), closed.count()), (0, 0));
        assert_eq!(seconds_up(Duration::from_millis(1)), 1);
        assert_eq!((seconds_up(Duration::ZERO), seconds_up(2 * S)), (1, 2));
        assert_eq!(seconds_up(Duration::from_millis(2_001)), 3);
    }
}
