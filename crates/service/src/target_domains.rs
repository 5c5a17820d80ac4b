//! How often the names of one registrable domain are read, over all callers: one live reading and one
//! scan at a time, and a number of each per hour.
//!
//! The names below a domain belong to one site owner, and anybody can make up any number of them. All
//! live readings together have a limit, too: each leaves an entry in the log, even one of a name that does
//! not exist and costs no other site anything.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use contract::Domain;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

const MINUTE: Duration = contract::limits::RATE_WINDOW;
const HOUR: Duration = contract::limits::TARGET_WINDOW;
/// Domains remembered at a time. If more are read within an hour, those that were read the longest
/// ago are forgotten.
const MAX_DOMAINS: usize = 65_536;

const TRACKED: &str = "wayleave_target_domains_tracked";
const REFUSED: &str = "wayleave_target_refusals_total";

/// Readings of one registrable domain, and of all. 0 means no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DomainLimits {
    /// Live readings in any hour.
    pub live_per_hour: u32,
    /// Full scans in any hour, apart from those with a licence and those of a census.
    pub scans_per_hour: u32,
    /// Live readings of all domains in any minute.
    pub total_live_per_minute: u32,
    /// Walks over the lists of MCP servers in any hour.
    pub mcp_walks_per_hour: u32,
}

impl Default for DomainLimits {
    fn default() -> Self {
        Self {
            live_per_hour: contract::limits::TARGET_LIVE_PER_HOUR,
            scans_per_hour: contract::limits::TARGET_SCANS_PER_HOUR,
            total_live_per_minute: contract::limits::TOTAL_LIVE_PER_MINUTE,
            mcp_walks_per_hour: contract::limits::TARGET_MCP_WALKS_PER_HOUR,
        }
    }
}

/// What reads the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadingKind {
    Live,
    Scan,
    /// A scan that does not count for the hour.
    UncountedScan,
    /// A walk over the lists of an MCP server.
    McpWalk,
}

/// Why a site is not read now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DomainRefusal {
    /// A name of the same registrable domain is being read.
    InProgress,
    /// A number of readings is reached.
    Limit { retry_after: Duration },
}

impl DomainRefusal {
    /// When it is worth asking again.
    pub(crate) fn retry_after(self) -> Duration {
        match self {
            Self::InProgress => Duration::from_secs(2),
            Self::Limit { retry_after } => retry_after,
        }
    }
}

/// Shared by everything that reads sites. The mutexes guard the map and the times of all live readings;
/// each is held for a few look-ups, never both, and never across an await. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct TargetDomains {
    /// `None`: no limits, for load tests.
    limits: Option<DomainLimits>,
    domains: Arc<Mutex<HashMap<Box<str>, DomainState>>>,
    /// When the live readings of the last minute started.
    all_live: Arc<Mutex<StartTimes>>,
}

#[derive(Debug)]
struct DomainState {
    live: KindState,
    scans: KindState,
    mcp_walks: KindState,
}

#[derive(Debug)]
struct KindState {
    /// One permit: one reading at a time.
    slot: Arc<Semaphore>,
    /// When the readings of the last hour started.
    started: StartTimes,
}

/// When the readings of a window started, oldest first; at most as many as may.
#[derive(Debug, Default)]
struct StartTimes(VecDeque<Instant>);

/// A reading in progress. The next one may start when it is dropped.
#[derive(Debug)]
pub(crate) struct TargetReading {
    /// `None` without limits.
    held: Option<HeldReading>,
}

#[derive(Debug)]
struct HeldReading {
    _slot: OwnedSemaphorePermit,
    table: TargetDomains,
    key: Box<str>,
    kind: ReadingKind,
    counted_at: Option<Instant>,
    /// When it was counted among all live readings.
    live_counted_at: Option<Instant>,
}

impl TargetDomains {
    pub(crate) fn new(limits: Option<DomainLimits>) -> Self {
        Self { limits, domains: Arc::default(), all_live: Arc::default() }
    }

    pub(crate) fn has_limits(&self) -> bool {
        self.limits.is_some()
    }

    /// Starts a reading. Waits at most `patience` for another one of the same registrable domain.
    pub(crate) async fn begin(
        &self,
        domain: &Domain,
        kind: ReadingKind,
        patience: Duration,
    ) -> Result<TargetReading, DomainRefusal> {
        let Some(limits) = self.limits else { return Ok(TargetReading { held: None }) };
        let key: Box<str> = domain.registrable().into();
        let slot = {
            let mut domains = self.lock_domains();
            make_room(&mut domains, &key, Instant::now());
            Arc::clone(&domains.entry(key.clone()).or_insert_with(DomainState::new).of(kind).slot)
        };
        let waiting = tokio::time::timeout(patience, slot.acquire_owned());
        let Ok(Ok(slot)) = waiting.await else {
            return Err(refused("domain_in_progress", DomainRefusal::InProgress));
        };
        let now = Instant::now();
        let limit = match kind {
            ReadingKind::Live => limits.live_per_hour,
            ReadingKind::Scan => limits.scans_per_hour,
            ReadingKind::UncountedScan => 0,
            ReadingKind::McpWalk => limits.mcp_walks_per_hour,
        };
        let mut domains = self.lock_domains();
        let state = domains.entry(key.clone()).or_insert_with(DomainState::new).of(kind);
        let counted_at = match limit {
            0 => None,
            limit => match state.started.count(limit, HOUR, now) {
                Ok(()) => Some(now),
                Err(retry_after) => {
                    drop(domains);
                    return Err(refused("domain_hour", DomainRefusal::Limit { retry_after }));
                }
            },
        };
        drop(domains);
        let table = self.clone();
        let held = HeldReading { _slot: slot, table, key, kind, counted_at, live_counted_at: None };
        match self.count_live(kind, limits.total_live_per_minute, now) {
            Ok(live_counted_at) => {
                Ok(TargetReading { held: Some(HeldReading { live_counted_at, ..held }) })
            }
            Err(retry_after) => {
                TargetReading { held: Some(held) }.cancel();
                Err(refused("live_minute", DomainRefusal::Limit { retry_after }))
            }
        }
    }

    /// Counts a live reading among all, or returns when the next one may start.
    fn count_live(
        &self,
        kind: ReadingKind,
        limit: u32,
        now: Instant,
    ) -> Result<Option<Instant>, Duration> {
        if !matches!(kind, ReadingKind::Live | ReadingKind::McpWalk) || limit == 0 {
            return Ok(None);
        }
        self.lock_all_live().count(limit, MINUTE, now)?;
        Ok(Some(now))
    }

    fn lock_all_live(&self) -> MutexGuard<'_, StartTimes> {
        // A list of times is valid after every single change.
        self.all_live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_domains(&self) -> MutexGuard<'_, HashMap<Box<str>, DomainState>> {
        // No code that can panic runs between two related changes, so a poisoned map is still valid.
        self.domains.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TargetReading {
    /// Ends a reading that did not take place: it does not count.
    pub(crate) fn cancel(self) {
        let Some(held) = self.held else { return };
        if let Some(counted_at) = held.counted_at
            && let Some(state) = held.table.lock_domains().get_mut(&held.key)
        {
            state.of(held.kind).started.uncount(counted_at);
        }
        if let Some(counted_at) = held.live_counted_at {
            held.table.lock_all_live().uncount(counted_at);
        }
    }
}

impl DomainState {
    fn new() -> Self {
        let new =
            || KindState { slot: Arc::new(Semaphore::new(1)), started: StartTimes::default() };
        Self { live: new(), scans: new(), mcp_walks: new() }
    }

    fn of(&mut self, kind: ReadingKind) -> &mut KindState {
        match kind {
            ReadingKind::Live => &mut self.live,
            ReadingKind::Scan | ReadingKind::UncountedScan => &mut self.scans,
            ReadingKind::McpWalk => &mut self.mcp_walks,
        }
    }

    /// Whether a reading runs or waits, or one started within this time.
    fn is_in_use(&self, now: Instant, within: Duration) -> bool {
        [&self.live, &self.scans, &self.mcp_walks].into_iter().any(|kind| {
            Arc::strong_count(&kind.slot) > 1
                || kind.started.0.back().is_some_and(|last| now.duration_since(*last) < within)
        })
    }
}

impl StartTimes {
    /// Counts one reading, or returns when the next one may start.
    fn count(&mut self, limit: u32, window: Duration, now: Instant) -> Result<(), Duration> {
        while self.0.front().is_some_and(|first| now.duration_since(*first) >= window) {
            self.0.pop_front();
        }
        if self.0.len() < limit as usize {
            self.0.push_back(now);
            return Ok(());
        }
        let first = self.0.front().copied().unwrap_or(now);
        Err(window.saturating_sub(now.duration_since(first)))
    }

    fn uncount(&mut self, counted_at: Instant) {
        if let Some(at) = self.0.iter().rposition(|started| *started == counted_at) {
            self.0.remove(at);
        }
    }
}

/// Makes room for a new domain: first those that no longer count go, then those that were read the
/// longest ago. An eighth of the table at least, so that looking through it is rare.
fn make_room(domains: &mut HashMap<Box<str>, DomainState>, key: &str, now: Instant) {
    if domains.contains_key(key) {
        return;
    }
    if domains.len() >= MAX_DOMAINS {
        for minutes in [60, 30, 10, 2, 0] {
            let within = Duration::from_secs(minutes * 60);
            domains.retain(|_, state| state.is_in_use(now, within));
            if domains.len() <= MAX_DOMAINS / 8 * 7 {
                break;
            }
        }
    }
    metrics::gauge!(TRACKED).set(domains.len() as f64 + 1.0);
}

fn refused(limit: &'static str, refusal: DomainRefusal) -> DomainRefusal {
    metrics::counter!(REFUSED, "limit" => limit, "of" => "readings").increment(1);
    refusal
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: DomainLimits = DomainLimits {
        live_per_hour: 3,
        scans_per_hour: 2,
        total_live_per_minute: 0,
        mcp_walks_per_hour: 1,
    };

    fn domain(name: &str) -> Domain {
        Domain::parse(name, &contract::NamePolicy::default()).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn the_names_of_a_registrable_domain_share_its_hour() {
        let targets = TargetDomains::new(Some(LIMITS));
        let live = async |name: &str| {
            targets.begin(&domain(name), ReadingKind::Live, Duration::ZERO).await.map(drop)
        };
        for name in ["a.shop.co.uk", "b.shop.co.uk", "shop.co.uk"] {
            assert_eq!(live(name).await, Ok(()));
            tokio::time::advance(Duration::from_secs(60)).await;
        }
        let refusal = live("c.shop.co.uk").await.unwrap_err();
        assert_eq!(refusal.retry_after(), Duration::from_secs(57 * 60));
        assert_eq!(live("other.co.uk").await, Ok(()), "another owner");
        assert_eq!(live("a.github.io").await, Ok(()));
        assert_eq!(live("b.github.io").await, Ok(()));
        let scan = targets.begin(&domain("shop.co.uk"), ReadingKind::Scan, Duration::ZERO).await;
        assert!(scan.is_ok(), "scans have their own limit");
        tokio::time::advance(refusal.retry_after()).await;
        assert_eq!(live("c.shop.co.uk").await, Ok(()));
        assert!(live("c.shop.co.uk").await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn one_reading_at_a_time_and_the_next_waits_for_it() {
        let targets = TargetDomains::new(Some(LIMITS));
        let first = targets.begin(&domain("a.shop.org"), ReadingKind::Live, Duration::ZERO).await;
        let second = domain("b.shop.org");
        let busy = targets.begin(&second, ReadingKind::Live, Duration::ZERO).await;
        assert_eq!(busy.unwrap_err(), DomainRefusal::InProgress);
        let waiting = targets.begin(&second, ReadingKind::Live, Duration::from_secs(1));
        let release = async {
            tokio::time::sleep(Duration::from_millis(500)).await;
            drop(first);
        };
        let (waited, ()) = tokio::join!(waiting, release);
        waited.unwrap().cancel();
        // The cancelled one does not count: two more.
        for _ in 0..2 {
            assert!(targets.begin(&second, ReadingKind::Live, Duration::ZERO).await.is_ok());
        }
        assert!(targets.begin(&second, ReadingKind::Live, Duration::ZERO).await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn some_scans_do_not_count_and_without_limits_nothing_is_held() {
        let targets = TargetDomains::new(Some(LIMITS));
        let shop = domain("shop.org");
        for _ in 0..10 {
            let scan = targets.begin(&shop, ReadingKind::UncountedScan, Duration::ZERO).await;
            assert!(scan.is_ok());
        }
        let off = TargetDomains::new(None);
        let one = off.begin(&shop, ReadingKind::Live, Duration::ZERO).await;
        let two = off.begin(&shop, ReadingKind::Live, Duration::ZERO).await;
        assert!(one.is_ok() && two.is_ok());
        assert!(off.lock_domains().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn all_live_readings_together_have_a_limit_and_a_refused_one_does_not_count() {
        let limits = DomainLimits {
            total_live_per_minute: 3,
            live_per_hour: 1,
            scans_per_hour: 0,
            mcp_walks_per_hour: 1,
        };
        let targets = TargetDomains::new(Some(limits));
        let begin = async |name: &str, kind| {
            targets.begin(&domain(name), kind, Duration::ZERO).await.map(drop)
        };
        for name in ["a.org", "b.org", "c.org"] {
            assert_eq!(begin(name, ReadingKind::Live).await, Ok(()));
        }
        let refusal = begin("d.org", ReadingKind::Live).await.unwrap_err();
        assert_eq!(refusal, DomainRefusal::Limit { retry_after: MINUTE });
        assert_eq!(begin("d.org", ReadingKind::Scan).await, Ok(()), "scans have their own limit");
        tokio::time::advance(refusal.retry_after()).await;
        assert_eq!(begin("d.org", ReadingKind::Live).await, Ok(()), "its hour was not used up");
        assert!(begin("d.org", ReadingKind::Live).await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn the_table_is_bounded_and_keeps_what_is_in_use() {
        let targets = TargetDomains::new(Some(LIMITS));
        let running =
            targets.begin(&domain("running.org"), ReadingKind::Live, Duration::ZERO).await.unwrap();
        for number in 0..MAX_DOMAINS + 10 {
            let name = domain(&format!("d{number}.org"));
            assert!(targets.begin(&name, ReadingKind::Live, Duration::ZERO).await.is_ok());
        }
        assert!(targets.lock_domains().len() <= MAX_DOMAINS);
        assert!(targets.lock_domains().contains_key("running.org"));
        drop(running);
    }
}
