//! Whether this service is reading its own site: then it asks itself in the names of agents, and must not take
//! itself for an impersonator.

use std::collections::HashSet;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use agents::Catalogue;
use contract::{Clock, Timestamp};

/// Requests that the reading gave up may still be on their way for so long.
const LATE_MS: i64 = 5_000;

/// The readings of the own site that are running. Shared by the scanner and by whoever counts requests.
#[derive(Debug)]
pub(crate) struct OwnReads {
    /// The host of the own site, in lower case; `None` if the base URL has none.
    host: Option<String>,
    /// The address that scans are sent from, if it is configured.
    address: Option<IpAddr>,
    /// The user agents that scans use.
    user_agents: HashSet<Vec<u8>>,
    running: AtomicUsize,
    last_end: AtomicI64,
}

/// A running reading of the own site. It ends when this is dropped.
#[derive(Debug)]
pub(crate) struct OwnRead {
    reads: Arc<OwnReads>,
    clock: Arc<dyn Clock>,
}

impl OwnReads {
    pub(crate) fn new(base_url: &str, catalogue: &Catalogue, address: Option<IpAddr>) -> Self {
        let url = url::Url::parse(base_url).ok();
        let host = url.as_ref().and_then(|url| url.host_str()).map(str::to_ascii_lowercase);
        let user_agents = catalogue.identities().iter();
        Self {
            host,
            address,
            user_agents: user_agents.map(|identity| identity.user_agent.clone().into()).collect(),
            running: AtomicUsize::new(0),
            last_end: AtomicI64::new(i64::MIN),
        }
    }

    /// Notes that a site is being read, if it is the own one.
    pub(crate) fn begin(self: &Arc<Self>, host: &str, clock: &Arc<dyn Clock>) -> Option<OwnRead> {
        let without_www = |name: &str| name.strip_prefix("www.").unwrap_or(name).to_owned();
        let own = self.host.as_deref().map(without_www)?;
        if without_www(&host.to_ascii_lowercase()) != own {
            return None;
        }
        self.running.fetch_add(1, Ordering::Relaxed);
        Some(OwnRead { reads: Arc::clone(self), clock: Arc::clone(clock) })
    }

    /// Whether a request with this user agent from this address may be one of our own.
    pub(crate) fn may_be_own(&self, user_agent: &[u8], address: IpAddr, now: Timestamp) -> bool {
        let since_end = now.as_millis().saturating_sub(self.last_end.load(Ordering::Relaxed));
        let is_reading =
            self.running.load(Ordering::Relaxed) > 0 || (0..LATE_MS).contains(&since_end);
        (is_reading || self.address == Some(address)) && self.user_agents.contains(user_agent)
    }
}

impl Drop for OwnRead {
    fn drop(&mut self) {
        self.reads.last_end.store(self.clock.now().as_millis(), Ordering::Relaxed);
        self.reads.running.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use contract::clock::FixedClock;

    use super::*;

    #[test]
    fn only_while_the_own_site_is_read_and_only_with_its_user_agents() {
        let catalogue = Catalogue::built_in().unwrap();
        let ours: IpAddr = "203.0.113.1".parse().unwrap();
        let reads = Arc::new(OwnReads::new("https://www.svc.example/", &catalogue, Some(ours)));
        let elsewhere: IpAddr = "203.0.113.7".parse().unwrap();
        let own = catalogue.identities()[2].user_agent.clone();
        let at = Timestamp::from_millis(1_790_000_000_000);
        let clock: Arc<dyn Clock> = Arc::new(FixedClock(at));
        let is_own = |at: Timestamp| reads.may_be_own(own.as_bytes(), elsewhere, at);
        assert!(!is_own(at), "nothing is read");
        assert!(reads.begin("other.example", &clock).is_none());
        assert!(!is_own(at), "another site is read");
        let read = reads.begin("SVC.example", &clock);
        assert!(read.is_some() && is_own(at));
        assert!(
            !reads.may_be_own(b"GPTBot/9", elsewhere, at),
            "a user agent that scans do not use"
        );
        drop(read);
        assert!(is_own(at.plus_millis(LATE_MS - 1)), "late requests");
        assert!(!is_own(at.plus_millis(LATE_MS)));
        let later = at.plus_millis(2 * LATE_MS);
        assert!(reads.may_be_own(own.as_bytes(), ours, later), "from our own address");
    }
}
