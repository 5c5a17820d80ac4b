//! Checks the clocks that are due, one page of a site at a time.

use std::time::Duration;

use futures_util::stream::{self, StreamExt};
use store::StoredClock;

use super::{ContentClockError, ContentClocks};
use crate::target_domains::ReadingKind;

/// Clocks loaded per run, and how many are checked concurrently.
const MAX_PER_RUN: usize = 200;
const CONCURRENT_CHECKS: usize = 4;

impl ContentClocks {
    /// Checks the clocks that are due and returns how many were checked.
    pub async fn check_due_clocks(&self) -> usize {
        let due = match self.store.due_clocks(self.clock.now(), MAX_PER_RUN).await {
            Ok(due) => due,
            Err(error) => {
                tracing::error!(%error, "due clocks cannot be loaded");
                return 0;
            }
        };
        stream::iter(due)
            .map(|clock| self.check_due(clock))
            .buffer_unordered(CONCURRENT_CHECKS)
            .filter(|checked| std::future::ready(*checked))
            .count()
            .await
    }

    async fn check_due(&self, clock: StoredClock) -> bool {
        // One page of a site at a time; the others stay due until the next run.
        let Some(_checking) = self.checking.try_begin(&clock.domain) else { return false };
        // Nor while the site is read as often as it may be.
        let begun = self.targets.begin(&clock.domain, ReadingKind::Live, Duration::ZERO).await;
        let Ok(_reading) = begun else { return false };
        let url = clock.url.clone();
        let checked = async {
            // Load it again: a request may have extended it meanwhile.
            let Some((clock, versions)) = self.store.clock(&url).await? else { return Ok(()) };
            self.check_clock(clock, versions).await.map(|_| ())
        };
        match checked.await {
            Ok(()) => true,
            Err(error) => {
                let error: ContentClockError = error;
                tracing::error!(%error, %url, "a content clock could not be checked");
                false
            }
        }
    }

    pub(crate) async fn delete_expired_clocks(&self) {
        match self.store.delete_expired_clocks(self.clock.now()).await {
            Ok(0) => {}
            Ok(deleted) => tracing::info!(deleted, "expired content clocks deleted"),
            Err(error) => tracing::error!(%error, "expired content clocks could not be deleted"),
        }
    }
}
