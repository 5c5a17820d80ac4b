//! `POST /api/scan`: read a domain now.

use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use contract::{
    NameRefusal,
    errors::{ErrorCode, ErrorV1},
    records::{ScanRecord, ScanRequest, Visibility},
};
use http::{
    HeaderMap,
    header::{CACHE_CONTROL, CONTENT_TYPE},
};
use service::{AddressBlock, Caller, Presented, ScanAsk, ScanError, Service};

use crate::{
    credential, documents,
    errors::{ApiError, sentence},
    limits::Scans,
    once::{Once, OnceJson},
    state::Site,
};

/// Scan a domain
///
/// Reads the home page as a browser, as an unnamed control and as AI crawlers, and the machine
/// files; answers with the graded record. A domain scanned within the last two minutes is
/// answered with that report and `cached`; only a public report answers others, and only a public
/// scan is answered so: one that is to be unlisted or private is always made anew. When nothing
/// answered, `unreachable` is true, `id` is null and nothing is kept.
///
/// Free, within limits: 5 requests in 10 seconds and 6 in a minute from one address; 20 scans of
/// one address in a UTC day, and a total of all free scans of a day. A network of 64 bits is one
/// address in IPv6. Only what begins a scan counts by the day. No credential is read, except for a
/// private scan, which needs a licence key for the domain (the header `x-svc-key`, or a bearer
/// token) and is free of the day's limits.
///
/// With an `Idempotency-Key` the scan is made once: the same request is answered with the same bytes
/// for a day.
#[utoipa::path(
    post,
    path = "/api/scan",
    operation_id = "scanDomain",
    tag = "scans",
    params(("Idempotency-Key" = Option<String>, Header, description = "A key of your own, up to \
        255 visible characters: the same request with the same key is done once and answered with \
        the same bytes for 24 hours.")),
    request_body(content = ScanRequest, content_type = "application/json"),
    responses(
        (status = 200, description = "The signed record.", body = ScanRecord,
            content_type = "application/json"),
        (status = 400, description = "Not a public domain, no JSON body, or a body that is not \
            understood: `bad_domain`, `bad_request`, `unknown_field`.", body = ErrorV1),
        (status = 401, description = "For a private scan: the key is not in force: \
            `unauthorized`.", body = ErrorV1),
        (status = 403, description = "A private scan needs a licence for the domain: `forbidden`.",
            body = ErrorV1),
        (status = 409, description = "A request with this key is under way: \
            `idempotency_in_flight`.", body = ErrorV1),
        (status = 413, description = "A body of more than 1048576 bytes: `body_too_large`.",
            body = ErrorV1),
        (status = 415, description = "Not JSON: `unsupported_media_type`.", body = ErrorV1),
        (status = 422, description = "The key was used with another body: `idempotency_reused`.",
            body = ErrorV1),
        (status = 429, description = "Too many requests or scans from this address: \
            `rate_limited`; a scan of this domain is still running: `scan_in_progress`; the day's \
            free scans are used up: `daily_budget`. Retry-After gives the wait.", body = ErrorV1),
        (status = 503, description = "Free scans are paused: `scans_paused`; `overloaded`, \
            `store_unreadable`, `signing_unavailable`.", body = ErrorV1),
    )
)]
pub(crate) async fn scan_domain(
    State(service): State<Arc<Service>>,
    State(site): State<Arc<Site>>,
    Scans(block): Scans,
    headers: HeaderMap,
    OnceJson { request, keyed }: OnceJson<ScanRequest>,
) -> Result<Response, ApiError> {
    let visibility = request.visibility.unwrap_or(Visibility::Public);
    let caller = match visibility {
        Visibility::Private => holder(&service, &site, &headers, block).await?,
        _ => Caller::Anybody(block),
    };
    let ask = ScanAsk { input: request.domain, visibility, caller };
    let once = Once { operation: "scanDomain", block, site: &site, headers: &headers };
    let scanning = Arc::clone(&service);
    let work = async move {
        let reply = scanning.scan(ask).await.map_err(refusal)?;
        let headers = [(CONTENT_TYPE, documents::JSON), (CACHE_CONTROL, documents::NOT_AT_ALL)];
        Ok((headers, reply.bytes).into_response())
    };
    once.run(&service, keyed, work).await
}

/// Whoever shows no key at all is told what is needed by the scan itself.
async fn holder(
    service: &Service,
    site: &Site,
    headers: &HeaderMap,
    block: AddressBlock,
) -> Result<Caller, ApiError> {
    match credential::presented(headers, &site.brand)? {
        Presented::Nothing => Ok(Caller::Anybody(block)),
        shown => {
            let licence = service.licensed(&shown).await.map_err(credential::refusal)?;
            Ok(Caller::Holder(licence))
        }
    }
}

/// What the caller is told when there is no scan.
pub(super) fn refusal(error: ScanError) -> ApiError {
    let said = error.to_string();
    match error {
        ScanError::BadDomain(refusal) => bad_domain(refusal),
        ScanError::InProgress { retry_after_s } => {
            ApiError::new(ErrorCode::ScanInProgress, sentence(&said)).retry_after(retry_after_s)
        }
        ScanError::Busy { retry_after_s } => {
            ApiError::new(ErrorCode::Overloaded, sentence(&said)).retry_after(retry_after_s)
        }
        ScanError::PrivateNeedsLicence => {
            ApiError::new(ErrorCode::Forbidden, sentence(&said)).param("visibility")
        }
        ScanError::NotLicensed { .. } => {
            ApiError::new(ErrorCode::Forbidden, sentence(&said)).param("domain")
        }
        ScanError::DaySpent { retry_after_s } => {
            ApiError::new(ErrorCode::RateLimited, sentence(&said))
                .retry_after(retry_after_s)
                .violating(vec!["scan-day".to_owned()])
        }
        ScanError::DailyBudget { retry_after_s } => {
            ApiError::new(ErrorCode::DailyBudget, sentence(&said))
                .retry_after(retry_after_s)
                .violating(vec!["scans-of-everybody".to_owned()])
        }
        ScanError::Paused { retry_after_s } => {
            ApiError::new(ErrorCode::ScansPaused, sentence(&said)).retry_after(retry_after_s)
        }
        ScanError::Store(_) => {
            ApiError::new(ErrorCode::StoreUnreadable, "The scan could not be kept; try again.")
                .retry_after(5)
                .because(said)
        }
        ScanError::Signing(_) => {
            ApiError::new(ErrorCode::SigningUnavailable, "The record could not be signed.")
                .retry_after(30)
                .because(said)
        }
        ScanError::Internal(_) => ApiError::internal(said),
    }
}

/// What the caller is told of a name that is none of a public site.
pub(super) fn bad_domain(refusal: NameRefusal) -> ApiError {
    ApiError::new(ErrorCode::BadDomain, sentence(&refusal.to_string())).param("domain")
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::NameRefusal;

    #[test]
    fn each_refusal_has_its_code_and_says_only_what_the_caller_may_know() {
        let internal = ScanError::Internal("/data/secret".to_owned());
        let cases = [
            (ScanError::BadDomain(NameRefusal::IpAddress), 400, "bad_domain"),
            (ScanError::InProgress { retry_after_s: 9 }, 429, "scan_in_progress"),
            (ScanError::Busy { retry_after_s: 9 }, 503, "overloaded"),
            (ScanError::PrivateNeedsLicence, 403, "forbidden"),
            (ScanError::DaySpent { retry_after_s: 9 }, 429, "rate_limited"),
            (ScanError::DailyBudget { retry_after_s: 9 }, 429, "daily_budget"),
            (ScanError::Paused { retry_after_s: 9 }, 503, "scans_paused"),
            (ScanError::Signing(proof::ProofError::Digest), 503, "signing_unavailable"),
            (internal, 500, "internal"),
        ];
        for (error, status, code) in cases {
            let error = refusal(error);
            assert_eq!((error.status().as_u16(), error.code().as_str()), (status, code));
            assert!(error.sentence().ends_with('.') && !error.sentence().contains("secret"));
            let told = error.into_response().headers().contains_key(http::header::RETRY_AFTER);
            assert_eq!(told, matches!(status, 429 | 503), "{code}");
        }
        let refused = refusal(ScanError::BadDomain(NameRefusal::IpAddress));
        assert_eq!(refused.sentence(), "An IP address is not a domain.");
    }
}
