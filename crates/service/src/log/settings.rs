//! What an operator can configure about the log.

use std::time::Duration;

use super::witness_peer::WitnessPeer;

/// What an operator can configure about the log.
#[derive(Debug, Clone)]
pub struct LogSettings {
    /// Minimum time between two batches, unless a batch is full.
    pub interval: Duration,
    /// A batch with this many leaves is closed at once.
    pub max_leaves: usize,
    /// Callers that may wait for their batch; further ones are refused.
    pub max_waiting: usize,
    /// How long the right to extend the log is held without being renewed.
    pub lease: Duration,
    /// The log's name in checkpoints.
    pub origin: String,
    /// Asked to cosign every checkpoint.
    pub witnesses: Vec<WitnessPeer>,
}

impl LogSettings {
    #[must_use]
    pub fn new(origin: String) -> Self {
        Self {
            interval: Duration::from_millis(50),
            max_leaves: 1_024,
            max_waiting: 8_192,
            lease: Duration::from_secs(10),
            origin,
            witnesses: Vec::new(),
        }
    }

    /// The base URL without its scheme, followed by the log's id.
    #[must_use]
    pub fn default_origin(base_url: &str, log_id: &str) -> String {
        let host = base_url.split_once("://").map_or(base_url, |(_, rest)| rest);
        format!("{}/{log_id}", host.trim_end_matches('/'))
    }

    pub(super) fn lease_millis(&self) -> i64 {
        i64::try_from(self.lease.as_millis()).unwrap_or(i64::MAX)
    }
}
