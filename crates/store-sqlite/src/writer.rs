//! The one thread that writes: it takes all that is waiting, commits it with one sync, and only
//! then tells the callers.
//!
//! Writes are closures. Each runs in a savepoint of its own, so that one that is refused leaves
//! its neighbours in the same commit alone. A write whose commit failed on the disk ends the
//! writer for good: a sync that failed once may claim success the second time without having
//! written anything.

use std::io;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, OnceLock, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use store::StoreError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use crate::error::Refused;

/// The most writes and (compressed) bytes in one commit. Bounds how long a caller waits for its
/// neighbours.
const GROUP_WRITES: usize = 256;
const GROUP_BYTES: usize = 8 * 1024 * 1024;
/// How long a group waits to become as large as the one before it. Callers that were answered
/// together come back together; without this the first of them would get a sync of its own.
const GATHER: Duration = Duration::from_millis(1);
/// Writes that may wait for their answer; further callers wait to get in.
const WAITING: usize = 1024;
/// Pages in the log from which it is copied into the database (16 MiB).
const CHECKPOINT_PAGES: i32 = 4_096;
/// Pages from which readers are held up for a moment so that the log can start over (64 MiB).
const TRUNCATE_PAGES: i32 = 16_384;

/// Owns the thread. The thread owns the connection; nobody else has it.
#[derive(Debug)]
pub(crate) struct Writer {
    /// Taken on drop, which lets the thread finish what is waiting and end.
    queue: Option<mpsc::Sender<Box<dyn Write>>>,
    /// One for each write that has no answer yet.
    permits: Arc<Semaphore>,
    thread: Option<JoinHandle<()>>,
    /// Set by the thread, once, before it ends early.
    stopped: Arc<OnceLock<String>>,
}

/// What commits a group; given in so that a test can fail it.
type Commit = Box<dyn FnMut(&Connection) -> rusqlite::Result<()> + Send>;

impl Writer {
    pub(crate) fn start(connection: Connection) -> io::Result<Self> {
        Self::start_with(connection, Box::new(|connection| connection.execute_batch("COMMIT")))
    }

    fn start_with(mut connection: Connection, commit: Commit) -> io::Result<Self> {
        let (sender, queue) = mpsc::channel();
        let stopped = Arc::new(OnceLock::new());
        let log_pages = Arc::new(AtomicI32::new(0));
        let counter = Arc::clone(&log_pages);
        connection
            .wal_hook(Some(move |_: &mut rusqlite::hooks::Wal, pages| {
                counter.store(pages, Ordering::Relaxed);
                Ok(())
            }))
            .map_err(io::Error::other)?;
        let thread = Thread {
            connection,
            queue,
            last_group: 1,
            commit,
            log_pages,
            stopped: Arc::clone(&stopped),
        };
        let thread = std::thread::Builder::new()
            .name(String::from("store-writer"))
            .spawn(move || thread.run())?;
        let permits = Arc::new(Semaphore::new(WAITING));
        Ok(Self { queue: Some(sender), permits, thread: Some(thread), stopped })
    }

    /// Runs `write` in the next commit and returns when that commit is on the disk. `bytes` is
    /// roughly what it writes.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        doing: &'static str,
        bytes: usize,
        write: impl FnOnce(&Connection) -> Result<T, Refused> + Send + 'static,
    ) -> Result<T, StoreError> {
        let permit = Arc::clone(&self.permits).acquire_owned().await;
        let permit = permit.map_err(|_| self.unavailable())?;
        let (reply, answer) = oneshot::channel();
        let waiting =
            Waiting { doing, bytes, write: Some(write), done: None, reply, _permit: permit };
        let Some(queue) = &self.queue else { return Err(self.unavailable()) };
        queue.send(Box::new(waiting)).map_err(|_| self.unavailable())?;
        answer.await.unwrap_or_else(|_| Err(self.unavailable()))
    }

    fn unavailable(&self) -> StoreError {
        let why = self.stopped.get().map_or("the writer has ended", String::as_str);
        StoreError::Unavailable { why: why.to_owned() }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // A panic in there has been reported by the panic hook.
            let _ = thread.join();
        }
    }
}

/// A write that waits for its commit, whatever it returns.
trait Write: Send {
    fn bytes(&self) -> usize;
    /// Does the work and holds on to what came out.
    fn apply(&mut self, connection: &Connection) -> Result<(), Refused>;
    fn acknowledge(self: Box<Self>);
    fn fail(self: Box<Self>, error: StoreError);
    fn doing(&self) -> &'static str;
}

struct Waiting<T, F> {
    doing: &'static str,
    bytes: usize,
    write: Option<F>,
    done: Option<T>,
    reply: oneshot::Sender<Result<T, StoreError>>,
    _permit: OwnedSemaphorePermit,
}

impl<T, F> Write for Waiting<T, F>
where
    T: Send,
    F: FnOnce(&Connection) -> Result<T, Refused> + Send,
{
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn apply(&mut self, connection: &Connection) -> Result<(), Refused> {
        if let Some(write) = self.write.take() {
            self.done = Some(write(connection)?);
        }
        Ok(())
    }

    fn acknowledge(self: Box<Self>) {
        // A caller that has gone away wants no answer; one that is here gets what its write made.
        if let Some(done) = self.done {
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

/// Everything the thread has; it is the only one to touch it.
struct Thread {
    connection: Connection,
    queue: mpsc::Receiver<Box<dyn Write>>,
    /// Writes in the last commit: as many are likely to come now.
    last_group: usize,
    commit: Commit,
    /// Pages in the log after the last commit, counted by SQLite's hook.
    log_pages: Arc<AtomicI32>,
    stopped: Arc<OnceLock<String>>,
}

impl Thread {
    fn run(mut self) {
        while let Some(group) = self.next_group() {
            let went = self.commit_group(group).and_then(|()| self.checkpoint());
            if let Err(why) = went {
                tracing::error!(%why, "the store takes no more writes");
                // Whoever waits in the queue learns it when the queue is dropped.
                let _ = self.stopped.set(why);
                return;
            }
        }
        // An orderly end leaves no log behind. A reader of another program may prevent it.
        if let Err(error) = self.connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)") {
            tracing::warn!(%error, "the log was not emptied at the end");
        }
    }

    /// Waits for a write and takes with it what else is there or about to come.
    fn next_group(&mut self) -> Option<Vec<Box<dyn Write>>> {
        let first = self.queue.recv().ok()?;
        let gather_until = Instant::now() + GATHER;
        let mut bytes = first.bytes();
        let mut group = vec![first];
        while group.len() < GROUP_WRITES && bytes < GROUP_BYTES {
            let patience = if group.len() < self.last_group {
                gather_until.saturating_duration_since(Instant::now())
            } else {
                Duration::ZERO
            };
            let Ok(next) = self.queue.recv_timeout(patience) else { break };
            bytes = bytes.saturating_add(next.bytes());
            group.push(next);
        }
        self.last_group = group.len();
        Some(group)
    }

    /// One transaction for the whole group; answers every caller. An error is the reason to stop.
    fn commit_group(&mut self, group: Vec<Box<dyn Write>>) -> Result<(), String> {
        if let Err(error) = self.connection.execute_batch("BEGIN IMMEDIATE") {
            return fail_all(group, error.into());
        }
        let mut written = Vec::with_capacity(group.len());
        // Refused writes are answered after the commit as well: "kept already" must not be said of
        // a neighbour that is then lost.
        let mut refused = Vec::new();
        let mut waiting = group.into_iter();
        while let Some(mut write) = waiting.next() {
            match in_savepoint(&self.connection, write.as_mut()) {
                Ok(Ok(())) => written.push(write),
                Ok(Err(error)) => refused.push((write, error)),
                // The transaction is lost, and with it whatever was in it.
                Err(error) => {
                    self.roll_back();
                    written.push(write);
                    written.extend(refused.into_iter().map(|(write, _)| write));
                    written.extend(waiting);
                    return fail_all(written, error);
                }
            }
        }
        if let Err(error) = (self.commit)(&self.connection) {
            self.roll_back();
            written.extend(refused.into_iter().map(|(write, _)| write));
            return fail_all(written, error.into());
        }
        for write in written {
            write.acknowledge();
        }
        for (write, error) in refused {
            let doing = write.doing();
            write.fail(error.into_store_error(doing));
        }
        Ok(())
    }

    fn roll_back(&self) {
        if !self.connection.is_autocommit()
            && let Err(error) = self.connection.execute_batch("ROLLBACK")
        {
            tracing::warn!(%error, "a failed write could not be rolled back");
        }
    }

    /// Copies the log into the database when it has grown. An error is the reason to stop.
    fn checkpoint(&mut self) -> Result<(), String> {
        let pages = self.log_pages.load(Ordering::Relaxed);
        let how = match pages {
            TRUNCATE_PAGES.. => "PRAGMA wal_checkpoint(TRUNCATE)",
            CHECKPOINT_PAGES.. => "PRAGMA wal_checkpoint(PASSIVE)",
            _ => return Ok(()),
        };
        match self.connection.execute_batch(how).map_err(Refused::from) {
            Ok(()) => Ok(()),
            Err(error) if error.is_fatal() => Err(reason(error)),
            // A full disk, or a reader in the way: the log is the record, and holds.
            Err(error) => {
                let error = error.into_store_error("a checkpoint");
                tracing::warn!(%error, pages, "the log was not copied into the database");
                Ok(())
            }
        }
    }
}

/// Runs one write so that it can be undone alone. The inner error is the write's own; the outer
/// one takes the whole transaction with it.
fn in_savepoint(
    connection: &Connection,
    write: &mut dyn Write,
) -> Result<Result<(), Refused>, Refused> {
    connection.prepare_cached("SAVEPOINT one_write")?.execute([])?;
    let outcome = write.apply(connection);
    if let Err(error) = outcome {
        // Some errors (a full disk) make SQLite undo the whole transaction.
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

/// Tells every caller; returns the reason to stop if there is one.
fn fail_all(group: Vec<Box<dyn Write>>, error: Refused) -> Result<(), String> {
    if error.is_fatal() {
        let why = reason(error);
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

fn reason(error: Refused) -> String {
    error.into_store_error("writing to the database").to_string()
}

#[cfg(test)]
mod tests;
