//! `POST /api/v1/log/gossip`: heads that somebody was shown.

use std::sync::Arc;

use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use contract::{
    errors::{ErrorCode, ErrorV1},
    limits::GOSSIP_HEADS_MAX,
    records::{GossipAnswer, GossipRequest},
};
use http::header::CACHE_CONTROL;
use service::Service;

use super::failed;
use crate::{body::StrictJson, documents::NOT_AT_ALL, errors::ApiError, limits::Feeds};

/// Show heads that you were shown
///
/// Each is held against our own chain: `known`, `not_ours`, or signed by us and not of our log
/// (`contradicts`, `ahead`). The last two are kept, counted in `GET /api/v1/log`, and raise an
/// alarm. From 1 to 50 heads, each of at most 65536 bytes. Keep your own copy: two heads that
/// contradict each other are the proof.
#[utoipa::path(
    post,
    path = "/api/v1/log/gossip",
    operation_id = "postLogGossip",
    tag = "log",
    request_body(content = GossipRequest, content_type = "application/json"),
    responses(
        (status = 200, description = "What was found, for each head.", body = GossipAnswer,
            content_type = "application/json"),
        (status = 400, description = "`batch_size`, `bad_request`, `unknown_field`.",
            body = ErrorV1),
        (status = 413, description = "A body of more than 1048576 bytes: `body_too_large`.",
            body = ErrorV1),
        (status = 415, description = "Not JSON: `unsupported_media_type`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn post_log_gossip(
    State(service): State<Arc<Service>>,
    _: Feeds,
    StrictJson(request): StrictJson<GossipRequest>,
) -> Result<Response, ApiError> {
    if !request.is_of_good_size() {
        let sentence = format!("`sths` holds from 1 to {GOSSIP_HEADS_MAX} heads.");
        return Err(ApiError::new(ErrorCode::BatchSize, sentence).param("sths"));
    }
    let answer: GossipAnswer = service.log_gossip(request.sths).await.map_err(failed)?;
    Ok(([(CACHE_CONTROL, NOT_AT_ALL)], Json(answer)).into_response())
}
