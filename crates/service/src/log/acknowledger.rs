//! The thread behind the sequencer. For each stored batch it advances the high-water mark, then shows
//! the batch to readers, then replies to the callers.
//!
//! It works while the sequencer builds the next batch, so its own sync to disk adds latency but does
//! not reduce throughput. Batches that arrive during a sync are marked together by one write.

use std::sync::{Arc, mpsc};

use proof::ProofError;
use proof::keys::{LogMark, LogPosition};
use store::StoreError;

use super::errors::SealError;
use super::halt_switch::HaltSwitch;
use super::open_log::ACKNOWLEDGER_THREAD;
use super::snapshot::{CurrentSnapshot, LogSnapshot};
use super::submission::CommittedBatch;

/// Owned by its thread; the only writer of the mark file and of `snapshot`.
pub(super) struct Acknowledger {
    pub(super) mark: LogMark,
    pub(super) snapshot: Arc<CurrentSnapshot>,
    pub(super) halt: Arc<HaltSwitch>,
    pub(super) queue: mpsc::Receiver<CommittedBatch>,
    /// Stored, but not marked yet because the disk was full. Nothing is acknowledged past it.
    pub(super) unmarked: Option<Arc<LogSnapshot>>,
}

impl Acknowledger {
    /// Returns once the queue is closed and empty; that is its only end.
    pub(super) fn run(mut self) -> Result<(), String> {
        while let Ok(first) = self.queue.recv() {
            supervisor::fault_point(ACKNOWLEDGER_THREAD);
            let mut steps = vec![first];
            steps.extend(self.queue.try_iter());
            let newest = steps.iter().rev().find_map(|step| step.snapshot.clone());
            let refused =
                newest.or_else(|| self.unmarked.take()).and_then(|view| self.advance_mark(view));
            let refused = self.halt.reason().map(SealError::Halted).or(refused);
            for (reply, result) in steps.into_iter().flat_map(|step| step.replies) {
                // An unmarked batch is stored but not acknowledged: the next start finds it.
                let _ = reply.send(refused.clone().map_or(result, Err));
            }
        }
        Ok(())
    }

    /// Advances the mark to this snapshot and shows it to readers. Returns the error for the callers
    /// if that failed.
    fn advance_mark(&mut self, view: Arc<LogSnapshot>) -> Option<SealError> {
        let head = view.head.as_ref()?;
        let marked = LogPosition {
            log_id: head.chain.log_id.clone(),
            tree_size: head.chain.tree_size,
            head: Some((head.chain.batch, head.chain.sha256)),
        };
        match self.mark.write(&marked) {
            Ok(()) => {
                self.unmarked = None;
                self.snapshot.replace(view);
                None
            }
            // The batch is in the log; a caller that retries gets it once the mark can be written.
            Err(error @ ProofError::NoSpace { .. }) => {
                tracing::warn!(%error, "a batch is stored but cannot be acknowledged yet");
                self.unmarked = Some(view);
                Some(SealError::NotStored(StoreError::Full))
            }
            Err(error) => {
                self.halt.halt(format!("the log's mark could not be written: {error}"), true);
                None
            }
        }
    }
}
