//! A write on its way to the writer thread.

use rusqlite::Connection;
use store::StoreError;
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use crate::error::DatabaseError;

/// A write that waits for its commit, independent of its result type.
pub(super) trait QueuedWrite: Send {
    fn bytes(&self) -> usize;
    /// Runs the closure and stores its result, in place of an earlier one.
    fn apply(&mut self, connection: &Connection) -> Result<(), DatabaseError>;
    fn acknowledge(self: Box<Self>);
    fn fail(self: Box<Self>, error: StoreError);
    fn doing(&self) -> &'static str;
}

/// The writes of one commit.
pub(super) type Group = Vec<Box<dyn QueuedWrite>>;

pub(super) struct WaitingWrite<T, F> {
    pub(super) doing: &'static str,
    pub(super) bytes: usize,
    pub(super) write: F,
    pub(super) result: Option<T>,
    pub(super) reply: oneshot::Sender<Result<T, StoreError>>,
    pub(super) _permit: OwnedSemaphorePermit,
}

impl<T, F> QueuedWrite for WaitingWrite<T, F>
where
    T: Send,
    F: Fn(&Connection) -> Result<T, DatabaseError> + Send,
{
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn apply(&mut self, connection: &Connection) -> Result<(), DatabaseError> {
        self.result = Some((self.write)(connection)?);
        Ok(())
    }

    fn acknowledge(self: Box<Self>) {
        // Sending fails only if the caller has gone away.
        if let Some(done) = self.result {
            let _ = self.reply.send(Ok(done));
        }
    }

    fn fail(self: Box<Self>, error: StoreError) {
        let _ = self.reply.send(Err(error));
    }

    fn doing(&self) -> &'static str {
        self.doing
    }
}
