//! `POST /api/v1/outcome` and `GET /api/v1/outcomes`: what agents report, and the sum of it.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use contract::{
    errors::{ErrorCode, ErrorV1},
    limits::{OUTCOME_DAYS_DEFAULT, OUTCOME_DAYS_MAX},
    records::{OutcomeAccepted, OutcomeReport, OutcomeSummary},
};
use http::{
    HeaderMap, StatusCode, Uri,
    header::{CACHE_CONTROL, CONTENT_TYPE},
};
use service::{AddressBlock, DayLeft, OutcomeError, Service};

use crate::errors::sentence;
use crate::{
    address,
    client_address::ClientAddress,
    documents::{Document, FOR_HALF_A_MINUTE, JSON, NOT_AT_ALL},
    errors::ApiError,
    limits::{Reads, Told},
    once::{Once, OnceJson},
    rates::{Policy, Rate, Standing},
    state::Site,
};

/// The name of the day's allowance.
const DAY_POLICY: &str = "outcome-day";
const ONE_DAY: Duration = Duration::from_secs(24 * 3600);

/// Report what came of a visit
///
/// An agent's own account of one visit: what it did, what came of it, and what the resolve answer had
/// led it to expect. Reports are self-reported and unverified; they are counted by the day, the
/// counts are sealed, and no report ever changes a resolve answer. Give the fields nested in `result`
/// and `agent`, or flat. With `resolve_sha256` and without `resolve_said` the answer of that digest
/// is looked up. `disagreement` says in words how answer and experience differ.
///
/// An address may send 500 reports in a UTC day. Which address it was is kept under a name that
/// holds for the day and the domain, and nothing else of it is.
#[utoipa::path(
    post,
    path = "/api/v1/outcome",
    operation_id = "postOutcome",
    tag = "outcomes",
    params(("Idempotency-Key" = Option<String>, Header, description = "A key of your own, up to \
        255 visible characters: the same request with the same key is done once and answered with \
        the same bytes for 24 hours.")),
    request_body(content = OutcomeReport, content_type = "application/json"),
    responses(
        (status = 202, description = "Taken, as it was understood.", body = OutcomeAccepted,
            content_type = "application/json"),
        (status = 400, description = "Not a report: `bad_request`, `unknown_field`; not a public \
            domain: `bad_domain`.", body = ErrorV1),
        (status = 409, description = "A request with this key is under way: \
            `idempotency_in_flight`.", body = ErrorV1),
        (status = 413, description = "A body of more than 1048576 bytes: `body_too_large`.",
            body = ErrorV1),
        (status = 415, description = "Not JSON: `unsupported_media_type`.", body = ErrorV1),
        (status = 422, description = "The key was used with another body: `idempotency_reused`.",
            body = ErrorV1),
        (status = 429, description = "More than 500 reports of this address today: \
            `rate_limited`. Retry-After gives the wait.", body = ErrorV1),
        (status = 503, description = "`overloaded`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn post_outcome(
    State(service): State<Arc<Service>>,
    State(site): State<Arc<Site>>,
    ClientAddress(address): ClientAddress,
    told: Told,
    headers: HeaderMap,
    OnceJson { request, keyed }: OnceJson<OutcomeReport>,
) -> Result<Response, ApiError> {
    let block = AddressBlock::of(address);
    let once = Once { operation: "postOutcome", block, site: &site, headers: &headers };
    let taking = Arc::clone(&service);
    let work = async move {
        let taken = taking.report_outcome(request, block).await;
        let taken = taken.map_err(|error| refusal(error, &told))?;
        if let Some(day) = taken.day {
            told.note(vec![standing(day, false)]);
        }
        let body = serde_json::to_vec(&taken.accepted)
            .map_err(|error| ApiError::internal(error.to_string()))?;
        let headers = [(CONTENT_TYPE, JSON), (CACHE_CONTROL, NOT_AT_ALL)];
        Ok((StatusCode::ACCEPTED, headers, body).into_response())
    };
    once.run(&service, keyed, work).await
}

/// Read what agents reported
///
/// The reports about a domain in the last days, counted and signed: by outcome, action, agent and
/// status, by day, and the last few as they came. Self-reported and unverified. A day that is over
/// names the digest of its record (`svc-agent-outcomes-day`, whose members are all here), which is
/// sealed with the day and can be looked up with `/api/seal/lookup?sha256=`.
#[utoipa::path(
    get,
    path = "/api/v1/outcomes",
    operation_id = "getOutcomes",
    tag = "outcomes",
    params(
        ("domain" = String, Query, description = "A domain.", example = "shop.example"),
        ("days" = Option<u32>, Query, minimum = 1, maximum = 90,
            description = "How many days, today included; 30 when nothing is said."),
    ),
    responses(
        (status = 200, description = "The signed summary.", body = OutcomeSummary,
            content_type = "application/json"),
        (status = 304, description = "The copy you have is still right."),
        (status = 400, description = "`bad_domain`, `bad_request`, `unknown_field`.",
            body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`store_unreadable`, `signing_unavailable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_outcomes(
    State(service): State<Arc<Service>>,
    _: Reads,
    told: Told,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let asked = address::parameters(&uri, &["domain", "days"])?;
    let Some(domain) = asked.get("domain") else {
        return Err(ApiError::bad_request("`domain` is missing.").param("domain"));
    };
    let days = match asked.get("days") {
        None => OUTCOME_DAYS_DEFAULT,
        Some(text) => days(text)?,
    };
    let summary = service.outcome_summary(domain, days).await;
    let summary = summary.map_err(|error| refusal(error, &told))?;
    // Signed anew each time; what is signed keeps its name.
    let document = Document::named(summary.bytes, &summary.digest, JSON, FOR_HALF_A_MINUTE);
    Ok(document.reply(&headers))
}

fn days(text: &str) -> Result<u32, ApiError> {
    let plain = !text.starts_with('0') && text.bytes().all(|digit| digit.is_ascii_digit());
    let days = text.parse().ok().filter(|days| plain && (1..=OUTCOME_DAYS_MAX).contains(days));
    let sentence = || format!("`days` is a number from 1 to {OUTCOME_DAYS_MAX}.");
    days.ok_or_else(|| ApiError::bad_request(sentence()).param("days"))
}

/// How the day's allowance stands, as other policies are told.
fn standing(day: DayLeft, refused: bool) -> Standing {
    let rate = Rate { most: day.most, within: ONE_DAY };
    Standing {
        policy: Policy { name: DAY_POLICY.into(), rate },
        remaining: day.left,
        reset: Duration::from_secs(day.resets_in_s),
        refused,
    }
}

fn refusal(error: OutcomeError, told: &Told) -> ApiError {
    let said = error.to_string();
    match error {
        OutcomeError::BadDomain(_) => {
            ApiError::new(ErrorCode::BadDomain, sentence(&said)).param("domain")
        }
        OutcomeError::BadReport { param, .. } => {
            ApiError::bad_request(sentence(&said)).param(param)
        }
        OutcomeError::DaySpent(day) => {
            told.note(vec![standing(day, true)]);
            ApiError::new(ErrorCode::RateLimited, sentence(&said))
                .retry_after(day.resets_in_s)
                .violating(vec![DAY_POLICY.to_owned()])
        }
        OutcomeError::Store(_) => {
            let sentence = "Reports cannot be kept or read now; try again.";
            ApiError::new(ErrorCode::StoreUnreadable, sentence).retry_after(5).because(said)
        }
        OutcomeError::Signing(_) => {
            ApiError::new(ErrorCode::SigningUnavailable, "The summary could not be signed.")
                .retry_after(30)
                .because(said)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_one_spelling_and_bounds() {
        for (text, number) in [("1", 1), ("30", 30), ("90", 90)] {
            assert_eq!(days(text).unwrap(), number);
        }
        for bad in ["", "0", "91", "-1", "+1", "007", "1.0", " 1", "9999999999999999999"] {
            assert_eq!(days(bad).unwrap_err().status(), 400, "{bad}");
        }
    }
}
