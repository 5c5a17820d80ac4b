//! The mapping of service errors to [`ApiError`], as far as several handlers share it.

use std::time::Duration;

use contract::{NameRefusal, errors::ErrorCode};
use service::{ReportError, SealError, answers::resolve::ResolveError};

use crate::{
    rate_limits::live_read_limit_error,
    response::{ApiError, to_sentence},
};

/// The error for a name that is not a public domain.
pub(super) fn bad_domain_error(refusal: NameRefusal) -> ApiError {
    ApiError::new(ErrorCode::BadDomain, to_sentence(&refusal.to_string())).param("domain")
}

pub(super) fn report_to_api_error(error: ReportError) -> ApiError {
    let (message, is_damaged) = (error.to_string(), error.is_damaged());
    match error {
        ReportError::Store(_) if is_damaged => store_damaged(),
        ReportError::Store(_) => store_unreadable(),
        ReportError::Signing(_) => signing_unavailable(),
        ReportError::Unreadable(_) => ApiError::internal(message.clone()),
    }
    .with_internal_message(message)
}

/// The error for a stored report that cannot be shown.
pub(super) fn stored_report_to_api_error(error: ReportError) -> ApiError {
    let (message, is_damaged) = (error.to_string(), error.is_damaged());
    match error {
        ReportError::Store(_) if is_damaged => store_damaged(),
        ReportError::Store(_) => ApiError::new(
            ErrorCode::StoreUnreadable,
            "The report cannot be read at the moment. Try again in 5 s.",
        )
        .retry_after(5),
        ReportError::Signing(_) => ApiError::new(
            ErrorCode::SigningUnavailable,
            "The response could not be signed. Try again in 30 s.",
        )
        .retry_after(30),
        ReportError::Unreadable(_) => ApiError::new(
            ErrorCode::CannotAnswer,
            "This report was written by another version of the program and cannot be shown in \
             this form. Its JSON record is still available.",
        )
        .not_retryable(),
    }
    .with_internal_message(message)
}

/// The error for a live reading that failed.
pub(super) fn resolve_to_api_error(error: ResolveError) -> ApiError {
    let message = error.to_string();
    match error {
        ResolveError::BadDomain(refusal) => bad_domain_error(refusal),
        ResolveError::LiveLimit { wait } => live_read_limit_error(wait),
        ResolveError::TargetLimit { wait } => target_limit_error(wait),
        ResolveError::Store(_) => store_unreadable().with_internal_message(message),
        ResolveError::Seal(SealError::Halted(_)) => log_halted().with_internal_message(message),
        ResolveError::Seal(_) => signing_unavailable().with_internal_message(message),
        ResolveError::NothingStored | ResolveError::Internal(_) => ApiError::internal(message),
    }
}

/// The error for a site that is read as often as this service may read it.
pub(super) fn target_limit_error(wait: Duration) -> ApiError {
    let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0 || wait.is_zero());
    let message = format!(
        "This site is read as often as this service may read it, over all clients. Try again in \
         {seconds} s."
    );
    ApiError::new(ErrorCode::RateLimited, message)
        .retry_after(seconds)
        .with_violated_policies(vec!["target".to_owned()])
}

/// The error for stored data that differs from what was stored.
pub(super) fn store_damaged() -> ApiError {
    ApiError::new(
        ErrorCode::StoreUnreadable,
        "The stored data is damaged. The operator of this service must restore it from a backup.",
    )
    .not_retryable()
}

pub(super) fn store_unreadable() -> ApiError {
    ApiError::new(
        ErrorCode::StoreUnreadable,
        "The stored data cannot be read at the moment. Try again in 5 s.",
    )
    .retry_after(5)
}

pub(super) fn signing_unavailable() -> ApiError {
    ApiError::new(
        ErrorCode::SigningUnavailable,
        "The response could not be signed. Try again in 30 s.",
    )
    .retry_after(30)
}

/// The error for a log that accepts nothing until the operator acts.
pub(super) fn log_halted() -> ApiError {
    ApiError::new(
        ErrorCode::SigningUnavailable,
        "The log accepts no entries until the operator of this service has looked at it.",
    )
    .not_retryable()
}

/// The error of a request to the log. The reason goes only to the log file, for the operator.
pub(super) fn log_to_api_error(error: SealError) -> ApiError {
    let message = error.to_string();
    match error {
        SealError::NotStored(_) => ApiError::new(
            ErrorCode::StoreUnreadable,
            "The log cannot be read at the moment. Try again in 5 s.",
        )
        .retry_after(5),
        SealError::Busy | SealError::Superseded => ApiError::overloaded(),
        SealError::NotSigned(_) => ApiError::new(
            ErrorCode::SigningUnavailable,
            "The response could not be read or signed. Try again in 30 s.",
        )
        .retry_after(30),
        SealError::Halted(_) => log_halted(),
        SealError::NotOpen => ApiError::new(
            ErrorCode::SigningUnavailable,
            "The log does not accept entries at the moment. Try again in 30 s.",
        )
        .retry_after(30),
        SealError::TooLarge => return ApiError::internal(message),
    }
    .with_internal_message(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn internal_reasons_are_not_sent() {
        let secret = || "/data/secret".to_owned();
        for (error, status, code) in [
            (SealError::Halted(secret()), 503, "signing_unavailable"),
            (SealError::NotOpen, 503, "signing_unavailable"),
            (SealError::Busy, 503, "overloaded"),
            (SealError::Superseded, 503, "overloaded"),
            (
                SealError::NotSigned(proof::ProofError::Document(secret())),
                503,
                "signing_unavailable",
            ),
        ] {
            let error = log_to_api_error(error);
            assert_eq!((error.status().as_u16(), error.code().as_str()), (status, code));
            assert!(!error.message().contains("secret"));
        }
    }
}
