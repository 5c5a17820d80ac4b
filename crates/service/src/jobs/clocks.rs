//! Content clocks that are due, checked one page of a site at a time.

use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{self, StreamExt};
use store::KeptClock;

use crate::Service;

const LOOK_EVERY: Duration = Duration::from_secs(60);
const FORGET_EVERY: Duration = Duration::from_secs(3_600);
/// Clocks taken up in one turn, and checked side by side.
const IN_ONE_TURN: usize = 200;
const AT_ONCE: usize = 4;

/// Runs until it is dropped. What fails is logged and tried again at the next turn.
pub async fn clocks(service: Arc<Service>) {
    let mut turns = tokio::time::interval(LOOK_EVERY);
    let mut forget = tokio::time::interval(FORGET_EVERY);
    turns.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = turns.tick() => drop(service.check_due_clocks().await),
            _ = forget.tick() => service.forget_old_clocks().await,
        }
    }
}

impl Service {
    /// Checks every clock that is due, and says how many were.
    pub async fn check_due_clocks(&self) -> usize {
        let due = match self.store.due_clocks(self.clock.now(), IN_ONE_TURN).await {
            Ok(due) => due,
            Err(error) => {
                tracing::error!(%error, "clocks that are due cannot be read");
                return 0;
            }
        };
        stream::iter(due)
            .map(|clock| self.check_due(clock))
            .buffer_unordered(AT_ONCE)
            .filter(|checked| std::future::ready(*checked))
            .count()
            .await
    }

    async fn check_due(&self, clock: KeptClock) -> bool {
        // A site is asked for one page at a time; the others are still due at the next turn.
        let Some(_checking) = self.checking.begin(&clock.domain) else { return false };
        let url = clock.url.clone();
        let checked = async {
            // Read again: a reader may have moved its end meanwhile.
            let Some((clock, versions)) = self.store.clock(&url).await? else { return Ok(()) };
            self.check_clock(clock, versions).await.map(|_| ())
        };
        match checked.await {
            Ok(()) => true,
            Err(error) => {
                let error: crate::content_clock::ClockError = error;
                tracing::error!(%error, %url, "a clock could not be checked");
                false
            }
        }
    }

    async fn forget_old_clocks(&self) {
        match self.store.forget_clocks(self.clock.now()).await {
            Ok(0) => {}
            Ok(forgotten) => tracing::info!(forgotten, "clocks that nobody reads were removed"),
            Err(error) => tracing::error!(%error, "clocks past their time could not be removed"),
        }
    }
}
