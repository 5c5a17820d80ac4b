//! What the sites saw: kept so that a test can assert on what was really sent.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};

/// One request as a site received it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// Counts all requests of the lab, from 0, in the order they arrived.
    pub order: u64,
    /// `http` or `https`.
    pub scheme: &'static str,
    /// `0.9`, `1.0`, `1.1` or `2`.
    pub version: &'static str,
    pub method: String,
    /// The host that was asked for (Host field or `:authority`).
    pub host: String,
    pub path: String,
    pub query: Option<String>,
    /// Empty when none was sent.
    pub user_agent: String,
    /// Names in lower case, fields in the order received (HTTP/2 and pages: grouped by name).
    pub headers: Vec<(String, String)>,
}

/// The last hits of one site. A load test must not fill the memory, so old ones are forgotten.
#[derive(Debug, Default)]
pub(crate) struct HitLog(Mutex<VecDeque<Hit>>);

const KEPT: usize = 10_000;

impl HitLog {
    pub(crate) fn push(&self, hit: Hit) {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if log.len() == KEPT {
            log.pop_front();
        }
        log.push_back(hit);
    }

    pub(crate) fn all(&self) -> Vec<Hit> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}
