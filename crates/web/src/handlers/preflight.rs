//! `POST /api/v1/preflight`: whether an agent may take an action now.

use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use contract::{
    errors::{ErrorCode, ErrorV1},
    records::{PreflightChecks, PreflightRefusal, PreflightReply, PreflightRequest},
};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use service::{Service, answers::preflight::PreflightError};

use super::error_mapping::target_limit_error;
use crate::{
    rate_limits::{DecisionLimit, LiveReadLimit, live_read_limit_error},
    request::StrictJson,
    response::{ApiError, JSON, NO_STORE, to_sentence},
};

/// Ask before acting
///
/// Returns one signed receipt: a decision about one action, with its reasons, its obligations and its
/// expiry. The decision is the strictest of: the domain's answer, the site's policy file for the path
/// and the agent, the age of the evidence, revocations, and the caller's own policy, which can only
/// tighten. A negative decision is also a 200 response. With `checks`, up to 50 actions are decided in
/// one call (`{brand}-preflight-batch`), each with its own signed receipt; a batch counts as its number
/// of checks. With `mcp`, the lists of the MCP server are read and compared with the digest that you
/// approved: another surface and a hard finding block, and a server that cannot be read is at best
/// `require_confirmation`.
///
/// We store the domain, the action, the decision and the times of a receipt. The rest is stored
/// encrypted, so that only those who have the receipt's digest can read it.
#[utoipa::path(
    post,
    path = "/api/v1/preflight",
    operation_id = "preflightV1",
    tag = "decisions",
    request_body(content = PreflightRequest, content_type = "application/json"),
    responses(
        (status = 200, description = "The signed receipt, or with `checks` the signed batch.",
            body = PreflightReply, content_type = "application/json"),
        (status = 400, description = "`bad_domain`, `bad_url`, `bad_request`, `unknown_field`, \
            `batch_size`.", body = ErrorV1),
        (status = 404, description = "With `live_ms` 0: there is no stored answer for this \
            domain: `not_tracked`.", body = ErrorV1),
        (status = 413, description = "The body is larger than 1048576 bytes: `body_too_large`.",
            body = ErrorV1),
        (status = 415, description = "Not JSON: `unsupported_media_type`.", body = ErrorV1),
        (status = 429, description = "Too many decisions or live readings: `rate_limited`.",
            body = ErrorV1),
        (status = 503, description = "`cannot_answer`, `store_unreadable`, \
            `signing_unavailable`, `overloaded`. No decision is ever guessed.", body = ErrorV1),
    )
)]
pub(crate) async fn preflight_v1(
    State(service): State<Arc<Service>>,
    decides: DecisionLimit,
    live_reads: LiveReadLimit,
    StrictJson(request): StrictJson<PreflightRequest>,
) -> Result<Response, ApiError> {
    let may_read = Arc::new(live_reads);
    let receipt = match request.into_checks().map_err(refusal_to_api_error)? {
        PreflightChecks::Single(check) => service.answers.preflight(&check, may_read).await,
        PreflightChecks::Batch(checks) => {
            decides.acquire_batch(checks.len())?;
            service.answers.preflight_batch(checks, may_read).await
        }
    };
    let headers = [(CONTENT_TYPE, JSON), (CACHE_CONTROL, NO_STORE)];
    Ok((headers, receipt.map_err(to_api_error)?).into_response())
}

pub(super) fn refusal_to_api_error(refusal: PreflightRefusal) -> ApiError {
    ApiError::new(refusal.code, to_sentence(&refusal.error)).param(refusal.param)
}

/// The error that the caller gets when no receipt can be issued.
pub(super) fn to_api_error(error: PreflightError) -> ApiError {
    let message = error.to_string();
    let (code, param) = error.code();
    let param = param.map(str::to_owned);
    let api_error = match error {
        PreflightError::LiveLimit { wait } => live_read_limit_error(wait),
        PreflightError::TargetLimit { wait } => target_limit_error(wait),
        PreflightError::Store(_) => {
            ApiError::new(code, "The stored data cannot be read at the moment. Try again in 5 s.")
                .retry_after(5)
                .with_internal_message(message)
        }
        PreflightError::Signing(_) => ApiError::new(
            ErrorCode::SigningUnavailable,
            "The response could not be signed. Try again in 30 s.",
        )
        .retry_after(30)
        .with_internal_message(message),
        PreflightError::CannotAnswer(_) => {
            ApiError::new(code, "No decision is possible at the moment. Try again in 5 s.")
                .retry_after(5)
                .with_internal_message(message)
        }
        _ => ApiError::new(code, to_sentence(&message)),
    };
    match param {
        Some(param) => api_error.param(param),
        None => api_error,
    }
}
