//! Domains and who controls them: the control record, claims, and what owners report.

pub(crate) mod claim;
pub(crate) mod claim_pages;
pub(crate) mod control;
pub(crate) mod dispute;
pub(crate) mod incident;
pub(crate) mod owner_pages;

use axum::{RequestPartsExt, extract::FromRequestParts};
use contract::{Domain, errors::ErrorCode};
use http::request::Parts;
use service::{ControlError, Owner};

use super::error_mapping::{bad_domain_error, store_unreadable};
use crate::{
    principal::Principal,
    rate_limits::PrincipalReadLimit,
    request::PathParameter,
    response::{ApiError, to_sentence},
    state::AppState,
};

/// Extractor: the domain in the path, within the limit for reading.
#[derive(Debug)]
pub(crate) struct DomainPath {
    pub(crate) domain: Domain,
    pub(crate) principal: Principal,
}

impl FromRequestParts<AppState> for DomainPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let PrincipalReadLimit(principal) =
            PrincipalReadLimit::from_request_parts(parts, state).await?;
        let PathParameter(name) = parts.extract().await?;
        let domain = state.service.parse_domain(&name).map_err(bad_domain_error)?;
        Ok(Self { domain, principal })
    }
}

impl DomainPath {
    /// The owner of the domain, if that is who sends the request.
    pub(crate) fn owner(&self) -> Option<&Owner> {
        self.principal.owner.as_ref().filter(|owner| owner.domain == self.domain)
    }

    /// The same, or the error that says what is missing.
    pub(crate) fn require_owner(&self) -> Result<&Owner, ApiError> {
        self.owner().ok_or_else(|| match self.principal.owner {
            Some(_) => ApiError::new(
                ErrorCode::Forbidden,
                format!("You have proven control of another domain than {}.", self.domain),
            ),
            None => ApiError::new(
                ErrorCode::Unauthorized,
                format!(
                    "Only the owner of {domain} can do this. Prove control at /registry/{domain}/claim, and send the \
                     secret of the claim as a bearer token.",
                    domain = self.domain
                ),
            ),
        })
    }
}

/// What the caller is told.
pub(crate) fn to_api_error(error: ControlError) -> ApiError {
    let message = error.to_string();
    match error {
        ControlError::Store(_) => {
            store_unreadable().with_internal_message(message)
        }
        ControlError::Signing(_) => ApiError::new(
            ErrorCode::SigningUnavailable,
            "The record cannot be signed at the moment. Try again in 5 s.",
        )
        .retry_after(5)
        .with_internal_message(message),
        ControlError::NoChance(_) => ApiError::internal(message),
        ControlError::UnknownClaim => ApiError::new(
            ErrorCode::Unauthorized,
            "The claim id, the secret and the domain do not belong together. Send the secret that came with the id as \
             a bearer token.",
        ),
        ControlError::TokenExpired => ApiError::new(
            ErrorCode::Conflict,
            "The token of this claim has expired. Begin a new claim and publish its token.",
        ),
        ControlError::ClaimEnded(state) => ApiError::new(
            ErrorCode::Conflict,
            format!(
                "This claim has the state {state}, and its token does not count any more. Begin a new claim and publish \
                 its token."
            ),
        ),
        ControlError::ProofNotFound { is_readable, readings, attempts_left } => {
            let sentence = if is_readable {
                "The proof was not found. Changes of DNS and of pages can take a while to be visible everywhere."
            } else {
                "The place of the proof could not be read."
            };
            let seen = readings
                .into_iter()
                .map(|reading| format!("{}: {}", reading.observer, reading.result))
                .collect();
            ApiError::new(
                ErrorCode::ProofNotFound,
                format!("{sentence} You can try {attempts_left} more times today."),
            )
            .with_errors(seen)
        }
        ControlError::TooManyChecks { retry_after_s } => ApiError::new(
            ErrorCode::RateLimited,
            format!("This address has looked for the proof too often today. Try again in {retry_after_s} s."),
        )
        .retry_after(retry_after_s),
        ControlError::TooManyReports { retry_after_s } => ApiError::new(
            ErrorCode::RateLimited,
            format!("This was reported too often for the domain today. Try again in {retry_after_s} s."),
        )
        .retry_after(retry_after_s),
        ControlError::Busy => ApiError::new(
            ErrorCode::RateLimited,
            "A proof of this domain is being read, or as many as this service reads at a time. Try again in 5 s.",
        )
        .retry_after(5),
        ControlError::LimitReached { .. } => {
            ApiError::new(ErrorCode::Conflict, to_sentence(&message))
        }
        ControlError::NotFound => ApiError::new(ErrorCode::NotFound, to_sentence(&message)),
        ControlError::BadTime => ApiError::bad_request(to_sentence(&message)).param("since"),
    }
}

#[cfg(test)]
mod tests {
    use service::StoreError;

    use super::*;

    #[test]
    fn each_error_has_its_status_and_says_what_to_do() {
        let failed = || StoreError::Failed { doing: "reading", why: "disk".to_owned() };
        let readings = Vec::new();
        for (error, status, code) in [
            (ControlError::Store(failed()), 503, "store_unreadable"),
            (ControlError::UnknownClaim, 401, "unauthorized"),
            (ControlError::TokenExpired, 409, "conflict"),
            (ControlError::ClaimEnded(contract::records::ClaimState::Lapsed), 409, "conflict"),
            (
                ControlError::ProofNotFound { is_readable: true, readings, attempts_left: 3 },
                409,
                "proof_not_found",
            ),
            (ControlError::TooManyChecks { retry_after_s: 9 }, 429, "rate_limited"),
            (ControlError::Busy, 429, "rate_limited"),
            (ControlError::LimitReached { what: "claims", limit: 1 }, 409, "conflict"),
            (ControlError::NotFound, 404, "not_found"),
            (ControlError::BadTime, 400, "bad_request"),
        ] {
            let error = to_api_error(error);
            assert_eq!((error.status().as_u16(), error.code().as_str()), (status, code));
            assert!(error.message().ends_with('.'), "{}", error.message());
            assert!(!error.message().contains("disk"), "{}", error.message());
        }
    }
}
