//! Single flight: callers that ask for the same thing at the same time share one task.

use std::collections::HashMap;
use std::future::Future;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

/// The tasks in progress by key. The mutex guards the map and is held for one map operation and the
/// joining of a caller, never across an await.
#[derive(Debug)]
pub(super) struct SingleFlight<K, S, T>(Arc<Mutex<HashMap<K, TaskInProgress<S, T>>>>);

/// A task, what its callers share with it, and the channel on which its result arrives. The task is the
/// only sender on that channel.
#[derive(Debug)]
struct TaskInProgress<S, T> {
    shared: Arc<S>,
    result: watch::Receiver<Option<T>>,
}

impl<K, S, T> Default for SingleFlight<K, S, T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K, S, T> SingleFlight<K, S, T>
where
    K: Clone + Eq + Hash + Send + 'static,
    S: Default + Send + Sync + 'static,
    T: Clone + Send + Sync + 'static,
{
    /// Waits for the task with this key, after starting it with `start` if none is running. `join` adds
    /// what this caller brings to what the task's callers share. The task continues when its callers
    /// leave, because others may have joined. Returns what `join` returned and the result, which is
    /// `None` if the task panicked.
    pub(super) async fn start_or_join<J, F>(
        &self,
        key: K,
        join: impl FnOnce(&S) -> J,
        start: impl FnOnce(Arc<S>) -> F,
    ) -> (J, Option<T>)
    where
        F: Future<Output = T> + Send + 'static,
    {
        let (joined, mut receiver) = {
            let mut tasks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            match tasks.get(&key) {
                Some(task) => (join(&task.shared), task.result.clone()),
                None => {
                    let shared = Arc::new(S::default());
                    let joined = join(&shared);
                    let (sender, receiver) = watch::channel(None);
                    let (shared_with, result) = (Arc::clone(&shared), receiver.clone());
                    tasks.insert(key.clone(), TaskInProgress { shared: shared_with, result });
                    let task = start(shared);
                    let registration = RemoveOnDrop { tasks: Arc::clone(&self.0), key };
                    tokio::spawn(async move {
                        let value = task.await;
                        // Remove the task before its result is sent, so that a caller that comes
                        // after the result starts a new task.
                        drop(registration);
                        let _ = sender.send(Some(value));
                    });
                    (joined, receiver)
                }
            }
        };
        let result = receiver.wait_for(Option::is_some).await.ok().and_then(|value| value.clone());
        (joined, result)
    }
}

/// Removes a task from the map when dropped, also when the task panics.
struct RemoveOnDrop<K: Eq + Hash, S, T> {
    tasks: Arc<Mutex<HashMap<K, TaskInProgress<S, T>>>>,
    key: K,
}

impl<K: Eq + Hash, S, T> Drop for RemoveOnDrop<K, S, T> {
    fn drop(&mut self) {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn a_thousand_callers_share_one_task_and_the_next_starts_a_new_one() {
        let flights: Arc<SingleFlight<u8, AtomicUsize, usize>> = Arc::default();
        let runs = Arc::new(AtomicUsize::new(0));
        let ask = || {
            let (flights, runs) = (Arc::clone(&flights), Arc::clone(&runs));
            async move {
                let start = |_| async move {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    runs.fetch_add(1, Ordering::SeqCst)
                };
                let join = |callers: &AtomicUsize| callers.fetch_add(1, Ordering::SeqCst);
                flights.start_or_join(1, join, start).await
            }
        };
        let all = futures_util::future::join_all((0..1000).map(|_| ask())).await;
        assert!(all.iter().all(|(_, run)| *run == Some(0)));
        let mut callers: Vec<usize> = all.into_iter().map(|(number, _)| number).collect();
        callers.sort_unstable();
        assert_eq!(callers, (0..1000).collect::<Vec<_>>(), "each joined once");
        assert_eq!(ask().await, (0, Some(1)));
    }

    #[tokio::test]
    async fn a_task_that_panics_leaves_no_caller_waiting() {
        let flights: SingleFlight<u8, (), usize> = SingleFlight::default();
        let ask = flights.start_or_join(1, |()| (), |_| async { panic!("on purpose") });
        assert_eq!(ask.await, ((), None));
        assert_eq!(flights.start_or_join(1, |()| (), |_| async { 7 }).await, ((), Some(7)));
    }
}
