//! The thread behind the sequencer: moves the high-water mark, shows the batch to readers, and tells
//! the callers, in this order.
//!
//! It runs beside the making of the next batch, so that the second sync costs latency and no
//! throughput. Batches that came while it synced are marked by one write.

use std::sync::{Arc, mpsc};

use proof::keys::{LogMark, Marked};
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
}

impl Acknowledger {
    pub(super) fn run(mut self) {
        while let Ok(first) = self.queue.recv() {
            let mut steps = vec![first];
            steps.extend(self.queue.try_iter());
            let newest = steps.iter().rev().find_map(|step| step.view.clone());
            if let Some(view) = newest
                && let Err(why) = self.move_mark(view)
            {
                self.halt.stop(why, true);
            }
            let halted = self.halt.why();
            for (reply, result) in steps.into_iter().flat_map(|step| step.replies) {
                // What was not marked is kept and not acknowledged: a new start finds it.
                let result = match &halted {
                    Some(why) => Err(SealError::Halted(why.clone())),
                    None => result,
                };
                let _ = reply.send(result);
            }
        }
    }

    fn move_mark(&mut self, view: Arc<LogView>) -> Result<(), String> {
        let Some(head) = &view.head else { return Ok(()) };
        let marked = Marked {
            log_id: head.chain.log_id.clone(),
            tree_size: head.chain.tree_size,
            head: Some((head.chain.batch, head.chain.sha256)),
        };
        self.mark.put(&marked).map_err(|e| format!("the log's mark could not be moved: {e}"))?;
        self.views.replace(view);
        Ok(())
    }
}
