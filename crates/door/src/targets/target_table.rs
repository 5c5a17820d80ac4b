//! The targets in use now or read within the last minute, with their counts.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ipnet::IpNet;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::limits::{TargetLimit, TargetLimits, TargetRefusal, network_of};
use super::read_window::ReadWindow;
use crate::mutex::lock;

/// Addresses and networks that are tracked at a time. If so many are in use, further ones are
/// refused; unused ones are removed.
const MAX_TARGETS: usize = 65_536;
/// Unused targets are looked for once there are this many.
const FIRST_CLEANUP_AT: usize = 1_024;

const TRACKED: &str = "wayleave_targets_tracked";
const REFUSED: &str = "wayleave_target_refusals_total";

/// Shared by all visits of a door. The mutex guards the map; it is held for a few look-ups and never
/// across an await.
#[derive(Debug)]
pub(crate) struct TargetTable {
    limits: TargetLimits,
    start: Instant,
    state: Mutex<TableState>,
}

#[derive(Debug)]
struct TableState {
    targets: HashMap<TargetKey, Target>,
    total: Target,
    cleanup_at: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum TargetKey {
    Address(IpAddr),
    Network(IpNet),
}

#[derive(Debug)]
struct Target {
    reads: ReadWindow,
    /// Visits that have reserved reads.
    visits: u32,
    slots: Arc<ConnectionSlots>,
}

/// The connections that may be open to one target. Leases and waiting reads hold it, so a target
/// whose slots nobody else holds has no connection.
#[derive(Debug)]
pub(super) struct ConnectionSlots {
    /// `None`: no limit.
    pub(super) permits: Option<Arc<Semaphore>>,
    /// Reads that wait for a permit.
    pub(super) waiting: AtomicU32,
}

/// The three targets of one address: the address, its network, everything.
pub(super) type TargetSlots = [Arc<ConnectionSlots>; 3];

impl Target {
    fn new(limit: TargetLimit) -> Self {
        let permits = match limit.connections {
            0 => None,
            max => Some(Arc::new(Semaphore::new(max as usize))),
        };
        let slots = ConnectionSlots { permits, waiting: AtomicU32::new(0) };
        Self { reads: ReadWindow::default(), visits: 0, slots: Arc::new(slots) }
    }

    fn is_unused(&mut self, now: Duration) -> bool {
        Arc::strong_count(&self.slots) == 1 && self.visits == 0 && self.reads.is_empty_at(now)
    }
}

impl TargetTable {
    pub(crate) fn new(limits: TargetLimits) -> Self {
        let state = TableState {
            targets: HashMap::new(),
            total: Target::new(limits.total),
            cleanup_at: FIRST_CLEANUP_AT,
        };
        Self { limits, start: Instant::now(), state: Mutex::new(state) }
    }

    /// Counts reads of an address, all or none. If a limit is smaller than `reads`, they take all of
    /// it. Returns how many were counted, and when.
    pub(crate) fn count_reads(
        &self,
        address: IpAddr,
        reads: u32,
    ) -> Result<(u32, Duration), TargetRefusal> {
        let TargetLimits { address: of_address, network: of_network, total } = self.limits;
        let smallest = [of_address, of_network, total]
            .into_iter()
            .map(|limit| limit.reads_per_minute)
            .filter(|limit| *limit > 0)
            .min();
        let reads = smallest.map_or(reads, |smallest| reads.min(smallest));
        let now = self.start.elapsed();
        let mut state = lock(&self.state);
        let keys = keys_of(address);
        let mut waits = Vec::new();
        for (key, limit) in keys.iter().zip([of_address, of_network]) {
            let target = state.target(*key, limit, now)?;
            let wait = target.reads.find_wait(reads, limit.reads_per_minute, now);
            waits.extend(wait.map(|wait| (key.label(), wait)));
        }
        let wait = state.total.reads.find_wait(reads, total.reads_per_minute, now);
        waits.extend(wait.map(|wait| ("total", wait)));
        if let Some((label, retry_after)) = waits.into_iter().max_by_key(|(_, wait)| *wait) {
            drop(state);
            metrics::counter!(REFUSED, "limit" => label, "of" => "reads").increment(1);
            return Err(TargetRefusal { retry_after });
        }
        for key in keys {
            if let Some(target) = state.targets.get_mut(&key) {
                target.reads.add(reads, now);
            }
        }
        state.total.reads.add(reads, now);
        Ok((reads, now))
    }

    /// Counts a visit of an address until [`TargetTable::end_visit`].
    pub(super) fn begin_visit(&self, address: IpAddr) -> Result<(), TargetRefusal> {
        /// A live reading is over by then.
        const RETRY_AFTER: Duration = Duration::from_secs(2);
        let now = self.start.elapsed();
        let mut state = lock(&self.state);
        let keys = keys_of(address);
        let limits = [self.limits.address, self.limits.network];
        let is_full = |target: &Target, limit: TargetLimit| {
            limit.visits().is_some_and(|visits| target.visits >= visits)
        };
        let mut full = is_full(&state.total, self.limits.total).then_some("total");
        for (key, limit) in keys.into_iter().zip(limits) {
            if is_full(state.target(key, limit, now)?, limit) {
                full = Some(key.label());
            }
        }
        if let Some(label) = full {
            drop(state);
            metrics::counter!(REFUSED, "limit" => label, "of" => "visits").increment(1);
            return Err(TargetRefusal { retry_after: RETRY_AFTER });
        }
        state.change_visits(keys, |visits| visits.saturating_add(1));
        Ok(())
    }

    pub(super) fn end_visit(&self, address: IpAddr) {
        lock(&self.state).change_visits(keys_of(address), |visits| visits.saturating_sub(1));
    }

    /// Removes reads that were counted at `counted_at` and did not take place.
    pub(super) fn remove_reads(&self, address: IpAddr, reads: u32, counted_at: Duration) {
        let mut state = lock(&self.state);
        for key in keys_of(address) {
            if let Some(target) = state.targets.get_mut(&key) {
                target.reads.remove(reads, counted_at);
            }
        }
        state.total.reads.remove(reads, counted_at);
    }

    /// The slots of an address, of its network and of everything.
    pub(super) fn slots(&self, address: IpAddr) -> Result<TargetSlots, TargetRefusal> {
        let now = self.start.elapsed();
        let mut state = lock(&self.state);
        let [of_address, of_network] = keys_of(address);
        let of_address = state.target(of_address, self.limits.address, now)?.slots.clone();
        let of_network = state.target(of_network, self.limits.network, now)?.slots.clone();
        Ok([of_address, of_network, state.total.slots.clone()])
    }

    /// Whether a read waits for a connection to this address, its network or anything.
    pub(crate) fn has_waiting_reads(&self, address: IpAddr) -> bool {
        let state = lock(&self.state);
        let waits = |target: &Target| target.slots.waiting.load(Ordering::Relaxed) > 0;
        waits(&state.total)
            || keys_of(address).iter().any(|key| state.targets.get(key).is_some_and(waits))
    }
}

impl TableState {
    fn change_visits(&mut self, keys: [TargetKey; 2], change: impl Fn(u32) -> u32) {
        for key in keys {
            if let Some(target) = self.targets.get_mut(&key) {
                target.visits = change(target.visits);
            }
        }
        self.total.visits = change(self.total.visits);
    }

    /// The entry of a target. Makes room first if the table is full.
    fn target(
        &mut self,
        key: TargetKey,
        limit: TargetLimit,
        now: Duration,
    ) -> Result<&mut Target, TargetRefusal> {
        if !self.targets.contains_key(&key) && self.targets.len() >= self.cleanup_at {
            self.targets.retain(|_, target| !target.is_unused(now));
            self.cleanup_at = (self.targets.len() * 2).clamp(FIRST_CLEANUP_AT, MAX_TARGETS);
            if self.targets.len() >= MAX_TARGETS {
                metrics::counter!(REFUSED, "limit" => "table", "of" => "targets").increment(1);
                return Err(TargetRefusal { retry_after: Duration::from_secs(60) });
            }
        }
        let tracked = self.targets.len();
        Ok(self.targets.entry(key).or_insert_with(|| {
            metrics::gauge!(TRACKED).set(tracked as f64 + 1.0);
            Target::new(limit)
        }))
    }
}

impl TargetKey {
    fn label(self) -> &'static str {
        match self {
            Self::Address(_) => "address",
            Self::Network(_) => "network",
        }
    }
}

fn keys_of(address: IpAddr) -> [TargetKey; 2] {
    let address = address.to_canonical();
    let network = network_of(address).unwrap_or_else(|| IpNet::from(address));
    [TargetKey::Address(address), TargetKey::Network(network)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(address: u32, network: u32, total: u32) -> TargetLimits {
        let limit = |reads_per_minute| TargetLimit { connections: 0, reads_per_minute };
        TargetLimits { address: limit(address), network: limit(network), total: limit(total) }
    }

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn reads_are_counted_by_address_by_network_and_in_total() {
        let table = TargetTable::new(limits(10, 15, 18));
        let ask = |address: &str, reads| table.count_reads(ip(address), reads).is_ok();
        assert!(ask("192.0.2.1", 10));
        assert!(!ask("192.0.2.1", 1), "the address");
        assert!(!ask("::ffff:192.0.2.1", 1), "the same in another form");
        assert!(ask("192.0.2.2", 5));
        assert!(!ask("192.0.2.3", 1), "the network");
        assert!(ask("192.0.3.1", 3));
        assert!(!ask("198.51.100.1", 1), "everything");
        let refusal = table.count_reads(ip("192.0.2.1"), 1).unwrap_err();
        tokio::time::advance(refusal.retry_after).await;
        assert!(ask("192.0.2.1", 1), "after the wait that was named");
    }

    #[tokio::test(start_paused = true)]
    async fn an_ipv6_network_has_48_bits() {
        let table = TargetTable::new(limits(0, 2, 0));
        let ask = |address: &str| table.count_reads(ip(address), 1).is_ok();
        assert!(ask("2001:db8:1::1") && ask("2001:db8:1:ffff::1"));
        assert!(!ask("2001:db8:1:2::3"));
        assert!(ask("2001:db8:2::1"));
    }

    #[tokio::test(start_paused = true)]
    async fn more_than_a_limit_takes_all_of_it_and_unused_reads_come_back() {
        let table = TargetTable::new(limits(10, 0, 0));
        let (counted, at) = table.count_reads(ip("192.0.2.1"), 1_000).unwrap();
        assert_eq!(counted, 10);
        assert!(table.count_reads(ip("192.0.2.1"), 1).is_err());
        table.remove_reads(ip("192.0.2.1"), 4, at);
        assert!(table.count_reads(ip("192.0.2.1"), 4).is_ok());
        assert!(table.count_reads(ip("192.0.2.1"), 1).is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn the_table_is_bounded_and_forgets_what_is_unused() {
        let table = TargetTable::new(TargetLimits::none());
        let address = |number: u32| IpAddr::from(std::net::Ipv4Addr::from_bits(number << 8));
        let mut number = 0;
        while table.count_reads(address(number), 1).is_ok() {
            number += 1;
            assert!(number < 100_000, "never full");
        }
        assert!(lock(&table.state).targets.len() <= MAX_TARGETS);
        assert!(table.count_reads(address(0), 1).is_ok(), "a known target still has room");
        tokio::time::advance(Duration::from_secs(70)).await;
        assert!(table.count_reads(address(number), 1).is_ok());
        assert!(lock(&table.state).targets.len() <= 2);
    }
}
