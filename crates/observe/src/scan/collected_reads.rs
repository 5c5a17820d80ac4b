//! Collects the reads and bodies of one scan.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use contract::evidence::{
    Exchange, ExchangeOutcome, FailureKind, Reading, SkipReason, SkippedRead,
};
use door::{FetchResult, TARGET_LIMIT, Visit};

use super::plan::PlannedRead;

/// The bodies by digest, each stored once because most identities get the same bytes. Parallel
/// reads add to it; the mutex guards the map.
#[derive(Debug, Default)]
pub(super) struct CollectedBodies(Mutex<BTreeMap<String, Bytes>>);

impl CollectedBodies {
    /// Stores the body of a finished read and returns its exchange. A duplicate is dropped and its
    /// bytes are released at once.
    pub(super) fn add(&self, fetched: FetchResult, visit: &Visit) -> Exchange {
        let FetchResult { exchange, body } = fetched;
        if let Some(response) = exchange.response() {
            let mut bodies = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if bodies.contains_key(&response.body.sha256) {
                visit.release_bytes(body.len());
            } else {
                bodies.insert(response.body.sha256.clone(), body);
            }
        }
        exchange
    }

    /// A stored body by its digest.
    pub(super) fn get(&self, sha256: &str) -> Option<Bytes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(sha256).cloned()
    }

    pub(super) fn into_map(self) -> BTreeMap<String, Bytes> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The reads in plan order, and those that were not made.
#[derive(Debug, Default)]
pub(super) struct CollectedReads {
    pub(super) reads: Vec<Reading>,
    pub(super) not_read: Vec<SkippedRead>,
}

impl CollectedReads {
    pub(super) fn add(&mut self, planned: &PlannedRead<'_>, exchange: Exchange) {
        if is_target_limited(&exchange) {
            self.add_not_read(planned, SkipReason::TargetLimit);
            return;
        }
        if was_never_started(&exchange) {
            self.add_not_read(planned, SkipReason::Deadline);
            return;
        }
        let id = format!("r{:02}", self.reads.len() + 1);
        self.reads.push(planned.reading(id, exchange));
    }

    pub(super) fn add_not_read(&mut self, planned: &PlannedRead<'_>, why: SkipReason) {
        self.not_read.push(planned.not_read(why));
    }
}

/// Whether a limit on the target, or on the target of its last redirect, stopped this read.
pub(super) fn is_target_limited(exchange: &Exchange) -> bool {
    matches!(&exchange.outcome, ExchangeOutcome::Failed(failure) if failure.reason == TARGET_LIMIT)
}

/// Whether the deadline passed before anything was dialled. Then nothing was measured.
fn was_never_started(exchange: &Exchange) -> bool {
    matches!(&exchange.outcome, ExchangeOutcome::Failed(f) if f.kind == FailureKind::Timeout && f.reason == "deadline")
        && exchange.hops.iter().all(|hop| hop.address.is_none())
}
