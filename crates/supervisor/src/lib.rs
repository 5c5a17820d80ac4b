//! The threads and tasks that must not end while the process runs.
//!
//! Each of them (a *part*) is started here under a name. If one panics, returns or disappears before
//! the process was asked to stop, that is a [`Failure`]: the readiness check reports it, callers that
//! wait for the part get an error, and the process ends with an exit code.

#[cfg(debug_assertions)]
mod test_faults;
mod thread;

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::AbortHandle;

pub use thread::SupervisedThread;
use thread::WatchedThread;

/// How often [`Supervisor::watch_threads`] checks that every thread exists.
const THREAD_CHECK_INTERVAL: Duration = Duration::from_millis(250);

/// A part that ended although the process should go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The name of the part.
    pub part: String,
    /// What happened to it, such as "the thread panicked".
    pub why: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.part, self.why)
    }
}

/// Starts parts and remembers the first failure. Clones share their state.
#[derive(Debug, Clone)]
pub struct Supervisor {
    state: Arc<State>,
}

/// `failure` is written once, by whichever part fails first, and read by everyone. `stopping` is set
/// once, by `begin_stop`. The lock of `threads` is held for one insertion, removal or copy.
#[derive(Debug)]
struct State {
    failure: watch::Sender<Option<Failure>>,
    stopping: AtomicBool,
    threads: Mutex<Vec<WatchedThread>>,
}

impl Default for Supervisor {
    fn default() -> Self {
        let state = State {
            failure: watch::Sender::new(None),
            stopping: AtomicBool::new(false),
            threads: Mutex::default(),
        };
        Self { state: Arc::new(state) }
    }
}

impl Supervisor {
    /// The first failure, if there was one.
    #[must_use]
    pub fn failure(&self) -> Option<Failure> {
        self.state.failure.borrow().clone()
    }

    /// Waits for the first failure.
    pub async fn wait_for_failure(&self) -> Failure {
        let mut failures = self.state.failure.subscribe();
        match failures.wait_for(Option::is_some).await.map(|failure| failure.clone()) {
            Ok(Some(failure)) => failure,
            // Not possible: `self` holds the sender, and `wait_for` waited for a value.
            _ => std::future::pending().await,
        }
    }

    /// From now on, parts may end.
    pub fn begin_stop(&self) {
        self.state.stopping.store(true, Ordering::SeqCst);
    }

    /// Reports that the process cannot go on without a restart. Only the first report counts, and
    /// none after [`Supervisor::begin_stop`].
    pub fn report_failure(&self, part: &str, why: impl Into<String>) {
        let failure = Failure { part: part.to_owned(), why: why.into() };
        if self.state.stopping.load(Ordering::SeqCst) {
            tracing::warn!(part = failure.part, why = failure.why, "failed while stopping");
            return;
        }
        tracing::error!(part = failure.part, why = failure.why, "A PART OF THE SERVER FAILED");
        self.state.failure.send_if_modified(|first| {
            let is_first = first.is_none();
            first.get_or_insert(failure);
            is_first
        });
    }

    /// Runs a loop that must not end. Abort it only after [`Supervisor::begin_stop`].
    pub fn spawn_task(
        &self,
        name: &'static str,
        work: impl Future<Output = ()> + Send + 'static,
    ) -> AbortHandle {
        let guard = TaskGuard { supervisor: self.clone(), name };
        let task = tokio::spawn(async move {
            let _guard = guard;
            #[cfg(debug_assertions)]
            tokio::select! {
                () = work => {}
                () = test_faults::wait_for_task_fault(name) => {}
            }
            #[cfg(not(debug_assertions))]
            work.await;
        });
        task.abort_handle()
    }

    /// Runs until it is dropped: reports threads that disappeared. A thread that is ended from
    /// outside (by a debugger, a seccomp filter or the kernel) runs no destructor, so nothing in the
    /// process notices it.
    pub async fn watch_threads(&self) {
        let mut turns = tokio::time::interval(THREAD_CHECK_INTERVAL);
        turns.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            turns.tick().await;
            self.report_vanished_threads();
        }
    }
}

/// Reports the end of a task when it is dropped: after a panic, a return or an abort.
struct TaskGuard {
    supervisor: Supervisor,
    name: &'static str,
}

impl Drop for TaskGuard {
    fn drop(&mut self) {
        let panicked = std::thread::panicking();
        if panicked || !self.supervisor.state.stopping.load(Ordering::SeqCst) {
            let why = if panicked { "the task panicked" } else { "the task ended" };
            self.supervisor.report_failure(self.name, why);
        }
    }
}

/// A place where a test can make a thread end. Does nothing in release builds.
#[inline]
pub fn fault_point(name: &str) {
    #[cfg(debug_assertions)]
    test_faults::end_thread_if_asked(name);
    #[cfg(not(debug_assertions))]
    let _ = name;
}

#[cfg(test)]
mod tests;
