//! `GET /api/v1/decisions/{sha256}`: whether a decision is still valid.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{
    errors::{ErrorCode, ErrorV1},
    records::{Action, DecisionCheck},
};
use http::{HeaderMap, Uri};
use proof::Digest;
use service::{
    Service,
    answers::decisions::{DecisionError, DecisionQuery},
};

use crate::{
    rate_limits::ReadLimit,
    request::{PathParameter, query_parameters},
    response::{ApiError, CACHE_ONE_HOUR, CACHE_ONE_MINUTE, HttpDocument, JSON, to_sentence},
};

/// Check whether a decision is still valid
///
/// Looks up the digest of a receipt or of an answer. `accept` tells a site whether it can accept a
/// request with this receipt: true if we issued it, it names the site's `host`, it is still valid, and
/// its decision is `allow` or `warn`. `state` is `standing` (still valid), `superseded` (a newer answer
/// exists and is not stricter), `expired`, `tightened` (a newer answer is stricter) or `revoked`.
#[utoipa::path(
    get,
    path = "/api/v1/decisions/{sha256}",
    operation_id = "decisionCheckV1",
    tag = "decisions",
    params(
        ("sha256" = String, Path, description = "The digest: 64 lower-case hex digits."),
        ("host" = Option<String>, Query,
            description = "The host of the site that wants to accept a receipt."),
        ("action" = Option<String>, Query, description = "Check only this action of an answer."),
        ("at" = Option<String>, Query, description = "Check the state at this time. For a past \
            time, only revocations and tightenings are known; a newer answer that was not stricter \
            may be missing."),
    ),
    responses(
        (status = 200, description = "The signed record.", body = DecisionCheck,
            content_type = "application/json"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 400, description = "Not a digest, or not a time: `bad_request`, \
            `unknown_field`.", body = ErrorV1),
        (status = 404, description = "Never issued here, or no longer stored; treat it as not \
            valid: `unknown_decision`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`cannot_answer`, `store_unreadable`, \
            `signing_unavailable`.", body = ErrorV1),
    )
)]
pub(crate) async fn decision_check_v1(
    State(service): State<Arc<Service>>,
    _: ReadLimit,
    PathParameter(digest): PathParameter,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let parameters = query_parameters(&uri, &["host", "action", "at"])?;
    let digest: Digest = digest.parse().map_err(|_| {
        ApiError::bad_request("The digest must be 64 lower-case hex digits.").param("sha256")
    })?;
    let action = parameters.get("action").map(|word| {
        Action::from_word(word).ok_or_else(|| {
            let words = Action::WORDS.join(", ");
            ApiError::bad_request(format!("`action` must be one of: {words}.")).param("action")
        })
    });
    let at = parameters.get("at").map(|text| {
        text.parse().map_err(|_| {
            ApiError::bad_request("`at` must be a time such as 2026-11-15T10:00:00Z.").param("at")
        })
    });
    let ask = DecisionQuery {
        digest,
        host: parameters.get("host").cloned(),
        action: action.transpose()?,
        at: at.transpose()?,
    };
    let checked = service.answers.check_decision(ask).await.map_err(to_api_error)?;
    let cache = if checked.revoked { CACHE_ONE_HOUR } else { CACHE_ONE_MINUTE };
    let document =
        HttpDocument::with_etag(checked.document.bytes, &checked.document.digest, JSON, cache);
    Ok(document.reply(&headers))
}

fn to_api_error(error: DecisionError) -> ApiError {
    let message = error.to_string();
    match error {
        DecisionError::Unknown => ApiError::new(ErrorCode::UnknownDecision, to_sentence(&message)),
        DecisionError::NotIssuedYet | DecisionError::FutureTime => {
            ApiError::bad_request(to_sentence(&message)).param("at")
        }
        DecisionError::ActionMismatch => {
            ApiError::bad_request(to_sentence(&message)).param("action")
        }
        DecisionError::Unreadable(_) => {
            ApiError::new(ErrorCode::CannotAnswer, "The stored decision cannot be parsed.")
                .with_internal_message(message)
        }
        DecisionError::Store(_) => ApiError::new(
            ErrorCode::StoreUnreadable,
            "The stored data cannot be read at the moment. Try again in 5 s.",
        )
        .retry_after(5)
        .with_internal_message(message),
        DecisionError::Signing(_) => ApiError::new(
            ErrorCode::SigningUnavailable,
            "The response could not be signed. Try again in 30 s.",
        )
        .retry_after(30)
        .with_internal_message(message),
    }
}
