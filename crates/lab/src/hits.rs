//! The requests that the sites received, recorded so that tests can check what was sent.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};

/// One request as a site received it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// The number of this request among all requests of the lab, from 0, in order of arrival.
    pub order: u64,
    /// `http` or `https`.
    pub scheme: &'static str,
    /// `0.9`, `1.0`, `1.1` or `2`.
    pub version: &'static str,
    pub method: String,
    /// The requested host (Host header or `:authority`).
    pub host: String,
    pub path: String,
    pub query: Option<String>,
    /// Empty if there was none.
    pub user_agent: String,
    /// Names in lower case, in the order received (grouped by name for HTTP/2 and for pages).
    pub headers: Vec<(String, String)>,
}

/// The latest requests of one site. Connections append to it; the mutex guards the queue. Old
/// entries are dropped so that a load test cannot fill the memory.
#[derive(Debug, Default)]
pub(crate) struct HitLog(Mutex<VecDeque<Hit>>);

const MAX_HITS: usize = 10_000;

impl HitLog {
    pub(crate) fn push(&self, hit: Hit) {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if log.len() == MAX_HITS {
            log.pop_front();
        }
        log.push_back(hit);
    }

    pub(crate) fn all(&self) -> Vec<Hit> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}
