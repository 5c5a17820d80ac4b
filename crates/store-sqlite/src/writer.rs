//! The single thread that writes (group commit): it takes all waiting writes, commits them with one
//! sync, and only then answers the callers.
//!
//! Writes are closures that can be repeated. A group is first tried without savepoints, which cost a
//! copy of every page that a write changes; if a write fails, the group is rolled back and repeated
//! with a savepoint for each write, so that the failed one does not affect the others. If a commit
//! fails on the disk, the writer stops for good: after a failed sync, a second one may report success
//! although nothing was written.

mod queue;
mod queued_write;

use std::io;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, OnceLock};

use rusqlite::Connection;
use store::StoreError;
use supervisor::{SupervisedThread, Supervisor};
use tokio::sync::{Semaphore, oneshot};

use self::queue::WriteQueue;
use self::queued_write::{Group, QueuedWrite, WaitingWrite};
use crate::error::DatabaseError;

/// The most writes without an answer; further callers wait for a permit.
const MAX_WAITING_WRITES: usize = 1024;
/// From this many pages (16 MiB) the write-ahead log is copied into the database.
const CHECKPOINT_PAGES: i32 = 4_096;
/// From this many pages (64 MiB) the writer waits for readers so that the log can be truncated.
const TRUNCATE_PAGES: i32 = 16_384;

/// The name of the thread.
const WRITER_THREAD: &str = "store-writer";

/// Owns the writer thread. The thread alone owns the writing connection.
#[derive(Debug)]
pub(crate) struct Writer {
    /// Closing it lets the thread finish the waiting writes and end.
    queue: Arc<WriteQueue>,
    /// One permit for each write that has no answer yet.
    permits: Arc<Semaphore>,
    thread: Option<SupervisedThread>,
    /// The reason, set once by the thread before it stops early.
    stopped: Arc<OnceLock<String>>,
}

/// Commits a group. A parameter, so that a test can make it fail.
type Commit = Box<dyn FnMut(&Connection) -> rusqlite::Result<()> + Send>;

impl Writer {
    pub(crate) fn start(connection: Connection, supervisor: &Supervisor) -> io::Result<Self> {
        let commit: Commit = Box::new(|connection| connection.execute_batch("COMMIT"));
        Self::start_with(connection, commit, supervisor)
    }

    fn start_with(
        mut connection: Connection,
        commit: Commit,
        supervisor: &Supervisor,
    ) -> io::Result<Self> {
        let queue = Arc::new(WriteQueue::default());
        let stopped = Arc::new(OnceLock::new());
        let log_pages = Arc::new(AtomicI32::new(0));
        let counter = Arc::clone(&log_pages);
        connection
            .wal_hook(Some(move |_: &mut rusqlite::hooks::Wal, pages| {
                counter.store(pages, Ordering::Relaxed);
                Ok(())
            }))
            .map_err(io::Error::other)?;
        let thread = WriterThread {
            connection,
            queue: Arc::clone(&queue),
            last_group: 1,
            commit,
            log_pages,
            stopped: Arc::clone(&stopped),
        };
        let thread = supervisor.spawn_thread(WRITER_THREAD, move || thread.run())?;
        let permits = Arc::new(Semaphore::new(MAX_WAITING_WRITES));
        Ok(Self { queue, permits, thread: Some(thread), stopped })
    }

    /// Refuses every write, for a store that was opened only for reading.
    pub(crate) fn refusing() -> Self {
        let stopped = Arc::new(OnceLock::from("it was opened only for reading".to_owned()));
        let (queue, permits) = (Arc::default(), Arc::new(Semaphore::new(0)));
        Self { queue, permits, thread: None, stopped }
    }

    /// Runs `write` in the next commit and returns when that commit is on the disk. `bytes` is the
    /// approximate size of what it writes. `write` may run twice, the second time after everything
    /// that it did the first time was rolled back; it must do the same again.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        doing: &'static str,
        bytes: usize,
        write: impl Fn(&Connection) -> Result<T, DatabaseError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let Some(thread) = &self.thread else { return Err(self.unavailable()) };
        tokio::select! {
            biased;
            result = self.queue_write(doing, bytes, write) => result,
            // A thread that was ended from outside drops no reply channel.
            () = thread.wait_for_end() => Err(self.unavailable()),
        }
    }

    async fn queue_write<T: Send + 'static>(
        &self,
        doing: &'static str,
        bytes: usize,
        write: impl Fn(&Connection) -> Result<T, DatabaseError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let permit = Arc::clone(&self.permits).acquire_owned().await;
        let permit = permit.map_err(|_| self.unavailable())?;
        let (reply, answer) = oneshot::channel();
        let waiting = WaitingWrite { doing, bytes, write, result: None, reply, _permit: permit };
        self.queue.push(Box::new(waiting)).map_err(|_| self.unavailable())?;
        answer.await.unwrap_or_else(|_| Err(self.unavailable()))
    }

    fn unavailable(&self) -> StoreError {
        let why = self.stopped.get().map_or("the writer thread has ended", String::as_str);
        StoreError::Unavailable { why: why.to_owned() }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue.close();
        if let Some(thread) = self.thread.take() {
            thread.join();
        }
    }
}

/// The state of the writer thread. Only the thread uses it, except for `stopped`, which it shares
/// with [`Writer`].
struct WriterThread {
    connection: Connection,
    queue: Arc<WriteQueue>,
    /// The number of writes in the last commit; about as many are likely to come next.
    last_group: usize,
    commit: Commit,
    /// Pages in the write-ahead log after the last commit; set by SQLite's WAL hook.
    log_pages: Arc<AtomicI32>,
    stopped: Arc<OnceLock<String>>,
}

impl WriterThread {
    /// `Ok` once the queue is closed and empty; an error is why it accepts no more writes.
    fn run(mut self) -> Result<(), String> {
        while let Some(group) = self.queue.next_group(self.last_group) {
            self.last_group = group.len();
            supervisor::fault_point(WRITER_THREAD);
            let result = self.commit_group(group).and_then(|()| self.checkpoint());
            if let Err(why) = result {
                tracing::error!(%why, "the store accepts no more writes");
                // Callers still in the queue are answered when the queue is abandoned.
                let _ = self.stopped.set(why.clone());
                return Err(why);
            }
        }
        // An orderly end leaves an empty write-ahead log. A reader in another process may prevent
        // that.
        if let Err(error) = self.connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)") {
            tracing::warn!(%error, "the write-ahead log could not be truncated at shutdown");
        }
        Ok(())
    }

    /// Commits the whole group in one transaction and answers every caller. An error is the reason
    /// to stop the writer.
    fn commit_group(&mut self, mut group: Group) -> Result<(), String> {
        let refused = match self.apply_group(&mut group) {
            Ok(refused) => refused,
            // The whole transaction is lost.
            Err(error) => {
                self.roll_back();
                return fail_all(group, error);
            }
        };
        if let Err(error) = (self.commit)(&self.connection) {
            self.roll_back();
            return fail_all(group, error.into());
        }
        // Refused writes are also answered after the commit: a duplicate must not be reported for a
        // write in this group that is then lost.
        let mut refused = refused.into_iter().peekable();
        for (place, write) in group.into_iter().enumerate() {
            match refused.next_if(|(refused, _)| *refused == place) {
                None => write.acknowledge(),
                Some((_, error)) => {
                    let doing = write.doing();
                    write.fail(error.into_store_error(doing));
                }
            }
        }
        Ok(())
    }

    /// Runs the writes in a transaction, which is open afterwards. Returns the places of those that
    /// were refused, with the reasons; an error concerns the whole group.
    fn apply_group(&self, group: &mut Group) -> Result<Vec<(usize, DatabaseError)>, DatabaseError> {
        self.connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        if self.apply_without_savepoints(group)? {
            return Ok(Vec::new());
        }
        if !self.connection.is_autocommit() {
            self.connection.execute_batch("ROLLBACK")?;
        }
        self.connection.execute_batch("BEGIN IMMEDIATE")?;
        let mut refused = Vec::new();
        for (place, write) in group.iter_mut().enumerate() {
            if let Err(error) = in_savepoint(&self.connection, write.as_mut())? {
                refused.push((place, error));
            }
        }
        Ok(refused)
    }

    /// Whether all writes succeeded and the transaction is still open.
    fn apply_without_savepoints(&self, group: &mut Group) -> Result<bool, DatabaseError> {
        for write in group {
            match write.apply(&self.connection) {
                Err(error) if error.is_fatal() => return Err(error),
                Err(_) => return Ok(false),
                // Some errors (a full disk) make SQLite roll back by itself. If this write ignored
                // one, the next must not run outside of a transaction.
                Ok(()) if self.connection.is_autocommit() => return Ok(false),
                Ok(()) => {}
            }
        }
        Ok(true)
    }

    fn roll_back(&self) {
        if !self.connection.is_autocommit()
            && let Err(error) = self.connection.execute_batch("ROLLBACK")
        {
            tracing::warn!(%error, "a failed write could not be rolled back");
        }
    }

    /// Copies the write-ahead log into the database when it has grown. An error is the reason to
    /// stop the writer.
    fn checkpoint(&mut self) -> Result<(), String> {
        let pages = self.log_pages.load(Ordering::Relaxed);
        let pragma = match pages {
            TRUNCATE_PAGES.. => "PRAGMA wal_checkpoint(TRUNCATE)",
            CHECKPOINT_PAGES.. => "PRAGMA wal_checkpoint(PASSIVE)",
            _ => return Ok(()),
        };
        match self.connection.execute_batch(pragma).map_err(DatabaseError::from) {
            Ok(()) => Ok(()),
            Err(error) if error.is_fatal() => Err(fatal_reason(error)),
            // A full disk, or a reader in the way. Nothing is lost: the data is in the log.
            Err(error) => {
                let error = error.into_store_error("a checkpoint");
                tracing::warn!(%error, pages, "the write-ahead log could not be copied into the database");
                Ok(())
            }
        }
    }
}

impl Drop for WriterThread {
    /// Also after a panic.
    fn drop(&mut self) {
        self.queue.abandon();
    }
}

/// Runs one write in a savepoint. The inner error concerns this write only; the outer one aborts
/// the whole transaction.
fn in_savepoint(
    connection: &Connection,
    write: &mut dyn QueuedWrite,
) -> Result<Result<(), DatabaseError>, DatabaseError> {
    connection.prepare_cached("SAVEPOINT one_write")?.execute([])?;
    let outcome = write.apply(connection);
    if let Err(error) = outcome {
        // Some errors (a full disk) make SQLite roll back the whole transaction.
        if error.is_fatal() || connection.is_autocommit() {
            return Err(error);
        }
        connection.prepare_cached("ROLLBACK TO one_write")?.execute([])?;
        connection.prepare_cached("RELEASE one_write")?.execute([])?;
        return Ok(Err(error));
    }
    connection.prepare_cached("RELEASE one_write")?.execute([])?;
    Ok(Ok(()))
}

/// Answers every caller with the error; returns the reason to stop if the error is fatal.
fn fail_all(group: Group, error: DatabaseError) -> Result<(), String> {
    if error.is_fatal() {
        let why = fatal_reason(error);
        for write in group {
            write.fail(StoreError::Unavailable { why: why.clone() });
        }
        return Err(why);
    }
    let error = error.into_store_error("a commit");
    for write in group {
        write.fail(error.clone());
    }
    Ok(())
}

fn fatal_reason(error: DatabaseError) -> String {
    error.into_store_error("writing to the database").to_string()
}

#[cfg(test)]
mod tests;
