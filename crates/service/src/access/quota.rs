//! The quota of a licence: how many calls of a month are left.

use contract::{Month, Timestamp};
use store::{Licence, QuotaOutcome, StoreError};

use crate::access::Access;

/// How much of the month's quota is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuotaState {
    /// `None` for any number of calls.
    pub limit: Option<u64>,
    pub used: u64,
    /// The turn of the month, in UTC.
    pub resets_at: Timestamp,
    /// Seconds until then, rounded up.
    pub resets_in_s: u64,
}

impl QuotaState {
    /// `None` for any number of calls.
    #[must_use]
    pub fn remaining(&self) -> Option<u64> {
        self.limit.map(|limit| limit.saturating_sub(self.used))
    }
}

/// A call that was counted, so that it can be taken back.
#[derive(Debug, Clone)]
pub struct CountedCall {
    licence_id: String,
    at: Timestamp,
    operation: String,
    pub quota: QuotaState,
}

#[derive(Debug, thiserror::Error)]
pub enum QuotaError {
    #[error("the quota of this month is used up")]
    Spent(QuotaState),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Access {
    /// Counts a call of a licence against the quota of the month, and by day and operation.
    pub async fn count_call(
        &self,
        licence: &Licence,
        operation: &str,
    ) -> Result<CountedCall, QuotaError> {
        let (at, limit) = (self.clock.now(), self.plan_of(licence).monthly_quota);
        let state = |used| quota_state(at, limit, used);
        match self.store.count_call(&licence.id, at, operation, limit).await? {
            QuotaOutcome::Counted { used_in_month } => Ok(CountedCall {
                licence_id: licence.id.clone(),
                at,
                operation: operation.to_owned(),
                quota: state(used_in_month),
            }),
            QuotaOutcome::Spent { used_in_month } => Err(QuotaError::Spent(state(used_in_month))),
        }
    }

    /// Takes a call back that was not carried out, and returns what is used now.
    pub async fn give_back_call(&self, call: &CountedCall) -> QuotaState {
        let given_back =
            self.store.give_back_call(&call.licence_id, call.at, &call.operation).await;
        match given_back {
            Ok(true) => QuotaState { used: call.quota.used.saturating_sub(1), ..call.quota },
            Ok(false) => call.quota,
            Err(error) => {
                tracing::error!(%error, "a call could not be given back to the quota of its licence");
                call.quota
            }
        }
    }

    /// The quota as it is now; nothing is counted.
    pub async fn quota(&self, licence: &Licence) -> Result<QuotaState, StoreError> {
        let (now, limit) = (self.clock.now(), self.plan_of(licence).monthly_quota);
        let used = self.store.used_in_month(&licence.id, Month::of(now)).await?;
        Ok(quota_state(now, limit, used))
    }
}

fn quota_state(now: Timestamp, limit: Option<u64>, used: u64) -> QuotaState {
    let resets_at = Month::of(now).ends_at();
    let left_ms = u64::try_from(resets_at.millis_since(now)).unwrap_or(0);
    QuotaState { limit, used, resets_at, resets_in_s: left_ms.div_ceil(1000) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_month_ends_in_utc() {
        let at = |text: &str| Timestamp::from_rfc3339(text).unwrap();
        let state = quota_state(at("2026-12-31T23:59:58.500Z"), Some(10), 3);
        assert_eq!((state.remaining(), state.resets_in_s), (Some(7), 2));
        assert_eq!(state.resets_at, at("2027-01-01T00:00:00Z"));
        let state = quota_state(at("2028-02-01T00:00:00Z"), Some(10), 11);
        assert_eq!((state.remaining(), state.resets_in_s), (Some(0), 29 * 86_400));
        assert_eq!(quota_state(at("2026-11-17T00:00:00Z"), None, 5).remaining(), None);
    }
}
