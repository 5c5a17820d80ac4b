//! `GET /api/v1/decisions/{sha256}`: whether a decision still stands.

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
    decisions::{DecisionAsk, DecisionError},
};

use crate::{
    address::{self, PathText},
    documents::{Document, FOR_A_MINUTE, FOR_AN_HOUR, JSON},
    errors::{ApiError, sentence},
    limits::Reads,
};

/// Check whether a decision stands
///
/// By the digest of a receipt or of an answer. `accept` tells a site whether to let a request in on
/// a receipt: we issued it, it names the site's `host`, it stands, and it says `allow` or `warn`.
/// `state` tells what became of it: `standing`, `superseded` (a newer answer is not stricter),
/// `expired`, `tightened` (a newer answer is stricter) or `revoked`.
#[utoipa::path(
    get,
    path = "/api/v1/decisions/{sha256}",
    operation_id = "decisionCheckV1",
    tag = "decisions",
    params(
        ("sha256" = String, Path, description = "64 lower-case hex digits."),
        ("host" = Option<String>, Query, description = "The site that wants to accept a receipt."),
        ("action" = Option<String>, Query, description = "Only this action of an answer."),
        ("at" = Option<String>, Query, description = "As things stood then. Of a past moment, \
            only what was taken back or tightened is told; a newer answer that was not stricter \
            may be missing."),
    ),
    responses(
        (status = 200, description = "The signed record.", body = DecisionCheck,
            content_type = "application/json"),
        (status = 304, description = "The copy you have is still right."),
        (status = 400, description = "Not a digest, or not a time: `bad_request`, \
            `unknown_field`.", body = ErrorV1),
        (status = 404, description = "Never issued here, or past what is kept; to be treated as \
            not standing: `unknown_decision`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`cannot_answer`, `store_unreadable`, \
            `signing_unavailable`.", body = ErrorV1),
    )
)]
pub(crate) async fn decision_check_v1(
    State(service): State<Arc<Service>>,
    _: Reads,
    PathText(digest): PathText,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let asked = address::parameters(&uri, &["host", "action", "at"])?;
    let digest: Digest = digest.parse().map_err(|_| {
        ApiError::bad_request("A digest is 64 lower-case hex digits.").param("sha256")
    })?;
    let action = asked.get("action").map(|word| {
        Action::known(word).ok_or_else(|| {
            let words = Action::WORDS.join(", ");
            ApiError::bad_request(format!("`action` is one of: {words}.")).param("action")
        })
    });
    let at = asked.get("at").map(|text| {
        text.parse().map_err(|_| {
            ApiError::bad_request("`at` is a time such as 2026-11-15T10:00:00Z.").param("at")
        })
    });
    let ask = DecisionAsk {
        digest,
        host: asked.get("host").cloned(),
        action: action.transpose()?,
        at: at.transpose()?,
    };
    let checked = service.check_decision(ask).await.map_err(failed)?;
    let cache = if checked.revoked { FOR_AN_HOUR } else { FOR_A_MINUTE };
    let document = Document::named(checked.document.bytes, &checked.document.digest, JSON, cache);
    Ok(document.reply(&headers))
}

fn failed(error: DecisionError) -> ApiError {
    let said = error.to_string();
    match error {
        DecisionError::Unknown => ApiError::new(ErrorCode::UnknownDecision, sentence(&said)),
        DecisionError::NotIssuedYet | DecisionError::NotYet => {
            ApiError::bad_request(sentence(&said)).param("at")
        }
        DecisionError::OtherAction => ApiError::bad_request(sentence(&said)).param("action"),
        DecisionError::Unreadable(_) => {
            ApiError::new(ErrorCode::CannotAnswer, "This decision cannot be read.").because(said)
        }
        DecisionError::Store(_) => {
            ApiError::new(ErrorCode::StoreUnreadable, "What is kept cannot be read now; try again.")
                .retry_after(5)
                .because(said)
        }
        DecisionError::Signing(_) => {
            ApiError::new(ErrorCode::SigningUnavailable, "This could not be signed.")
                .retry_after(30)
                .because(said)
        }
    }
}
