//! The timing of one read: a deadline, and one timer that all its steps share.
//!
//! A step that finishes in time does not touch the timer. So the timer is set once, early, and is
//! only moved when it fires before the current step has used up its time.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Mutex;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use contract::evidence::{Failure, FailurePhase};
use tokio::time::{Instant, Sleep, sleep_until};

use crate::failure::{deadline_failure, phase_timeout};
use crate::mutex::lock;

/// The deadline of one read and the timer behind it.
#[derive(Debug)]
pub(crate) struct ReadTimer {
    deadline: Instant,
    /// Locked only by the task that does the read; the mutex makes the type `Sync`.
    timer: Mutex<Pin<Box<Sleep>>>,
}

impl ReadTimer {
    /// `soonest` is the shortest timeout that any step may have.
    pub(crate) fn new(start: Instant, soonest: Duration, deadline: Instant) -> Self {
        let first = start.checked_add(soonest).map_or(deadline, |at| at.min(deadline));
        Self { deadline, timer: Mutex::new(Box::pin(sleep_until(first))) }
    }

    pub(crate) fn deadline(&self) -> Instant {
        self.deadline
    }

    pub(crate) fn is_expired(&self) -> bool {
        Instant::now() >= self.deadline
    }

    /// Runs one step with its own timeout and the deadline. The failure says which of them passed.
    pub(crate) async fn run_within<T>(
        &self,
        phase: FailurePhase,
        limit: Duration,
        step: Pin<&mut impl Future<Output = T>>,
    ) -> Result<T, Failure> {
        let own = Instant::now().checked_add(limit).filter(|own| *own < self.deadline);
        let until = own.unwrap_or(self.deadline);
        self.run_until(until, step).await.ok_or_else(|| match own {
            Some(_) => phase_timeout(phase),
            None => deadline_failure(phase),
        })
    }

    /// Runs one step with the deadline only.
    pub(crate) async fn run_before_deadline<T>(
        &self,
        phase: FailurePhase,
        step: Pin<&mut impl Future<Output = T>>,
    ) -> Result<T, Failure> {
        self.run_until(self.deadline, step).await.ok_or_else(|| deadline_failure(phase))
    }

    /// Runs a step until this time. `None` if it takes longer.
    pub(crate) async fn run_until<T>(
        &self,
        until: Instant,
        mut step: Pin<&mut impl Future<Output = T>>,
    ) -> Option<T> {
        poll_fn(|context| match step.as_mut().poll(context) {
            Poll::Ready(value) => Poll::Ready(Some(value)),
            Poll::Pending => self.poll_expired(until, context).map(|()| None),
        })
        .await
    }

    fn poll_expired(&self, until: Instant, context: &mut Context<'_>) -> Poll<()> {
        let mut timer = lock(&self.timer);
        if timer.deadline() > until {
            timer.as_mut().reset(until);
        }
        loop {
            ready!(timer.as_mut().poll(context));
            if Instant::now() >= until {
                return Poll::Ready(());
            }
            timer.as_mut().reset(until);
        }
    }
}

/// Milliseconds since `start`.
pub(crate) fn elapsed_millis(start: Instant) -> u32 {
    u32::try_from(start.elapsed().as_millis()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::pin::pin;

    use tokio::time::sleep;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn watch(deadline: u32) -> ReadTimer {
        let now = Instant::now();
        ReadTimer::new(now, SECOND, now + SECOND * deadline)
    }

    #[tokio::test(start_paused = true)]
    async fn each_step_has_its_own_timeout_and_all_share_the_deadline() {
        let watch = watch(10);
        let start = Instant::now();
        // Longer than the timer was first set for, and still within its timeout.
        assert!(
            watch
                .run_within(FailurePhase::Connect, SECOND * 3, pin!(sleep(SECOND * 2)))
                .await
                .is_ok()
        );
        let late = watch.run_within(FailurePhase::Tls, SECOND * 3, pin!(pending::<()>())).await;
        assert_eq!(late.unwrap_err().reason, "tls_timeout");
        assert_eq!(start.elapsed().as_secs(), 5);
        let late = watch.run_within(FailurePhase::Head, SECOND * 60, pin!(pending::<()>())).await;
        assert_eq!(late.unwrap_err().reason, "deadline");
        assert_eq!(start.elapsed().as_secs(), 10);
        assert!(watch.is_expired());
    }

    #[tokio::test(start_paused = true)]
    async fn the_timeout_of_an_inner_step_is_reported_first() {
        let watch = watch(10);
        let inner = async {
            watch.run_within(FailurePhase::Connect, SECOND * 2, pin!(pending::<()>())).await
        };
        let both = watch.run_before_deadline(FailurePhase::Request, pin!(inner)).await;
        assert_eq!(both.unwrap().unwrap_err().reason, "connect_timeout");
        // The outer step keeps waiting after an inner step that ended early.
        let outer = async {
            let quick =
                watch.run_within(FailurePhase::Connect, SECOND * 2, pin!(sleep(SECOND))).await;
            assert!(quick.is_ok());
            pending::<()>().await;
        };
        let late = watch.run_before_deadline(FailurePhase::Request, pin!(outer)).await;
        assert_eq!(late.unwrap_err().reason, "deadline");
    }
}
