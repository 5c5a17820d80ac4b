//! The open log: its queue, its two threads, and the state that readers see.

use std::sync::{Arc, Mutex, OnceLock, PoisonError, mpsc as std_mpsc};

use contract::{Brand, Clock};
use proof::keys::LogMark;
use proof::tree_head::HeadExtras;
use store::Store;
use supervisor::{SupervisedThread, Supervisor};
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::acknowledger::Acknowledger;
use super::errors::{LogFault, SealError};
use super::halt_switch::HaltSwitch;
use super::known_batches::KnownBatches;
use super::sequencer::Sequencer;
use super::settings::LogSettings;
use super::snapshot::{CurrentSnapshot, LogSnapshot};
use super::submission::Submission;
use crate::signing_keys::SigningKeys;

/// The open log. When it is dropped, the threads finish what is waiting and end.
///
/// `queue` is set to `None` by `close` and read by every submit; `threads` is emptied by `close`.
/// Both locks are held only for that step. `snapshot` is written by the acknowledger alone.
pub(super) struct OpenLog {
    queue: Mutex<Option<mpsc::Sender<Submission>>>,
    snapshot: Arc<CurrentSnapshot>,
    halt: Arc<HaltSwitch>,
    supervisor: Supervisor,
    threads: Mutex<Vec<SupervisedThread>>,
}

/// What the threads of the log are started with.
pub(super) struct OpenLogParts {
    pub(super) store: Arc<dyn Store>,
    pub(super) keys: Arc<SigningKeys>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) brand: Brand,
    pub(super) settings: LogSettings,
    /// Our name in the log's lease.
    pub(super) lease_holder: String,
    /// Changes whenever the lease changes hands.
    pub(super) epoch: u64,
    /// The verified end of the log.
    pub(super) tip: Arc<LogSnapshot>,
    pub(super) mark: LogMark,
    pub(super) head_extras: Arc<OnceLock<HeadExtras>>,
    /// Gets to know if one of the threads ends.
    pub(super) supervisor: Supervisor,
}

const CLOSED: &str = "it was closed";
pub(super) const SEQUENCER_THREAD: &str = "log-sequencer";
pub(super) const ACKNOWLEDGER_THREAD: &str = "log-acknowledger";

impl OpenLog {
    pub(super) fn start(parts: OpenLogParts) -> Result<Self, LogFault> {
        let (queue, waiting) = mpsc::channel(parts.settings.max_waiting.max(1));
        let (committed, steps) = std_mpsc::channel();
        let views = Arc::new(CurrentSnapshot::new(Arc::clone(&parts.tip)));
        let halt = Arc::new(HaltSwitch::new(parts.supervisor.clone()));
        let acknowledger = Acknowledger {
            mark: parts.mark,
            snapshot: Arc::clone(&views),
            halt: Arc::clone(&halt),
            queue: steps,
            unmarked: None,
        };
        let sequencer = Sequencer {
            store: parts.store,
            keys: parts.keys,
            clock: parts.clock,
            brand: parts.brand,
            settings: parts.settings,
            lease_holder: parts.lease_holder,
            epoch: parts.epoch,
            leased_at: Instant::now(),
            tip: parts.tip,
            last_batch: None,
            known: KnownBatches::default(),
            head_extras: parts.head_extras,
            waiting,
            left_over: Vec::new(),
            committed,
            halt: Arc::clone(&halt),
            runtime: Handle::current(),
        };
        let supervisor = parts.supervisor;
        let threads = [
            supervisor.spawn_thread(ACKNOWLEDGER_THREAD, move || acknowledger.run()),
            supervisor.spawn_thread(SEQUENCER_THREAD, move || sequencer.run()),
        ];
        let threads: Result<Vec<_>, _> = threads.into_iter().collect();
        let threads = threads.map_err(|e| LogFault::CannotStart { why: e.to_string() })?;
        Ok(Self {
            queue: Mutex::new(Some(queue)),
            snapshot: views,
            halt,
            supervisor,
            threads: Mutex::new(threads),
        })
    }

    pub(super) fn submit(&self, submission: Submission) -> Result<(), SealError> {
        if let Some(why) = self.halt.reason() {
            return Err(SealError::Halted(why));
        }
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(queue) = queue.as_ref() else {
            return Err(SealError::Halted(CLOSED.to_owned()));
        };
        queue.try_send(submission).map_err(|refused| match refused {
            mpsc::error::TrySendError::Full(_) => SealError::Busy,
            mpsc::error::TrySendError::Closed(_) => self.dropped_error(),
        })
    }

    /// The error of a caller whose submission was dropped without a reply.
    pub(super) fn dropped_error(&self) -> SealError {
        let failure = || self.supervisor.failure().map(|failure| failure.to_string());
        SealError::Halted(self.halt.reason().or_else(failure).unwrap_or_else(|| CLOSED.to_owned()))
    }

    /// Waits until a thread of the log fails, and returns the error for callers that wait for it. A
    /// thread that was ended from outside drops no reply channel.
    pub(super) async fn wait_for_failed_thread(&self) -> SealError {
        let failure = self.supervisor.wait_for_failure().await;
        if self.has_failed_thread() {
            return SealError::Halted(failure.to_string());
        }
        // Another part failed: the threads of the log still reply.
        std::future::pending().await
    }

    pub(super) fn snapshot(&self) -> Arc<LogSnapshot> {
        self.snapshot.newest()
    }

    pub(super) fn halt(&self, why: String) {
        self.halt.halt(why, false);
    }

    pub(super) fn halt_reason(&self) -> Option<String> {
        self.halt.reason()
    }

    /// Whether a thread of the log has failed.
    fn has_failed_thread(&self) -> bool {
        let is_ours = |part: &str| [SEQUENCER_THREAD, ACKNOWLEDGER_THREAD].contains(&part);
        self.supervisor.failure().is_some_and(|failure| is_ours(&failure.part))
    }

    pub(super) async fn close(&self) {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).take();
        let threads =
            std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        // One that disappeared still holds its end of a channel, so the other would wait for ever.
        if self.has_failed_thread() {
            return;
        }
        let ended = tokio::task::spawn_blocking(move || {
            threads.into_iter().for_each(SupervisedThread::join);
        });
        let _ = ended.await;
    }
}
