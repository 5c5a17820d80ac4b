//! The writes that wait for the writer thread.
//!
//! Not a channel: one wakes the thread for every write that arrives while it gathers a group, and
//! that costs more than many a write. This queue wakes it once, when the group is complete.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::queued_write::{Group, QueuedWrite};

/// The most writes and (compressed) bytes in one commit. Limits how long a caller waits for the
/// other writes in its group.
const MAX_GROUP_WRITES: usize = 256;
const MAX_GROUP_BYTES: usize = 8 * 1024 * 1024;
/// How long a group waits to become as large as the previous one. Callers that were answered
/// together tend to write again together; without this the first of them would get its own sync.
const GATHER_TIME: Duration = Duration::from_millis(1);

/// `state` is locked for a few instructions at a time; `complete` is notified when the thread has
/// what it waits for.
#[derive(Default)]
pub(super) struct WriteQueue {
    state: Mutex<State>,
    complete: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Box<dyn QueuedWrite>>,
    /// Of the waiting writes.
    bytes: usize,
    /// How many writes the thread sleeps for; zero while it does not sleep.
    wanted: usize,
    closed: bool,
}

impl State {
    fn has(&self, writes: usize) -> bool {
        self.closed || self.waiting.len() >= writes || self.bytes >= MAX_GROUP_BYTES
    }

    fn take_group(&mut self) -> Group {
        let (mut writes, mut bytes) = (0, 0_usize);
        for write in self.waiting.iter().take(MAX_GROUP_WRITES) {
            if bytes >= MAX_GROUP_BYTES {
                break;
            }
            writes += 1;
            bytes = bytes.saturating_add(write.bytes());
        }
        self.bytes = self.bytes.saturating_sub(bytes);
        self.waiting.drain(..writes).collect()
    }
}

impl fmt::Debug for WriteQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WriteQueue").finish_non_exhaustive()
    }
}

impl WriteQueue {
    /// Returns the write if the queue is closed.
    pub(super) fn push(&self, write: Box<dyn QueuedWrite>) -> Result<(), Box<dyn QueuedWrite>> {
        let mut state = self.lock();
        if state.closed {
            return Err(write);
        }
        state.bytes = state.bytes.saturating_add(write.bytes());
        state.waiting.push_back(write);
        if state.wanted > 0 && state.has(state.wanted) {
            state.wanted = 0;
            drop(state);
            self.complete.notify_one();
        }
        Ok(())
    }

    /// Waits for a write, and then a moment for a group as large as the `last` one. `None` once the
    /// queue is closed and empty.
    pub(super) fn next_group(&self, last: usize) -> Option<Group> {
        let mut state = self.lock();
        if state.waiting.is_empty() {
            state.wanted = 1;
            let is_idle = |state: &mut State| state.waiting.is_empty() && !state.closed;
            let sleeping = self.complete.wait_while(state, is_idle);
            state = sleeping.unwrap_or_else(PoisonError::into_inner);
        }
        if !state.has(last) {
            state.wanted = last;
            let sleeping =
                self.complete.wait_timeout_while(state, GATHER_TIME, |state| !state.has(last));
            state = sleeping.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.wanted = 0;
        let group = state.take_group();
        (!group.is_empty()).then_some(group)
    }

    /// Refuses further writes; those that wait are still handed out.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.complete.notify_one();
    }

    /// Refuses further writes and drops those that wait, which answers their callers.
    pub(super) fn abandon(&self) {
        let abandoned = {
            let mut state = self.lock();
            state.closed = true;
            std::mem::take(&mut state.waiting)
        };
        drop(abandoned);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rusqlite::Connection;
    use store::StoreError;

    use super::*;
    use crate::error::DatabaseError;

    struct Sized(usize);

    impl QueuedWrite for Sized {
        fn bytes(&self) -> usize {
            self.0
        }
        fn apply(&mut self, _: &Connection) -> Result<(), DatabaseError> {
            Ok(())
        }
        fn acknowledge(self: Box<Self>) {}
        fn fail(self: Box<Self>, _: StoreError) {}
        fn doing(&self) -> &'static str {
            ""
        }
    }

    fn push(queue: &WriteQueue, bytes: usize) {
        assert!(queue.push(Box::new(Sized(bytes))).is_ok());
    }

    fn groups(queue: &WriteQueue) -> Vec<usize> {
        std::iter::from_fn(|| queue.next_group(1)).map(|group| group.len()).collect()
    }

    #[test]
    fn groups_are_limited_and_everything_is_handed_out_after_closing() {
        let queue = WriteQueue::default();
        (0..MAX_GROUP_WRITES + 3).for_each(|_| push(&queue, 1));
        queue.close();
        assert!(queue.push(Box::new(Sized(1))).is_err());
        assert_eq!(groups(&queue), [MAX_GROUP_WRITES, 3]);

        let queue = WriteQueue::default();
        // The last of a group may exceed the limit.
        for bytes in [1, MAX_GROUP_BYTES, 1, MAX_GROUP_BYTES - 1, usize::MAX] {
            push(&queue, bytes);
        }
        queue.close();
        assert_eq!(groups(&queue), [2, 2, 1]);
    }

    #[test]
    fn nothing_is_handed_out_after_abandoning() {
        let queue = WriteQueue::default();
        push(&queue, 1);
        queue.abandon();
        assert!(queue.push(Box::new(Sized(1))).is_err());
        assert!(queue.next_group(1).is_none());
    }

    #[test]
    fn a_sleeping_thread_gets_the_whole_group() {
        let queue = Arc::new(WriteQueue::default());
        let writing = Arc::clone(&queue);
        let thread = std::thread::spawn(move || {
            let mut taken = 0;
            while let Some(group) = writing.next_group(10) {
                taken += group.len();
            }
            taken
        });
        (0..1_000).for_each(|_| push(&queue, 1));
        queue.close();
        assert_eq!(thread.join().unwrap(), 1_000);
    }
}
