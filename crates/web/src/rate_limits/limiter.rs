//! A sliding-window rate limiter: exact counts of each client's accepted requests, in bounded memory.
//!
//! A refused request is not counted, so the reported wait is exact. Time is the process's monotonic
//! clock, which setting the system clock does not move.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// At most `max` requests in any period of length `window`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    pub max: u32,
    pub window: Duration,
}

/// Clients tracked at a time. A flood of addresses evicts those whose last accepted request is oldest,
/// so that memory stays bounded.
const MAX_TRACKED_CLIENTS: usize = 65_536;

/// A rate limit and the name under which it is reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RateLimitPolicy {
    pub(crate) name: Arc<str>,
    pub(crate) limit: RateLimit,
}

/// A client's quota under one policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QuotaStatus {
    pub(crate) policy: RateLimitPolicy,
    pub(crate) remaining: u32,
    /// Time until more quota is available. If the request was refused: until it would be accepted;
    /// otherwise until the oldest counted request leaves the window.
    pub(crate) reset: Duration,
    /// Whether this policy refused the request.
    pub(crate) refused: bool,
}

/// Whether a request was accepted, and the client's quota under every policy afterwards.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RateLimitVerdict {
    /// Time until it would be accepted; zero if it was accepted.
    pub(crate) wait: Duration,
    pub(crate) quotas: Vec<QuotaStatus>,
}

/// Counts accepted requests per client. Every request writes to `windows`; the mutex guards it, is held
/// for one look-up, and never across an await.
#[derive(Debug)]
pub(crate) struct RateLimiter<K> {
    policies: Vec<RateLimitPolicy>,
    max_tracked_clients: usize,
    windows: Mutex<ClientWindows<K>>,
}

#[derive(Debug)]
struct ClientWindows<K> {
    clients: HashMap<K, ClientWindow>,
    /// Clients by turn: the one whose last accepted request is oldest comes first.
    by_last_accepted: BTreeMap<u64, K>,
    next_turn: u64,
}

/// The times of one client's accepted requests, oldest first, and the turn of the last one (0: none).
#[derive(Debug, Default)]
struct ClientWindow {
    accepted: VecDeque<Instant>,
    last_turn: u64,
}

impl<K: Copy + Eq + Hash> RateLimiter<K> {
    /// The policy with the longest window gets `name`; the others get `name` and their seconds, as
    /// `scan-10s`.
    pub(crate) fn new(name: &str, limits: Vec<RateLimit>) -> Self {
        Self::with_capacity(name, limits, MAX_TRACKED_CLIENTS)
    }

    fn with_capacity(name: &str, limits: Vec<RateLimit>, remembered: usize) -> Self {
        let longest = limits.iter().map(|rate| rate.window).max();
        let named = |rate: RateLimit| RateLimitPolicy {
            name: match longest {
                Some(longest) if rate.window < longest => {
                    format!("{name}-{}s", rate.window.as_secs()).into()
                }
                _ => name.into(),
            },
            limit: rate,
        };
        let policies = limits.into_iter().map(named).collect();
        let seen = ClientWindows {
            clients: HashMap::new(),
            by_last_accepted: BTreeMap::new(),
            next_turn: 1,
        };
        Self { policies, max_tracked_clients: remembered, windows: Mutex::new(seen) }
    }

    /// Accepts `items` requests of a client, all or none. If a policy allows fewer than `items` in its
    /// whole window, they take all it has.
    pub(crate) fn acquire(&self, client: K, items: u32) -> RateLimitVerdict {
        self.acquire_at(client, items, Instant::now())
    }

    pub(super) fn acquire_at(&self, client: K, items: u32, now: Instant) -> RateLimitVerdict {
        let Some(longest) = self.policies.iter().map(|policy| policy.limit.window).max() else {
            return RateLimitVerdict::default();
        };
        // No code that can panic runs between two related changes, so a poisoned lock is still valid.
        let mut seen = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        seen.evict_expired(now, longest);
        let asker = seen.clients.entry(client).or_default();
        while asker.accepted.front().is_some_and(|then| now.duration_since(*then) >= longest) {
            asker.accepted.pop_front();
        }
        let waits = self.policies.iter().map(|policy| asker.wait_time(policy.limit, items, now));
        let wait = waits.max().unwrap_or_default();
        if !wait.is_zero() {
            let quotas = self.policies.iter().map(|policy| asker.quota_status(policy, items, now));
            let verdict = RateLimitVerdict { wait, quotas: quotas.collect() };
            if asker.accepted.is_empty() {
                seen.clients.remove(&client);
            }
            return verdict;
        }
        let least = self.policies.iter().map(|policy| policy.limit.max).min().unwrap_or(items);
        for _ in 0..items.min(least) {
            asker.accepted.push_back(now);
        }
        let quotas =
            self.policies.iter().map(|policy| asker.quota_status(policy, 0, now)).collect();
        seen.move_to_back(client);
        seen.evict_down_to(self.max_tracked_clients);
        RateLimitVerdict { wait, quotas }
    }

    /// Takes back one request that was accepted at `then`, and returns the client's quota afterwards.
    /// Exactly that one: giving back another would let the client have more than its limit.
    pub(super) fn release(&self, client: K, then: Instant) -> RateLimitVerdict {
        let now = Instant::now();
        let mut seen = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        let mut window = ClientWindow::default();
        if let Some(asker) = seen.clients.get_mut(&client) {
            // Requests at the same time may be in another order than their times.
            if let Some(at) = asker.accepted.iter().rposition(|accepted| *accepted == then) {
                asker.accepted.remove(at);
            }
            window.accepted.clone_from(&asker.accepted);
        }
        drop(seen);
        let quotas = self.policies.iter().map(|policy| window.quota_status(policy, 0, now));
        RateLimitVerdict { wait: Duration::ZERO, quotas: quotas.collect() }
    }

    /// The most requests that all policies accept from one client at a time; `None` without a policy.
    pub(crate) fn smallest_limit(&self) -> Option<u32> {
        self.policies.iter().map(|policy| policy.limit.max).min()
    }

    /// Whether one more request would be accepted, without counting it.
    pub(crate) fn check(&self, client: K) -> RateLimitVerdict {
        self.check_at(client, Instant::now())
    }

    fn check_at(&self, client: K, now: Instant) -> RateLimitVerdict {
        let seen = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(asker) = seen.clients.get(&client) else { return RateLimitVerdict::default() };
        let quotas: Vec<QuotaStatus> =
            self.policies.iter().map(|policy| asker.quota_status(policy, 1, now)).collect();
        let refusing = quotas.iter().filter(|quota| quota.refused);
        let wait = refusing.map(|quota| quota.reset).max().unwrap_or_default();
        RateLimitVerdict { wait, quotas }
    }

    #[cfg(test)]
    fn try_acquire_at(&self, who: K, now: Instant) -> Result<(), Duration> {
        let wait = self.acquire_at(who, 1, now).wait;
        if wait.is_zero() { Ok(()) } else { Err(wait) }
    }

    #[cfg(test)]
    fn tracked_clients(&self) -> usize {
        let seen = self.windows.lock().unwrap();
        assert_eq!(seen.clients.len(), seen.by_last_accepted.len());
        seen.clients.len()
    }
}

impl ClientWindow {
    /// Time until this limit has room for `items` more.
    fn wait_time(&self, rate: RateLimit, items: u32, now: Instant) -> Duration {
        if rate.max == 0 {
            return rate.window;
        }
        // How many of the newest requests may still be in the window.
        let others = (rate.max - items.min(rate.max)) as usize;
        // The newest request that must have left the window by then.
        let Some(first) =
            self.accepted.len().checked_sub(others + 1).and_then(|at| self.accepted.get(at))
        else {
            return Duration::ZERO;
        };
        rate.window.saturating_sub(now.duration_since(*first))
    }

    /// The quota under a policy when `items` more are requested.
    fn quota_status(&self, policy: &RateLimitPolicy, items: u32, now: Instant) -> QuotaStatus {
        let rate = policy.limit;
        let gone = self.accepted.partition_point(|then| now.duration_since(*then) >= rate.window);
        let counted = u32::try_from(self.accepted.len() - gone).unwrap_or(u32::MAX);
        let wait = if items == 0 { Duration::ZERO } else { self.wait_time(rate, items, now) };
        let oldest = self.accepted.get(gone).map(|then| now.duration_since(*then));
        let more = oldest.map_or(Duration::ZERO, |age| rate.window.saturating_sub(age));
        QuotaStatus {
            policy: policy.clone(),
            remaining: rate.max.saturating_sub(counted),
            reset: if wait.is_zero() { more } else { wait },
            refused: !wait.is_zero(),
        }
    }
}

impl<K: Copy + Eq + Hash> ClientWindows<K> {
    fn move_to_back(&mut self, who: K) {
        let turn = self.next_turn;
        self.next_turn += 1;
        if let Some(asker) = self.clients.get_mut(&who) {
            self.by_last_accepted.remove(&asker.last_turn);
            asker.last_turn = turn;
            self.by_last_accepted.insert(turn, who);
        }
    }

    fn evict_down_to(&mut self, most: usize) {
        while self.clients.len() > most {
            let Some((_, who)) = self.by_last_accepted.pop_first() else { break };
            self.clients.remove(&who);
        }
    }

    /// Evicts at most two clients per call, so that no request pays for an earlier flood.
    fn evict_expired(&mut self, now: Instant, longest: Duration) {
        for _ in 0..2 {
            let Some((turn, who)) = self.by_last_accepted.first_key_value() else { break };
            let (turn, who) = (*turn, *who);
            let last = self.clients.get(&who).and_then(|asker| asker.accepted.back());
            if last.is_some_and(|then| now.duration_since(*then) < longest) {
                break;
            }
            self.by_last_accepted.remove(&turn);
            self.clients.remove(&who);
        }
    }
}

/// Whole seconds, rounded up and at least 1, as in Retry-After.
pub(crate) fn ceil_seconds(wait: Duration) -> u64 {
    (wait.as_secs() + u64::from(wait.subsec_nanos() > 0)).max(1)
}

#[cfg(test)]
mod tests {
    use super::{super::policies::RateLimits, *};

    const S: Duration = Duration::from_secs(1);

    fn scans() -> RateLimiter<u32> {
        RateLimiter::new("scan", RateLimits::default().scans)
    }

    #[test]
    fn both_rates_hold_and_the_wait_is_exact() {
        let (rates, start) = (scans(), Instant::now());
        for step in 0..5 {
            assert_eq!(rates.try_acquire_at(1, start + step * S), Ok(()), "{step}");
        }
        assert_eq!(rates.try_acquire_at(1, start + 5 * S), Err(5 * S), "five in ten seconds");
        assert_eq!(rates.try_acquire_at(2, start + 5 * S), Ok(()), "another client");
        let almost = 10 * S - Duration::from_millis(1);
        assert_eq!(rates.try_acquire_at(1, start + almost), Err(Duration::from_millis(1)));
        assert_eq!(rates.try_acquire_at(1, start + 10 * S), Ok(()), "the sixth of the minute");
        assert_eq!(rates.try_acquire_at(1, start + 30 * S), Err(30 * S), "six in sixty seconds");
        assert_eq!(
            rates.try_acquire_at(1, start + 59 * S),
            Err(S),
            "a refused request is not counted"
        );
        assert_eq!(rates.try_acquire_at(1, start + 60 * S), Ok(()));
        assert_eq!(
            rates.try_acquire_at(1, start + 60 * S),
            Err(S),
            "the next free slot is that of second 1"
        );
    }

    /// For random steps, no window holds more than its limit, and waiting as reported is enough.
    #[test]
    fn no_window_ever_holds_more_than_its_limit() {
        let (rates, start) = (scans(), Instant::now());
        let (mut now, mut passed, mut state) = (start, Vec::new(), 7_u64);
        for _ in 0..3_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            now += Duration::from_millis((state >> 33) % 9_000);
            if let Err(wait) = rates.try_acquire_at(1, now) {
                now += wait;
                assert_eq!(rates.try_acquire_at(1, now), Ok(()));
            }
            passed.push(now);
        }
        for limit in RateLimits::default().scans {
            for window in passed.windows(limit.max as usize + 1) {
                assert!(window[limit.max as usize] - window[0] >= limit.window);
            }
        }
    }

    /// Name, remaining requests, seconds until there are more, and whether the policy refused.
    fn summarize(verdict: &RateLimitVerdict) -> Vec<(&str, u32, u64, bool)> {
        let quotas = verdict.quotas.iter();
        let one = |s: &'_ QuotaStatus| (s.remaining, ceil_seconds(s.reset), s.refused);
        quotas.map(|s| (&*s.policy.name, one(s).0, one(s).1, one(s).2)).collect()
    }

    #[test]
    fn every_request_reports_the_quotas_of_all_policies() {
        let (rates, start) = (scans(), Instant::now());
        let verdict = rates.acquire_at(1, 1, start);
        assert_eq!(summarize(&verdict), [("scan-10s", 4, 10, false), ("scan", 5, 60, false)]);
        let verdict = rates.acquire_at(1, 1, start + 3 * S);
        assert_eq!(summarize(&verdict), [("scan-10s", 3, 7, false), ("scan", 4, 57, false)]);
        for _ in 0..3 {
            rates.acquire_at(1, 1, start + 4 * S);
        }
        let verdict = rates.acquire_at(1, 1, start + 5 * S);
        assert_eq!(verdict.wait, 5 * S);
        assert_eq!(summarize(&verdict), [("scan-10s", 0, 5, true), ("scan", 1, 55, false)]);
        let verdict = rates.acquire_at(1, 1, start + 20 * S);
        assert_eq!(summarize(&verdict), [("scan-10s", 4, 10, false), ("scan", 0, 40, false)]);
    }

    #[test]
    fn a_check_counts_nothing() {
        let rate = RateLimit { max: 2, window: 60 * S };
        let (rates, start) = (RateLimiter::new("key", vec![rate]), Instant::now());
        for _ in 0..10 {
            assert_eq!(rates.check_at(1, start).wait, Duration::ZERO);
        }
        rates.acquire_at(1, 2, start);
        let verdict = rates.check_at(1, start + 10 * S);
        assert_eq!((verdict.wait, summarize(&verdict)), (50 * S, vec![("key", 0, 50, true)]));
        assert_eq!(rates.check_at(2, start).wait, Duration::ZERO, "another client");
        assert_eq!(rates.check_at(1, start + 60 * S).wait, Duration::ZERO, "afterwards");
    }

    #[test]
    fn a_released_request_leaves_the_others_counted() {
        let rate = RateLimit { max: 2, window: 60 * S };
        let (rates, start) = (RateLimiter::new("scan", vec![rate]), Instant::now());
        rates.acquire_at(1, 1, start);
        rates.acquire_at(1, 1, start + S);
        assert_eq!(summarize(&rates.release(1, start)), [("scan", 1, 60, false)]);
        rates.release(1, start);
        rates.release(2, start);
        assert_eq!(rates.try_acquire_at(1, start + 2 * S), Ok(()), "one was given back");
        assert_eq!(rates.try_acquire_at(1, start + 3 * S), Err(58 * S), "only one, the first");
        // A client of whom everything was given back is forgotten like any other.
        rates.acquire_at(3, 1, start + 3 * S);
        rates.release(3, start + 3 * S);
        for step in 0..3 {
            rates.try_acquire_at(4, start + 70 * S + step * 31 * S).ok();
        }
        assert_eq!(rates.tracked_clients(), 1);
    }

    #[test]
    fn a_batch_takes_its_items_all_or_none() {
        let rate = RateLimit { max: 60, window: 60 * S };
        let (rates, start) = (RateLimiter::new("decide", vec![rate]), Instant::now());
        assert_eq!(summarize(&rates.acquire_at(1, 50, start)), [("decide", 10, 60, false)]);
        let verdict = rates.acquire_at(1, 11, start + 10 * S);
        assert_eq!(summarize(&verdict), [("decide", 10, 50, true)], "one too many");
        assert_eq!(verdict.wait, 50 * S);
        assert_eq!(summarize(&rates.acquire_at(1, 10, start + 10 * S)), [("decide", 0, 50, false)]);
        let verdict = rates.acquire_at(1, 50, start + 60 * S);
        assert_eq!(summarize(&verdict), [("decide", 0, 10, false)], "after the reported wait");
        // A batch larger than the limit takes the whole limit, and is not refused for ever.
        assert_eq!(summarize(&rates.acquire_at(2, 500, start)), [("decide", 0, 60, false)]);
        assert_eq!(rates.acquire_at(2, 500, start + 60 * S).wait, Duration::ZERO);
        assert_eq!(rates.acquire_at(2, 1, start + 60 * S).wait, 60 * S);
    }

    #[test]
    fn a_flood_of_clients_takes_no_more_memory() {
        let rates = RateLimiter::with_capacity("scan", RateLimits::default().scans, 100);
        let start = Instant::now();
        for who in 0..10_000 {
            assert_eq!(rates.try_acquire_at(who, start), Ok(()));
        }
        assert_eq!(rates.tracked_clients(), 100);
        // The last clients of the flood are still tracked.
        for _ in 0..4 {
            assert_eq!(rates.try_acquire_at(9_999, start), Ok(()));
        }
        assert!(rates.try_acquire_at(9_999, start).is_err());
        // Expired clients are evicted.
        for step in 0..60 {
            rates.try_acquire_at(20_000, start + 61 * S + step * 11 * S).ok();
        }
        assert_eq!(rates.tracked_clients(), 1);
    }

    #[test]
    fn an_empty_list_is_no_limit_and_zero_refuses_everything() {
        let (open, start) = (RateLimiter::new("open", vec![]), Instant::now());
        let closed = RateLimiter::new("closed", vec![RateLimit { max: 0, window: 10 * S }]);
        for _ in 0..100 {
            assert_eq!(open.try_acquire_at(1, start), Ok(()));
            assert_eq!(closed.try_acquire_at(1, start), Err(10 * S));
        }
        assert_eq!((open.tracked_clients(), closed.tracked_clients()), (0, 0));
        assert_eq!(ceil_seconds(Duration::from_millis(1)), 1);
        assert_eq!((ceil_seconds(Duration::ZERO), ceil_seconds(2 * S)), (1, 2));
        assert_eq!(ceil_seconds(Duration::from_millis(2_001)), 3);
    }
}
