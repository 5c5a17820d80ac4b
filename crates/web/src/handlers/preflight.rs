//! `POST /api/v1/preflight`: may this be done, here, now?

use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use contract::{
    errors::{ErrorCode, ErrorV1},
    records::{DecisionReceipt, PreflightAsks, PreflightRefusal, PreflightRequest},
};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use service::{Service, preflight::PreflightError};

use crate::{
    body::StrictJson,
    documents::{JSON, NOT_AT_ALL},
    errors::{ApiError, sentence},
    limits::{Decides, LiveReads, no_live_read},
};

/// Ask before acting
///
/// One signed receipt: a decision about one action, with its reasons, duties and end. It is the
/// strictest of what the domain's answer says, what its policy file says of the path and the agent,
/// the age of the evidence, what is revoked, and the caller's own policy, which can only tighten.
/// A decision against the caller is an answer with 200. With `checks`, up to 50 are decided in one
/// call (`{brand}-preflight-batch`), each receipt signed by itself; a batch counts as its number of
/// checks. This build reads no tool lists of MCP servers: `mcp` is told as `not_measured`, and the
/// decision is at best `require_confirmation`.
///
/// Of a receipt we keep the domain, the action, the decision and its times, and the rest encrypted
/// so that only whoever has its digest can read it.
#[utoipa::path(
    post,
    path = "/api/v1/preflight",
    operation_id = "preflightV1",
    tag = "decisions",
    request_body(content = PreflightRequest, content_type = "application/json"),
    responses(
        (status = 200, description = "The signed receipt.", body = DecisionReceipt,
            content_type = "application/json"),
        (status = 400, description = "`bad_domain`, `bad_url`, `bad_request`, `unknown_field`, \
            `batch_size`.", body = ErrorV1),
        (status = 404, description = "With `live_ms` 0: nothing is kept of this domain: \
            `not_tracked`.", body = ErrorV1),
        (status = 413, description = "A body of more than 1048576 bytes: `body_too_large`.",
            body = ErrorV1),
        (status = 415, description = "Not JSON: `unsupported_media_type`.", body = ErrorV1),
        (status = 429, description = "Too many decisions or live readings: `rate_limited`.",
            body = ErrorV1),
        (status = 503, description = "`cannot_answer`, `store_unreadable`, \
            `signing_unavailable`, `overloaded`: never a guessed decision.", body = ErrorV1),
    )
)]
pub(crate) async fn preflight_v1(
    State(service): State<Arc<Service>>,
    decides: Decides,
    live_reads: LiveReads,
    StrictJson(request): StrictJson<PreflightRequest>,
) -> Result<Response, ApiError> {
    let may_read = Arc::new(live_reads);
    let receipt = match request.asks().map_err(refused)? {
        PreflightAsks::One(check) => service.preflight(&check, may_read).await,
        PreflightAsks::Batch(checks) => {
            decides.batch(checks.len())?;
            service.preflight_batch(checks, may_read).await
        }
    };
    let headers = [(CONTENT_TYPE, JSON), (CACHE_CONTROL, NOT_AT_ALL)];
    Ok((headers, receipt.map_err(failed)?).into_response())
}

fn refused(refusal: PreflightRefusal) -> ApiError {
    ApiError::new(refusal.code, sentence(&refusal.error)).param(refusal.param)
}

/// What the caller is told when there is no receipt.
fn failed(error: PreflightError) -> ApiError {
    let said = error.to_string();
    let (code, param) = error.code();
    let param = param.map(str::to_owned);
    let told = match error {
        PreflightError::LiveLimit { wait } => no_live_read(wait),
        PreflightError::Store(_) => {
            ApiError::new(code, "What is kept cannot be read now; try again.")
                .retry_after(5)
                .because(said)
        }
        PreflightError::Signing(_) => {
            ApiError::new(ErrorCode::SigningUnavailable, "This could not be signed.")
                .retry_after(30)
                .because(said)
        }
        PreflightError::CannotAnswer(_) => {
            ApiError::new(code, "This cannot be answered now.").retry_after(5).because(said)
        }
        _ => ApiError::new(code, sentence(&said)),
    };
    match param {
        Some(param) => told.param(param),
        None => told,
    }
}
