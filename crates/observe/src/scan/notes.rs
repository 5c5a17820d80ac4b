//! What has been read so far, and who is told of it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use contract::evidence::{
    Exchange, FailureKind, NotRead, NotReadWhy, Outcome, Phase, Reading, Target,
};
use door::{Fetched, Visit};

use super::plan::Planned;

/// Who is told how far a scan has come.
pub type Progress<'a> = &'a (dyn Fn(Step) + Sync);

/// How far a scan has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub done: usize,
    pub of: usize,
    /// What was just read; nothing for what was planned and then left out.
    pub read: Option<StepRead>,
}

/// One read, in a few words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepRead {
    pub target: Target,
    pub path: String,
    pub identity: String,
    pub status: Option<u16>,
    /// The reason word, when nothing came.
    pub failure: Option<String>,
    pub ms: u32,
}

/// Counts and tells.
#[allow(missing_debug_implementations, reason = "holds a callback")]
pub(super) struct Teller<'a> {
    progress: Progress<'a>,
    done: AtomicUsize,
    of: usize,
}

impl<'a> Teller<'a> {
    pub(super) fn new(progress: Progress<'a>, of: usize) -> Self {
        Self { progress, done: AtomicUsize::new(0), of }
    }

    pub(super) fn tell(&self, read: Option<StepRead>) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        (self.progress)(Step { done, of: self.of, read });
    }
}

impl StepRead {
    pub(super) fn of(planned: &Planned<'_>, exchange: &Exchange) -> Self {
        let (status, failure) = match &exchange.outcome {
            Outcome::Response(response) => (Some(response.status), None),
            Outcome::Failed(failure) => (None, Some(failure.reason.clone())),
        };
        Self {
            target: planned.target.clone(),
            path: planned.path.clone(),
            identity: planned.identity.id.clone(),
            status,
            failure,
            ms: exchange.took_ms,
        }
    }
}

/// The bodies, each kept once: most readers are served the same bytes.
#[derive(Debug, Default)]
pub(super) struct Bodies(Mutex<BTreeMap<String, Bytes>>);

impl Bodies {
    /// Takes the body out of what was fetched, as soon as it has come.
    pub(super) fn keep(&self, fetched: Fetched, visit: &Visit) -> Exchange {
        let Fetched { exchange, body } = fetched;
        if let Some(response) = exchange.response() {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.contains_key(&response.body.sha256) {
                visit.let_go(body.len());
            } else {
                kept.insert(response.body.sha256.clone(), body);
            }
        }
        exchange
    }

    pub(super) fn into_map(self) -> BTreeMap<String, Bytes> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The readings in plan order, and what was left out.
#[derive(Debug, Default)]
pub(super) struct Notes {
    pub(super) reads: Vec<Reading>,
    pub(super) not_read: Vec<NotRead>,
}

impl Notes {
    pub(super) fn keep(&mut self, planned: &Planned<'_>, exchange: Exchange) {
        if was_cut_before_it_began(&exchange) {
            self.leave_out(planned, NotReadWhy::Deadline);
            return;
        }
        let id = format!("r{:02}", self.reads.len() + 1);
        self.reads.push(planned.reading(id, exchange));
    }

    pub(super) fn leave_out(&mut self, planned: &Planned<'_>, why: NotReadWhy) {
        self.not_read.push(planned.not_read(why));
    }
}

/// Whether the shared deadline passed before anything was dialled: then nothing was measured.
fn was_cut_before_it_began(exchange: &Exchange) -> bool {
    matches!(&exchange.outcome, Outcome::Failed(f) if f.kind == FailureKind::Timeout && f.reason == "deadline")
        && exchange.hops.iter().all(|hop| hop.address.is_none())
}

/// Whether https does not come about at all, so that http is worth a try. A host that shakes hands
/// and then stays silent does speak https.
pub(super) fn https_is_not_spoken(exchange: &Exchange) -> bool {
    match &exchange.outcome {
        Outcome::Response(_) => false,
        Outcome::Failed(failure) => {
            exchange.hops.len() <= 1 && matches!(failure.phase, Phase::Connect | Phase::Tls)
        }
    }
}
