//! Whom a request is counted as: the holder of its licence, or its address.

use std::convert::Infallible;

use axum::{RequestPartsExt, extract::FromRequestParts};
use http::request::Parts;
use service::{AddressBlock, Licence, PresentedKey};

use super::{client_limiter::RateLimitClient, wrong_key_limit::WrongKeyLimit};
use crate::{
    request::{ClientAddress, licence_key},
    state::AppState,
};

/// Extractor: the client of a request. A request without a key, or with one that is not valid, is
/// counted by its address. Looked up once per request.
#[derive(Debug, Clone)]
pub(crate) struct RequestClient {
    pub(super) block: AddressBlock,
    pub(super) licence: Option<Licence>,
    /// The request has a licence key that is not valid.
    has_wrong_key: bool,
}

impl RequestClient {
    #[cfg(test)]
    pub(super) fn of_address(block: AddressBlock) -> Self {
        Self { block, licence: None, has_wrong_key: false }
    }

    pub(super) fn counted_as(&self) -> RateLimitClient {
        match &self.licence {
            Some(licence) => RateLimitClient::Licence(proof::sha256(licence.id.as_bytes())),
            None => RateLimitClient::Address(self.block),
        }
    }

    /// The reason of a 429: what there was too much of, and whose limit it is.
    pub(super) fn reason(&self, too_many: &str) -> String {
        match (&self.licence, self.has_wrong_key) {
            (Some(_), _) => format!("{too_many} with this licence"),
            (None, false) => format!("{too_many} from this address"),
            (None, true) => format!(
                "{too_many} from this address, and the licence key of this request is not valid"
            ),
        }
    }
}

impl FromRequestParts<AppState> for RequestClient {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Infallible> {
        if let Some(known) = parts.extensions.get::<Self>() {
            return Ok(known.clone());
        }
        let Ok(ClientAddress(address)) = parts.extract().await;
        let block = AddressBlock::from_address(address);
        let brand = &state.service_info.issuer.brand;
        let (licence, has_wrong_key) = match licence_key::presented_key(&parts.headers, brand) {
            Ok(PresentedKey::Missing) => (None, false),
            Ok(presented) => {
                let Ok(keys) = WrongKeyLimit::from_request_parts(parts, state).await;
                // A licence that cannot be looked up lifts no limit.
                let licence = keys.find_licence(&state.service, &presented).await.ok();
                let wrong = licence.is_none();
                (licence, wrong)
            }
            Err(_) => (None, true),
        };
        let client = Self { block, licence, has_wrong_key };
        parts.extensions.insert(client.clone());
        Ok(client)
    }
}
