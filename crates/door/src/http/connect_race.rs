//! Connects to the first of several addresses that accepts (RFC 8305, "Happy Eyeballs"): the next
//! attempt starts a little later or as soon as one fails, and the first that succeeds wins.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use tokio::time::Instant;

use crate::read_timer::ReadTimer;

/// How long an attempt runs alone before the next one starts. RFC 8305, section 8, recommends 250
/// milliseconds and no fewer than 100. A live reading gives a connection 300: after 250 the second
/// attempt would come too late to save anything, so it starts halfway.
pub(crate) fn attempt_delay(connect_limit: Duration) -> Duration {
    const SHORTEST: Duration = Duration::from_millis(100);
    const RECOMMENDED: Duration = Duration::from_millis(250);
    (connect_limit / 2).clamp(SHORTEST, RECOMMENDED)
}

/// Runs attempts until one succeeds, and drops all others at once. If none succeeds, returns the
/// failures in the order in which they happened. After the deadline no attempt is started.
///
/// `start` begins an attempt. It may decline with `None` while another attempt is in progress, for
/// example because there is no room for a second connection; the candidate's turn then comes again
/// after the next delay or failure. If no attempt is in progress, a candidate that is declined is
/// skipped.
pub(crate) async fn race_attempts<C, T, E, F>(
    candidates: &[C],
    delay: Duration,
    timer: &ReadTimer,
    mut start: impl FnMut(&C, OtherAttempts) -> Option<F>,
) -> Result<T, Vec<E>>
where
    F: Future<Output = Result<T, E>>,
{
    let mut waiting = candidates.iter();
    // The candidates are few, so all attempts are polled each time. They must share one waker,
    // because they share the timer of the read.
    let mut attempts: Vec<Pin<Box<F>>> = Vec::new();
    let mut failures = Vec::new();
    loop {
        let others =
            if attempts.is_empty() { OtherAttempts::None } else { OtherAttempts::InProgress };
        let mut rest = waiting.clone();
        if let Some(candidate) = rest.next().filter(|_| !timer.is_expired()) {
            let attempt = start(candidate, others).map(Box::pin);
            if attempt.is_some() || others == OtherAttempts::None {
                waiting = rest;
            }
            attempts.extend(attempt);
        } else if attempts.is_empty() {
            return Err(failures);
        }
        let mut ended = pin!(poll_fn(|context| {
            for at in 0..attempts.len() {
                let Some(attempt) = attempts.get_mut(at) else { break };
                if let Poll::Ready(result) = attempt.as_mut().poll(context) {
                    drop(attempts.swap_remove(at));
                    return Poll::Ready(result);
                }
            }
            Poll::Pending
        }));
        let result = if waiting.len() == 0 {
            Some(ended.await)
        } else {
            timer.run_until(Instant::now() + delay, ended.as_mut()).await
        };
        match result {
            Some(Ok(value)) => return Ok(value),
            Some(Err(failure)) => failures.push(failure),
            // The delay is over.
            None => {}
        }
    }
}

/// Whether an attempt would run alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OtherAttempts {
    None,
    InProgress,
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::time::sleep;

    use super::*;

    const DELAY: Duration = Duration::from_millis(150);

    /// What an address does, and after how many milliseconds.
    #[derive(Debug, Clone, Copy)]
    enum Address {
        Accepts(u64),
        Refuses(u64),
    }
    use Address::{Accepts, Refuses};

    /// Counts attempts in progress until they are dropped.
    struct InProgress<'a>(&'a AtomicUsize);

    impl Drop for InProgress<'_> {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
    }

    /// Races these addresses: which one won or failed last, when, and when each attempt started.
    async fn race(addresses: &[Address]) -> (Result<usize, Vec<usize>>, u128, Vec<u128>) {
        let begun = Instant::now();
        let timer = ReadTimer::new(begun, DELAY, begun + Duration::from_secs(60));
        let started = Mutex::new(Vec::new());
        let in_progress = AtomicUsize::new(0);
        let numbered: Vec<(usize, Address)> = addresses.iter().copied().enumerate().collect();
        let result = race_attempts(&numbered, DELAY, &timer, |(number, address), others| {
            let expected = if in_progress.fetch_add(1, Ordering::SeqCst) == 0 {
                OtherAttempts::None
            } else {
                OtherAttempts::InProgress
            };
            assert_eq!(others, expected);
            let (number, address, guard) = (*number, *address, InProgress(&in_progress));
            started.lock().unwrap().push(begun.elapsed().as_millis());
            Some(async move {
                let _guard = guard;
                let (Accepts(after) | Refuses(after)) = address;
                sleep(Duration::from_millis(after)).await;
                if matches!(address, Accepts(_)) { Ok(number) } else { Err(number) }
            })
        })
        .await;
        assert_eq!(in_progress.load(Ordering::SeqCst), 0, "losers are dropped");
        (result, begun.elapsed().as_millis(), started.into_inner().unwrap())
    }

    #[tokio::test(start_paused = true)]
    async fn the_next_attempt_starts_after_the_delay_or_at_once_after_a_failure() {
        // One that accepts soon is never raced.
        assert_eq!(race(&[Accepts(100), Accepts(0)]).await, (Ok(0), 100, vec![0]));
        // A black hole costs the delay, not its timeout.
        let black_hole = Refuses(3000);
        assert_eq!(race(&[black_hole, Accepts(20)]).await, (Ok(1), 170, vec![0, 150]));
        assert_eq!(
            race(&[black_hole, black_hole, Accepts(20)]).await,
            (Ok(2), 320, vec![0, 150, 300])
        );
        // A refusal costs nothing.
        assert_eq!(race(&[Refuses(10), Accepts(20)]).await, (Ok(1), 30, vec![0, 10]));
        // A slow first address may still win.
        assert_eq!(race(&[Accepts(200), Accepts(100)]).await, (Ok(0), 200, vec![0, 150]));
        // A failure while another attempt runs starts the next one at once.
        assert_eq!(
            race(&[black_hole, Refuses(10), Accepts(5)]).await,
            (Ok(2), 165, vec![0, 150, 160])
        );
    }

    #[tokio::test(start_paused = true)]
    async fn all_failures_are_reported_in_their_order() {
        assert_eq!(race(&[]).await, (Err(vec![]), 0, vec![]));
        assert_eq!(race(&[Refuses(5)]).await, (Err(vec![0]), 5, vec![0]));
        // The first address fails last.
        assert_eq!(race(&[Refuses(300), Refuses(50)]).await, (Err(vec![1, 0]), 300, vec![0, 150]));
    }

    #[tokio::test(start_paused = true)]
    async fn nothing_is_started_after_the_deadline() {
        let begun = Instant::now();
        let timer = ReadTimer::new(begun, DELAY, begun + DELAY / 2);
        let mut started = 0;
        let result: Result<(), Vec<()>> = race_attempts(&[1, 2], DELAY, &timer, |_, _| {
            started += 1;
            Some(async {
                sleep(DELAY / 2).await;
                Err(())
            })
        })
        .await;
        assert_eq!((result, started), (Err(vec![()]), 1));
    }

    #[tokio::test(start_paused = true)]
    async fn an_attempt_without_room_waits_for_its_turn() {
        let begun = Instant::now();
        let timer = ReadTimer::new(begun, DELAY, begun + Duration::from_secs(60));
        let mut declined = 0;
        let result =
            race_attempts(&[Refuses(400), Accepts(50)], DELAY, &timer, |address, others| {
                // There is room for one connection.
                if others == OtherAttempts::InProgress {
                    declined += 1;
                    return None;
                }
                let address = *address;
                Some(async move {
                    let (Accepts(after) | Refuses(after)) = address;
                    sleep(Duration::from_millis(after)).await;
                    if matches!(address, Accepts(_)) { Ok(()) } else { Err(()) }
                })
            })
            .await;
        assert_eq!(result, Ok(()));
        assert_eq!((begun.elapsed().as_millis(), declined), (450, 2));
    }

    #[test]
    fn the_delay_leaves_time_for_a_second_attempt() {
        let millis = |limit| attempt_delay(Duration::from_millis(limit)).as_millis();
        assert_eq!(millis(300), 150, "a live reading");
        assert_eq!(millis(3000), 250, "a scan");
        assert_eq!(millis(50), 100, "no fewer than recommended");
    }
}
