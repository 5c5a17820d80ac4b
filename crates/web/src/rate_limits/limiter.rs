//! A rate limiter: counts the accepted requests of each client under one or several policies.
//!
//! A refused request is not counted, so the reported wait is exact. Time is the process's monotonic
//! clock, which setting the system clock does not move. A request costs the same however many clients there
//! are: a look-up in a table of a fixed size for each policy and each network that the client belongs to.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use contract::policies::NETWORK_TIERS;
use tokio::time::Instant;

use super::{
    policy_counts::{PolicyCounts, RequestCounts},
    quota::{QuotaStatus, RateLimitPolicy, RateLimitVerdict, RefusedNetwork},
    rate::{RateLimit, to_nanos},
    scopes::{RateLimitClient, Scope, Tier},
};

/// Counts accepted requests per client. Every request writes to `counts`; the mutex guards it, is held
/// for a few look-ups, and never across an await.
#[derive(Debug)]
pub(crate) struct RateLimiter {
    start: Instant,
    policies: Vec<TieredPolicy>,
    /// One for each policy.
    counts: Mutex<Vec<PolicyCounts>>,
}

/// A policy under the names of the clients' own count, of the networks around them, and of crowds.
#[derive(Debug)]
struct TieredPolicy {
    client: RateLimitPolicy,
    networks: [Arc<str>; NETWORK_TIERS.len()],
    crowd: Arc<str>,
}

/// What one accepted request was counted under, to give it back.
#[derive(Debug, Clone)]
pub(super) struct CountedRequest {
    client: RateLimitClient,
    scopes: Vec<CountedScope>,
}

#[derive(Debug, Clone, Copy)]
struct CountedScope {
    policy: usize,
    scope: Scope,
    mark: u64,
}

impl RateLimiter {
    /// The policy with the longest window gets `name`; the others get `name` and their seconds, as
    /// `scan-10s`. Small limits can be exact.
    pub(super) fn new(name: &str, limits: Vec<RateLimit>, is_exact: bool) -> Self {
        let counts = limits.iter().map(|limit| PolicyCounts::new(*limit, is_exact)).collect();
        Self::with_counts(name, &limits, counts)
    }

    fn with_counts(name: &str, limits: &[RateLimit], counts: Vec<PolicyCounts>) -> Self {
        let longest = limits.iter().map(|limit| limit.window).max();
        let policy = |limit: &RateLimit| {
            let is_shorter = longest.is_some_and(|longest| limit.window < longest);
            let name = match is_shorter {
                true => format!("{name}-{}s", limit.window.as_secs()),
                false => name.to_owned(),
            };
            TieredPolicy {
                networks: NETWORK_TIERS.map(|tier| format!("{name}-{}", tier.prefix_bits).into()),
                crowd: format!("{name}-crowd").into(),
                client: RateLimitPolicy { name: name.into(), limit: *limit },
            }
        };
        Self {
            start: Instant::now(),
            policies: limits.iter().map(policy).collect(),
            counts: Mutex::new(counts),
        }
    }

    /// Accepts `items` requests of a client, all or none. If a policy allows fewer than `items` at once, they
    /// take all it has.
    pub(super) fn acquire(
        &self,
        client: impl Into<RateLimitClient>,
        items: u32,
    ) -> RateLimitVerdict {
        self.acquire_at(client.into(), items, Instant::now(), None)
    }

    /// Accepts one request that may be given back.
    pub(super) fn acquire_one(
        &self,
        client: RateLimitClient,
    ) -> (RateLimitVerdict, CountedRequest) {
        self.acquire_one_at(client, Instant::now())
    }

    fn acquire_one_at(
        &self,
        client: RateLimitClient,
        now: Instant,
    ) -> (RateLimitVerdict, CountedRequest) {
        let mut scopes = Vec::new();
        let verdict = self.acquire_at(client, 1, now, Some(&mut scopes));
        (verdict, CountedRequest { client, scopes })
    }

    fn acquire_at(
        &self,
        client: RateLimitClient,
        items: u32,
        now: Instant,
        mut counted: Option<&mut Vec<CountedScope>>,
    ) -> RateLimitVerdict {
        if self.policies.is_empty() {
            return RateLimitVerdict::default();
        }
        let now = self.nanos(now);
        let mut policies = self.lock();
        let mut all: Vec<RequestCounts> =
            policies.iter().map(|policy| policy.counts_of(client, now)).collect();
        let mut one_by_one = all.iter().flatten().flatten();
        if one_by_one.any(|(_, count)| count.take(items, now).is_err()) {
            drop(policies);
            return self.verdict(client, &all, items, now);
        }
        for (number, (policy, counts)) in policies.iter_mut().zip(&mut all).enumerate() {
            for (scope, count) in counts.iter_mut().flatten() {
                // None of them refused.
                let Ok(next) = count.take(items, now) else { continue };
                policy.keep(client, *scope, next, now);
                *count = next;
                if let Some(counted) = &mut counted {
                    let mark = next.last_mark();
                    counted.push(CountedScope { policy: number, scope: *scope, mark });
                }
            }
        }
        drop(policies);
        self.verdict(client, &all, 0, now)
    }

    /// Takes back one request that was accepted, and returns the client's quota afterwards. Exactly that
    /// one: giving back another would let the client have more than its limit. Call it once.
    pub(super) fn release(&self, counted: &CountedRequest) -> RateLimitVerdict {
        self.release_at(counted, Instant::now())
    }

    fn release_at(&self, counted: &CountedRequest, now: Instant) -> RateLimitVerdict {
        let (client, now) = (counted.client, self.nanos(now));
        let mut policies = self.lock();
        for CountedScope { policy, scope, mark } in &counted.scopes {
            let Some(policy) = policies.get_mut(*policy) else { continue };
            if let Some(count) = policy.known(client, *scope, now) {
                policy.keep(client, *scope, count.give_back(*mark, now), now);
            }
        }
        let all: Vec<RequestCounts> =
            policies.iter().map(|policy| policy.counts_of(client, now)).collect();
        drop(policies);
        self.verdict(client, &all, 0, now)
    }

    /// The most requests that all policies accept from one client at a time; `None` without a policy.
    pub(super) fn smallest_limit(&self, client: RateLimitClient) -> Option<u32> {
        let limits = self.policies.iter().map(|policy| policy.client.limit.max);
        limits.min().map(|limit| limit.saturating_mul(client.factor()))
    }

    /// What the counts say about `items` more requests; nothing is refused with 0.
    fn verdict(
        &self,
        client: RateLimitClient,
        all: &[RequestCounts],
        items: u32,
        now: u64,
    ) -> RateLimitVerdict {
        let mut verdict = RateLimitVerdict::default();
        for (policy, counts) in self.policies.iter().zip(all) {
            let Some((scope, wait, quota)) = policy.nearest_quota(counts, items, now) else {
                continue;
            };
            if wait > verdict.wait {
                verdict.wait = wait;
                verdict.refused_for = client
                    .network(scope.tier)
                    .map(|network| RefusedNetwork { network, is_crowd: scope.tier == Tier::Crowd });
            }
            verdict.quotas.push(quota);
        }
        verdict
    }

    /// Nanoseconds since the start, at least 1: 0 is before everything.
    fn nanos(&self, now: Instant) -> u64 {
        to_nanos(now.saturating_duration_since(self.start)).saturating_add(1)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<PolicyCounts>> {
        // No code that can panic runs between two related changes, so a poisoned lock is still valid.
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(super) fn tracked_clients(&self, now: Instant) -> usize {
        let now = self.nanos(now);
        self.lock().iter().map(|policy| policy.count_clients(now)).max().unwrap_or_default()
    }

    #[cfg(test)]
    pub(super) fn acquire_test(
        &self,
        client: RateLimitClient,
        items: u32,
        now: Instant,
    ) -> RateLimitVerdict {
        self.acquire_at(client, items, now, None)
    }
}

impl TieredPolicy {
    /// The count that refuses the longest, or else the one of which the least remains; of equal ones the
    /// narrowest.
    fn nearest_quota(
        &self,
        counts: &RequestCounts,
        items: u32,
        now: u64,
    ) -> Option<(Scope, Duration, QuotaStatus)> {
        let measured = counts.iter().flatten().map(|(scope, count)| {
            let wait = match items {
                0 => 0,
                items => count.take(items, now).err().unwrap_or_default(),
            };
            (scope, count, wait, count.remaining(now))
        });
        // The first of equal ones.
        let nearest = measured.reduce(|nearest, next| {
            let is_nearer = next.2 > nearest.2 || next.2 == nearest.2 && next.3 < nearest.3;
            if is_nearer { next } else { nearest }
        });
        let (scope, count, wait, remaining) = nearest?;
        let more = if wait == 0 { count.time_until_more(now) } else { wait };
        let quota = QuotaStatus {
            policy: self.policy_of(*scope),
            remaining,
            reset: Duration::from_nanos(more),
            refused: wait > 0,
        };
        Some((*scope, Duration::from_nanos(wait), quota))
    }

    fn policy_of(&self, scope: Scope) -> RateLimitPolicy {
        let limit = self.client.limit;
        let name = match scope.tier {
            Tier::Client => &self.client.name,
            Tier::Network(number) => self.networks.get(number).unwrap_or(&self.client.name),
            Tier::Crowd => &self.crowd,
        };
        let max = limit.max.saturating_mul(scope.factor);
        RateLimitPolicy { name: Arc::clone(name), limit: RateLimit { max, ..limit } }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use service::AddressBlock;

    use super::{
        super::{policies::RateLimits, rate::ceil_seconds},
        *,
    };

    const S: Duration = Duration::from_secs(1);

    fn scans() -> RateLimiter {
        RateLimiter::new("scan", RateLimits::default().scans, true)
    }

    fn steady(name: &str, max: u32) -> RateLimiter {
        RateLimiter::new(name, vec![RateLimit { max, window: 60 * S }], false)
    }

    /// An IPv4 address.
    fn client(number: u32) -> RateLimitClient {
        AddressBlock::from_address(Ipv4Addr::from_bits(number).into()).into()
    }

    fn address(text: &str) -> RateLimitClient {
        AddressBlock::from_address(text.parse().unwrap()).into()
    }

    impl RateLimiter {
        fn try_acquire_at(&self, number: u32, now: Instant) -> Result<(), Duration> {
            let wait = self.acquire_at(client(number), 1, now, None).wait;
            if wait.is_zero() { Ok(()) } else { Err(wait) }
        }
    }

    #[test]
    fn both_rates_of_scans_hold_exactly() {
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
    fn no_window_of_scans_ever_holds_more_than_its_limit() {
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
        let acquire = |at: Duration| rates.acquire_at(client(1), 1, start + at, None);
        let verdict = acquire(Duration::ZERO);
        assert_eq!(summarize(&verdict), [("scan-10s", 4, 10, false), ("scan", 5, 60, false)]);
        let verdict = acquire(3 * S);
        assert_eq!(summarize(&verdict), [("scan-10s", 3, 7, false), ("scan", 4, 57, false)]);
        for _ in 0..3 {
            acquire(4 * S);
        }
        let verdict = acquire(5 * S);
        assert_eq!(verdict.wait, 5 * S);
        assert_eq!(summarize(&verdict), [("scan-10s", 0, 5, true), ("scan", 1, 55, false)]);
        let verdict = acquire(20 * S);
        assert_eq!(summarize(&verdict), [("scan-10s", 4, 10, false), ("scan", 0, 40, false)]);
    }

    #[test]
    fn a_released_request_leaves_the_others_counted() {
        for is_exact in [true, false] {
            let limit = RateLimit { max: 2, window: 60 * S };
            let rates = RateLimiter::new("scan", vec![limit], is_exact);
            let start = Instant::now();
            let (_, first) = rates.acquire_one_at(client(1), start);
            rates.acquire_at(client(1), 1, start, None);
            assert!(rates.try_acquire_at(1, start).is_err());
            let released = rates.release_at(&first, start);
            assert_eq!(released.quotas[0].remaining, 1, "{is_exact}");
            assert_eq!(rates.try_acquire_at(1, start), Ok(()), "one was given back");
            assert!(rates.try_acquire_at(1, start).is_err(), "only one");
            // When everything has come back, there is nothing to give back.
            let later = start + 120 * S;
            rates.acquire_at(client(1), 2, later, None);
            rates.release_at(&first, later);
            assert!(rates.try_acquire_at(1, later).is_err(), "{is_exact}");
        }
    }

    #[test]
    fn a_batch_takes_its_items_all_or_none() {
        let (rates, start) = (steady("decide", 60), Instant::now());
        let acquire = |number, items, at| rates.acquire_at(client(number), items, start + at, None);
        assert_eq!(summarize(&acquire(1, 50, Duration::ZERO)), [("decide", 10, 1, false)]);
        let verdict = acquire(1, 31, 10 * S);
        assert_eq!(summarize(&verdict), [("decide", 20, 11, true)], "eleven too many");
        assert_eq!(verdict.wait, 11 * S);
        assert_eq!(summarize(&acquire(1, 20, 10 * S)), [("decide", 0, 1, false)]);
        let verdict = acquire(1, 50, 60 * S);
        assert_eq!(summarize(&verdict), [("decide", 0, 1, false)], "fifty have come back");
        // A batch larger than the limit takes the whole limit, and is not refused for ever.
        assert_eq!(summarize(&acquire(2, 500, Duration::ZERO)), [("decide", 0, 1, false)]);
        assert_eq!(acquire(2, 500, 60 * S).wait, Duration::ZERO);
        assert_eq!(acquire(2, 1, 60 * S).wait, S);
    }

    #[test]
    fn ipv6_networks_are_counted_together_with_larger_limits() {
        let (rates, start) = (steady("read", 10), Instant::now());
        let acquire = |text: &str| rates.acquire_at(address(text), 1, start, None);
        // The /64: ten, from any address in it.
        for host in 0..10 {
            assert!(acquire(&format!("2001:db8:0:1::{host:x}")).wait.is_zero());
        }
        let refused = acquire("2001:db8:0:1::ff");
        assert_eq!(summarize(&refused), [("read", 0, 6, true)]);
        let network = refused.refused_for.unwrap();
        assert_eq!(
            (network.network.to_string().as_str(), network.is_crowd),
            ("2001:db8:0:1::/64", false)
        );
        // The /56: forty. The tenth network of 64 bits finds nothing left.
        for subnet in 2..5 {
            for _ in 0..10 {
                assert!(acquire(&format!("2001:db8:0:{subnet}::1")).wait.is_zero(), "{subnet}");
            }
        }
        let refused = acquire("2001:db8:0:9::1");
        assert_eq!(refused.quotas[0].policy.limit.max, 40);
        assert_eq!(&*refused.quotas[0].policy.name, "read-56");
        assert_eq!(refused.refused_for.unwrap().network.to_string(), "2001:db8::/56");
        assert!(!refused.wait.is_zero() && refused.quotas[0].refused);
        // The /48: 160. What refused is not counted, so the /48 still has 120.
        for subnet in 1..4 {
            for part in 0..4 {
                for _ in 0..10 {
                    let text = format!("2001:db8:0:{subnet:x}0{part}::1");
                    assert!(acquire(&text).wait.is_zero(), "{text}");
                }
            }
        }
        let refused = acquire("2001:db8:0:900::1");
        assert_eq!(&*refused.quotas[0].policy.name, "read-48");
        assert_eq!(refused.refused_for.unwrap().network.to_string(), "2001:db8::/48");
        assert!(acquire("2001:db8:1::1").wait.is_zero(), "another /48");
        // Waiting as told is enough.
        let later = start + refused.wait;
        assert!(rates.acquire_at(address("2001:db8:0:900::1"), 1, later, None).wait.is_zero());
    }

    #[test]
    fn the_headers_show_the_count_that_is_nearest_to_refusing() {
        let (rates, start) = (steady("read", 10), Instant::now());
        let left = |text: &str| {
            let verdict = rates.acquire_at(address(text), 1, start, None);
            (verdict.quotas[0].policy.name.to_string(), verdict.quotas[0].remaining)
        };
        assert_eq!(left("2001:db8::1"), ("read".to_owned(), 9));
        for subnet in 1..4 {
            for _ in 0..10 {
                left(&format!("2001:db8:0:{subnet}::1"));
            }
        }
        // 31 of the 40 are gone: a new network of 64 bits has 10 of its own, but only 9 of the /56.
        assert_eq!(left("2001:db8:0:7::1"), ("read-56".to_owned(), 8));
        assert_eq!(left("192.0.2.1"), ("read".to_owned(), 9), "IPv4 addresses have no networks");
    }

    /// The /56 refuses, so neither the /64 nor the /48 counts.
    #[test]
    fn what_one_network_refuses_no_other_counts() {
        let (rates, start) = (steady("read", 1), Instant::now());
        for subnet in 0..4 {
            let text = format!("2001:db8:0:{subnet}::1");
            assert!(rates.acquire_at(address(&text), 1, start, None).wait.is_zero());
        }
        let fresh = address("2001:db8:0:9::1");
        for _ in 0..20 {
            assert!(!rates.acquire_at(fresh, 1, start, None).wait.is_zero());
        }
        // 15 s later the /56 has one again; the /64 has its whole limit.
        let verdict = rates.acquire_at(fresh, 1, start + 15 * S, None);
        assert!(verdict.wait.is_zero(), "{verdict:?}");
    }

    #[test]
    fn a_licence_has_as_many_times_the_limit_as_it_says() {
        let (rates, start) = (steady("keyed-read", 2), Instant::now());
        let licence = |factor| RateLimitClient::Licence { id: proof::sha256(b"one"), factor };
        assert_eq!(rates.smallest_limit(licence(5)), Some(10));
        for _ in 0..10 {
            assert!(rates.acquire_at(licence(5), 1, start, None).wait.is_zero());
        }
        let refused = rates.acquire_at(licence(5), 1, start, None);
        assert_eq!((refused.wait, refused.quotas[0].policy.limit.max), (6 * S, 10));
        assert_eq!(refused.refused_for, None);
    }

    #[test]
    fn an_empty_list_is_no_limit_and_zero_refuses_everything() {
        let (open, start) = (RateLimiter::new("open", vec![], false), Instant::now());
        let closed = steady("closed", 0);
        for _ in 0..100 {
            assert_eq!(open.try_acquire_at(1, start), Ok(()));
            assert_eq!(closed.try_acquire_at(1, start), Err(60 * S));
        }
        assert_eq!(closed.tracked_clients(start), 0);
        assert_eq!(ceil_seconds(Duration::from_millis(1)), 1);
        assert_eq!((ceil_seconds(Duration::ZERO), ceil_seconds(2 * S)), (1, 2));
        assert_eq!(ceil_seconds(Duration::from_millis(2_001)), 3);
    }
}
