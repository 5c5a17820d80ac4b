//! The principal of a request.

use std::convert::Infallible;

use axum::{RequestPartsExt, extract::FromRequestParts};
use contract::errors::ErrorCode;
use http::request::Parts;
use service::{AddressBlock, Licence, Owner, PresentedKey, ReportReader, SessionToken, SignedIn};

use super::{claim_secret::presented_secret, same_origin::is_cross_site, session_cookie};
use crate::{
    rate_limits::{client::RequestClient, wrong_key_limit::WrongKeyLimit},
    request::{ClientAddress, licence_key},
    response::ApiError,
    state::AppState,
};

/// Extractor: who sends the request. Looked up once per request. A key counts before a session.
#[derive(Debug, Clone)]
pub(crate) struct Principal {
    pub(crate) block: AddressBlock,
    pub(crate) holder: Option<Holder>,
    /// Whoever has proven control of a domain, and shows the secret of the claim or has a session.
    pub(crate) owner: Option<Owner>,
    /// Why the licence key of the request does not count.
    pub(crate) key_problem: Option<ApiError>,
}

/// The holder of a licence.
#[derive(Debug, Clone)]
pub(crate) struct Holder {
    pub(crate) licence: Licence,
    /// How many times the limits per licence the plan has.
    pub(crate) rate_factor: u32,
    pub(crate) credential: Credential,
}

/// What shows that the caller is the holder.
#[derive(Debug, Clone)]
pub(crate) enum Credential {
    Key,
    Session(Box<SignedIn>),
}

impl Principal {
    pub(crate) fn licence(&self) -> Option<&Licence> {
        self.holder.as_ref().map(|holder| &holder.licence)
    }

    /// As whom the request reads reports.
    pub(crate) fn report_reader(&self) -> ReportReader<'_> {
        ReportReader {
            licence: self.licence(),
            owned: self.owner.as_ref().map(|owner| &owner.domain),
        }
    }

    /// The session of the request. Not for a request with a key.
    pub(crate) fn signed_in(&self) -> Option<&SignedIn> {
        match &self.holder.as_ref()?.credential {
            Credential::Session(signed_in) => Some(signed_in),
            Credential::Key => None,
        }
    }

    /// Whom the rate limits count the request as.
    pub(crate) fn rate_limit_client(&self) -> RequestClient {
        let licence = self.holder.as_ref().map(|holder| (&*holder.licence.id, holder.rate_factor));
        let key_problem = self.key_problem.as_ref().map(|error| key_problem(error.code()));
        RequestClient::new(self.block, licence, key_problem)
    }

    /// The holder, or the error that asks for a key.
    pub(crate) fn require_holder(self) -> Result<Holder, ApiError> {
        match (self.holder, self.key_problem) {
            (Some(holder), _) => Ok(holder),
            (None, Some(problem)) => Err(problem),
            (None, None) => Err(licence_key::to_api_error(service::LicenceError::NoKey)),
        }
    }
}

/// Why a key lifts no limit, by the error of looking it up.
fn key_problem(code: &ErrorCode) -> &'static str {
    match code {
        ErrorCode::RateLimited => "this address sent too many wrong licence keys",
        ErrorCode::StoreUnreadable => "the licence key of this request could not be looked up",
        _ => "the licence key of this request is not valid",
    }
}

impl FromRequestParts<AppState> for Principal {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Infallible> {
        if let Some(known) = parts.extensions.get::<Self>() {
            return Ok(known.clone());
        }
        let Ok(ClientAddress(address)) = parts.extract().await;
        let block = AddressBlock::from_address(address);
        let brand = &state.service_info.issuer.brand;
        let (holder, key_problem) = match licence_key::presented_key(&parts.headers, brand) {
            Ok(PresentedKey::Missing) => (find_session(parts, state).await, None),
            Ok(presented) => {
                let Ok(keys) = WrongKeyLimit::from_request_parts(parts, state).await;
                match keys.find_licence(&state.service, &presented).await {
                    Ok(licence) => (Some(holder(state, licence, Credential::Key)), None),
                    Err(error) => (None, Some(error)),
                }
            }
            Err(error) => (None, Some(error)),
        };
        let owner = find_owner(parts, state).await;
        let principal = Self { block, holder, owner, key_problem };
        parts.extensions.insert(principal.clone());
        Ok(principal)
    }
}

fn holder(state: &AppState, licence: Licence, credential: Credential) -> Holder {
    let rate_factor = state.service.access.plan_of(&licence).rate_factor;
    Holder { licence, rate_factor, credential }
}

/// The owner by the secret of a claim, or by the cookie of a session; the secret counts first.
async fn find_owner(parts: &Parts, state: &AppState) -> Option<Owner> {
    let issuer = &state.service_info.issuer;
    let control = &state.service.control;
    let found = if let Some(secret) = presented_secret(&parts.headers, &issuer.brand) {
        control.owner_by_secret(&secret).await
    } else {
        let name = session_cookie::owner_cookie_name(issuer);
        let token = SessionToken::parse(session_cookie::cookie_value(&parts.headers, &name)?)?;
        if !parts.method.is_safe() && is_cross_site(&parts.headers) {
            return None;
        }
        control.owner_by_session(&token).await
    };
    found.inspect_err(|error| tracing::error!(%error, "an owner could not be looked up")).ok()?
}

/// The session of the request's cookie. A request that a page of another site makes has none if it could
/// change something.
async fn find_session(parts: &Parts, state: &AppState) -> Option<Holder> {
    let name = session_cookie::cookie_name(&state.service_info.issuer);
    let token = SessionToken::parse(session_cookie::cookie_value(&parts.headers, &name)?)?;
    if !parts.method.is_safe() && is_cross_site(&parts.headers) {
        return None;
    }
    match state.service.access.find_session(&token).await {
        Ok(signed_in) => {
            let signed_in = signed_in?;
            let licence = signed_in.licence.clone();
            Some(holder(state, licence, Credential::Session(Box::new(signed_in))))
        }
        Err(error) => {
            tracing::error!(%error, "a session could not be looked up");
            None
        }
    }
}
