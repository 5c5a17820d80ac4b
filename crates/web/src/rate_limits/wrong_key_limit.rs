//! The limit on licence keys that are not valid.

use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use axum::extract::FromRequestParts;
use http::request::Parts;
use service::{AddressBlock, Licence, LicenceError, PresentedKey, Service};

use super::{
    policies::RateLimiters,
    reason::TooMany,
    status::{RateLimitStatus, client_and_status},
};
use crate::{request::licence_key, response::ApiError, state::AppState};

/// The limit on licence keys that are not valid (`wrong-key`). The extractor counts nothing: a key is
/// counted when it turns out to be wrong. An address that sent too many is refused its further wrong ones;
/// valid keys work nevertheless, so that nobody behind the same address is locked out.
#[derive(Debug)]
pub(crate) struct WrongKeyLimit {
    rate_limiters: Arc<RateLimiters>,
    block: AddressBlock,
    status: RateLimitStatus,
    counted: WrongKeyCounted,
}

impl WrongKeyLimit {
    /// Counts the key of this request, once. Refuses if this address sent too many before.
    fn count_wrong_key(&self) -> Result<(), ApiError> {
        if !self.counted.set() {
            return Ok(());
        }
        let verdict = self.rate_limiters.wrong_keys.acquire(self.block, 1);
        self.status.enforce(verdict, TooMany::of("too many wrong licence keys"))
    }

    /// The licence of a presented key. A wrong key is an error, and after too many of them another error.
    pub(crate) async fn find_licence(
        &self,
        service: &Service,
        presented: &PresentedKey,
    ) -> Result<Licence, ApiError> {
        let found = service.access.find_active_licence(presented).await;
        self.count_if_wrong(found)
    }

    /// Counts the key if what was looked up with it failed because of the key.
    pub(crate) fn count_if_wrong<T>(&self, found: Result<T, LicenceError>) -> Result<T, ApiError> {
        found.or_else(|error| {
            if matches!(error, LicenceError::UnknownKey) {
                self.count_wrong_key()?;
            }
            Err(licence_key::to_api_error(error))
        })
    }
}

impl FromRequestParts<AppState> for WrongKeyLimit {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Infallible> {
        let (block, status) = client_and_status(parts).await;
        let counted = WrongKeyCounted::of_request(parts);
        Ok(Self { rate_limiters: Arc::clone(&state.rate_limiters), block, status, counted })
    }
}

/// Whether the wrong key of a request was counted. Several extractors of one request look it up.
#[derive(Debug, Clone, Default)]
struct WrongKeyCounted(Arc<AtomicBool>);

impl WrongKeyCounted {
    /// The flag of this request.
    fn of_request(parts: &mut Parts) -> Self {
        parts.extensions.get_or_insert_default::<Self>().clone()
    }

    /// True the first time.
    fn set(&self) -> bool {
        !self.0.swap(true, Ordering::Relaxed)
    }
}
