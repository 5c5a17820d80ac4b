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
/// counted when it turns out to be wrong. An address that sent too many is refused before its next key
/// is looked up, whatever that key is.
#[derive(Debug)]
pub(crate) struct WrongKeyLimit {
    rate_limiters: Arc<RateLimiters>,
    block: AddressBlock,
    status: RateLimitStatus,
    counted: WrongKeyCounted,
}

impl WrongKeyLimit {
    /// Refuses if this address sent too many wrong keys.
    pub(crate) fn check(&self) -> Result<(), ApiError> {
        let verdict = self.rate_limiters.wrong_keys.check(self.block);
        // A key that was counted in this request does not refuse the request itself.
        if verdict.wait.is_zero() || self.counted.is_set() {
            return Ok(());
        }
        self.status.enforce(verdict, TooMany::of("too many wrong licence keys"))
    }

    /// Counts the key of this request, once.
    pub(crate) fn count_wrong_key(&self) {
        if !self.counted.set() {
            return;
        }
        let verdict = self.rate_limiters.wrong_keys.acquire(self.block, 1);
        self.status.record(verdict.quotas);
    }

    /// The licence of a presented key, within the limit.
    pub(crate) async fn find_licence(
        &self,
        service: &Service,
        presented: &PresentedKey,
    ) -> Result<Licence, ApiError> {
        if matches!(presented, PresentedKey::Missing) {
            return Err(licence_key::to_api_error(LicenceError::NoKey));
        }
        self.check()?;
        service.access.find_active_licence(presented).await.map_err(|error| {
            if matches!(error, LicenceError::UnknownKey) {
                self.count_wrong_key();
            }
            licence_key::to_api_error(error)
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

    fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// True the first time.
    fn set(&self) -> bool {
        !self.0.swap(true, Ordering::Relaxed)
    }
}
