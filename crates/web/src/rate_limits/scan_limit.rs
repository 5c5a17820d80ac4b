//! The limit of scan requests. A request that is refused as malformed, or answered with an earlier
//! report, does not count as a scan.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use axum::{RequestPartsExt, extract::FromRequestParts, response::Response};
use http::{StatusCode, request::Parts};

use super::{
    limiter::CountedRequest, policies::RateLimiters, reason::TooMany, scopes::RateLimitClient,
    status::RateLimitStatus,
};
use crate::{
    principal::{CountedPrincipal, Principal},
    request::is_replayed,
    response::ApiError,
    state::AppState,
};

/// Enforces the limits of scan requests (`scan`, or `keyed-scan` with a licence). Each request also
/// counts as a read, so that requests that are not counted as scans are limited, too. It is counted
/// before its body is read.
#[derive(Debug)]
pub(crate) struct ScanLimit {
    pub(crate) principal: Principal,
    slot: ScanSlot,
}

impl ScanLimit {
    /// Call when the request was read. Until then, a request that is dropped does not count.
    pub(crate) fn into_slot(self) -> ScanSlot {
        self.slot.kept()
    }

    /// The same for a scan to which the licence does not apply: it counts by its address.
    pub(crate) fn into_slot_of_address(self) -> Result<ScanSlot, ApiError> {
        if self.principal.holder.is_none() {
            return Ok(self.into_slot());
        }
        let (block, status) = (self.principal.block, self.slot.status.clone());
        let rates = Arc::clone(&self.slot.rates);
        // Gives the slot of the licence back.
        drop(self);
        let client = RateLimitClient::Address(block);
        let too_many =
            TooMany::of("too many scan requests").with_hint("the licence is not for this domain");
        Ok(ScanSlot::acquire(rates, client, status, too_many)?.kept())
    }
}

/// The counted scan of one request.
#[derive(Debug)]
pub(crate) struct ScanSlot {
    rates: Arc<RateLimiters>,
    client: RateLimitClient,
    status: RateLimitStatus,
    counted: Arc<CountedRequest>,
    released: Arc<AtomicBool>,
    released_on_drop: bool,
}

impl ScanSlot {
    /// Counts a scan. It does not count if the slot is dropped before the request was read.
    pub(super) fn acquire(
        rates: Arc<RateLimiters>,
        client: RateLimitClient,
        status: RateLimitStatus,
        too_many: TooMany,
    ) -> Result<Self, ApiError> {
        let (verdict, counted) = rates.scans.acquire_one(client);
        status.enforce(verdict, too_many)?;
        let (counted, released) = (Arc::new(counted), Arc::default());
        Ok(Self { rates, client, status, counted, released, released_on_drop: true })
    }

    /// The request was read, so it counts also if the slot is dropped.
    pub(super) fn kept(mut self) -> Self {
        self.released_on_drop = false;
        self
    }

    /// Another handle to the same slot, which does nothing when it is dropped.
    pub(crate) fn copy(&self) -> Self {
        Self {
            rates: Arc::clone(&self.rates),
            client: self.client,
            status: self.status.clone(),
            counted: Arc::clone(&self.counted),
            released: Arc::clone(&self.released),
            released_on_drop: false,
        }
    }

    /// The request was no scan after all.
    pub(crate) fn release(&self) {
        if !self.released.swap(true, Ordering::Relaxed) {
            let verdict = self.rates.scans.release(self.client, &self.counted);
            self.status.record(verdict.quotas);
        }
    }

    /// Releases the slot if the request was refused as malformed, or answered with an earlier reply.
    pub(crate) fn settle(&self, result: &Result<Response, ApiError>) {
        match result {
            Ok(response) if is_replayed(response) => self.release(),
            Ok(_) => {}
            Err(error) => self.release_if_malformed(error),
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
        let CountedPrincipal(principal) =
            CountedPrincipal::from_request_parts(parts, state).await?;
        let client = principal.rate_limit_client();
        let Ok(status): Result<RateLimitStatus, _> = parts.extract().await;
        let (rates, counted_as) = (&state.rate_limiters, client.counted_as());
        let too_many = client.too_many("too many requests");
        status.enforce(rates.reads.acquire(counted_as, 1), too_many)?;
        let too_many = client.too_many("too many scan requests");
        let slot = ScanSlot::acquire(Arc::clone(rates), counted_as, status, too_many)?;
        Ok(Self { principal, slot })
    }
}
