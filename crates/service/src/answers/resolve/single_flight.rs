//! Single flight: callers that ask for the same thing at the same time share one task.

use std::collections::HashMap;
use std::future::Future;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

/// The tasks in progress by key, each with the channel on which its result arrives. The mutex guards
/// the map and is held for one map operation only, never across an await. The task that builds a
/// value is the only sender on its channel.
#[derive(Debug)]
pub(super) struct SingleFlight<K, T>(Arc<Mutex<HashMap<K, watch::Receiver<Option<T>>>>>);

impl<K, T> Default for SingleFlight<K, T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K: Clone + Eq + Hash + Send + 'static, T: Clone + Send + Sync + 'static> SingleFlight<K, T> {
    /// Waits for the task with this key, after starting it with `start` if none is running. The task
    /// continues when its callers leave, because others may have joined. `None` if it panicked.
    pub(super) async fn start_or_join<F>(&self, key: K, start: impl FnOnce() -> F) -> Option<T>
    where
        F: Future<Output = T> + Send + 'static,
    {
        let mut receiver = {
            let mut tasks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            match tasks.get(&key) {
                Some(receiver) => receiver.clone(),
                None => {
                    let (sender, receiver) = watch::channel(None);
                    tasks.insert(key.clone(), receiver.clone());
                    let task = start();
                    let registration = RemoveOnDrop { tasks: Arc::clone(&self.0), key };
                    tokio::spawn(async move {
                        let value = task.await;
                        // Remove the task before its result is sent, so that a caller that comes
                        // after the result starts a new task.
                        drop(registration);
                        let _ = sender.send(Some(value));
                    });
                    receiver
                }
            }
        };
        receiver.wait_for(Option::is_some).await.ok().and_then(|value| value.clone())
    }
}

/// Removes a task from the map when dropped, also when the task panics.
struct RemoveOnDrop<K: Eq + Hash, T> {
    tasks: Arc<Mutex<HashMap<K, watch::Receiver<Option<T>>>>>,
    key: K,
}

impl<K: Eq + Hash, T> Drop for RemoveOnDrop<K, T> {
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
        let flights: Arc<SingleFlight<u8, usize>> = Arc::default();
        let runs = Arc::new(AtomicUsize::new(0));
        let ask = || {
            let (flights, runs) = (Arc::clone(&flights), Arc::clone(&runs));
            async move {
                let start = || async move {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    runs.fetch_add(1, Ordering::SeqCst)
                };
                flights.start_or_join(1, start).await
            }
        };
        let all = futures_util::future::join_all((0..1000).map(|_| ask())).await;
        assert!(all.iter().all(|run| *run == Some(0)));
        assert_eq!(ask().await, Some(1));
    }

    #[tokio::test]
    async fn a_task_that_panics_leaves_no_caller_waiting() {
        let flights: SingleFlight<u8, usize> = SingleFlight::default();
        let ask = flights.start_or_join(1, || async { panic!("on purpose") });
        assert_eq!(ask.await, None);
        assert_eq!(flights.start_or_join(1, || async { 7 }).await, Some(7));
    }
}
