//! Threads that must not end.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use std::thread::JoinHandle;

use tokio::sync::watch;

use crate::Supervisor;

/// A thread, as the supervisor watches it.
#[derive(Debug, Clone)]
pub(crate) struct WatchedThread {
    name: &'static str,
    /// The kernel's number of the thread.
    id: i32,
    ended: watch::Sender<bool>,
    vanished: Arc<AtomicBool>,
}

#[cfg(test)]
impl WatchedThread {
    pub(crate) fn set_id(&mut self, id: i32) {
        self.id = id;
    }
}

/// A running thread. Dropping it does not end the thread.
#[derive(Debug)]
pub struct SupervisedThread {
    handle: JoinHandle<()>,
    ended: watch::Receiver<bool>,
    vanished: Arc<AtomicBool>,
}

impl SupervisedThread {
    /// Waits for the end of the thread, whatever ended it. The future does not borrow the thread.
    pub fn wait_for_end(&self) -> impl Future<Output = ()> + Send + 'static {
        let mut ended = self.ended.clone();
        async move {
            // An error means that the thread dropped the sender, so it has ended too.
            let _ = ended.wait_for(|ended| *ended).await;
        }
    }

    /// Blocks until the thread has ended. Its panic, if it panicked, was reported.
    pub fn join(self) {
        // Joining a thread that left nothing behind would panic.
        if !self.vanished.load(Ordering::SeqCst) {
            let _ = self.handle.join();
        }
    }
}

impl Supervisor {
    /// Starts a thread. `Ok` is its orderly end, after it was asked to end; an error is the reason
    /// why it cannot go on, and a failure like a panic.
    pub fn spawn_thread(
        &self,
        name: &'static str,
        work: impl FnOnce() -> Result<(), String> + Send + 'static,
    ) -> io::Result<SupervisedThread> {
        let (sender, ended) = watch::channel(false);
        let vanished = Arc::new(AtomicBool::new(false));
        let (supervisor, flag) = (self.clone(), Arc::clone(&vanished));
        let handle = std::thread::Builder::new().name(name.to_owned()).spawn(move || {
            let id = rustix::thread::gettid().as_raw_nonzero().get();
            let watched = WatchedThread { name, id, ended: sender, vanished: flag };
            let mut guard = ThreadGuard { supervisor, watched, end: None };
            guard.add_to_watched();
            guard.end = Some(work());
        })?;
        Ok(SupervisedThread { handle, ended, vanished })
    }

    /// Reports every watched thread that the kernel does not know any more.
    pub(crate) fn report_vanished_threads(&self) {
        let is_gone =
            |thread: &WatchedThread| !std::path::Path::new(&task_path(thread.id)).exists();
        // Systems without this folder have no such threads to find.
        if !std::path::Path::new(&task_path(rustix::thread::gettid().as_raw_nonzero().get()))
            .exists()
        {
            return;
        }
        let gone: Vec<WatchedThread> = {
            let mut threads = self.state.threads.lock().unwrap_or_else(PoisonError::into_inner);
            let (gone, there) = threads.drain(..).partition(is_gone);
            *threads = there;
            gone
        };
        for thread in gone {
            thread.vanished.store(true, Ordering::SeqCst);
            // First the failure, so that a released caller can name it.
            self.report_failure(thread.name, "the thread disappeared");
            thread.ended.send_replace(true);
        }
    }
}

fn task_path(id: i32) -> String {
    format!("/proc/self/task/{id}")
}

/// Reports the end of the thread when it is dropped, after everything that the thread owned.
struct ThreadGuard {
    supervisor: Supervisor,
    watched: WatchedThread,
    /// `None` until the work has returned.
    end: Option<Result<(), String>>,
}

impl ThreadGuard {
    fn add_to_watched(&self) {
        let threads = &self.supervisor.state.threads;
        threads.lock().unwrap_or_else(PoisonError::into_inner).push(self.watched.clone());
    }
}

impl Drop for ThreadGuard {
    fn drop(&mut self) {
        let WatchedThread { name, id, ended, .. } = &self.watched;
        let threads = &self.supervisor.state.threads;
        threads.lock().unwrap_or_else(PoisonError::into_inner).retain(|other| other.id != *id);
        match self.end.take() {
            Some(Ok(())) => {}
            Some(Err(why)) => self.supervisor.report_failure(name, why),
            None => self.supervisor.report_failure(name, "the thread panicked"),
        }
        ended.send_replace(true);
    }
}
