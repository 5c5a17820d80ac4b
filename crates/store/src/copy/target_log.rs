//! The target's log while a copy extends it.

use contract::Clock;

use crate::{
    Append, AppendExtras, Digest, LogLease, NewBatch, Store, StoreError, StoredAnswer, StoredBatch,
};

/// The lease is renewed with every append, so it only needs to outlast one.
const LEASE_MS: i64 = 60_000;
const HOLDER: &str = "a copy from another store";

/// The target's log, with the lease to extend it. Used by one copy at a time; not shared.
pub(super) struct TargetLog<'a> {
    pub(super) to: &'a dyn Store,
    clock: &'a dyn Clock,
    /// The epoch of the lease; `None` until it is first needed.
    epoch: Option<u64>,
    last: Option<StoredBatch>,
}

impl<'a> TargetLog<'a> {
    pub(super) async fn open(to: &'a dyn Store, clock: &'a dyn Clock) -> Result<Self, StoreError> {
        Ok(Self { to, clock, epoch: None, last: to.last_batch().await? })
    }

    /// The last batch of the target, those appended here included.
    pub(super) fn last(&self) -> Option<&StoredBatch> {
        self.last.as_ref()
    }

    pub(super) async fn append(
        &mut self,
        batch: Option<NewBatch>,
        answers: Vec<StoredAnswer>,
        beside: AppendExtras,
    ) -> Result<(), StoreError> {
        let epoch = self.renew_lease(LEASE_MS).await?;
        let kept = batch.as_ref().map(NewBatch::to_stored);
        let after: Option<Digest> = self.last.as_ref().map(|last| last.sth_sha256);
        self.to
            .append(Append { epoch, previous_head: after, batch, answers, extras: beside })
            .await?;
        self.last = kept.or(self.last.take());
        Ok(())
    }

    async fn renew_lease(&mut self, term_ms: i64) -> Result<u64, StoreError> {
        let now = self.clock.now();
        match self.to.acquire_log_lease(HOLDER, now, now.plus_millis(term_ms)).await? {
            LogLease::HeldByOther { until } => {
                let why =
                    format!("another process has the lease on the target's log until {until}");
                Err(StoreError::LogConflict { why })
            }
            // The lease was lost and acquired again in between, so someone else may have written.
            LogLease::Granted { epoch } if self.epoch.is_some_and(|had| had != epoch) => {
                let why =
                    String::from("another process had the lease on the target's log in between");
                Err(StoreError::LogConflict { why })
            }
            LogLease::Granted { epoch } => {
                self.epoch = Some(epoch);
                Ok(epoch)
            }
        }
    }

    pub(super) async fn release_lease(&mut self) -> Result<(), StoreError> {
        if self.epoch.is_some() {
            self.renew_lease(0).await?;
        }
        Ok(())
    }
}
