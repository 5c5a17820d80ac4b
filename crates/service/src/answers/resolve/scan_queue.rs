//! The places in the queue of full scans: how many there are, and how many one client may have.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use contract::Domain;
use contract::evidence::Evidence;
use proof::keys::DeploymentSecret;
use serde::{Deserialize, Serialize};
use store::{Day, StoreError};
use tokio::time::Instant;

use super::upgrade_windows::UPGRADE_JOB;
use crate::access::AddressBlock;
use crate::answers::Answers;

/// The part of the queue that one client may have.
const CLIENT_SHARE: u32 = 10;
/// How long counts of the stored queue are used. New places are added to them.
const COUNTS_VALID: Duration = Duration::from_secs(5);
const JOBS_PER_LOAD: usize = 1_000;

const REFUSED: &str = "wayleave_scan_queue_refused_total";

/// The parameters of a queued scan, stored with its job: what its turn depends on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct QueuedScan {
    /// Who asked, as a keyed digest of the address that changes daily; empty if unknown.
    pub(crate) client: String,
    /// The network that the site is in, as CIDR; empty if unknown.
    pub(crate) network: String,
}

impl QueuedScan {
    /// An unreadable body is one of an earlier build.
    pub(crate) fn from_body(body: &[u8]) -> Self {
        serde_json::from_slice(body).unwrap_or_default()
    }

    pub(super) fn to_body(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }
}

/// The number of waiting scans, counted in the store now and then. The mutex is never held across an
/// await.
#[derive(Debug, Default)]
pub(crate) struct ScanQueueCounts(Mutex<QueueCounts>);

#[derive(Debug, Default)]
struct QueueCounts {
    counted_at: Option<Instant>,
    total: u32,
    by_client: HashMap<String, u32>,
}

impl ScanQueueCounts {
    fn lock(&self) -> MutexGuard<'_, QueueCounts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl QueueCounts {
    fn is_old(&self) -> bool {
        self.counted_at.is_none_or(|at| at.elapsed() > COUNTS_VALID)
    }

    fn add(&mut self, client: &str) {
        self.total = self.total.saturating_add(1);
        let count = self.by_client.entry(client.to_owned()).or_default();
        *count = count.saturating_add(1);
    }

    /// Takes a place for this client. The word says which limit is reached.
    fn take_place(&mut self, client: &str, max: u32) -> Result<(), &'static str> {
        if self.total >= max {
            return Err("length");
        }
        let of_client = self.by_client.get(client).copied().unwrap_or(0);
        if !client.is_empty() && of_client >= (max / CLIENT_SHARE).max(1) {
            return Err("client");
        }
        self.add(client);
        Ok(())
    }
}

impl Answers {
    /// Takes a place in the queue of full scans. False if the queue, or this client's part of it, is
    /// full.
    pub(super) async fn take_queue_place(&self, scan: &QueuedScan) -> Result<bool, StoreError> {
        let counts = &self.resolve_state.queue_counts;
        if counts.lock().is_old() {
            let fresh = self.count_queue().await?;
            *counts.lock() = fresh;
        }
        let taken = counts.lock().take_place(&scan.client, self.settings.queue_max);
        if let Err(limit) = taken {
            metrics::counter!(REFUSED, "limit" => limit).increment(1);
        }
        Ok(taken.is_ok())
    }

    async fn count_queue(&self) -> Result<QueueCounts, StoreError> {
        let mut counts = QueueCounts::default();
        let mut after = None;
        loop {
            let jobs = self.store.export_jobs(after, JOBS_PER_LOAD).await?;
            for job in jobs.iter().filter(|job| job.kind == UPGRADE_JOB) {
                counts.add(&QueuedScan::from_body(&job.body).client);
            }
            after = jobs.last().map(|job| job.id);
            if jobs.len() < JOBS_PER_LOAD {
                counts.counted_at = Some(Instant::now());
                return Ok(counts);
            }
        }
    }

    /// The parameters of a scan that is queued after this live reading.
    pub(super) fn queued_scan(
        &self,
        domain: &Domain,
        client: Option<AddressBlock>,
        evidence: &Evidence,
    ) -> QueuedScan {
        let day = Day::of(self.clock.now());
        QueuedScan {
            client: client.map(|block| client_key(&self.secret, day, block)).unwrap_or_default(),
            network: network_of(domain, evidence).unwrap_or_default(),
        }
    }
}

/// Like the counters of free scans: stored keys cannot be turned back into addresses, and the keys of
/// two days cannot be matched.
fn client_key(secret: &DeploymentSecret, day: Day, block: AddressBlock) -> String {
    let (day, text) = (day.number().to_be_bytes(), block.text());
    let mut key = secret.mac("queued scans by address", &[&day, text.as_bytes()]).to_hex();
    key.truncate(16);
    key
}

/// The network of the first address that the reading found.
fn network_of(domain: &Domain, evidence: &Evidence) -> Option<String> {
    let hosts = domain.hosts();
    let of_site = |name: &str| hosts.iter().any(|host| host == name.trim_end_matches('.'));
    let records = evidence
        .dns
        .iter()
        .filter(|reading| of_site(&reading.name))
        .flat_map(|reading| &reading.answers)
        .filter(|answer| matches!(answer.record_type.as_str(), "A" | "AAAA"))
        .flat_map(|answer| &answer.records);
    let address = records.into_iter().find_map(|record| record.parse().ok())?;
    door::network_of(address).map(|network| network.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_queue_has_a_length_and_a_client_has_a_part_of_it() {
        let mut counts = QueueCounts::default();
        for _ in 0..3 {
            assert_eq!(counts.take_place("one", 30), Ok(()));
        }
        assert_eq!(counts.take_place("one", 30), Err("client"));
        assert_eq!(counts.take_place("two", 30), Ok(()));
        for number in 0..26 {
            assert_eq!(counts.take_place(&number.to_string(), 30), Ok(()));
        }
        assert_eq!(counts.take_place("new", 30), Err("length"));
        let mut tiny = QueueCounts::default();
        assert_eq!(tiny.take_place("one", 1), Ok(()));
        assert_eq!(QueueCounts::default().take_place("one", 0), Err("length"));
    }

    #[test]
    fn a_client_is_stored_as_a_key_of_the_day() {
        let secret = DeploymentSecret::from_bytes(&[1; 32]);
        let day = |text: &str| Day::of(text.parse().unwrap());
        let block = |text: &str| AddressBlock::from_address(text.parse().unwrap());
        let (one, two) = (day("2026-11-15T10:00:00Z"), day("2026-11-16T10:00:00Z"));
        let key = client_key(&secret, one, block("192.0.2.1"));
        assert_eq!(key.len(), 16);
        assert_eq!(key, client_key(&secret, one, block("192.0.2.1")));
        assert_ne!(key, client_key(&secret, two, block("192.0.2.1")));
        assert_ne!(key, client_key(&secret, one, block("192.0.2.2")));
    }

    #[test]
    fn the_parameters_survive_and_others_are_ignored() {
        let scan = QueuedScan { client: "ab".to_owned(), network: "192.0.2.0/24".to_owned() };
        assert_eq!(QueuedScan::from_body(&scan.to_body()), scan);
        assert_eq!(QueuedScan::from_body(b""), QueuedScan::default());
        assert_eq!(QueuedScan::from_body(b"[1]"), QueuedScan::default());
    }
}
