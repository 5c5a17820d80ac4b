//! The limit of scan requests. A request that is refused as malformed, or answered with an earlier
//! report, does not count as a scan.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use axum::{RequestPartsExt, extract::FromRequestParts};
use http::{StatusCode, request::Parts};
use service::{AddressBlock, Licence};
use tokio::time::Instant;

use super::{
    client::RequestClient, client_limiter::RateLimitClient, policies::RateLimiters,
    status::RateLimitStatus,
};
use crate::{response::ApiError, state::AppState};

/// Enforces the limits of scan requests (`scan`, or `keyed-scan` with a licence). Each request also
/// counts as a read, so that requests that are not counted as scans are limited, too. It is counted
/// before its body is read.
#[derive(Debug)]
pub(crate) struct ScanLimit {
    pub(crate) block: AddressBlock,
    pub(crate) licence: Option<Licence>,
    slot: ScanSlot,
}

impl ScanLimit {
    /// Call when the request was read. Until then, a request that is dropped does not count.
    pub(crate) fn into_slot(mut self) -> ScanSlot {
        self.slot.released_on_drop = false;
        self.slot
    }
}

/// The counted scan of one request.
#[derive(Debug)]
pub(crate) struct ScanSlot {
    rates: Arc<RateLimiters>,
    client: RateLimitClient,
    status: RateLimitStatus,
    accepted_at: Instant,
    released: Arc<AtomicBool>,
    released_on_drop: bool,
}

impl ScanSlot {
    /// Another handle to the same slot, which does nothing when it is dropped.
    pub(crate) fn copy(&self) -> Self {
        Self {
            rates: Arc::clone(&self.rates),
            client: self.client,
            status: self.status.clone(),
            accepted_at: self.accepted_at,
            released: Arc::clone(&self.released),
            released_on_drop: false,
        }
    }

    /// The request was no scan after all.
    pub(crate) fn release(&self) {
        if !self.released.swap(true, Ordering::Relaxed) {
            let verdict = self.rates.scans.release(self.client, self.accepted_at);
            self.status.record(verdict.quotas);
        }
    }

    /// Releases the slot if the request was refused as malformed.
    pub(crate) fn release_if_malformed(&self, error: &ApiError) {
        let status = error.status();
        if status.is_client_error() && status != StatusCode::TOO_MANY_REQUESTS {
            self.release();
        }
    }
}

impl Drop for ScanSlot {
    fn drop(&mut self) {
        if self.released_on_drop {
            self.release();
        }
    }
}

impl FromRequestParts<AppState> for ScanLimit {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let Ok(client) = RequestClient::from_request_parts(parts, state).await;
        let Ok(status): Result<RateLimitStatus, _> = parts.extract().await;
        let (rates, counted_as) = (&state.rate_limiters, client.counted_as());
        let reason = client.reason("too many requests");
        status.enforce(rates.reads.acquire(counted_as, 1), &reason)?;
        let accepted_at = Instant::now();
        let verdict = rates.scans.acquire_one_at(counted_as, accepted_at);
        status.enforce(verdict, &client.reason("too many scan requests"))?;
        let slot = ScanSlot {
            rates: Arc::clone(rates),
            client: counted_as,
            status,
            accepted_at,
            released: Arc::default(),
            released_on_drop: true,
        };
        Ok(Self { block: client.block, licence: client.licence, slot })
    }
}
