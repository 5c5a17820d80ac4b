//! `POST /api/v1/log/gossip`: compares heads that clients received with our log.

use std::sync::Arc;

use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use contract::{
    errors::ErrorV1,
    records::{GossipAnswer, GossipRequest},
};
use http::header::CACHE_CONTROL;
use service::Service;

use crate::{
    handlers::error_mapping::log_to_api_error,
    rate_limits::FeedLimit,
    request::StrictJson,
    response::{ApiError, NO_STORE},
};

/// Submit heads that you received
///
/// Each head is compared with our own chain. The result is `known`, `not_ours`, or, for a head that
/// carries our signature but is not in our log, `contradicts` or `ahead`. These last two are stored,
/// counted in `GET /api/v1/log`, and raise an alarm. Send 1 to 50 heads, each of at most 65536 bytes.
/// Keep your own copy: two heads that contradict each other are the proof.
#[utoipa::path(
    post,
    path = "/api/v1/log/gossip",
    operation_id = "postLogGossip",
    tag = "log",
    request_body(content = GossipRequest, content_type = "application/json"),
    responses(
        (status = 200, description = "The result for each head.", body = GossipAnswer,
            content_type = "application/json"),
        (status = 400, description = "`batch_size`, `bad_request`, `unknown_field`.",
            body = ErrorV1),
        (status = 413, description = "The body is larger than 1048576 bytes: `body_too_large`.",
            body = ErrorV1),
        (status = 415, description = "Not JSON: `unsupported_media_type`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn post_log_gossip(
    State(service): State<Arc<Service>>,
    _: FeedLimit,
    StrictJson(request): StrictJson<GossipRequest>,
) -> Result<Response, ApiError> {
    let answer: GossipAnswer =
        service.log.check_gossip(request.sths.into_vec()).await.map_err(log_to_api_error)?;
    Ok(([(CACHE_CONTROL, NO_STORE)], Json(answer)).into_response())
}
