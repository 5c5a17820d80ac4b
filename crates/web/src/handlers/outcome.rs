//! `POST /api/v1/outcome` and `GET /api/v1/outcomes`: reports of agents, and their summary.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use contract::{
    errors::{ErrorCode, ErrorV1},
    limits::{OUTCOME_DAYS_DEFAULT, OUTCOME_DAYS_MAX},
    policies::OUTCOME_DAY,
    records::{OutcomeAccepted, OutcomeReport, OutcomeSummary},
};
use http::{
    HeaderMap, StatusCode, Uri,
    header::{CACHE_CONTROL, CONTENT_TYPE},
};
use service::{AddressBlock, DailyAllowance, OutcomeError, Service};

use crate::{
    rate_limits::{
        OutcomeLimit, QuotaStatus, RateLimit, RateLimitPolicy, RateLimitStatus, ReadLimit,
    },
    request::{ClientAddress, IdempotencyJson, IdempotencyScope, query_parameters},
    response::{ApiError, CACHE_THIRTY_SECONDS, HttpDocument, JSON, NO_STORE, to_sentence},
    state::ServiceInfo,
};

/// The name of the daily quota.
const DAY_POLICY: &str = OUTCOME_DAY.name;
const ONE_DAY: Duration = Duration::from_secs(24 * 3600);

/// Report the outcome of a visit
///
/// An agent's own report of one visit: what it did, what happened, and what the resolve answer had message.
/// Reports are self-reported and unverified. They are counted per day, the counts are sealed, and no
/// report ever changes a resolve answer. Send the fields nested in `result` and `agent`, or flat. With
/// `resolve_sha256` and without `resolve_said`, the answer with that digest is looked up.
/// `disagreement` describes how the answer and the agent's experience differ.
///
/// An address can send 500 reports in a UTC day, and 60 in a minute. We do not store the address, only a pseudonym that is
/// valid for that day and domain.
#[utoipa::path(
    post,
    path = "/api/v1/outcome",
    operation_id = "postOutcome",
    tag = "outcomes",
    params(("Idempotency-Key" = Option<String>, Header, description = "A key that you \
        choose, up to 255 visible characters. The same request with the same key is carried out \
        once and answered with the same bytes for 24 hours.")),
    request_body(content = OutcomeReport, content_type = "application/json"),
    responses(
        (status = 202, description = "Accepted; the body shows the report as it was understood.",
            body = OutcomeAccepted,
            content_type = "application/json"),
        (status = 400, description = "Not a valid report: `bad_request`, `unknown_field`; not a \
            public domain: `bad_domain`.", body = ErrorV1),
        (status = 409, description = "A request with this key is still running: \
            `idempotency_in_flight`.", body = ErrorV1),
        (status = 413, description = "The body is larger than 1048576 bytes: `body_too_large`.",
            body = ErrorV1),
        (status = 415, description = "Not JSON: `unsupported_media_type`.", body = ErrorV1),
        (status = 422, description = "The key was used with a different body: `idempotency_reused`.",
            body = ErrorV1),
        (status = 429, description = "More than 500 reports from this address today, or 60 in a minute: \
            `rate_limited`. Retry-After gives the wait.", body = ErrorV1),
        (status = 503, description = "`overloaded`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn post_outcome(
    State(service): State<Arc<Service>>,
    State(service_info): State<Arc<ServiceInfo>>,
    ClientAddress(address): ClientAddress,
    _: OutcomeLimit,
    rate_limit_status: RateLimitStatus,
    headers: HeaderMap,
    IdempotencyJson { request, idempotency_key }: IdempotencyJson<OutcomeReport>,
) -> Result<Response, ApiError> {
    let block = AddressBlock::from_address(address);
    let scope = IdempotencyScope {
        operation: "postOutcome",
        block,
        brand: &service_info.issuer.brand,
        headers: &headers,
    };
    let taking = Arc::clone(&service);
    let work = async move {
        let taken = taking.outcomes.report_outcome(request, block).await;
        let taken = taken.map_err(|error| to_api_error(error, &rate_limit_status))?;
        if let Some(day) = taken.daily_allowance {
            rate_limit_status.record(vec![day_quota_status(day, false)]);
        }
        let body = serde_json::to_vec(&taken.accepted)
            .map_err(|error| ApiError::internal(error.to_string()))?;
        let headers = [(CONTENT_TYPE, JSON), (CACHE_CONTROL, NO_STORE)];
        Ok((StatusCode::ACCEPTED, headers, body).into_response())
    };
    scope.run(&service, idempotency_key, work).await
}

/// Read what agents reported
///
/// A signed summary of the reports about a domain in the last days: counts by outcome, action, agent,
/// status and day, and the latest reports as they were sent. Self-reported and unverified. A past day
/// has the digest of its record (`svc-agent-outcomes-day`, whose members are all included here). That
/// record is sealed with the day; look it up with `/api/seal/lookup?sha256=`.
#[utoipa::path(
    get,
    path = "/api/v1/outcomes",
    operation_id = "getOutcomes",
    tag = "outcomes",
    params(
        ("domain" = String, Query, description = "A domain.", example = "shop.example"),
        ("days" = Option<u32>, Query, minimum = 1, maximum = 90,
            description = "Number of days, including today; default 30."),
    ),
    responses(
        (status = 200, description = "The signed summary.", body = OutcomeSummary,
            content_type = "application/json"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 400, description = "`bad_domain`, `bad_request`, `unknown_field`.",
            body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`store_unreadable`, `signing_unavailable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_outcomes(
    State(service): State<Arc<Service>>,
    _: ReadLimit,
    rate_limit_status: RateLimitStatus,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let parameters = query_parameters(&uri, &["domain", "days"])?;
    let Some(domain) = parameters.get("domain") else {
        return Err(ApiError::bad_request("Parameter `domain` is missing.").param("domain"));
    };
    let days = match parameters.get("days") {
        None => OUTCOME_DAYS_DEFAULT,
        Some(text) => parse_days(text)?,
    };
    let summary = service.outcomes.outcome_summary(domain, days).await;
    let summary = summary.map_err(|error| to_api_error(error, &rate_limit_status))?;
    // Signed anew each time; the ETag is the digest of the signed content.
    let document =
        HttpDocument::with_etag(summary.bytes, &summary.digest, JSON, CACHE_THIRTY_SECONDS);
    Ok(document.reply(&headers))
}

fn parse_days(text: &str) -> Result<u32, ApiError> {
    let plain = !text.starts_with('0') && text.bytes().all(|digit| digit.is_ascii_digit());
    let days = text.parse().ok().filter(|days| plain && (1..=OUTCOME_DAYS_MAX).contains(days));
    let sentence = || format!("`days` must be a number from 1 to {OUTCOME_DAYS_MAX}.");
    days.ok_or_else(|| ApiError::bad_request(sentence()).param("days"))
}

/// The daily quota, in the form in which rate limits are reported.
fn day_quota_status(day: DailyAllowance, refused: bool) -> QuotaStatus {
    let rate = RateLimit { max: day.limit, window: ONE_DAY };
    QuotaStatus {
        policy: RateLimitPolicy { name: DAY_POLICY.into(), limit: rate },
        remaining: day.remaining,
        reset: Duration::from_secs(day.resets_in_s),
        refused,
    }
}

fn to_api_error(error: OutcomeError, rate_limit_status: &RateLimitStatus) -> ApiError {
    let message = error.to_string();
    match error {
        OutcomeError::BadDomain(_) => {
            ApiError::new(ErrorCode::BadDomain, to_sentence(&message)).param("domain")
        }
        OutcomeError::BadReport { param, .. } => {
            ApiError::bad_request(to_sentence(&message)).param(param)
        }
        OutcomeError::DailyLimitReached(day) => {
            rate_limit_status.record(vec![day_quota_status(day, true)]);
            ApiError::new(ErrorCode::RateLimited, to_sentence(&message))
                .retry_after(day.resets_in_s)
                .with_violated_policies(vec![DAY_POLICY.to_owned()])
        }
        OutcomeError::Store(_) => {
            let sentence = "Reports cannot be stored or read at the moment. Try again in 5 s.";
            ApiError::new(ErrorCode::StoreUnreadable, sentence)
                .retry_after(5)
                .with_internal_message(message)
        }
        OutcomeError::Signing(_) => ApiError::new(
            ErrorCode::SigningUnavailable,
            "The summary could not be signed. Try again in 30 s.",
        )
        .retry_after(30)
        .with_internal_message(message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_one_spelling_and_bounds() {
        for (text, number) in [("1", 1), ("30", 30), ("90", 90)] {
            assert_eq!(parse_days(text).unwrap(), number);
        }
        for bad in ["", "0", "91", "-1", "+1", "007", "1.0", " 1", "9999999999999999999"] {
            assert_eq!(parse_days(bad).unwrap_err().status(), 400, "{bad}");
        }
    }
}
