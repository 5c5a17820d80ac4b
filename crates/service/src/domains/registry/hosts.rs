//! How often the server of a registry is asked, over all domains and callers, and the pauses that servers ask for.
//! One server often serves hundreds of top-level domains, so it is counted by its host.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use contract::Timestamp;
use contract::limits::RATE_WINDOW;
use url::Url;

use super::duration_ms;

/// A server that refuses without saying for how long is left alone for this time.
const DEFAULT_PAUSE: Duration = Duration::from_secs(15 * 60);
const MIN_PAUSE: Duration = Duration::from_secs(60);
const MAX_PAUSE: Duration = Duration::from_secs(24 * 3_600);
/// Hosts remembered at a time; there are a few hundred registries.
const MAX_HOSTS: usize = 4_096;

/// By host. The mutex guards the map, is held for a few look-ups, and never across an await.
#[derive(Debug)]
pub(in crate::domains) struct RegistryHosts {
    /// `None` for no limit.
    reads_per_minute: Option<u32>,
    hosts: Mutex<HashMap<String, HostState>>,
}

#[derive(Debug, Default)]
struct HostState {
    /// When the reads of the last minute started, oldest first.
    started: VecDeque<Timestamp>,
    paused: Option<Pause>,
}

#[derive(Debug, Clone, Copy)]
struct Pause {
    until: Timestamp,
    status: u16,
}

/// Why a server is not asked now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HostRefusal {
    Limit {
        wait: Duration,
    },
    /// It refused an earlier request with this status.
    Paused {
        status: u16,
        wait: Duration,
    },
}

impl RegistryHosts {
    pub(in crate::domains) fn new(reads_per_minute: Option<u32>) -> Self {
        Self { reads_per_minute, hosts: Mutex::default() }
    }

    /// Counts one read of a server, unless it may not be read now.
    pub(super) fn begin(&self, server: &str, now: Timestamp) -> Result<(), HostRefusal> {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        let key = host_of(server);
        if !hosts.contains_key(&key) && hosts.len() >= MAX_HOSTS {
            hosts.retain(|_, state| !state.is_idle(now));
        }
        let state = hosts.entry(key).or_default();
        state.forget_past(now);
        if let Some(Pause { until, status }) = state.paused {
            return Err(HostRefusal::Paused { status, wait: duration_until(until, now) });
        }
        let max = self.reads_per_minute.map_or(usize::MAX, |max| max as usize);
        if state.started.len() >= max {
            let first = state.started.front().copied().unwrap_or(now);
            let wait = duration_until(first.plus_millis(duration_ms(RATE_WINDOW)), now);
            return Err(HostRefusal::Limit { wait });
        }
        if self.reads_per_minute.is_some() {
            state.started.push_back(now);
        }
        Ok(())
    }

    /// Leaves a server alone after it refused a request, and returns for how long.
    pub(super) fn pause(
        &self,
        server: &str,
        status: u16,
        retry_after: Option<Duration>,
        now: Timestamp,
    ) -> Duration {
        let pause = retry_after.unwrap_or(DEFAULT_PAUSE).clamp(MIN_PAUSE, MAX_PAUSE);
        tracing::warn!(server, status, seconds = pause.as_secs(), "a registry refuses requests");
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        let until = now.plus_millis(duration_ms(pause));
        if let Some(state) = hosts.get_mut(&host_of(server)) {
            state.paused = Some(Pause { until, status });
        }
        pause
    }
}

impl HostState {
    /// Forgets what is over, and what lies so far ahead that the clock must have been set back.
    fn forget_past(&mut self, now: Timestamp) {
        let window = 0..duration_ms(RATE_WINDOW);
        self.started.retain(|started| window.contains(&now.millis_since(*started)));
        let pause = 1..=duration_ms(MAX_PAUSE);
        self.paused = self.paused.filter(|paused| pause.contains(&paused.until.millis_since(now)));
    }

    fn is_idle(&mut self, now: Timestamp) -> bool {
        self.forget_past(now);
        self.started.is_empty() && self.paused.is_none()
    }
}

fn duration_until(until: Timestamp, now: Timestamp) -> Duration {
    Duration::from_millis(u64::try_from(until.millis_since(now)).unwrap_or_default())
}

fn host_of(server: &str) -> String {
    let url = Url::parse(server).ok();
    url.and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_else(|| server.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "https://rdap.example/com/";

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(1_794_700_800_000 + seconds * 1_000)
    }

    #[test]
    fn a_host_is_read_so_often_in_any_minute_whatever_it_serves() {
        let hosts = RegistryHosts::new(Some(2));
        assert_eq!(hosts.begin(A, at(0)), Ok(()));
        assert_eq!(hosts.begin("https://rdap.example/net/", at(10)), Ok(()));
        let wait = Duration::from_secs(40);
        assert_eq!(hosts.begin(A, at(20)), Err(HostRefusal::Limit { wait }));
        assert_eq!(hosts.begin("https://other.example/", at(20)), Ok(()));
        assert_eq!(hosts.begin(A, at(60)), Ok(()));
        assert!(hosts.begin(A, at(61)).is_err());
        // A clock that is set back does not lock anybody out.
        assert_eq!(hosts.begin(A, at(-9_999)), Ok(()));
        let unlimited = RegistryHosts::new(None);
        assert!((0..1_000).all(|_| unlimited.begin(A, at(0)).is_ok()));
    }

    #[test]
    fn a_host_that_refuses_is_left_alone_for_as_long_as_it_asks_within_bounds() {
        let hosts = RegistryHosts::new(Some(20));
        for (asked, seconds) in
            [(None, 900), (Some(120), 120), (Some(0), 60), (Some(u64::from(u32::MAX)), 24 * 3_600)]
        {
            let start = at(1_000_000 * i64::try_from(seconds).unwrap());
            assert_eq!(hosts.begin(A, start), Ok(()));
            let asked = asked.map(Duration::from_secs);
            let pause = Duration::from_secs(seconds);
            assert_eq!(hosts.pause(A, 429, asked, start), pause);
            let refused = Err(HostRefusal::Paused { status: 429, wait: pause });
            assert_eq!(hosts.begin(A, start), refused);
            assert_eq!(hosts.begin("https://other.example/", start), Ok(()));
            let end = start.plus_millis(duration_ms(pause));
            assert!(hosts.begin(A, end.plus_millis(-1)).is_err());
            assert_eq!(hosts.begin(A, end), Ok(()));
        }
    }

    #[test]
    fn hosts_are_bounded() {
        let hosts = RegistryHosts::new(Some(2));
        for number in 0..3 * MAX_HOSTS {
            let now = at(i64::try_from(number).unwrap());
            hosts.begin(&format!("https://h{number}.example/"), now).unwrap();
        }
        assert!(hosts.hosts.lock().unwrap().len() <= MAX_HOSTS);
    }
}
