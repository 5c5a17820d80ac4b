//! Checking many records at once, on all cores.

use std::num::NonZero;
use std::thread;

use futures_util::stream::{self, StreamExt};

/// Reads from the store that wait for each other's answers.
const READS_AT_ONCE: usize = 8;

/// The results of all reads, in order.
pub(super) async fn read_all<I, F: Future>(
    items: impl IntoIterator<Item = I>,
    read: impl Fn(I) -> F,
) -> Vec<F::Output> {
    stream::iter(items).map(read).buffered(READS_AT_ONCE).collect().await
}

/// Does the work for every item, on as many threads as there are cores, and returns the results in
/// order. It blocks the calling thread: only a command whose one task this is may use it.
pub(super) fn map_on_all_cores<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let share = items.len().div_ceil(cores).max(1);
    thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = items
            .chunks(share)
            .map(|items| scope.spawn(move || items.iter().map(work).collect::<Vec<R>>()))
            .collect();
        let join = |thread: thread::ScopedJoinHandle<'_, Vec<R>>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        threads.into_iter().flat_map(join).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_their_order() {
        for count in [0, 1, 2, 3, 7, 100] {
            let items: Vec<usize> = (0..count).collect();
            assert_eq!(
                map_on_all_cores(&items, |n| n * 2),
                items.iter().map(|n| n * 2).collect::<Vec<_>>()
            );
        }
    }
}
