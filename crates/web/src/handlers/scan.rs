//! `POST /api/scan`: scan a domain now.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use contract::{
    errors::{ErrorCode, ErrorV1},
    policies::{SCAN_DAY, SCAN_DAY_TOTAL},
    records::{ScanRecord, ScanRequest, Visibility},
};
use http::{
    HeaderMap,
    header::{CACHE_CONTROL, CONTENT_TYPE},
};
use service::{Caller, Licence, Owner, ScanCommand, ScanError, Service};

use super::error_mapping::{bad_domain_error, target_limit_error};
use crate::{
    principal::Principal,
    rate_limits::ScanLimit,
    request::{IdempotencyJson, IdempotencyScope},
    response::{ApiError, JSON, NO_STORE, to_sentence},
    state::ServiceInfo,
};

/// Scan a domain
///
/// Requests the home page as a browser, as an unnamed control client and as AI crawlers, reads the
/// machine-readable files, and answers with the graded record. If a public scan of the domain was made
/// within the last two minutes, a public or unlisted scan is answered with that report and `cached`. An
/// unlisted scan is refused with 429 `rate_limited` if another unlisted scan of the domain started within
/// the last two minutes. (If the operator set `targets.enabled = false`, every unlisted scan is new.) A
/// private scan is always new. If the site did not answer, `unreachable` is true, `id` is null and
/// nothing is stored.
///
/// Free, within limits: 5 requests in 10 seconds and 6 in a minute per address; 20 scans per address
/// in a UTC day, and a daily total for all free scans. In IPv6, a /64 network counts as one address.
/// The daily limits count only scans that start. The rates do not count requests that are refused as
/// malformed or not permitted, nor those that are answered with an earlier report (unless they have an
/// `Idempotency-Key`, whose reply is stored); a request that is refused with 429 or 503 after it was
/// read does count. No credentials are needed, except for a private scan: it needs a licence key for the
/// domain (the header `x-svc-key`, or a bearer token). With a valid key for the domain the rate is that
/// of the licence, and the daily limits do not apply. Any other key changes nothing.
///
/// With an `Idempotency-Key` the scan is made once: the same request is answered with the same bytes
/// for 24 hours.
#[utoipa::path(
    post,
    path = "/api/scan",
    operation_id = "scanDomain",
    tag = "scans",
    params(("Idempotency-Key" = Option<String>, Header, description = "A key that you \
        choose, up to 255 visible characters. The same request with the same key is carried out \
        once and answered with the same bytes for 24 hours.")),
    request_body(content = ScanRequest, content_type = "application/json"),
    responses(
        (status = 200, description = "The signed record.", body = ScanRecord,
            content_type = "application/json"),
        (status = 400, description = "Not a public domain, no JSON body, or an invalid \
            body: `bad_domain`, `bad_request`, `unknown_field`.", body = ErrorV1),
        (status = 401, description = "For a private scan: the licence key is not valid: \
            `unauthorized`.", body = ErrorV1),
        (status = 403, description = "A private scan needs a licence for the domain: `forbidden`.",
            body = ErrorV1),
        (status = 409, description = "A request with this key is still running: \
            `idempotency_in_flight`.", body = ErrorV1),
        (status = 413, description = "The body is larger than 1048576 bytes: `body_too_large`.",
            body = ErrorV1),
        (status = 415, description = "Not JSON: `unsupported_media_type`.", body = ErrorV1),
        (status = 422, description = "The key was used with a different body: `idempotency_reused`.",
            body = ErrorV1),
        (status = 429, description = "Too many requests or scans from this address, or of this \
            site over all clients: `rate_limited`; a scan of this domain is still running: `scan_in_progress`; the day's \
            free scans are used up: `daily_budget`. Retry-After gives the wait.", body = ErrorV1),
        (status = 503, description = "Free scans are paused: `scans_paused`; `overloaded`, \
            `store_unreadable`, `signing_unavailable`.", body = ErrorV1),
    )
)]
pub(crate) async fn scan_domain(
    State(service): State<Arc<Service>>,
    State(service_info): State<Arc<ServiceInfo>>,
    limit: ScanLimit,
    headers: HeaderMap,
    IdempotencyJson { request, idempotency_key }: IdempotencyJson<ScanRequest>,
) -> Result<Response, ApiError> {
    // A licence for other domains lifts nothing here.
    let is_for_domain = |licence: &Licence| service.scanning.is_licensed(licence, &request.domain);
    let principal = limit.principal.clone();
    let (block, licence) = (principal.block, principal.licence().cloned().filter(is_for_domain));
    let slot = match licence {
        Some(_) => limit.into_slot(),
        None => limit.into_slot_of_address()?,
    };
    let visibility = request.visibility.unwrap_or(Visibility::Public);
    let caller = match (&visibility, licence) {
        (Visibility::Private, _) => private_scan_caller(&service, principal, &request.domain)
            .inspect_err(|error| slot.release_if_malformed(error))?,
        (_, Some(licence)) => Caller::LicenceHolder(licence),
        (_, None) => Caller::Anonymous(block),
    };
    let ask = ScanCommand { input: request.domain, visibility, caller };
    let scope = IdempotencyScope {
        operation: "scanDomain",
        block,
        brand: &service_info.issuer.brand,
        headers: &headers,
    };
    let scanning = Arc::clone(&service);
    let (scan_slot, is_stored) = (slot.copy(), idempotency_key.is_some());
    let work = async move {
        let reply = scanning.scanning.scan(ask).await.map_err(|error| to_api_error(&error))?;
        // With a key, the reply is stored for a day, so that it counts.
        if reply.is_earlier_report && !is_stored {
            scan_slot.release();
        }
        let headers = [(CONTENT_TYPE, JSON), (CACHE_CONTROL, NO_STORE)];
        Ok((headers, reply.bytes).into_response())
    };
    let result = scope.run(&service, idempotency_key, work).await;
    slot.settle(&result);
    result
}

/// The caller of a private scan. Without any key it is an anonymous caller, and the scan itself refuses
/// with the reason.
fn private_scan_caller(
    service: &Service,
    principal: Principal,
    input: &str,
) -> Result<Caller, ApiError> {
    let is_own = |owner: &Owner| service.parse_domain(input).is_ok_and(|name| name == owner.domain);
    if let Some(owner) = principal.owner.filter(is_own) {
        return Ok(Caller::DomainOwner { domain: owner.domain, block: principal.block });
    }
    match (principal.holder, principal.key_problem) {
        (Some(holder), _) => Ok(Caller::LicenceHolder(holder.licence)),
        (None, Some(problem)) => Err(problem),
        (None, None) => Ok(Caller::Anonymous(principal.block)),
    }
}

/// A sentence, and how long to wait.
fn with_wait(message: &str, seconds: u64) -> String {
    format!("{} Try again in {seconds} s.", to_sentence(message))
}

/// The error that the caller gets when a scan fails or is refused.
pub(super) fn to_api_error(error: &ScanError) -> ApiError {
    let message = error.to_string();
    match error {
        ScanError::BadDomain(refusal) => bad_domain_error(*refusal),
        ScanError::InProgress { retry_after_s } => {
            ApiError::new(ErrorCode::ScanInProgress, with_wait(&message, *retry_after_s))
                .retry_after(*retry_after_s)
        }
        ScanError::Busy { retry_after_s } => {
            ApiError::new(ErrorCode::Overloaded, with_wait(&message, *retry_after_s))
                .retry_after(*retry_after_s)
        }
        ScanError::TargetLimit { retry_after_s } => {
            target_limit_error(Duration::from_secs(*retry_after_s))
        }
        ScanError::PrivateNeedsLicence | ScanError::PrivateNotInPlan => {
            ApiError::new(ErrorCode::Forbidden, to_sentence(&message)).param("visibility")
        }
        ScanError::NotLicensed { .. } => {
            ApiError::new(ErrorCode::Forbidden, to_sentence(&message)).param("domain")
        }
        ScanError::AddressLimitReached { retry_after_s }
        | ScanError::NetworkLimitReached { retry_after_s, .. } => {
            ApiError::new(ErrorCode::RateLimited, to_sentence(&message))
                .retry_after(*retry_after_s)
                .with_violated_policies(vec![SCAN_DAY.name.to_owned()])
        }
        ScanError::ServiceLimitReached { retry_after_s } => {
            ApiError::new(ErrorCode::DailyBudget, to_sentence(&message))
                .retry_after(*retry_after_s)
                .with_violated_policies(vec![SCAN_DAY_TOTAL.name.to_owned()])
        }
        ScanError::Paused { retry_after_s } => {
            ApiError::new(ErrorCode::ScansPaused, with_wait(&message, *retry_after_s))
                .retry_after(*retry_after_s)
        }
        ScanError::Store(_) => ApiError::new(
            ErrorCode::StoreUnreadable,
            "The scan could not be stored. Try again in 5 s.",
        )
        .retry_after(5)
        .with_internal_message(message),
        ScanError::Signing(_) => ApiError::new(
            ErrorCode::SigningUnavailable,
            "The record could not be signed. Try again in 30 s.",
        )
        .retry_after(30)
        .with_internal_message(message),
        ScanError::Internal(_) => ApiError::internal(message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::NameRefusal;

    #[test]
    fn each_refusal_has_its_code_and_reveals_nothing_private() {
        let internal = ScanError::Internal("/data/secret".to_owned());
        let cases = [
            (ScanError::BadDomain(NameRefusal::IpAddress), 400, "bad_domain"),
            (ScanError::InProgress { retry_after_s: 9 }, 429, "scan_in_progress"),
            (ScanError::Busy { retry_after_s: 9 }, 503, "overloaded"),
            (ScanError::TargetLimit { retry_after_s: 9 }, 429, "rate_limited"),
            (ScanError::PrivateNeedsLicence, 403, "forbidden"),
            (ScanError::PrivateNotInPlan, 403, "forbidden"),
            (ScanError::AddressLimitReached { retry_after_s: 9 }, 429, "rate_limited"),
            (
                ScanError::NetworkLimitReached {
                    network: "2001:db8::/48".into(),
                    retry_after_s: 9,
                },
                429,
                "rate_limited",
            ),
            (ScanError::ServiceLimitReached { retry_after_s: 9 }, 429, "daily_budget"),
            (ScanError::Paused { retry_after_s: 9 }, 503, "scans_paused"),
            (ScanError::Signing(proof::ProofError::Digest), 503, "signing_unavailable"),
            (internal, 500, "internal"),
        ];
        for (error, status, code) in cases {
            let error = to_api_error(&error);
            assert_eq!((error.status().as_u16(), error.code().as_str()), (status, code));
            assert!(error.message().ends_with('.') && !error.message().contains("secret"));
            let has_wait = error.into_response().headers().contains_key(http::header::RETRY_AFTER);
            assert_eq!(has_wait, matches!(status, 429 | 503), "{code}");
        }
        let refused = to_api_error(&ScanError::BadDomain(NameRefusal::IpAddress));
        assert_eq!(refused.message(), "An IP address is not a domain.");
    }
}
