//! Whom a request is counted as: the holder of its licence, or its address.

use std::convert::Infallible;

use axum::{RequestPartsExt, extract::FromRequestParts};
use contract::errors::ErrorCode;
use http::request::Parts;
use service::{AddressBlock, Licence, PresentedKey};

use super::{reason::TooMany, scopes::RateLimitClient, wrong_key_limit::WrongKeyLimit};
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
    /// Why the licence key of the request lifts no limit.
    key_problem: Option<&'static str>,
}

impl RequestClient {
    #[cfg(test)]
    pub(super) fn of_address(block: AddressBlock) -> Self {
        Self { block, licence: None, key_problem: None }
    }

    pub(super) fn counted_as(&self) -> RateLimitClient {
        match &self.licence {
            Some(licence) => counted_as_licence(licence),
            None => RateLimitClient::Address(self.block),
        }
    }

    /// The reason of a 429: what there was too much of, and whose limit it is.
    pub(super) fn too_many(&self, what: &'static str) -> TooMany {
        match &self.licence {
            Some(_) => TooMany::of(what).licensed(),
            None => TooMany::of(what).with_key_problem(self.key_problem),
        }
    }
}

/// The holder of a licence, wherever the request comes from.
pub(super) fn counted_as_licence(licence: &Licence) -> RateLimitClient {
    RateLimitClient::Licence { id: proof::sha256(licence.id.as_bytes()), factor: 1 }
}

/// Why a key lifts no limit, by the error of looking it up.
fn key_problem(code: &ErrorCode) -> &'static str {
    match code {
        ErrorCode::RateLimited => "this address sent too many wrong licence keys",
        ErrorCode::StoreUnreadable => "the licence key of this request could not be looked up",
        _ => "the licence key of this request is not valid",
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
        let (licence, key_problem) = match licence_key::presented_key(&parts.headers, brand) {
            Ok(PresentedKey::Missing) => (None, None),
            Ok(presented) => {
                let Ok(keys) = WrongKeyLimit::from_request_parts(parts, state).await;
                match keys.find_licence(&state.service, &presented).await {
                    Ok(licence) => (Some(licence), None),
                    Err(error) => (None, Some(key_problem(error.code()))),
                }
            }
            Err(error) => (None, Some(key_problem(error.code()))),
        };
        let client = Self { block, licence, key_problem };
        parts.extensions.insert(client.clone());
        Ok(client)
    }
}
