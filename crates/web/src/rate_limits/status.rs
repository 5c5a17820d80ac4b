//! The quotas of one request, and the error when a limit is reached.

use std::{
    convert::Infallible,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::{RequestPartsExt, extract::FromRequestParts};
use contract::{errors::ErrorCode, policies::LIVE};
use http::request::Parts;
use service::AddressBlock;

use super::{
    limiter::RateLimiter,
    quota::{QuotaStatus, RateLimitVerdict},
    rate::ceil_seconds,
    reason::TooMany,
};
use crate::{request::ClientAddress, response::ApiError};

/// The quotas that one request was counted against so far. Owned by that request: its extractors
/// write to it, and [`super::add_rate_limit_headers`] reads it at the end. The mutex guards the list and
/// is never held across an await.
#[derive(Debug, Clone, Default)]
pub(crate) struct RateLimitStatus(Arc<Mutex<Vec<QuotaStatus>>>);

impl RateLimitStatus {
    pub(super) fn quotas(&self) -> MutexGuard<'_, Vec<QuotaStatus>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds quotas. A later entry replaces an earlier one of the same policy.
    pub(crate) fn record(&self, quotas: Vec<QuotaStatus>) {
        let mut recorded = self.quotas();
        for quota in quotas {
            recorded.retain(|earlier| earlier.policy.name != quota.policy.name);
            recorded.push(quota);
        }
    }

    /// Counts the request by address, records the quotas, and returns 429 if the limit is reached.
    pub(super) fn acquire(
        &self,
        rates: &RateLimiter,
        client: AddressBlock,
        items: u32,
        too_many: TooMany,
    ) -> Result<(), ApiError> {
        self.enforce(rates.acquire(client, items), too_many)
    }

    /// Records the quotas, and returns 429 if the limit is reached.
    pub(super) fn enforce(
        &self,
        verdict: RateLimitVerdict,
        too_many: TooMany,
    ) -> Result<(), ApiError> {
        let refused = refusing_policies(&verdict.quotas);
        self.record(verdict.quotas);
        if verdict.wait.is_zero() {
            return Ok(());
        }
        let reason = too_many.reason(verdict.refused_for);
        Err(limit_reached(&reason, verdict.wait).with_violated_policies(refused))
    }
}

/// The client's address block, and the status in which its quotas are recorded.
pub(super) async fn client_and_status(parts: &mut Parts) -> (AddressBlock, RateLimitStatus) {
    let Ok(ClientAddress(address)) = parts.extract().await;
    let Ok(status) = parts.extract().await;
    (AddressBlock::from_address(address), status)
}

impl<S: Sync> FromRequestParts<S> for RateLimitStatus {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(parts.extensions.get::<Self>().cloned().unwrap_or_default())
    }
}

fn limit_reached(reason: &str, wait: Duration) -> ApiError {
    let seconds = ceil_seconds(wait);
    let sentence = format!("Rate limit reached: {reason}. Try again in {seconds} s.");
    ApiError::new(ErrorCode::RateLimited, sentence).retry_after(seconds)
}

/// The names of the policies that refused.
fn refusing_policies(quotas: &[QuotaStatus]) -> Vec<String> {
    let refused = quotas.iter().filter(|quota| quota.refused);
    refused.map(|quota| quota.policy.name.to_string()).collect()
}

/// The error for a client that has no live readings left, when there is no stored answer to give.
pub(crate) fn live_read_limit_error(wait: Duration) -> ApiError {
    limit_reached("too many live readings for this address, its network or its licence", wait)
        .with_violated_policies(vec![LIVE.name.to_owned()])
}
