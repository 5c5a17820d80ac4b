//! Work that is shared between threads. Who does which part changes nothing of the results.

use std::panic::resume_unwind;
use std::sync::OnceLock;
use std::thread::{Builder, Scope, ScopedJoinHandle, available_parallelism, scope};

/// One judgement uses at most this many threads, however many the machine could run at once.
const MAX_THREADS: usize = 4;

/// The results of `map` for all items, in their order. Up to `wanted` threads work on them, of which the
/// caller is one; fewer if the machine runs fewer at once or does not start any more.
pub(crate) fn map_on_threads<T: Sync, R: Send>(
    items: &[T],
    wanted: usize,
    map: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let threads = wanted.min(max_threads()).min(items.len());
    map_in_parts(items, threads, &map)
}

/// The results of both, which work at the same time if `at_once` is set and the machine runs two threads at
/// once.
pub(crate) fn run_both<A: Send, B>(
    at_once: bool,
    first: impl Fn() -> A + Sync,
    second: impl FnOnce() -> B,
) -> (A, B) {
    if !at_once || max_threads() < 2 {
        return (first(), second());
    }
    scope(|scope| {
        let thread = start(scope, &first);
        let second = second();
        let first = match thread {
            Some(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            None => first(),
        };
        (first, second)
    })
}

fn max_threads() -> usize {
    #[cfg(test)]
    if tests::ONE_THREAD.get() {
        return 1;
    }
    // Finding it out reads files.
    static THREADS: OnceLock<usize> = OnceLock::new();
    *THREADS.get_or_init(|| available_parallelism().map_or(1, |n| n.get().min(MAX_THREADS)))
}

fn map_in_parts<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    map: &(impl Fn(&T) -> R + Sync),
) -> Vec<R> {
    if threads < 2 {
        return items.iter().map(map).collect();
    }
    let (own, others) = items.split_at(items.len() / threads);
    let map_part = move |part: &[T]| part.iter().map(map).collect::<Vec<R>>();
    scope(|scope| {
        let size = others.len().div_ceil(threads - 1).max(1);
        let parts: Vec<(&[T], Option<_>)> =
            others.chunks(size).map(|part| (part, start(scope, move || map_part(part)))).collect();
        let mut results = map_part(own);
        for (part, thread) in parts {
            results.extend(match thread {
                // A panic goes on where the work was asked for.
                Some(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
                None => map_part(part),
            });
        }
        results
    })
}

/// Starts a thread. None if the system does not start any more.
fn start<'scope, 'env, R: Send + 'scope>(
    scope: &'scope Scope<'scope, 'env>,
    work: impl FnOnce() -> R + Send + 'scope,
) -> Option<ScopedJoinHandle<'scope, R>> {
    Builder::new().name("judge".to_owned()).spawn_scoped(scope, work).ok()
}

#[cfg(test)]
pub(crate) use tests::on_one_thread;

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    thread_local! {
        pub(super) static ONE_THREAD: Cell<bool> = const { Cell::new(false) };
    }

    /// Does the work without any other thread.
    pub(crate) fn on_one_thread<R>(work: impl FnOnce() -> R) -> R {
        ONE_THREAD.set(true);
        let result = work();
        ONE_THREAD.set(false);
        result
    }

    #[test]
    fn any_number_of_threads_returns_the_same_in_the_same_order() {
        for count in [0, 1, 2, 3, 7, 100] {
            let items: Vec<usize> = (0..count).collect();
            let expected: Vec<usize> = items.iter().map(|n| n * 3).collect();
            for threads in 0..=9 {
                let found = map_in_parts(&items, threads.min(count), &|n| n * 3);
                assert_eq!(found, expected, "{count} items, {threads} threads");
            }
            assert_eq!(map_on_threads(&items, usize::MAX, |n| n * 3), expected);
        }
    }

    #[test]
    fn both_results_are_returned_at_once_or_not() {
        for at_once in [false, true] {
            assert_eq!(run_both(at_once, || "first", || "second"), ("first", "second"));
        }
    }

    #[test]
    fn the_caller_gets_the_panic_of_a_thread() {
        let run = || map_in_parts(&[1, 2, 3, 4], 2, &|n| assert_ne!(*n, 4, "no fours"));
        let panic = std::panic::catch_unwind(run).unwrap_err();
        let message = panic.downcast_ref::<String>().unwrap();
        assert!(message.contains("no fours"), "{message}");
    }
}
