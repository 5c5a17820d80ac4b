//! Writes what was counted. Totals are written, not differences, so that writing again counts nothing twice.

use contract::{Day, Timestamp};
use store::{ConductDay, StoreError};

use super::Conduct;
use super::live_counts::StoredPart;
use crate::log::daily_seals::DayCounts;

impl Conduct {
    /// Writes everything that was counted since the last time. May be cancelled at any point: what was not
    /// written is written the next time.
    pub async fn write_counts(&self) -> Result<(), StoreError> {
        let _turn = self.writing.lock().await;
        let now = self.clock.now();
        self.take_site_checks(Day::of(now));
        let unwritten = self.lock_live().unwritten_days();
        for day in unwritten {
            if day != Day::of(now) && self.is_sealed(day).await? {
                tracing::warn!(%day, "counts of agents came after their day was sealed and are left out");
                self.lock_live().discard(day);
                continue;
            }
            if self.lock_live().needs_stored_part(day) {
                let stored = self.read_stored_part(day, now).await?;
                self.lock_live().set_stored_part(day, stored);
            }
            let totals = self.lock_live().totals(day, &self.agents);
            let Some(totals) = totals else { continue };
            let counts = totals.counts.to_bytes()?;
            self.store.put_conduct_day(ConductDay { day, since: totals.since, counts }).await?;
            self.lock_live().set_written(day, &totals);
        }
        self.lock_live().tidy(now);
        Ok(())
    }

    /// Visitor checks count for the day on which they are written, a few seconds later.
    fn take_site_checks(&self, today: Day) {
        let mut live = self.lock_live();
        for (agent, checks) in self.visitors.site_checks.take() {
            live.add_checks(today, agent, checks);
        }
    }

    async fn is_sealed(&self, day: Day) -> Result<bool, StoreError> {
        Ok(self.store.seals(None, 1).await?.first().is_some_and(|last| last.day >= day))
    }

    async fn read_stored_part(&self, day: Day, now: Timestamp) -> Result<StoredPart, StoreError> {
        let stored = match self.store.conduct_day(day).await {
            Ok(Some(stored)) => DayCounts::parse(&stored)
                .map(|counts| Some(StoredPart { since: stored.since, counts })),
            Ok(None) => Ok(None),
            Err(error) => Err(error),
        };
        match stored {
            Ok(Some(stored)) => Ok(stored),
            Ok(None) => {
                let is_first = self.store.list_conduct_days(None, 1).await?.is_empty();
                let begin = if is_first { self.started_at } else { day.begins_at() };
                let since = begin.max(self.started_at).min(now);
                Ok(StoredPart { since, counts: DayCounts::default() })
            }
            // They cannot be continued; the counting of this day begins again.
            Err(error @ StoreError::Damaged { .. }) => {
                tracing::error!(%error, "the counts of agents of this day begin again");
                Ok(StoredPart { since: now, counts: DayCounts::default() })
            }
            Err(error) => Err(error),
        }
    }
}
