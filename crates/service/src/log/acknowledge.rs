//! The thread behind the sequencer: moves the high-water mark, shows the batch to readers, and tells
//! the callers, in this order.
//!
//! It runs beside the making of the next batch, so that the second sync costs latency and no
//! throughput. Batches that came while it synced are marked by one write.

use std::sync::{Arc, mpsc};

use proof::ProofError;
use proof::keys::{LogMark, Marked};
use store::StoreError;
use tokio::sync::oneshot;

use super::SealError;
use super::sequencer::{Done, Halt};
use super::view::{LogView, Views};

pub(super) type Reply = (oneshot::Sender<Result<Done, SealError>>, Result<Done, SealError>);

/// A step that is on the disk and not acknowledged yet.
pub(super) struct Committed {
    /// The log after it; nothing where it had no new leaf.
    pub(super) view: Option<Arc<LogView>>,
    pub(super) replies: Vec<Reply>,
}

pub(super) struct Acknowledger {
    pub(super) mark: LogMark,
    pub(super) views: Arc<Views>,
    pub(super) halt: Arc<Halt>,
    pub(super) queue: mpsc::Receiver<Committed>,
    /// Kept, and not marked yet for want of space. Nothing is acknowledged past it.
    pub(super) unmarked: Option<Arc<LogView>>,
}

impl Acknowledger {
    pub(super) fn run(mut self) {
        while let Ok(first) = self.queue.recv() {
            let mut steps = vec![first];
            steps.extend(self.queue.try_iter());
            let newest = steps.iter().rev().find_map(|step| step.view.clone());
            let refused = newest.or_else(|| self.unmarked.take()).and_then(|view| self.mark(view));
            let refused = self.halt.why().map(SealError::Halted).or(refused);
            for (reply, result) in steps.into_iter().flat_map(|step| step.replies) {
                // What was not marked is kept and not acknowledged: a new start finds it.
                let _ = reply.send(refused.clone().map_or(result, Err));
            }
        }
    }

    /// Moves the mark to this view and shows it; or why it is not acknowledged.
    fn mark(&mut self, view: Arc<LogView>) -> Option<SealError> {
        let head = view.head.as_ref()?;
        let marked = Marked {
            log_id: head.chain.log_id.clone(),
            tree_size: head.chain.tree_size,
            head: Some((head.chain.batch, head.chain.sha256)),
        };
        match self.mark.put(&marked) {
            Ok(()) => {
                self.unmarked = None;
                self.views.replace(view);
                None
            }
            // The batch is in the log; whoever asks again is told of it once it is marked.
            Err(error @ ProofError::NoSpace { .. }) => {
                tracing::warn!(%error, "a batch is kept and cannot be acknowledged yet");
                self.unmarked = Some(view);
                Some(SealError::NotKept(StoreError::Full))
            }
            Err(error) => {
                self.halt.stop(format!("the log's mark could not be moved: {error}"), true);
                None
            }
        }
    }
}
