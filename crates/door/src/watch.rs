//! The time of one read: a deadline, and one timer that all its steps share.
//!
//! A step that ends in time never touches the timer again. So the timer is set once, early, and
//! only moved on when it goes off before the step that is then under way has used up its time.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Mutex;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use contract::evidence::{Failure, Phase};
use tokio::time::{Instant, Sleep, sleep_until};

use crate::failure::{deadline, phase_timeout};
use crate::http::pool::lock;

#[derive(Debug)]
pub(crate) struct Watch {
    deadline: Instant,
    /// Only the task that does the read locks this.
    timer: Mutex<Pin<Box<Sleep>>>,
}

impl Watch {
    /// `soonest` is the shortest time any step may be given.
    pub(crate) fn new(start: Instant, soonest: Duration, deadline: Instant) -> Self {
        let first = start.checked_add(soonest).map_or(deadline, |at| at.min(deadline));
        Self { deadline, timer: Mutex::new(Box::pin(sleep_until(first))) }
    }

    pub(crate) fn deadline(&self) -> Instant {
        self.deadline
    }

    pub(crate) fn is_over(&self) -> bool {
        Instant::now() >= self.deadline
    }

    /// Runs one step within its own time and the deadline, and says which of them was over.
    pub(crate) async fn within<T>(
        &self,
        phase: Phase,
        limit: Duration,
        step: Pin<&mut impl Future<Output = T>>,
    ) -> Result<T, Failure> {
        let own = Instant::now().checked_add(limit).filter(|own| *own < self.deadline);
        let until = own.unwrap_or(self.deadline);
        self.until(until, step).await.ok_or_else(|| match own {
            Some(_) => phase_timeout(phase),
            None => deadline(phase),
        })
    }

    /// Runs one step within the deadline alone.
    pub(crate) async fn in_time<T>(
        &self,
        phase: Phase,
        step: Pin<&mut impl Future<Output = T>>,
    ) -> Result<T, Failure> {
        self.until(self.deadline, step).await.ok_or_else(|| deadline(phase))
    }

    /// Runs a step until then; nothing when it takes longer.
    pub(crate) async fn until<T>(
        &self,
        until: Instant,
        mut step: Pin<&mut impl Future<Output = T>>,
    ) -> Option<T> {
        poll_fn(|context| match step.as_mut().poll(context) {
            Poll::Ready(value) => Poll::Ready(Some(value)),
            Poll::Pending => self.poll_over(until, context).map(|()| None),
        })
        .await
    }

    fn poll_over(&self, until: Instant, context: &mut Context<'_>) -> Poll<()> {
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

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::pin::pin;

    use tokio::time::sleep;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn watch(deadline: u32) -> Watch {
        let now = Instant::now();
        Watch::new(now, SECOND, now + SECOND * deadline)
    }

    #[tokio::test(start_paused = true)]
    async fn each_step_has_its_own_time_and_all_have_the_deadline() {
        let watch = watch(10);
        let start = Instant::now();
        // Longer than the timer was first set for, and still in time.
        assert!(watch.within(Phase::Connect, SECOND * 3, pin!(sleep(SECOND * 2))).await.is_ok());
        let late = watch.within(Phase::Tls, SECOND * 3, pin!(pending::<()>())).await;
        assert_eq!(late.unwrap_err().reason, "tls_timeout");
        assert_eq!(start.elapsed().as_secs(), 5);
        let late = watch.within(Phase::Head, SECOND * 60, pin!(pending::<()>())).await;
        assert_eq!(late.unwrap_err().reason, "deadline");
        assert_eq!(start.elapsed().as_secs(), 10);
        assert!(watch.is_over());
    }

    #[tokio::test(start_paused = true)]
    async fn a_step_inside_a_step_is_told_of_first() {
        let watch = watch(10);
        let inner = async { watch.within(Phase::Connect, SECOND * 2, pin!(pending::<()>())).await };
        let both = watch.in_time(Phase::Request, pin!(inner)).await;
        assert_eq!(both.unwrap().unwrap_err().reason, "connect_timeout");
        // The outer one goes on waiting behind an inner one that ended early.
        let outer = async {
            let quick = watch.within(Phase::Connect, SECOND * 2, pin!(sleep(SECOND))).await;
            assert!(quick.is_ok());
            pending::<()>().await;
        };
        let late = watch.in_time(Phase::Request, pin!(outer)).await;
        assert_eq!(late.unwrap_err().reason, "deadline");
    }
}
