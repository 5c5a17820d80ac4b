//! `GET /api/v1/resolve`: how a site treats AI agents, with a decision for each action.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{
    errors::{ErrorCode, ErrorV1},
    limits::MAX_AGE_HOURS_MAX,
    records::ResolveAnswer,
};
use http::{HeaderMap, Uri};
use service::{
    Service,
    answers::resolve::{LivePolicy, ResolveError, ResolveQuery},
};

use super::error_mapping::{bad_domain_error, log_to_api_error, target_limit_error};
use crate::{
    rate_limits::{DecisionLimit, LiveReadLimit, live_read_limit_error},
    request::query_parameters,
    response::{ApiError, CACHE_ONE_MINUTE, HttpDocument, JSON, to_sentence},
};

/// Resolve a domain
///
/// Returns one signed answer: what the site declares, what we observed, what was not measured, and a
/// decision for each action. There is no overall score. A domain without a stored reading is read now,
/// with 1000 milliseconds for all requests together (`status` `partial`). Requests that were cut off
/// are listed in `basis.not_read_in_budget`; their targets are reported neither as absent nor as
/// refused. A live reading is stored and served for up to 6 hours; an answer is fresh for 168 hours.
///
/// `live=never` reads nothing and answers 404 if nothing is stored. `live=always` reads the site unless
/// it was read within the last ten minutes. `max_age_hours` requires younger evidence.
#[utoipa::path(
    get,
    path = "/api/v1/resolve",
    operation_id = "resolveDomainV1",
    tag = "resolve",
    params(
        ("domain" = String, Query, description = "A bare domain or a full http(s) address.",
            example = "shop.example"),
        ("live" = Option<String>, Query, description = "Whether to read the site now: `auto` (only \
            if no fresh reading is stored), `never`, `always`."),
        ("max_age_hours" = Option<u32>, Query, description = "Evidence older than this is read again."),
    ),
    responses(
        (status = 200, description = "The signed answer.", body = ResolveAnswer,
            content_type = "application/json"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 400, description = "`bad_domain`, `bad_request`, `unknown_field`.",
            body = ErrorV1),
        (status = 404, description = "With `live=never`: there is no stored answer for this \
            domain: `not_tracked`.", body = ErrorV1),
        (status = 429, description = "Too many requests, or too many live readings: \
            `rate_limited`.", body = ErrorV1),
        (status = 503, description = "`cannot_answer`, `store_unreadable`, \
            `signing_unavailable`, `overloaded`.", body = ErrorV1),
    )
)]
pub(crate) async fn resolve_domain_v1(
    State(service): State<Arc<Service>>,
    _: DecisionLimit,
    live_reads: LiveReadLimit,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let parameters = query_parameters(&uri, &["domain", "live", "max_age_hours"])?;
    let input = parameters
        .get("domain")
        .ok_or_else(|| ApiError::bad_request("Parameter `domain` is missing.").param("domain"))?;
    let domain = service.parse_domain(input).map_err(bad_domain_error)?;
    let live = match parameters.get("live").map(String::as_str) {
        None | Some("auto") => LivePolicy::Auto,
        Some("never") => LivePolicy::Never,
        Some("always") => LivePolicy::Always,
        Some(_) => {
            let sentence = "`live` must be one of: auto, never, always.";
            return Err(ApiError::bad_request(sentence).param("live"));
        }
    };
    let max_age_hours =
        parameters.get("max_age_hours").map(|text| parse_hours(text)).transpose()?;
    let may_read = Arc::new(live_reads);
    let ask = ResolveQuery { domain, live, max_age_hours, live_read_permit: may_read };
    let hot = service.answers.resolve(ask).await.map_err(to_api_error)?;
    let document = HttpDocument::with_etag_and_digest(
        hot.bytes.clone(),
        &hot.content_sha256,
        &hot.sha256,
        JSON,
        CACHE_ONE_MINUTE,
    );
    Ok(document.reply(&headers))
}

fn parse_hours(text: &str) -> Result<u32, ApiError> {
    let plain = text.len() <= 5 && text.bytes().all(|digit| digit.is_ascii_digit());
    let hours = text.parse().ok().filter(|hours| plain && *hours <= MAX_AGE_HOURS_MAX);
    hours.ok_or_else(|| {
        let sentence = format!(
            "`max_age_hours` must be a whole number of hours, at most {MAX_AGE_HOURS_MAX}."
        );
        ApiError::bad_request(sentence).param("max_age_hours")
    })
}

/// The error that the caller gets when there is no answer.
pub(super) fn to_api_error(error: ResolveError) -> ApiError {
    let message = error.to_string();
    match error {
        ResolveError::BadDomain(refusal) => bad_domain_error(refusal),
        ResolveError::NothingStored => {
            ApiError::new(ErrorCode::NotTracked, to_sentence(&message)).param("domain")
        }
        ResolveError::LiveLimit { wait } => live_read_limit_error(wait),
        ResolveError::TargetLimit { wait } => target_limit_error(wait),
        ResolveError::Store(_) => ApiError::new(
            ErrorCode::StoreUnreadable,
            "The stored data cannot be read at the moment. Try again in 5 s.",
        )
        .retry_after(5)
        .with_internal_message(message),
        ResolveError::Seal(error) => log_to_api_error(error),
        ResolveError::Internal(_) => ApiError::internal(message),
    }
}
