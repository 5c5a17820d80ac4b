//! Bounds how many readings are judged at the same time.
//!
//! Each takes memory and up to four threads. When many readings end together, as those of sites that stall do,
//! judging all of them at once lets each finish only when all are done. The rules for MCP servers have slots of
//! their own (`mcp/judging.rs`).

use std::num::NonZero;
use std::sync::Arc;
use std::thread::available_parallelism;

use tokio::sync::Semaphore;

const SLOTS_PER_CORE: usize = 2;
/// Readings of more than this take tens of milliseconds. They have half of the slots, so that short ones do not
/// wait for them.
const LONG_BYTES: usize = 2 * 1024 * 1024;

#[derive(Debug, Clone)]
pub(crate) struct JudgingSlots {
    all: Arc<Semaphore>,
    /// Taken before one of `all`, never after it.
    for_long: Arc<Semaphore>,
}

impl Default for JudgingSlots {
    fn default() -> Self {
        let cores = available_parallelism().map_or(1, NonZero::get);
        Self::with_slots(SLOTS_PER_CORE * cores)
    }
}

impl JudgingSlots {
    fn with_slots(slots: usize) -> Self {
        let for_long = Arc::new(Semaphore::new((slots / 2).max(1)));
        Self { all: Arc::new(Semaphore::new(slots)), for_long }
    }

    /// Runs work on a reading with so many bytes of bodies on a blocking thread once a slot is free, in the order of
    /// the calls. The slot is free again when the work ends, also if the caller has left before. The error is a
    /// sentence.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, String> {
        let slot_of = |slots: &Arc<Semaphore>| Arc::clone(slots).acquire_owned();
        let long = match bytes > LONG_BYTES {
            true => Some(slot_of(&self.for_long).await.map_err(|error| error.to_string())?),
            false => None,
        };
        let slot = slot_of(&self.all).await.map_err(|error| error.to_string())?;
        let judging = tokio::task::spawn_blocking(move || {
            let _slots = (long, slot);
            work()
        });
        judging.await.map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn no_more_than_the_slots_run_at_once_and_a_panic_frees_its_slot() {
        let slots = JudgingSlots::with_slots(3);
        let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let work = |number: usize| {
            let (slots, running, most) = (slots.clone(), Arc::clone(&running), Arc::clone(&most));
            tokio::spawn(async move {
                let judge = move || {
                    most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    std::thread::sleep(Duration::from_millis(5));
                    running.fetch_sub(1, Ordering::SeqCst);
                    assert!(number != 7, "as planned");
                    number
                };
                slots.run(0, judge).await
            })
        };
        let all = futures_util::future::join_all((0..30).map(work)).await;
        for (number, done) in all.into_iter().enumerate() {
            match (number, done.unwrap()) {
                (7, done) => assert!(done.is_err()),
                (number, done) => assert_eq!(done, Ok(number)),
            }
        }
        assert_eq!(most.load(Ordering::SeqCst), 3);
        assert_eq!(slots.all.available_permits(), 3);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn short_readings_do_not_wait_for_long_ones() {
        let slots = JudgingSlots::with_slots(4);
        let (release, released) = std::sync::mpsc::channel::<()>();
        let released = Arc::new(std::sync::Mutex::new(released));
        let long: Vec<_> = (0..10)
            .map(|number| {
                let (slots, released) = (slots.clone(), Arc::clone(&released));
                let wait = move || {
                    released.lock().unwrap().recv().unwrap();
                    number
                };
                tokio::spawn(async move { slots.run(LONG_BYTES + 1, wait).await })
            })
            .collect();
        while slots.for_long.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        for number in 0..10 {
            assert_eq!(slots.run(LONG_BYTES, move || number).await, Ok(number));
        }
        for _ in 0..10 {
            release.send(()).unwrap();
        }
        for (number, done) in futures_util::future::join_all(long).await.into_iter().enumerate() {
            assert_eq!(done.unwrap(), Ok(number));
        }
    }
}
