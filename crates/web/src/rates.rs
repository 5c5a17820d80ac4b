//! So many in so long: exact counts of what one asker was let through, in memory and bounded.
//!
//! What is refused is not counted, so the wait that is told is the wait there is. Time is the
//! process's own, which no setting of a clock moves.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};
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
    /// Requests for kept records, by address.
    pub reads: Vec<Rate>,
    /// Decisions, by address; a batch counts its items.
    pub decides: Vec<Rate>,
    /// Reads of a site that a request makes us begin, by address.
    pub live: Vec<Rate>,
}

impl RateLimits {
    /// No limit at all.
    #[must_use]
    pub fn none() -> Self {
        Self {
            scans: Vec::new(),
            keyed_scans: Vec::new(),
            feeds: Vec::new(),
            reads: Vec::new(),
            decides: Vec::new(),
            live: Vec::new(),
        }
    }
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
            reads: vec![Rate { most: limits::READ_PER_MINUTE, within: limits::RATE_WINDOW }],
            decides: vec![Rate { most: limits::DECIDE_PER_MINUTE, within: limits::RATE_WINDOW }],
            live: vec![Rate { most: limits::LIVE_PER_MINUTE, within: limits::RATE_WINDOW }],
        }
    }
}

/// Askers that are remembered at a time. A flood of addresses pushes out those that were let
/// through longest ago, and takes no more memory than this.
const REMEMBERED: usize = 65_536;

/// A rate under the name it is told by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Policy {
    pub(crate) name: Arc<str>,
    pub(crate) rate: Rate,
}

/// How a policy stands for an asker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Standing {
    pub(crate) policy: Policy,
    pub(crate) remaining: u32,
    /// Until there is more: until the request would be let through when it was refused, else until
    /// the oldest that counts is out of the window.
    pub(crate) reset: Duration,
    /// Whether the request was refused by this policy.
    pub(crate) refused: bool,
}

/// What became of a request, and how every policy stands after it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// Until it would be let through; zero when it was.
    pub(crate) wait: Duration,
    pub(crate) standings: Vec<Standing>,
}

/// The lock is held for a look-up only, never across an await.
#[derive(Debug)]
pub(crate) struct Rates<K> {
    policies: Vec<Policy>,
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
    /// The policy of the longest stretch has the name given; others have their seconds behind it.
    pub(crate) fn new(name: &str, limits: Vec<Rate>) -> Self {
        Self::remembering(name, limits, REMEMBERED)
    }

    fn remembering(name: &str, limits: Vec<Rate>, remembered: usize) -> Self {
        let longest = limits.iter().map(|rate| rate.within).max();
        let named = |rate: Rate| Policy {
            name: match longest {
                Some(longest) if rate.within < longest => {
                    format!("{name}-{}s", rate.within.as_secs()).into()
                }
                _ => name.into(),
            },
            rate,
        };
        let policies = limits.into_iter().map(named).collect();
        let seen = Seen { askers: HashMap::new(), order: BTreeMap::new(), next_turn: 1 };
        Self { policies, remembered, seen: Mutex::new(seen) }
    }

    /// Lets so many through, all or none. More than a policy ever has at once take all it has.
    pub(crate) fn take(&self, who: K, items: u32) -> Verdict {
        self.take_at(who, items, Instant::now())
    }

    fn take_at(&self, who: K, items: u32, now: Instant) -> Verdict {
        let Some(longest) = self.policies.iter().map(|policy| policy.rate.within).max() else {
            return Verdict::default();
        };
        // A panic elsewhere cannot leave the counts half changed.
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.forget_those_gone(now, longest);
        let asker = seen.askers.entry(who).or_default();
        while asker.passed.front().is_some_and(|then| now.duration_since(*then) >= longest) {
            asker.passed.pop_front();
        }
        let waits = self.policies.iter().map(|policy| asker.wait(policy.rate, items, now));
        let wait = waits.max().unwrap_or_default();
        if !wait.is_zero() {
            let standings = self.policies.iter().map(|policy| asker.standing(policy, items, now));
            let verdict = Verdict { wait, standings: standings.collect() };
            if asker.passed.is_empty() {
                seen.askers.remove(&who);
            }
            return verdict;
        }
        let least = self.policies.iter().map(|policy| policy.rate.most).min().unwrap_or(items);
        for _ in 0..items.min(least) {
            asker.passed.push_back(now);
        }
        let standings = self.policies.iter().map(|policy| asker.standing(policy, 0, now)).collect();
        seen.put_last(who);
        seen.keep_at_most(self.remembered);
        Verdict { wait, standings }
    }

    #[cfg(test)]
    fn pass_at(&self, who: K, now: Instant) -> Result<(), Duration> {
        let wait = self.take_at(who, 1, now).wait;
        if wait.is_zero() { Ok(()) } else { Err(wait) }
    }

    #[cfg(test)]
    fn count(&self) -> usize {
        let seen = self.seen.lock().unwrap();
        assert_eq!(seen.askers.len(), seen.order.len());
        seen.askers.len()
    }
}

impl Asker {
    /// How long until this rate has room for so many more.
    fn wait(&self, rate: Rate, items: u32, now: Instant) -> Duration {
        if rate.most == 0 {
            return rate.within;
        }
        // How many of the last may still be in the window.
        let beside = (rate.most - items.min(rate.most)) as usize;
        // The one that has to be out of the window before the others come in.
        let Some(first) =
            self.passed.len().checked_sub(beside + 1).and_then(|at| self.passed.get(at))
        else {
            return Duration::ZERO;
        };
        rate.within.saturating_sub(now.duration_since(*first))
    }

    /// How a policy stands when so many more are asked for.
    fn standing(&self, policy: &Policy, items: u32, now: Instant) -> Standing {
        let rate = policy.rate;
        let gone = self.passed.partition_point(|then| now.duration_since(*then) >= rate.within);
        let counted = u32::try_from(self.passed.len() - gone).unwrap_or(u32::MAX);
        let wait = if items == 0 { Duration::ZERO } else { self.wait(rate, items, now) };
        let oldest = self.passed.get(gone).map(|then| now.duration_since(*then));
        let more = oldest.map_or(Duration::ZERO, |age| rate.within.saturating_sub(age));
        Standing {
            policy: policy.clone(),
            remaining: rate.most.saturating_sub(counted),
            reset: if wait.is_zero() { more } else { wait },
            refused: !wait.is_zero(),
        }
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
        Rates::new("scan", RateLimits::default().scans)
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

    /// Name, how many remain, seconds until there is more, and whether it refused.
    fn told(verdict: &Verdict) -> Vec<(&str, u32, u64, bool)> {
        let standings = verdict.standings.iter();
        let one = |s: &'_ Standing| (s.remaining, seconds_up(s.reset), s.refused);
        standings.map(|s| (&*s.policy.name, one(s).0, one(s).1, one(s).2)).collect()
    }

    #[test]
    fn how_policies_stand_is_told_with_every_request() {
        let (rates, start) = (scans(), Instant::now());
        let verdict = rates.take_at(1, 1, start);
        assert_eq!(told(&verdict), [("scan-10s", 4, 10, false), ("scan", 5, 60, false)]);
        let verdict = rates.take_at(1, 1, start + 3 * S);
        assert_eq!(told(&verdict), [("scan-10s", 3, 7, false), ("scan", 4, 57, false)]);
        for _ in 0..3 {
            rates.take_at(1, 1, start + 4 * S);
        }
        let verdict = rates.take_at(1, 1, start + 5 * S);
        assert_eq!(verdict.wait, 5 * S);
        assert_eq!(told(&verdict), [("scan-10s", 0, 5, true), ("scan", 1, 55, false)]);
        let verdict = rates.take_at(1, 1, start + 20 * S);
        assert_eq!(told(&verdict), [("scan-10s", 4, 10, false), ("scan", 0, 40, false)]);
    }

    #[test]
    fn a_batch_takes_its_items_all_or_none() {
        let rate = Rate { most: 60, within: 60 * S };
        let (rates, start) = (Rates::new("decide", vec![rate]), Instant::now());
        assert_eq!(told(&rates.take_at(1, 50, start)), [("decide", 10, 60, false)]);
        let verdict = rates.take_at(1, 11, start + 10 * S);
        assert_eq!(told(&verdict), [("decide", 10, 50, true)], "one too many");
        assert_eq!(verdict.wait, 50 * S);
        assert_eq!(told(&rates.take_at(1, 10, start + 10 * S)), [("decide", 0, 50, false)]);
        let verdict = rates.take_at(1, 50, start + 60 * S);
        assert_eq!(told(&verdict), [("decide", 0, 10, false)], "as told");
        // More than there ever is takes all there is, and is not refused for ever.
        assert_eq!(told(&rates.take_at(2, 500, start)), [("decide", 0, 60, false)]);
        assert_eq!(rates.take_at(2, 500, start + 60 * S).wait, Duration::ZERO);
        assert_eq!(rates.take_at(2, 1, start + 60 * S).wait, 60 * S);
    }

    #[test]
    fn a_flood_of_askers_takes_no_more_room() {
        let rates = Rates::remembering("scan", RateLimits::default().scans, 100);
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
        let (open, start) = (Rates::new("open", vec![]), Instant::now());
        let closed = Rates::new("closed", vec![Rate { most: 0, within: 10 * S }]);
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
