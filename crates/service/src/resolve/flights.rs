//! One making for all who ask at the same time.

use std::collections::HashMap;
use std::future::Future;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

/// What is under way, by what is asked for. The lock is held for a look-up only.
#[derive(Debug)]
pub(super) struct Flights<K, T>(Arc<Mutex<HashMap<K, watch::Receiver<Option<T>>>>>);

impl<K, T> Default for Flights<K, T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K: Clone + Eq + Hash + Send + 'static, T: Clone + Send + Sync + 'static> Flights<K, T> {
    /// Begins what `make` gives, unless it is under way, and waits for it. It goes on when the
    /// callers have left: others may have joined. Nothing if the maker panicked.
    pub(super) async fn join<F>(&self, key: K, make: impl FnOnce() -> F) -> Option<T>
    where
        F: Future<Output = T> + Send + 'static,
    {
        let mut waiting = {
            let mut flights = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            match flights.get(&key) {
                Some(waiting) => waiting.clone(),
                None => {
                    let (done, waiting) = watch::channel(None);
                    flights.insert(key.clone(), waiting.clone());
                    let making = make();
                    let landing = Landing { flights: Arc::clone(&self.0), key };
                    tokio::spawn(async move {
                        let made = making.await;
                        // First out of the list, so that whoever comes now begins anew.
                        drop(landing);
                        let _ = done.send(Some(made));
                    });
                    waiting
                }
            }
        };
        waiting.wait_for(Option::is_some).await.ok().and_then(|made| made.clone())
    }
}

/// Takes a flight off the list, also when its maker panics.
struct Landing<K: Eq + Hash, T> {
    flights: Arc<Mutex<HashMap<K, watch::Receiver<Option<T>>>>>,
    key: K,
}

impl<K: Eq + Hash, T> Drop for Landing<K, T> {
    fn drop(&mut self) {
        self.flights.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn a_thousand_askers_share_one_making_and_the_next_begins_anew() {
        let flights: Arc<Flights<u8, usize>> = Arc::default();
        let made = Arc::new(AtomicUsize::new(0));
        let ask = || {
            let (flights, made) = (Arc::clone(&flights), Arc::clone(&made));
            async move {
                let make = || async move {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    made.fetch_add(1, Ordering::SeqCst)
                };
                flights.join(1, make).await
            }
        };
        let all = futures_util::future::join_all((0..1000).map(|_| ask())).await;
        assert!(all.iter().all(|told| *told == Some(0)));
        assert_eq!(ask().await, Some(1));
    }

    #[tokio::test]
    async fn a_maker_that_panics_leaves_nobody_waiting() {
        let flights: Flights<u8, usize> = Flights::default();
        let ask = flights.join(1, || async { panic!("on purpose") });
        assert_eq!(ask.await, None);
        assert_eq!(flights.join(1, || async { 7 }).await, Some(7));
    }
}
